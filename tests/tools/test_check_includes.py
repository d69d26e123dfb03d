"""The include check passes on this tree and finds made-up violations."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("DRENCH_SOURCE", "."))
TOOL = ROOT / "tools" / "check_includes"


def check(root):
    run = subprocess.run(["/usr/bin/python3", "-B", TOOL, root], capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def check_files(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check(folder)


class Includes(unittest.TestCase):
    def assert_found(self, name, text, words, more=None):
        status, output = check_files({name: text, **(more or {})})
        self.assertEqual(status, 1, output)
        self.assertIn(words, output)
        self.assertIn(name + ":", output)

    def test_this_tree_points_down_only(self):
        status, output = check(ROOT)
        self.assertEqual(status, 0, output)

    def test_a_good_tree_passes(self):
        status, output = check_files({
            "include/drench/status.h": "#include <stdint.h>\n",
            "src/base/memory.h": '#include "drench/status.h"\n',
            "src/grid/grid.c": '#include "base/memory.h"\n#include "par/par.h"\n#include <stdlib.h>\n',
            "app/main.c": '#include "main.h"\n#include "drench/drench.h"\n#include "lab/cases.h"\n',
        })
        self.assertEqual(status, 0, output)

    def test_upward_include_is_found(self):
        self.assert_found("src/base/memory.c", '\n#include "world/world.h"\n', "src/base/memory.c:2:")

    def test_upward_public_include_is_found(self):
        self.assert_found("src/math/vec.h", '#include "drench/scene.h"\n', "above math")

    def test_brothers_of_matter_are_found(self):
        self.assert_found("src/strand/strand.c", '#include "cloth/cloth.h"\n', "brothers")

    def test_brothers_of_coupling_are_found(self):
        self.assert_found("src/mixture/mixture.c", '#include "contact/contact.h"\n', "brothers")

    def test_a_file_of_the_world_that_includes_too_many_is_found(self):
        nine = "".join(f'#include "grid/g{i}.h"\n' for i in range(9))
        self.assert_found("src/world/world.h", nine, "includes 9 others")
        status, output = check_files({"src/world/world.h": nine.replace('#include "grid/g8.h"', "#include <math.h>")})
        self.assertEqual(status, 0, output)

    def test_circle_between_files_is_found(self):
        status, output = check_files({"src/geom/a.h": '#include "geom/b.h"\n', "src/geom/b.h": '#include "geom/a.h"\n'})
        self.assertEqual(status, 1)
        self.assertIn("files include each other in a circle: geom/a.h -> geom/b.h -> geom/a.h", output)

    def test_circle_between_brothers_of_the_kit_is_found(self):
        status, output = check_files({"src/geom/a.h": '#include "grid/b.h"\n', "src/grid/b.h": '#include "geom/a.h"\n'})
        self.assertEqual(status, 1)
        self.assertIn("geom -> grid -> geom", output)

    def test_public_header_with_other_system_header_is_found(self):
        self.assert_found("include/drench/status.h", "#include <stdio.h>\n", "<stdio.h>")

    def test_public_header_with_private_header_is_found(self):
        self.assert_found("include/drench/status.h", '#include "base/memory.h"\n', "only public headers")

    def test_program_that_reaches_inside_is_found(self):
        self.assert_found("app/main.c", '#include "world/world.h"\n', "app sees public headers and lab only")

    def test_exporter_that_sees_a_solver_is_found(self):
        self.assert_found("src/io/write.c", '#include "grid/grid.h"\n', "io sees public headers")

    def test_threads_outside_par_are_found(self):
        self.assert_found("src/grid/grid.c", "#include <omp.h>\n", "par alone")

    def test_module_without_layer_is_found(self):
        self.assert_found("src/magic/magic.c", "\n", "has no layer")

    def test_bare_file_name_is_found(self):
        self.assert_found("src/grid/grid.c", '#include "grid.h"\n', 'write "module/file.h"')


if __name__ == "__main__":
    unittest.main()
