"""The first example shows a ball that falls as balls do and comes up again."""

import os
import re
import subprocess
import unittest
from pathlib import Path

PROGRAM = Path(os.environ["DRENCH_BUILD"], "examples", "example_01_hello")


class Hello(unittest.TestCase):
    def test_ball_falls_freely_and_comes_up_again(self):
        run = subprocess.run([PROGRAM], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        heights = {float(time): float(height) for time, height in re.findall(r"^(\S+) s  (\S+) cm$", run.stdout, re.MULTILINE)}
        self.assertEqual(len(heights), 21)
        for time in (0.01, 0.02, 0.03, 0.04):
            fallen = heights[0.0] - heights[time]
            self.assertAlmostEqual(fallen, 0.5 * 981 * time**2, delta=0.01)
        lowest = min(heights, key=heights.get)
        self.assertGreater(heights[lowest], 0.5)
        self.assertGreater(max(height for time, height in heights.items() if time > lowest), 2.0)


if __name__ == "__main__":
    unittest.main()
