"""A run that was stopped, in whatever way, goes on with the same bits."""

import os
import resource
import signal
import subprocess
import unittest

from program import DRENCH, Case, needs


class Resume(Case):
    def setUp(self):
        super().setUp()
        self.run_scene("whole", "--quiet")

    def test_ctrl_c_leaves_a_checkpoint_and_resume_gives_the_same_bits(self):
        status, output, _ = self.interrupt("part")
        self.assertEqual(status, 130)
        self.assertIn("--resume", output)
        self.assertEqual(self.report("part")["status"], "interrupted")
        self.assertLess(self.report("part")["steps"], self.report("whole")["steps"])
        self.assertEqual(self.interrupt("part", "--resume", frames=20)[0], 130)
        self.run_scene("part", "--resume")
        self.expect_same("whole", "part")

    def test_sigterm_is_as_ctrl_c(self):
        self.assertEqual(self.interrupt("part", kind=signal.SIGTERM)[0], 130)
        self.run_scene("part", "--resume")
        self.expect_same("whole", "part")

    def test_a_second_signal_ends_at_once(self):
        process = self.start("part")
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(), 130)
        self.assertFalse((self.folder / "part" / "report.json").exists())
        self.assertIn("unfinished; go on with: drench run", self.drench("info", "part")[0])
        self.run_scene("part", "--resume")
        self.expect_same("whole", "part")

    def test_kill_and_resume_gives_the_same_bits(self):
        for frames in (1, 11, 30):
            self.assertEqual(self.interrupt("part", "--resume", kind=signal.SIGKILL, frames=frames)[0], -signal.SIGKILL)
        self.run_scene("part", "--resume")
        self.expect_same("whole", "part")

    def test_frames_beyond_the_checkpoint_are_made_again(self):
        self.interrupt("part", kind=signal.SIGKILL, frames=14)
        newest = self.folder / "part" / "frames" / self.frames("part")[-1]
        newest.write_bytes(b"not what it was")
        (self.folder / "part" / "frames" / ".frame_000009.h5.tmp").write_bytes(b"half")
        with open(self.folder / "part" / "stats.jsonl", "a") as stats:
            stats.write('{"step": 99')
        self.run_scene("part", "--resume")
        self.expect_same("whole", "part")

    def test_a_full_disk_is_a_clean_error_and_resume_goes_on(self):
        limit = max((self.folder / "whole" / "frames" / name).stat().st_size for name in self.frames("whole")) - 1
        limit = min(limit, (self.folder / "whole" / "stats.jsonl").stat().st_size // 2)

        def fill():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

        # the thread sanitizer keeps a file of its own where TMPDIR says, and does without where there is no such folder
        run = subprocess.run([DRENCH, "run", self.scene, "--threads", "1", "-o", "part"], cwd=self.folder, preexec_fn=fill,
                             env={**os.environ, "TMPDIR": "/nowhere"}, capture_output=True, text=True)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("too large", run.stderr)
        self.assertNotIn("HDF5-DIAG", run.stderr)
        self.assertEqual(list((self.folder / "part").rglob("*.tmp")), [])
        self.run_scene("part", "--resume")
        self.expect_same("whole", "part")

    def test_a_damaged_checkpoint_is_named_and_the_one_before_is_used(self):
        self.interrupt("part", frames=30)
        newest = self.folder / "part" / "checkpoint.h5"
        damaged = bytearray(newest.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        newest.write_bytes(damaged)
        _, problems = self.run_scene("part", "--resume")
        self.assertIn("checkpoint.h5: is damaged", problems)
        self.expect_same("whole", "part")

    def test_without_a_whole_checkpoint_resume_is_refused(self):
        self.interrupt("part", frames=30)
        for name in ("checkpoint.h5", "checkpoint.old.h5"):
            path = self.folder / "part" / name
            path.write_bytes(path.read_bytes()[:-100])
        _, problems = self.run_scene("part", "--resume", status=1)
        self.assertIn("checkpoint.h5: is damaged", problems)
        self.assertIn("checkpoint.old.h5: is damaged", problems)

    def test_how_far_to_go_does_not_change_the_bits(self):
        self.run_scene("part", "--frames", 5)
        self.assertEqual(len(self.frames("part")), 11)
        self.run_scene("part", "--resume", "--until", 0.205)
        self.assertEqual(self.frames("part")[-1], "frame_000011_s1.h5")
        self.run_scene("part", "--resume")
        self.expect_same("whole", "part")

    def test_the_number_of_threads_does_not_change_the_bits(self):
        self.run_scene("part", "--frames", 7)
        self.drench("run", self.scene, "-o", "part", "--resume", "--threads", 3)
        self.expect_same("whole", "part")

    def test_a_complete_run_has_nothing_to_resume(self):
        before = (self.folder / "whole" / "stats.jsonl").stat().st_mtime_ns
        output, _ = self.run_scene("whole", "--resume")
        self.assertIn("already complete", output)
        self.assertEqual((self.folder / "whole" / "stats.jsonl").stat().st_mtime_ns, before)

    def test_frames_taken_away_are_told(self):
        self.run_scene("part", "--frames", 6)
        (self.folder / "part" / "frames" / "frame_000003.h5").unlink()
        for _ in range(2):
            self.assertIn("frame_000003.h5", self.run_scene("part", "--resume", "--frames", 8)[1])

    def test_results_that_do_not_name_their_scene_are_kept(self):
        self.run_scene("part", "--frames", 6)
        (self.folder / "part" / "run.json").unlink()
        self.assertIn("no run.json", self.run_scene("part", "--resume", status=1)[1])
        self.assertEqual(len(self.frames("part")), 13)

    def test_a_changed_scene_is_refused_with_the_difference(self):
        _, problems = self.run_scene("whole", "--resume", "--set", "gravity=[0, -500, 0]", status=2)
        self.assertIn("not the one this run was begun with", problems)
        self.assertIn("gravity", problems)
        self.assertIn("-500", problems)
        self.scene.write_text("# a comment changes nothing\n" + self.scene.read_text().replace("a ball", "another ball"))
        self.run_scene("whole", "--resume")


if __name__ == "__main__":
    needs("hdf5")
    needs("yaml")
    unittest.main()
