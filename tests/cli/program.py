"""What the tests of the program share: a small scene, running drench, comparing result folders."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

DRENCH = os.environ.get("DRENCH")

# An elastic ball falls on a tilted plane while dust pours past it: bodies, an emitter, a drain, a moving collider.
SCENE = """
title: a ball and dust
time: {frame_rate: 50, frames: 24, samples: 2, pre_roll: 0.01}
domain: {cell: 0.5}
output: {checkpoint_every: 4}
materials:
  - {name: soft, kind: elastic, density: 1, youngs_modulus: 2e4, poisson_ratio: 0.3}
bodies:
  - {name: ball, material: soft, shape: {type: sphere, center: [0, 2.2, 0], radius: 1.2}}
emitters:
  - name: spout
    material: dust
    shape: {type: box, center: [3, 4, 0], size: [1, 1, 1]}
    velocity: [0, -60, 0]
drains:
  - {name: sink, shape: {type: half_space, point: [0, -4, 0], normal: [0, 1, 0]}}
colliders:
  - name: plane
    shape: {type: half_space, point: [0, 0, 0], normal: [0.2, 1, 0]}
    boundary: separate
    friction: 0.3
  - name: paddle
    shape: {type: box, center: [0, 5, 0], size: [1, 0.5, 1]}
    motion: [{type: sine, amplitude: [0, 1, 0], frequency: 5 Hz}]
"""


def needs(what):
    """Skips the whole file where the build lacks a part."""
    features = subprocess.run([DRENCH, "--version"], capture_output=True, text=True, check=True).stdout
    if f"{what} yes" not in features:
        print(f"this build has no {what}")
        sys.exit(77)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.scene = self.folder / "scene.yaml"
        self.scene.write_text(SCENE)

    def command(self, *words):
        return [DRENCH, *map(str, words)]

    def drench(self, *words, status=0, **options):
        """Runs drench and expects that exit status; gives (standard output, standard error)."""
        run = subprocess.run(self.command(*words), cwd=self.folder, capture_output=True, text=True, **options)
        self.assertEqual(run.returncode, status, f"{words}: {run.stdout}{run.stderr}")
        return run.stdout, run.stderr

    def run_scene(self, output, *words, status=0, **options):
        return self.drench("run", self.scene, "--threads", 1, "-o", output, *words, status=status, **options)

    def start(self, output, *words, frames=7):
        """Starts a run and waits until it has written that many files into frames/."""
        process = subprocess.Popen(self.command("run", self.scene, "--threads", 1, "-o", output, *words), cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for _ in range(6000):
            if len(list((self.folder / output / "frames").glob("frame_*.h5"))) >= frames or process.poll() is not None:
                break
            time.sleep(0.005)
        return process

    def interrupt(self, output, *words, kind=signal.SIGINT, frames=7):
        process = self.start(output, *words, frames=frames)
        process.send_signal(kind)
        return process.wait(), process.stdout.read(), process.stderr.read()

    def report(self, output):
        return json.loads((self.folder / output / "report.json").read_text())

    def stats(self, output):
        return [json.loads(line) for line in (self.folder / output / "stats.jsonl").read_text().splitlines()]

    def frames(self, output):
        return sorted(path.name for path in (self.folder / output / "frames").iterdir())

    def expect_same(self, one, other):
        """Same state, same steps, same frames to the last byte."""
        self.assertEqual(self.report(one)["state_hash"], self.report(other)["state_hash"])
        self.assertEqual([(s["step"], s["time"], s["dt"], s["linear_momentum"]) for s in self.stats(one)],
                         [(s["step"], s["time"], s["dt"], s["linear_momentum"]) for s in self.stats(other)])
        self.assertEqual(self.frames(one), self.frames(other))
        for name in self.frames(one):
            self.assertEqual((self.folder / one / "frames" / name).read_bytes(),
                             (self.folder / other / "frames" / name).read_bytes(), name)

    def copy(self, one, other):
        shutil.copytree(self.folder / one, self.folder / other)
