"""The Python module: scenes, worlds, views without copies, steering, forces, result folders."""

import gc
import os
import sys
import tempfile
import unittest
from pathlib import Path

if os.environ.get("DRENCH_SANITIZE"):
    print("a sanitized library cannot be loaded into Python")
    sys.exit(77)
os.environ["DRENCH_LIBRARY"] = os.environ["DRENCH_SHARED"]
sys.path.insert(0, str(Path(os.environ["DRENCH_SOURCE"], "python")))
try:
    import numpy as np
except ImportError:
    print("numpy is not installed (Debian package python3-numpy)")
    sys.exit(77)
import drench

if not drench.features()["yaml"]:
    print("this build has no yaml")
    sys.exit(77)

SCENE = {
    "domain": {"cell": 0.5},
    "time": {"frame_rate": 100, "frames": 3},
    "bodies": [{"name": "ball", "material": "jelly", "shape": {"type": "sphere", "center": [0, 2, 0], "radius": 1.5}}],
    "strands": [{"name": "lock", "material": "hair", "type": "tuft", "count": 3, "vertices": 5, "length": 2, "root_radius": 0.5,
                 "center": [9, 5, 0]}],
    "emitters": [{"name": "tap", "material": "dust", "velocity": [0, -10, 0],
                  "shape": {"type": "box", "center": [20, 5, 0], "size": [2, 1, 2]}}],
    "colliders": [{"name": "floor", "shape": {"type": "half_space"}}],
}


def open_world(**options):
    return drench.World(drench.Scene(SCENE), threads=1, **options)


class Module(unittest.TestCase):
    def test_scenes_are_made_changed_and_checked(self):
        scene = drench.Scene(SCENE)
        self.assertAlmostEqual(scene.check()["vertices"], 15)
        self.assertIn("cell: 0.25 cm", scene.set("domain.cell", "2.5 mm").text())
        self.assertEqual(drench.Scene(scene.text()).check(), scene.check())
        with self.assertRaises(drench.Error) as caught:
            scene.set("domain.cel", 3)
        self.assertEqual(caught.exception.status, "bad scene")
        self.assertTrue(str(caught.exception).startswith("domain.cel=3: domain has no"))
        self.assertRaises(drench.Error, drench.Scene, "domain: {}")
        self.assertRaises(drench.Error, drench.Scene.read, "/nowhere.yaml")

    def test_frames_are_views_without_copies(self):
        world = drench.World(drench.Scene({key: SCENE[key] for key in SCENE if key != "emitters"}), threads=1)
        frame = world.frame()
        position = frame["particles"]["position"]
        self.assertEqual((position.dtype, position.shape), (np.float32, (frame["particles"].point_count, 3)))
        self.assertFalse(position.flags.owndata or position.flags.writeable)
        address = position.__array_interface__["data"][0]
        again = world.frame()["particles"]["position"]
        self.assertEqual(address, again.__array_interface__["data"][0])  # the library's own memory, twice
        before = position.copy()
        world.advance(0.02)
        world.frame()
        self.assertFalse(np.array_equal(before, again))  # it shows what is there now
        strands = world.frame()["strands"]
        self.assertEqual((strands.kind, strands.element_count, [len(c) for c in strands.curves()]), ("curves", 3, [5, 5, 5]))
        np.testing.assert_array_equal(strands["group"], [0, 0, 0])
        np.testing.assert_array_equal(strands["id"], [0, 1, 2])
        self.assertEqual(strands.unit("position"), "cm")
        self.assertEqual(world.frame()["colliders"].index.shape[1], 3)

    def test_arrays_keep_their_world_alive(self):
        position = open_world().frame()["particles"]["position"]
        gc.collect()
        self.assertAlmostEqual(float(position[:, 1].mean()), 2.0, delta=0.1)

    def test_steps_reports_and_steering(self):
        world = open_world(loads=True)
        world.advance(0.05)
        report = world.report
        self.assertEqual((report.step, report.strands, report.warnings), (world.step_count, 3, []))
        self.assertAlmostEqual(report.mass, 14.2, delta=0.3 + 64)
        emitted = report.emitted
        world.emitter("tap").switch(False)
        floor = world.collider("floor")
        floor.move(0.1, translate=(0, -1, 0))
        world.advance(0.1)
        self.assertEqual(world.report.emitted, emitted)
        np.testing.assert_allclose(floor.pose.translation, [0, -1, 0], atol=1e-12)
        np.testing.assert_allclose(floor.pose.velocity, [0, -20, 0], atol=1e-9)
        with self.assertRaises(KeyError):
            world.collider("flor")
        with self.assertRaises(drench.Error):
            floor.move(0.05)
        with self.assertRaises(drench.Error):
            open_world().collider("floor").force

    def test_forces_are_those_of_newtons_third_law(self):
        scene = {key: SCENE[key] for key in ("domain", "bodies", "colliders")}
        world = drench.World(drench.Scene(scene), threads=1, loads=True)
        floor, impulse = world.collider("floor"), np.zeros(3)
        start = world.report
        while world.time < 0.06:
            world.step(0.06)
            impulse += floor.force * world.report.dt
        lost = start.linear_momentum - world.report.linear_momentum + start.mass * np.array([0, -981, 0]) * world.time
        np.testing.assert_allclose(impulse, lost, atol=1e-4 * start.mass * 981 * world.time)
        self.assertLess(impulse[1], -100)

    @unittest.skipUnless(drench.features()["hdf5"], "this build has no hdf5")
    def test_runs_fill_folders_that_are_read_again(self):
        with tempfile.TemporaryDirectory() as place:
            folder, times, seen = Path(place, "results"), [], []
            summary = drench.run(drench.Scene(SCENE), folder, threads=1, progress=lambda now: times.append(now.time),
                                 observe=lambda frame: seen.append(frame["particles"]["position"].copy()))
            self.assertTrue(summary.complete)
            self.assertEqual((summary.frames, len(seen)), (4, 4))
            self.assertEqual(len(times), summary.steps + 4)
            result = drench.Result(folder)
            self.assertEqual([result.label(i) for i in range(len(result))], [(1, 0), (2, 0), (3, 0), (4, 0)])
            for frame, positions in zip(result, seen):
                np.testing.assert_array_equal(frame["particles"]["position"], positions)
            last = result[-1]["particles"]["position"]
            del result
            gc.collect()
            np.testing.assert_array_equal(last, seen[-1])
            self.assertRaises(drench.Error, drench.Result, place)

    def test_an_exception_ends_a_run(self):
        class Enough(Exception):
            pass

        def refuse(now):
            raise Enough

        self.assertRaises(Enough, drench.run, drench.Scene(SCENE), threads=1, progress=refuse)


if __name__ == "__main__":
    unittest.main()
