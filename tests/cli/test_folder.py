"""What a result folder holds, who may write it, and what `drench info` says of it."""

import json
import subprocess
import unittest

from program import Case, needs

REPORT = {"step", "time", "dt", "rejected", "rejected_because", "limited_by", "particles", "strands", "vertices", "blocks", "emitted", "drained", "culled", "ids", "bubbles", "volume", "mass",
          "linear_momentum", "angular_momentum", "energy", "largest_speed", "solves", "contacts", "held", "stage_seconds",
          "step_seconds", "resident_bytes", "warnings"}

CUBE = ("".join(f"v {x} {y} {z}\n" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)) +
        "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n")


class Folder(Case):
    def test_everything_is_there_and_whole(self):
        self.run_scene("out", "--frames", 3, "--quiet")
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()),
                         [".lock", "checkpoint.h5", "frames", "report.json", "run.json", "scene.yaml", "stats.jsonl"])
        self.assertEqual(self.frames("out"), [f"frame_{n:06d}{s}.h5" for n in (1, 2, 3) for s in ("", "_s1")] + ["frame_000004.h5"])
        run = json.loads((self.folder / "out" / "run.json").read_text())
        self.assertRegex(run["scene_hash"], "^[0-9a-f]{16}$")
        self.assertEqual(len(run["sessions"]), 1)
        self.assertIn("--frames 3", run["sessions"][0]["command"])
        self.drench("check", "out/scene.yaml")

    def test_the_scene_kept_finds_its_files_from_where_it_lies(self):
        (self.folder / "meshes").mkdir()
        (self.folder / "meshes" / "cube.obj").write_text(CUBE)
        text = self.scene.read_text().replace("{type: sphere, center: [0, 2.2, 0], radius: 1.2}",
                                              "{type: mesh, file: meshes/cube.obj, translate: [0, 2.5, 0]}")
        self.scene.write_text(text)
        self.drench("run", "scene.yaml", "-o", "out", "--frames", 0, "--quiet")
        self.drench("check", "out/scene.yaml")
        self.drench("run", "scene.yaml", "-o", "out", "--frames", 0, "--resume")
        (self.folder / "meshes" / "cube.obj").write_text(CUBE.replace("v 1 1 1", "v 1 1.2 1"))
        self.assertIn("a file that the scene names",
                      self.drench("run", "scene.yaml", "-o", "out", "--frames", 0, "--resume", status=2)[1])

    def test_statistics_have_one_complete_line_per_step(self):
        self.run_scene("out", "--frames", 3, "--quiet")
        stats, report = self.stats("out"), self.report("out")
        self.assertEqual([line["step"] for line in stats], list(range(1, report["steps"] + 1)))
        for line in stats:
            self.assertEqual(set(line), REPORT)
            self.assertEqual(set(line["volume"]), {"bulk", "film", "fabric", "drained", "total", "emitted", "occupied",
                                                   "bubbles", "bubbles_lost"})
            self.assertEqual(len(line["linear_momentum"]), 3)
        self.assertEqual(stats[-1], report["last"])
        self.assertAlmostEqual(sum(line["dt"] for line in stats), report["time"] + 0.01, 12)
        self.assertTrue(report["complete"])

    def test_statistics_may_be_thinned(self):
        self.run_scene("all", "--frames", 6, "--quiet")
        self.run_scene("some", "--frames", 3, "--quiet", "--set", "output.stats_every=7")
        self.run_scene("some", "--frames", 6, "--quiet", "--set", "output.stats_every=7", "--resume")
        steps = self.report("all")["steps"]
        self.assertEqual([line["step"] for line in self.stats("some")], list(range(7, steps + 1, 7)))
        self.assertEqual(self.report("all")["state_hash"], self.report("some")["state_hash"])

    def test_frames_are_read_by_other_programs(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("no h5py")
        self.run_scene("out", "--frames", 2, "--quiet")
        run = json.loads((self.folder / "out" / "run.json").read_text())
        with h5py.File(self.folder / "out" / "frames" / "frame_000002_s1.h5") as frame:
            self.assertAlmostEqual(frame.attrs["time"], 1.5 / 50)
            self.assertEqual((frame.attrs["number"], frame.attrs["sample"]), (2, 1))
            self.assertEqual(frame.attrs["scene_hash"], run["scene_hash"])
            self.assertEqual(frame.attrs["version"], run["version"])
            self.assertEqual(frame.attrs["seed"], run["seed"])
            position = frame["particles/position"]
            self.assertEqual(position.shape, (frame["particles"].attrs["point_count"], 3))
            self.assertEqual(position.attrs["unit"], "cm")
            self.assertTrue(position.shuffle)
            self.assertEqual(position.compression, "gzip")
        with h5py.File(self.folder / "out" / "checkpoint.h5") as checkpoint:
            self.assertEqual(checkpoint.attrs["step"], self.report("out")["steps"])

    def test_results_are_not_overwritten_unless_asked(self):
        self.run_scene("out", "--frames", 1, "--quiet")
        note = self.folder / "out" / "note.txt"
        note.write_text("mine")
        _, problems = self.run_scene("out", status=2)
        self.assertIn("--resume", problems)
        self.assertIn("--overwrite", problems)
        self.run_scene("out", "--frames", 0, "--overwrite", "--quiet")
        self.assertEqual(self.frames("out"), ["frame_000001.h5"])
        self.assertEqual(note.read_text(), "mine")

    def test_a_folder_of_other_things_is_refused(self):
        (self.folder / "out").mkdir()
        (self.folder / "out" / "thesis.tex").write_text("years of work")
        self.assertIn("not empty", self.run_scene("out", status=2)[1])
        self.assertIn("not empty", self.run_scene("out", "--resume", status=2)[1])

    def test_two_runs_cannot_write_one_folder(self):
        process = self.start("out")
        _, problems = self.run_scene("out", "--resume", status=1)
        self.assertIn(f"process {process.pid}", problems)
        self.assertIn(f"process {process.pid}", self.drench("info", "out")[0])
        self.assertEqual(json.loads(self.drench("info", "out", "--json")[0])["state"], "running")
        process.kill()
        process.wait()
        self.assertIn("unfinished", self.drench("info", "out")[0])
        self.run_scene("out", "--resume", "--quiet")

    def test_the_folder_is_named_after_the_scene(self):
        output, _ = self.drench("run", self.scene, "--frames", 0)
        self.assertIn("results/scene", output)
        self.assertTrue((self.folder / "results" / "scene" / "report.json").exists())

    def test_nothing_is_written_without_output(self):
        self.drench("run", self.scene, "--frames", 1, "--no-output")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["scene.yaml"])

    def test_a_folder_that_cannot_be_made_is_told(self):
        (self.folder / "file").write_text("")
        self.assertIn("file", self.run_scene("file/out", status=1)[1])
        self.assertIn("file", self.run_scene("file", status=2)[1])


class Info(Case):
    def test_a_complete_folder(self):
        self.run_scene("out", "--frames", 3, "--quiet")
        text = self.drench("info", "out")[0]
        for wanted in ("a ball and dust", "complete", "7 of 7", self.report("out")["state_hash"]):
            self.assertIn(wanted, text)
        self.assertEqual(json.loads(self.drench("info", "out", "--json")[0])["frames"], 7)

    def test_missing_frames_are_named(self):
        self.run_scene("out", "--frames", 3, "--quiet")
        for name in ("frame_000002.h5", "frame_000002_s1.h5"):
            (self.folder / "out" / "frames" / name).unlink()
        self.assertIn("missing: frame_000002.h5 .. frame_000002_s1.h5", self.drench("info", "out")[0])
        self.assertEqual(json.loads(self.drench("info", "out", "--json")[0])["missing"],
                         [["frame_000002.h5", "frame_000002_s1.h5"]])

    def test_damage_is_told_and_the_rest_described(self):
        self.run_scene("out", "--frames", 3, "--quiet")
        for name in ("run.json", "report.json", "checkpoint.h5"):
            path = self.folder / "out" / name
            path.write_bytes(path.read_bytes()[:100])
        with open(self.folder / "out" / "stats.jsonl", "a") as stats:
            stats.write("{half a li")
        text, problems = self.drench("info", "out", status=1)
        self.assertIn("7, frame_000001.h5", text)
        self.assertIn("last step", text)
        for name in ("run.json", "report.json", "checkpoint.h5"):
            self.assertIn(f"out/{name}: is damaged", problems)
        self.assertIn("run.json: is damaged", self.run_scene("out", "--resume", status=1)[1])

    def test_a_frame_cut_short_is_told(self):
        self.run_scene("out", "--frames", 3, "--quiet")
        frame = self.folder / "out" / "frames" / "frame_000002.h5"
        frame.write_bytes(frame.read_bytes()[:-100])
        text, problems = self.drench("info", "out", status=1)
        self.assertIn("7 of 7", text)
        self.assertIn("out/frames/frame_000002.h5", problems)

    def test_every_frame_is_verified_when_asked(self):
        self.run_scene("out", "--frames", 3, "--quiet")
        self.assertIn("7 of 7 frames are as they were written", self.drench("info", "out", "--verify")[0])
        frame = self.folder / "out" / "frames" / "frame_000002.h5"
        data = bytearray(frame.read_bytes())
        data[len(data) // 2] ^= 1
        frame.write_bytes(data)
        self.drench("info", "out")  # the length is right
        text, problems = self.drench("info", "out", "--verify", status=1)
        self.assertIn("6 of 7 frames are as they were written", text)
        self.assertIn("out/frames/frame_000002.h5: is damaged: its checksum does not fit", problems)

    def test_a_folder_without_results_is_refused(self):
        self.drench("info", "nowhere", status=2)
        self.assertIn("no results", self.drench("info", ".", status=2)[1] if not self.scene.unlink() else "")


if __name__ == "__main__":
    needs("hdf5")
    needs("yaml")
    unittest.main()
