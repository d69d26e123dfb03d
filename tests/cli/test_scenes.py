"""The scenes that come with drench: every one is good, and the gallery knows every one of the papers'."""

import os
import re
import unittest
from pathlib import Path

from program import Case

SOURCE = Path(os.environ["DRENCH_SOURCE"])


class Scenes(Case):
    def test_every_scene_is_good(self):
        scenes = sorted(SOURCE.glob("scenes/*/*.yaml"))
        self.assertGreater(len(scenes), 40)
        self.assertEqual(self.drench("check", "--quiet", "--no-steps", *map(str, scenes)), ("", ""))

    def test_the_gallery_holds_every_scene_of_the_papers(self):
        text = (SOURCE / "docs/gallery.md").read_text()
        shown = set(re.findall(r"\(\.\./scenes/papers/([\w-]+)\.yaml\)", text))
        self.assertEqual(shown, {path.stem for path in SOURCE.glob("scenes/papers/*.yaml")})

    def test_pictures_of_the_gallery_are_there_and_small(self):
        text = (SOURCE / "docs/gallery.md").read_text()
        pictures = re.findall(r"\((pictures/papers/[\w-]+\.png)\)", text)
        self.assertGreater(len(pictures), 20)
        for picture in pictures:
            size = (SOURCE / "docs" / picture).stat().st_size
            self.assertLess(size, 150_000, picture)
        kept = {f"pictures/papers/{path.name}" for path in (SOURCE / "docs/pictures/papers").glob("*.png")}
        self.assertEqual(set(pictures), kept)


if __name__ == "__main__":
    unittest.main()
