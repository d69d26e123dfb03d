"""What the tests with other programs share: a result folder made by hand, and finding the programs."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DRENCH = os.environ.get("DRENCH")
FRAMES = 4
FRAME_TIME = 1 / 24


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def needs(program, package):
    """The path of a program; skips the whole file where it is not installed."""
    found = shutil.which(program)
    if not found:
        skip(f"{program} is not installed; tools/setup thirdparty installs it (Debian package {package})")
    return found


def needs_drench(part):
    features = subprocess.run([DRENCH, "--version"], capture_output=True, text=True, check=True).stdout
    if f"{part} yes" not in features:
        skip(f"this build has no {part}")


try:
    import h5py
    import numpy as np
except ImportError:
    skip("h5py is not installed (Debian package python3-h5py)")


def liquid(number):
    """A ball of liquid on a lattice that falls and flattens."""
    grid = np.mgrid[-9:10, -9:10, -9:10].reshape(3, -1).T * 0.1
    ball = grid[(grid ** 2).sum(axis=1) < 0.8 ** 2]
    flat = 1 - 0.05 * number
    position = (ball * [1 / flat, flat, 1 / flat] + [0, 1.5 - 0.1 * number, 0]).astype("f4")
    velocity = np.tile(np.array([0, -2.4, 0], "f4"), (len(ball), 1))
    return {"position": (position, "cm"), "velocity": (velocity, "cm/s"),
            "volume": (np.full(len(ball), 1e-3, "f4"), "cm3"), "pressure": (position[:, 1] * 100, "dyn/cm2"),
            "id": (np.arange(len(ball), dtype="u8"), "")}


def strands(number):
    """Twenty strands that hang and sway, of different lengths."""
    first, points = [0], []
    for s in range(20):
        count = 8 + s % 5
        t = np.linspace(0, 1, count)
        x = -1.9 + 0.2 * s
        points.append(np.stack([x + 0.3 * t ** 2 * np.sin(number + s), 3 - 1.6 * t, -1.2 + 0 * t], axis=1))
        first.append(first[-1] + count)
    position = np.concatenate(points).astype("f4")
    return {"index": (np.array(first, "u4"), ""), "position": (position, "cm"),
            "radius": (np.full(len(position), 0.03, "f4"), "cm"),
            "film_height": (np.linspace(0, 0.02, len(position)).astype("f4"), "cm")}


def cloth(number):
    """A sheet of 11 x 11 vertices with a wave that moves."""
    x, z = np.meshgrid(np.linspace(-2, 2, 11), np.linspace(-2, 2, 11))
    y = 0.15 * np.sin(2 * x + number)
    position = np.stack([x, y, z], axis=2).reshape(-1, 3).astype("f4")
    corner = (np.arange(10)[:, None] * 11 + np.arange(10)).ravel()
    index = np.concatenate([np.stack([corner, corner + 11, corner + 1], 1),
                            np.stack([corner + 1, corner + 11, corner + 12], 1)]).astype("u4")
    return {"index": (index, ""), "position": (position, "cm"),
            "wetness": (np.linspace(0, 1, len(position)).astype("f4"), ""),
            "body": (np.arange(len(index), dtype="u4"), "")}


PARTS = {"liquid": ("points", liquid), "strands": ("curves", strands), "cloth": ("triangles", cloth)}


def write_part(file, name, kind, arrays):
    group = file.create_group(name)
    group.attrs["kind"] = kind
    elements = 0
    if "index" in arrays:
        elements = len(arrays["index"][0]) - (kind == "curves")
    group.attrs["point_count"] = np.int64(len(arrays["position"][0]))
    group.attrs["element_count"] = np.int64(elements)
    for array, (data, unit) in arrays.items():
        group.create_dataset(array, data=data).attrs["unit"] = unit


def write_results(folder):
    frames = Path(folder, "frames")
    frames.mkdir(parents=True)
    for number in range(1, FRAMES + 1):
        with h5py.File(frames / f"frame_{number:06}.h5", "w") as file:
            file.attrs["time"] = (number - 1) * FRAME_TIME
            for name, value in {"step": 10 * number, "number": number, "sample": 0}.items():
                file.attrs[name] = np.int64(value)
            for name, (kind, make) in PARTS.items():
                write_part(file, name, kind, make(number))


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        write_results(cls.folder / "results")

    @classmethod
    def export(cls, form, *words):
        """Exports the made-up results and gives the folder of the files."""
        output = cls.folder / form
        run = subprocess.run([DRENCH, "export", str(cls.folder / "results"), "--format", form, "-o", str(output), "--quiet",
                              *words], capture_output=True, text=True)
        if run.returncode:
            raise AssertionError(run.stdout + run.stderr)
        return output

    def ask(self, command, script, *words, ending=".py", **options):
        """Runs another program with a script of ours; gives the JSON it writes into its last argument."""
        path, answer = self.folder / f"script{ending}", self.folder / "answer.json"
        path.write_text(script)
        run = subprocess.run([*command, str(path), *map(str, words), str(answer)], capture_output=True, text=True, timeout=150,
                             **options)
        self.assertEqual(run.returncode, 0, run.stdout[-2000:] + run.stderr[-2000:])
        self.assertTrue(answer.exists(), run.stdout[-2000:] + run.stderr[-2000:])
        return json.loads(answer.read_text())

    def expect_near(self, one, other, tolerance=1e-6):
        np.testing.assert_allclose(np.array(one, float), np.array(other, float), atol=tolerance, rtol=0)
