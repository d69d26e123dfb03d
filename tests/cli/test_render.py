"""drench render: pictures, series and movies of a small run, and what it says when something is wrong."""

import os
import shutil
import signal
import struct
import subprocess
import time
import unittest

from program import DRENCH, Case, needs

needs("yaml")
needs("hdf5")
needs("embree")
needs("png")

SCENE = """
title: a drop and a ball
time: {frame_rate: 50, frames: 3}
domain: {cell: 0.5, min: [-3, 0, -3], max: [3, 8, 3], y_min: separate}
materials:
  - {name: soft, kind: elastic, density: 1, youngs_modulus: 2e4, poisson_ratio: 0.3}
bodies:
  - {name: ball, material: soft, shape: {type: sphere, center: [-1, 2.2, 0], radius: 1.2}}
  - {name: drop, material: water, shape: {type: sphere, center: [1.5, 2.2, 0], radius: 1}}
colliders:
  - {name: bar, shape: {type: box, center: [0, 0.5, 0], size: [4, 0.5, 1]}}
look: {width: 48, height: 27, samples: 2}
"""


def size_of(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG"
    return struct.unpack(">II", data[16:24])


class Render(Case):
    def setUp(self):
        super().setUp()
        self.scene.write_text(SCENE)
        self.results = self.folder / "results"
        run = subprocess.run([DRENCH, "run", self.scene, "-o", self.results, "-q"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)

    def render(self, *words, **more):
        return subprocess.run([DRENCH, "render", *map(str, words)], capture_output=True, text=True, **more)

    def test_a_picture_has_the_size_that_is_asked_for(self):
        picture = self.folder / "a.png"
        run = self.render(self.results, "-o", picture)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(size_of(picture), (48, 27))
        self.assertIn("1 picture", run.stdout)
        run = self.render(self.results, "-o", picture, "--size", "20x30", "--preview", "--camera", "10,5,10:0,1,0", "-q")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))
        self.assertEqual(size_of(picture), (20, 30))

    def test_threads_do_not_change_a_picture(self):
        one, two = self.folder / "one.png", self.folder / "two.png"
        for picture, threads in [(one, 1), (two, 2)]:
            self.assertEqual(self.render(self.results, "-o", picture, "--threads", threads).returncode, 0)
        self.assertEqual(one.read_bytes(), two.read_bytes())

    def test_a_pattern_and_a_folder_give_a_picture_for_every_frame(self):
        run = self.render(self.results, "-o", self.folder / "p_%03d.png", "--frames", "2..4:2", "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.glob("p_*.png")), ["p_002.png", "p_004.png"])
        self.assertIn('"event": "end", "status": "complete"', run.stdout)
        self.assertEqual(self.render(self.results, "-o", self.folder / "all").returncode, 0)
        self.assertEqual(len(list((self.folder / "all").glob("frame_00000?.png"))), 4)

    def test_looks_can_be_set_and_borrowed(self):
        plain, set_, other = (self.folder / name for name in ["plain.png", "set.png", "other.png"])
        self.render(self.results, "-o", plain)
        self.assertEqual(self.render(self.results, "-o", set_, "--set", "look.exposure=1").returncode, 0)
        self.assertNotEqual(plain.read_bytes(), set_.read_bytes())
        changed = self.folder / "changed.yaml"
        changed.write_text(SCENE.replace("samples: 2", "samples: 2, exposure: 1"))
        self.assertEqual(self.render(self.results, "-o", other, "--look", changed).returncode, 0)
        self.assertEqual(set_.read_bytes(), other.read_bytes())

    def test_a_movie_needs_ffmpeg_and_gets_all_frames(self):
        movie = self.folder / "a.mp4"
        run = self.render(self.results, "-o", movie, env={**os.environ, "PATH": str(self.folder)})
        self.assertEqual(run.returncode, 1)
        self.assertIn("ffmpeg", run.stderr)
        self.assertIn("%06d.png", run.stderr)
        if not shutil.which("ffmpeg"):
            self.skipTest("ffmpeg is not installed")
        run = self.render(self.results, "-o", movie)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertGreater(movie.stat().st_size, 500)
        if shutil.which("ffprobe"):
            count = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,width",
                                    "-of", "csv=p=0", movie], capture_output=True, text=True, check=True).stdout.strip()
            self.assertEqual(count, "48,4")

    def test_bad_folders_and_words_are_told(self):
        for words, text in [
            ([self.folder / "nowhere", "-o", self.folder / "a.png"], "nowhere"),
            ([self.folder, "-o", self.folder / "a.png"], "holds no frames"),
            ([self.results, "-o", self.folder / "a.jpg"], "known are"),
            ([self.results, "-o", self.folder / "a.png", "--frames", "9..12"], "1 to 4"),
            ([self.results, "-o", self.folder / "a.png", "--frames", "1..3"], "one picture"),
            ([self.results, "-o", self.folder / "a.png", "--frames", "x"], "--frames"),
            ([self.results, "-o", self.folder / "a.png", "--size", "12"], "--size"),
            ([self.results, "-o", self.folder / "a.png", "--size", "0x5"], "look.width"),
            ([self.results, "-o", self.folder / "a.png", "--camera", "1,2"], "look.camera.position"),
            ([self.results, "-o", self.folder / "a.png", "--set", "look.sunn=1"], "sun"),
        ]:
            run = self.render(*words)
            self.assertEqual(run.returncode, 2, (words, run.stdout, run.stderr))
            self.assertIn(text, run.stderr)
            self.assertFalse((self.folder / "a.png").exists())

    def test_a_damaged_frame_is_an_ordinary_error(self):
        frame = self.results / "frames" / "frame_000004.h5"
        frame.write_bytes(frame.read_bytes()[:700])
        run = self.render(self.results, "-o", self.folder / "a.png")
        self.assertEqual(run.returncode, 1)
        self.assertIn("frame_000004.h5", run.stderr)

    def test_ctrl_c_leaves_whole_pictures_only(self):
        run = subprocess.Popen([DRENCH, "render", self.results, "-o", self.folder / "many", "--size", "400x300", "--samples", "4096"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1.0)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, (out, err))
        self.assertIn(b"stopped", out)
        self.assertEqual(list((self.folder / "many").glob("*")) if (self.folder / "many").exists() else [], [])


if __name__ == "__main__":
    unittest.main()
