"""The structs of the Python module lie in memory as the C headers have them, and every function it names is there."""

import ctypes
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

if os.environ.get("DRENCH_SANITIZE"):
    print("a sanitized library cannot be loaded into Python")
    sys.exit(77)
SOURCE = Path(os.environ["DRENCH_SOURCE"])
os.environ["DRENCH_LIBRARY"] = os.environ["DRENCH_SHARED"]
sys.path.insert(0, str(SOURCE / "python"))
try:
    import numpy  # noqa: F401
except ImportError:
    print("numpy is not installed (Debian package python3-numpy)")
    sys.exit(77)
from drench import _native as native


class Layout(unittest.TestCase):
    def test_structs_lie_as_in_c(self):
        lines = []
        for name, struct in native.STRUCTS.items():
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            lines += [f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));' for field, _ in struct._fields_]
        program = "#include <drench/drench.h>\n#include <stdio.h>\nint main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n"
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "layout.c").write_text(program)
            subprocess.run([os.environ["CC"], "-std=c17", f"-I{SOURCE / 'include'}", "layout.c", "-o", "layout"], cwd=folder, check=True)
            output = subprocess.run([Path(folder, "layout")], capture_output=True, text=True, check=True).stdout
        in_c = {name: int(number) for name, number in (line.split() for line in output.splitlines())}
        here = {}
        for name, struct in native.STRUCTS.items():
            here[name] = ctypes.sizeof(struct)
            here.update({f"{name}.{field}": getattr(struct, field).offset for field, _ in struct._fields_})
        self.assertEqual(here, in_c)
        self.assertGreater(len(here), 100)

    def test_every_function_is_there(self):
        for name in native.FUNCTIONS:
            self.assertTrue(hasattr(native.library, name), name)


if __name__ == "__main__":
    unittest.main()
