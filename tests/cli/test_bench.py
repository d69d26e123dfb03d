"""Benchmarks measure something, at small sizes too."""

import json
import unittest

from program import Case

SMALL = {
    "dam": ["particles=2000", "steps=2", "warm_up=1"],
    "strands": ["strands=20", "vertices=10"],
    "film": ["strands=20", "steps=2", "bath=40"],
    "thick": ["cells=4", "steps=1", "laws=1000"],
    "bath": ["particles=2000", "strands=20", "steps=1", "warm_up=1"],
}


class Bench(Case):
    def test_small_benchmarks_measure(self):
        for name, keys in SMALL.items():
            with self.subTest(name):
                out, problems = self.drench("bench", "--json", "--threads", "1", name, *keys)
                self.assertEqual(problems, "")
                measured = json.loads(out)["measured"]
                self.assertTrue(measured and all(value >= 0 for value in measured.values()), measured)


if __name__ == "__main__":
    unittest.main()
