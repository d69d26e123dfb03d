"""viewer/dist is what viewer/src gives, and it can be built anywhere."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("DRENCH_SOURCE", ".")).resolve()
VIEWER = ROOT / "viewer"
VITE = VIEWER / "node_modules" / "vite" / "bin" / "vite.js"


class Build(unittest.TestCase):
    def test_the_lock_file_names_no_place_to_load_from(self):
        packages = json.loads((VIEWER / "package-lock.json").read_text())["packages"]
        self.assertEqual([name for name, package in packages.items() if "resolved" in package], [])
        self.assertEqual([name for name, package in packages.items() if name and "integrity" not in package], [])

    def test_versions_are_fixed(self):
        wanted = json.loads((VIEWER / "package.json").read_text())["devDependencies"]
        self.assertEqual([name for name, version in wanted.items() if not version[0].isdigit()], [])

    def test_the_page_is_one_script_and_one_style_sheet(self):
        self.assertEqual(sorted(path.name for path in (VIEWER / "dist").iterdir()), ["index.html", "viewer.css", "viewer.js"])
        self.assertLess(sum(path.stat().st_size for path in (VIEWER / "dist").iterdir()), 800e3)

    @unittest.skipUnless(shutil.which("node") and VITE.exists(), "no Node.js or no viewer/node_modules here: `make viewer` gets them")
    def test_building_gives_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(["node", VITE, "build", "--outDir", folder, "--emptyOutDir", "--logLevel", "error"], cwd=VIEWER,
                                 capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            for path in (VIEWER / "dist").iterdir():
                self.assertEqual(Path(folder, path.name).read_bytes(), path.read_bytes(),
                                 f"viewer/dist/{path.name} is not what viewer/src gives: `make viewer`")


if __name__ == "__main__":
    program = unittest.main(exit=False)
    for _, why in program.result.skipped:
        print(why)
    sys.exit(0 if program.result.wasSuccessful() else 1)
