"""tools/setup asks for what is missing and nothing else. Debian's commands are stood in for by scripts that keep a diary."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("DRENCH_SOURCE", "."))
SETUP = (ROOT / "tools" / "setup").resolve()


class Setup(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.diary = Path(self.folder.name, "diary")
        self.diary.write_text("")
        for tool in ["env", "sh"]:
            Path(self.folder.name, tool).symlink_to(f"/usr/bin/{tool}")

    def pretend(self, name, script):
        path = Path(self.folder.name, name)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def installed(self, *packages):
        names = "|".join(packages) or "none"
        self.pretend("dpkg-query", f'for last; do :; done; case $last in {names}) echo "ii ";; *) exit 1;; esac')

    def user(self, number):
        self.pretend("id", f"echo {number}")

    def apt(self, status=0):
        self.pretend("apt-get", f'echo "$*" >>{self.diary}; case "$*" in *update*) exit 0;; esac; exit {status}')

    def run_setup(self, *arguments):
        run = subprocess.run(["/bin/sh", SETUP, *arguments], env={"PATH": self.folder.name}, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr, self.diary.read_text()

    def test_nothing_is_done_when_nothing_is_missing(self):
        self.installed("*")
        self.user(0)
        self.apt()
        self.assertEqual(self.run_setup("test"), (0, "", ""))

    def test_root_installs_only_what_is_missing(self):
        self.installed("cmake", "gcc", "libc6-dev")
        self.user(0)
        self.apt()
        status, _, diary = self.run_setup("run")
        self.assertEqual(status, 0)
        lines = diary.splitlines()
        self.assertIn("update", lines[0])
        self.assertIn(" libfyaml-dev", lines[1])
        self.assertNotIn(" cmake", lines[1])
        self.assertNotIn(" libcmocka-dev", lines[1])

    def test_tests_need_more_than_a_run(self):
        self.installed()
        self.user(0)
        self.apt()
        self.assertIn(" libcmocka-dev", self.run_setup("test")[2])

    def test_without_root_and_sudo_the_packages_are_named(self):
        self.installed("cmake")
        self.user(1000)
        self.apt()
        status, output, diary = self.run_setup("run")
        self.assertEqual((status, diary), (1, ""))
        self.assertIn("apt-get install", output)
        self.assertIn("libhdf5-dev", output)

    def test_sudo_is_used_where_it_is_allowed(self):
        self.installed("cmake")
        self.user(1000)
        self.apt()
        self.pretend("sudo", f'echo "sudo $*" >>{self.diary}; [ "$1" != -n ] || exit 0; exec "$@"')
        status, _, diary = self.run_setup("run")
        self.assertEqual(status, 0)
        self.assertIn("sudo env DEBIAN_FRONTEND=noninteractive apt-get", diary)

    def test_a_failed_installation_stops(self):
        self.installed()
        self.user(0)
        self.apt(status=100)
        status, output, _ = self.run_setup("run")
        self.assertEqual(status, 1)
        self.assertIn("could not be installed", output)

    def test_an_unknown_task_is_refused(self):
        self.installed("*")
        self.assertEqual(self.run_setup("fly")[0], 2)


if __name__ == "__main__":
    unittest.main()
