"""OpenVDB's own tool reads the level set and the velocity."""

import re
import subprocess
import unittest

import made

VDB_PRINT = made.needs("vdb_print", "libopenvdb-tools")
made.needs_drench("hdf5")


class OpenVdb(made.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = cls.export("vdb", "--unit", "m", "--cell", "0.05")

    def told(self, number):
        run = subprocess.run([VDB_PRINT, "-l", self.files / f"surface_{number:06}.vdb"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout.split("Name: ")[1:]

    def test_every_file_holds_a_level_set_and_a_velocity(self):
        for number in range(1, made.FRAMES + 1):
            surface, velocity = self.told(number)
            self.assertIn("Tree_float_5_4_3", surface)
            self.assertIn("class: level set", surface)
            self.assertIn("voxel size: 0.0005", surface)
            self.assertIn("Tree_vec3s_5_4_3", velocity)
            background, least, most = (float(re.search(rf"{what} value: (\S+)", surface)[1])
                                       for what in ["Background", "Min", "Max"])
            self.assertAlmostEqual(background, 0.0015, delta=1e-9)
            self.assertTrue(-background < least < -0.9 * background and 0.9 * background < most < background)
            active = [re.search(r"active voxels: +([\d,]+)", grid)[1] for grid in (surface, velocity)]
            self.assertEqual(*active)
            self.assertGreater(int(active[0].replace(",", "")), 10000)


if __name__ == "__main__":
    unittest.main()
