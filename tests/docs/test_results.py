"""What docs/results.md says frames and statistics hold is what they hold."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
import program

try:
    import h5py
except ImportError:
    h5py = None

ROOT = Path(os.environ.get("DRENCH_SOURCE", "."))

# All kinds of matter, and films of two liquids.
SCENE = """
time: {frame_rate: 100, frames: 1}
domain: {cell: 0.5}
liquid: {surface_tension: no}
materials:
  - {name: soft, kind: elastic, density: 1, youngs_modulus: 2e4, poisson_ratio: 0.3}
bodies:
  - {name: ball, material: soft, shape: {type: sphere, center: [0, 6, 0], radius: 1}}
  - {name: drop, material: water, shape: {type: sphere, center: [4, 6, 0], radius: 1}}
  - {name: oil, material: olive oil, shape: {type: sphere, center: [9, 6, 0], radius: 1}}
strands:
  - {name: lock, material: hair, type: line, start: [4, 8, 0], end: [4, 5, 0], vertices: 7, film_height: 0.001}
  - {name: thread, material: yarn, contact: grid, type: line, start: [-8, 2, 0], end: [-6, 2, 0], vertices: 5}
cloths:
  - {name: rag, material: fabric, type: rectangle, center: [-5, 5, 0], width: 2, depth: 2, edge: 0.5}
colliders:
  - {name: floor, shape: {type: half_space, point: [0, 0, 0], normal: [0, 1, 0]}}
"""


def names_of(value):
    """Keys of an object and of the objects in it."""
    for key, inner in value.items():
        yield key
        if isinstance(inner, dict) and key != "stage_seconds":
            yield from names_of(inner)


@unittest.skipUnless(program.DRENCH, "no program")
class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program.needs("hdf5")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.results, scene = Path(folder.name, "results"), Path(folder.name, "scene.yaml")
        scene.write_text(SCENE)
        subprocess.run([program.DRENCH, "run", "--quiet", "-o", cls.results, scene], check=True)
        cls.page = (ROOT / "docs/results.md").read_text()

    def check_told(self, names):
        self.assertEqual([name for name in sorted(set(names)) if f"`{name}`" not in self.page and f".{name}`" not in self.page], [])

    @unittest.skipUnless(h5py, "no h5py")
    def test_every_dataset_of_a_frame_is_told(self):
        with h5py.File(self.results / "frames/frame_000001.h5") as frame:
            parts = {part: sorted(frame[part]) for part in frame}
            self.assertEqual(sorted(parts), ["cloth", "colliders", "liquid", "particles", "strands", "yarn"])
            self.check_told([*parts, *frame.attrs, *(name for names in parts.values() for name in names
                                                     if not name.startswith("film_volume_"))])
            self.assertIn("film_volume_water", parts["strands"])
            self.assertNotIn("affine", parts["particles"])
            self.assertNotIn("strain", parts["particles"])

    def test_every_figure_of_the_statistics_is_told(self):
        with open(self.results / "stats.jsonl", encoding="utf-8") as lines:
            self.check_told(names_of(json.loads(next(lines))))


if __name__ == "__main__":
    unittest.main()
