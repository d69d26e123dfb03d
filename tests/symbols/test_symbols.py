"""What the built libraries show and use: only dr_ names come out, nothing prints or exits, nothing global is written."""

import functools
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("DRENCH_SOURCE", "."))
STATIC = os.environ.get("DRENCH_STATIC")
SHARED = os.environ.get("DRENCH_SHARED")
CC = os.environ.get("CC", "cc")

# Functions and streams that print or end the program. assert is a channel of its own and stays: __assert_fail.
FORBIDDEN = re.compile(
    r"^_*(printf|vprintf|puts|putchar|fputchar|perror|psignal|stdout|stderr|stdin|exit|_exit|_Exit|quick_exit|abort|"
    r"raise|kill|err|errx|verr|verrx|warn|warnx|vwarn|vwarnx|error|(v)?printf_chk|vdprintf|dprintf|system|atexit|"
    r"signal|sigaction|setlocale|srand|rand|srandom|random|strtok|setenv|putenv|chdir)(@.*)?$")


def symbols(*arguments):
    """(type letter, name) of every line nm prints."""
    output = subprocess.run(["nm", *arguments], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^[0-9a-f ]* ([A-Za-z]) (\S+)$", output, re.MULTILINE)
    return [(kind, name.split("@")[0]) for kind, name in found]


def exported(library):
    return [name for kind, name in symbols("-D", "--defined-only", library) if kind in "TDBRVWuiG"]


def forbidden(library):
    return sorted({name for kind, name in symbols(library) if kind == "U" and FORBIDDEN.match(name)})


def writable(library):
    """Data that could change: initialised, zeroed, small or common; relocated constants are not writable."""
    return sorted({name for kind, name in symbols(library) if kind in "dDbBsSgGC" and not constant(library, name)})


@functools.lru_cache
def sections(library):
    """(section, name) of every symbol."""
    output = subprocess.run(["objdump", "-t", library], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\s(\S+)\t[0-9a-f]+ (?:\.hidden )?(\S+)$", output, re.MULTILINE)


def constant(library, name):
    """nm calls .data.rel.ro "d"; such data is read-only once the program runs."""
    places = [section for section, symbol in sections(library) if symbol == name and section != "*UND*"]
    return bool(places) and all(place.startswith((".data.rel.ro", ".rodata")) for place in places)


def foreign(library):
    """Global names that do not begin with dr_: they could clash with the names of a program that links libdrench.a."""
    return sorted({name for kind, name in symbols("--defined-only", library)
                   if kind in "TDBRCVWG" and not name.startswith("dr_")})


def build(folder, text, shared=False):
    source, output = Path(folder, "made_up.c"), Path(folder, "made_up" + (".so" if shared else ".o"))
    source.write_text(text)
    subprocess.run([CC, "-O1", *(["-shared", "-fPIC"] if shared else ["-c", "-fPIC"]), source, "-o", output], check=True)
    return output


class Symbols(unittest.TestCase):
    def test_shared_library_exports_only_dr_symbols(self):
        names = exported(SHARED)
        self.assertGreater(len(names), 0)
        self.assertEqual([name for name in names if not name.startswith("dr_")], [])

    def test_every_public_function_is_exported(self):
        headers = "".join(header.read_text() for header in ROOT.glob("include/drench/*.h"))
        declared = set(re.findall(r"^DR_API [^;(]*?\b(dr_\w+)\(", headers, re.MULTILINE))
        self.assertGreater(len(declared), 30)
        self.assertEqual(sorted(declared ^ set(exported(SHARED))), [])

    def test_static_library_defines_only_dr_symbols(self):
        self.assertEqual(foreign(STATIC), [])

    def test_library_never_prints_or_exits(self):
        self.assertEqual(forbidden(STATIC), [])

    def test_library_keeps_nothing_global_but_its_threads(self):
        """Threads belong to the process, whoever starts them: the pool of par/par.c, and who of them is in a loop."""
        self.assertEqual(writable(STATIC), ["is_in_loop", "pool"])

    def test_made_up_violations_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            text = ('#include <stdio.h>\n#include <stdlib.h>\nint counter; static int hidden = 3;\n'
                    'const char *const names[] = {"a", "b"};\n'
                    'int loud(int n) { printf("%d", n); if (n) exit(1); return counter + hidden++; }\n')
            self.assertIn("loud", exported(build(folder, text, shared=True)))
            library = build(folder, text)
            self.assertEqual(forbidden(library), ["exit", "printf"])
            self.assertEqual(writable(library), ["counter", "hidden"])
            self.assertEqual(foreign(library), ["counter", "loud", "names"])


if __name__ == "__main__":
    if os.environ.get("DRENCH_SANITIZE"):
        print("sanitizers add symbols of their own")
        sys.exit(77)
    unittest.main()
