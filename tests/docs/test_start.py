"""What docs/start.md shows is true: its scene passes the check, its links lead somewhere."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("DRENCH_SOURCE", "."))
PROGRAM = os.environ.get("DRENCH")


def block_after(text, words):
    """The indented block that follows the line with those words."""
    rest = text[text.index(words):].split("\n", 1)[1].lstrip("\n")
    lines = []
    for line in rest.split("\n"):
        if line and not line.startswith("    "):
            break
        lines.append(line[4:])
    return "\n".join(lines).rstrip() + "\n"


class Start(unittest.TestCase):
    def check_scene(self, name, word, misspelt):
        scene = block_after((ROOT / "docs/start.md").read_text(), f"Put this into `{name}`")
        self.assertIn(word, scene)
        with tempfile.TemporaryDirectory() as folder:
            for text, status in ((scene, 0), (scene.replace(word, misspelt), 2)):
                Path(folder, name).write_text(text)
                run = subprocess.run([PROGRAM, "check", name], cwd=folder, capture_output=True, text=True)
                self.assertEqual(run.returncode, status, run.stdout + run.stderr)

    @unittest.skipUnless(PROGRAM, "no program")
    def test_first_scene_passes_the_check(self):
        self.check_scene("ball.yaml", "radius", "radios")

    @unittest.skipUnless(PROGRAM, "no program")
    def test_scene_of_water_passes_the_check(self):
        self.check_scene("pour.yaml", "velocity", "velocitee")

    def test_links_of_the_pages_lead_to_files(self):
        pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
        missing = []
        for page in pages:
            for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
                if "://" not in link and not (page.parent / link).exists():
                    missing.append(f"{page.relative_to(ROOT)}: {link}")
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
