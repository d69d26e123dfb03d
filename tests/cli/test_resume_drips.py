"""A run that is killed while hair drips goes on with the same bits."""

import json
import signal
import unittest

from program import Case, needs

SCENE = """
title: a wet tuft is shaken
time: {frame_rate: 400, frames: 40, max_step: 1 ms}
domain: {cell: 0.1}
output: {checkpoint_every: 3}
materials:
  - {name: fibre, kind: hair, density: 1.3, youngs_modulus: 1e10, radius: 0.005, damping: 1e5}
strands:
  - {name: line, material: fibre, type: line, end: [2, -0.5, 0], vertices: 16, contact: cone, film_height: 0.03,
     film_drops: liquid, root_motion: [{type: sine, amplitude: [0.3, 0, 0], frequency: 8}]}
  - {name: steep, material: fibre, type: line, start: [0, 0, 1], end: [0.5, -2, 1], vertices: 16, contact: cone,
     film_height: 0.02, film_drops: liquid, root_motion: [{type: sine, amplitude: [0.5, 0, 0], frequency: 12}]}
  - {name: tuft, material: fibre, type: tuft, axis: [0, -1, 0], root_radius: 0.3, count: 6, vertices: 14, length: 2,
     contact: cone, film_height: 0.02, film_drops: liquid, root_motion: [{type: sine, amplitude: [0.3, 0, 0], frequency: 8}]}
"""


class Drips(Case):
    def setUp(self):
        super().setUp()
        self.scene.write_text(SCENE)

    def bulk(self, output):
        lines = (self.folder / output / "stats.jsonl").read_text().splitlines()
        return [json.loads(line)["volume"]["bulk"] for line in lines]

    def test_kill_in_the_middle_of_dripping_and_resume_gives_the_same_bits(self):
        self.run_scene("whole", "--quiet")
        self.assertGreaterEqual(len(set(self.bulk("whole"))), 5)  # drops leave all along
        for frames in (9, 18, 27, 36):
            self.assertEqual(self.interrupt("part", "--resume", kind=signal.SIGKILL, frames=frames)[0], -signal.SIGKILL)
        self.run_scene("part", "--resume")
        self.expect_same("whole", "part")


if __name__ == "__main__":
    needs("hdf5")
    needs("yaml")
    unittest.main()
