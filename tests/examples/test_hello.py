"""The first example shows a ball that falls as balls do and comes up again: that of docs/start.md."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

try:
    import h5py
except ImportError:
    h5py = None

PROGRAM = Path(os.environ["DRENCH_BUILD"], "examples", "example_01_hello")
DRENCH = os.environ.get("DRENCH")
PAGE = Path(os.environ.get("DRENCH_SOURCE", "."), "docs/start.md")


class Hello(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run = subprocess.run([PROGRAM], capture_output=True, text=True, check=True)
        cls.heights = {float(time): float(height) for time, height in re.findall(r"^(\S+) s  (\S+) cm$", run.stdout, re.MULTILINE)}

    @unittest.skipUnless(DRENCH and h5py, "no program, or no h5py")
    def test_it_is_the_scene_of_the_first_ten_minutes(self):
        scene = re.search(r"Put this into `ball.yaml`:\n\n((?:    .*\n|\n)+)", PAGE.read_text())[1]
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "ball.yaml").write_text(re.sub("^    ", "", scene, flags=re.MULTILINE))
            subprocess.run([DRENCH, "run", "--quiet", "--until", "0.2", "-o", "ball", "ball.yaml"], cwd=folder, check=True)
            for number in (5, 7, 9, 11):
                with h5py.File(Path(folder, "ball/frames", f"frame_{number:06}.h5")) as frame:
                    height = float(frame["particles/position"][:, 1].mean())
                    self.assertAlmostEqual(height, self.heights[round(float(frame.attrs["time"]), 2)], delta=0.01)

    def test_ball_falls_freely_and_comes_up_again(self):
        heights = self.heights
        self.assertEqual(len(heights), 21)
        for time in (0.01, 0.02, 0.03, 0.04):
            fallen = heights[0.0] - heights[time]
            self.assertAlmostEqual(fallen, 0.5 * 981 * time**2, delta=0.01)
        lowest = min(heights, key=heights.get)
        self.assertGreater(heights[lowest], 0.5)
        self.assertGreater(max(height for time, height in heights.items() if time > lowest), 2.0)


if __name__ == "__main__":
    unittest.main()
