"""drench export on the results of a run: what comes out, what is told, what Ctrl-C leaves."""

import json
import os
import signal
import subprocess
import sys
import unittest

from program import Case, needs

try:
    import h5py
    import numpy as np
except ImportError:
    print("h5py is not installed (Debian package python3-h5py)")
    sys.exit(77)

needs("hdf5")
needs("yaml")


def read_ply(path):
    """Vertices of a binary PLY file as a structured array."""
    data = path.read_bytes()
    head, body = data.split(b"end_header\n", 1)
    kinds = {"float": "<f4", "double": "<f8", "uint": "<u4", "int": "<i4", "uchar": "u1"}
    fields, count = [], 0
    for line in head.decode().splitlines():
        words = line.split()
        if words[:2] == ["element", "vertex"]:
            count = int(words[2])
        elif words[0] == "element":
            break
        elif words[0] == "property":
            fields.append((words[2], kinds[words[1]]))
    return np.frombuffer(body, np.dtype(fields), count)


class Export(Case):
    def setUp(self):
        super().setUp()
        self.run_scene("results", "--frames", 4)

    def files(self, folder):
        return sorted(path.name for path in (self.folder / folder).iterdir())

    def test_points_come_back_with_the_same_bits(self):
        self.drench("export", "results", "--format", "ply", "-o", "ply", "--samples")
        names = self.frames("results")
        self.assertEqual(self.files("ply"),
                         sorted(f"{part}_{name[6:-3]}.ply" for name in names for part in self.parts(name)))
        for name in names:
            vertices = read_ply(self.folder / "ply" / f"particles_{name[6:-3]}.ply")
            with h5py.File(self.folder / "results" / "frames" / name) as frame:
                part = frame["particles"]
                for axis, letter in enumerate("xyz"):
                    np.testing.assert_array_equal(vertices[letter], part["position"][:, axis])
                    np.testing.assert_array_equal(vertices["v" + letter], part["velocity"][:, axis])
                np.testing.assert_array_equal(vertices["id"], part["id"])
                np.testing.assert_array_equal(vertices["mass"], part["mass"])

    def parts(self, name):
        with h5py.File(self.folder / "results" / "frames" / name) as frame:
            return [part for part in frame if frame[part].attrs["point_count"]]

    def test_without_a_folder_files_go_beside_the_frames(self):
        out, _ = self.drench("export", "results", "--format", "vtk", "--parts", "particles", "--frames", "2..4:2")
        self.assertRegex(out, r"done: 2 frames in 3 vtk files, [\d.]+ kB in 0:00, in results/export \(in cm, y up\)\n")
        self.assertEqual(self.files("results/export"), ["particles.pvd", "particles_000002.vtu", "particles_000004.vtu"])
        self.drench("info", "results")

    def test_progress_is_told_as_json(self):
        out, _ = self.drench("export", "results", "--format", "gltf", "-o", "gltf", "--json")
        events = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([event["frames_done"] for event in events[:-1]], [1, 2, 3, 4, 5])
        self.assertEqual((events[-1]["status"], events[-1]["files"]), ("complete", 5))
        self.assertEqual(self.drench("export", "results", "--format", "obj", "-o", "obj", "--quiet"), ("", ""))

    def test_samples_are_counted_apart_and_programs_told(self):
        out, _ = self.drench("export", "results", "--for", "blender", "-o", "ply", "--samples", "--parts", "particles")
        self.assertIn("done: 5 frames and 4 samples between them in 9 ply files", out)
        self.assertIn("(in m, z up)\nblender: metres, z up; File > Import > Stanford PLY", out)
        out, _ = self.drench("export", "results", "--for", "houdini", "-o", "usd", "--json")
        end = json.loads(out.splitlines()[-1])
        self.assertEqual((end["format"], end["unit"], end["up"], end["files"]), ("usda", "m", "y", 1))

    def test_mistakes_are_told(self):
        for words, status, text in [(["results"], 2, "--format is missing"),
                                    (["results", "--format", "fbx"], 2, 'no format "fbx"'),
                                    (["results", "--format", "ply", "--frames", "5..1"], 2, "--frames"),
                                    (["results", "--format", "ply", "--frames", "90"], 2, "has the frames 1 to 5"),
                                    (["results", "--format", "ply", "--parts", "fur"], 2, 'no part "fur"'),
                                    (["results", "--format", "ply", "--parts", "surface"], 2, "no surface to make"),
                                    (["results", "--format", "vdb"], 2, "no surface to make"),
                                    (["results", "--for", "maya"], 2, "programs are blender"),
                                    (["results", "--format", "ply", "--up", "x"], 2, "--up"),
                                    (["results", "--format", "ply", "--unit", "foot"], 2, '"foot"'),
                                    (["results", "--format", "ply", "--cell", "-1"], 2, "--cell"),
                                    (["nowhere", "--format", "ply"], 2, "nowhere"),
                                    (["results/frames", "--format", "ply"], 2, "results/frames")]:
            _, error = self.drench("export", *words, status=status)
            self.assertIn(text, error)

    def test_a_damaged_frame_is_named(self):
        frame = self.folder / "results/frames/frame_000003.h5"
        data = frame.read_bytes()
        for keep in [0, 10, len(data) // 2]:
            frame.write_bytes(data[:keep])
            _, error = self.drench("export", "results", "--format", "ply", "-o", "cut", "--threads", 1, status=1)
            self.assertIn("frame_000003.h5", error)
        frame.write_bytes(data[:3000] + bytes([data[3000] ^ 1]) + data[3001:])
        _, error = self.drench("export", "results", "--format", "ply", "-o", "cut", "--threads", 1, status=1)
        self.assertIn("frame_000003.h5: is damaged: its checksum does not fit", error)
        self.assertNotIn("particles_000003.ply", self.files("cut"))
        self.assertIn("particles_000002.ply", self.files("cut"))

    def test_a_folder_that_cannot_be_written_is_told(self):
        (self.folder / "taken").write_text("a file")
        _, error = self.drench("export", "results", "--format", "ply", "-o", "taken", status=2)
        self.assertIn("taken", error)

    def test_ctrl_c_leaves_whole_files_only(self):
        frames = self.folder / "results/frames"
        bare = (frames / "frame_000005.h5").read_bytes()[512:]
        for number in range(6, 1000):
            (frames / f"frame_{number:06}.h5").write_bytes(bare)
            with h5py.File(frames / f"frame_{number:06}.h5", "r+") as frame:
                frame.attrs.modify("number", number)
        for form in ["usda", "ply"]:
            process = subprocess.Popen(self.command("export", "results", "--format", form, "-o", form), cwd=self.folder,
                                       stdout=subprocess.PIPE, text=True)
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            out = process.communicate()[0]
            self.assertEqual(process.returncode, 130, out[-500:])
            self.assertIn("stopped:", out)
            names = self.files(form)
            self.assertEqual([name for name in names if name.startswith(".")], [])
            self.assertEqual("drench.usda" in names, False)
        self.assertEqual(len(read_ply(self.folder / "ply/particles_000001.ply")),
                         len(h5py.File(frames / "frame_000001.h5")["particles/id"]))


STRANDS = """
time: {{frame_rate: 25, frames: 1}}
domain: {{cell: 0.5}}
strands:
  - {{name: tuft, material: hair, {curves}}}
"""


class ThereAndBack(Case):
    def strands(self, name, curves):
        """The strands of the first frame of a scene with these curves: position, first points, radius."""
        scene = self.folder / f"{name}.yaml"
        scene.write_text(STRANDS.format(curves=curves))
        self.drench("run", scene, "-o", name, "--threads", 1)
        with h5py.File(self.folder / name / "frames/frame_000001.h5") as frame:
            return [frame["strands"][array][:] for array in ("position", "index", "radius")]

    def test_exported_strands_are_the_strands_of_another_scene(self):
        position, index, radius = self.strands("made", "type: tuft, count: 5, vertices: 12, length: 3, root_radius: 0.5")
        for form, unit in [("ply", "cm"), ("ply", "mm"), ("obj", "m")]:
            self.drench("export", "made", "-f", form, "--parts", "strands", "--frames", 1, "-o", form, "--unit", unit, "--up", "z")
            again = self.strands(f"again_{form}_{unit}", f"type: file, file: {form}/strands_000001.{form}, "
                                 f"unit_length: 1 {unit}, up: z, file_radius: {'true' if form == 'ply' else 'false'}")
            np.testing.assert_allclose(again[0], position, atol=1e-6)
            np.testing.assert_array_equal(again[1], index)
            np.testing.assert_allclose(again[2], radius, rtol=1e-6)


if __name__ == "__main__":
    unittest.main()
