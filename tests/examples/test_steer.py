"""The second example lifts a jelly: in the mean the plate bears its weight."""

import os
import re
import subprocess
import unittest
from pathlib import Path

PROGRAM = Path(os.environ["DRENCH_BUILD"], "examples", "example_02_steer")


class Steer(unittest.TestCase):
    def test_the_plate_bears_the_weight_and_is_lifted(self):
        run = subprocess.run([PROGRAM], capture_output=True, text=True)
        if "libfyaml" in run.stderr:
            self.skipTest("this build has no yaml")
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = [tuple(map(float, row)) for row in re.findall(r"^(\S+) s  plate at (\S+) cm bears +(\S+) dyn$", run.stdout, re.MULTILINE)]
        self.assertEqual(len(rows), 30)
        self.assertEqual((rows[0][1], rows[-1][1]), (0.0, 2.0))
        mean = sum(row[2] for row in rows) / len(rows)
        self.assertAlmostEqual(mean / (18 * 981), 1.0, delta=0.15)


if __name__ == "__main__":
    unittest.main()
