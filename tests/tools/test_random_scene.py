"""Sixty random small scenes, two that once gave up, and six of cloth: they run to their end or are refused with a word, and none gives up, creeps, crashes or writes
what is not a number."""
import importlib.machinery
import importlib.util
import json
import os
import sys
import unittest

SEEDS = [*range(60), 576, 608]
CLOTH_SEEDS = range(6)
SLOW = {37: "an elastic body of steps so short that it takes a quarter of a minute"}
CPU_SECONDS = 20


def load():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("random_scene", os.path.join("tools", "random_scene"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("random_scene", loader))
    loader.exec_module(module)
    return module


class RandomScenes(unittest.TestCase):
    def setUp(self):
        self.tool = load()

    def test_a_seed_gives_one_scene(self):
        for seed in SEEDS:
            self.assertEqual(json.dumps(self.tool.scene(seed)), json.dumps(self.tool.scene(seed)))
        self.assertEqual(len({json.dumps(self.tool.scene(seed)) for seed in SEEDS}), len(SEEDS))

    def test_all_kinds_of_matter_are_among_them(self):
        scenes = [self.tool.scene(seed) for seed in SEEDS]
        for kind in ("bodies", "strands", "emitters", "colliders", "drains", "forces", "materials"):
            self.assertGreater(sum(kind in scene for scene in scenes), 2, kind)

    def test_they_run_or_are_refused(self):
        program, bad, refused = os.environ["DRENCH"], [], 0
        for seed in SEEDS:
            if seed in SLOW:
                continue
            word, said = self.tool.run(program, seed, CPU_SECONDS)
            refused += word == "refused"
            if word == "refused" and ": " not in said:
                bad.append((seed, "refused without a word"))
            if word not in ("done", "refused"):
                bad.append((seed, word, said))
        self.assertEqual(bad, [])
        self.assertLess(refused, len(SEEDS) // 4)

    def test_scenes_of_cloth_run_or_are_refused(self):
        program, bad = os.environ["DRENCH"], []
        for seed in CLOTH_SEEDS:
            word, said = self.tool.run(program, seed, CPU_SECONDS, self.tool.cloth_scene)
            if word not in ("done", "refused") or (word == "refused" and ": " not in said):
                bad.append((seed, word, said))
        self.assertEqual(bad, [])


if __name__ == "__main__":
    unittest.main()
