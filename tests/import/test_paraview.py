"""ParaView reads the VTK series: its times, every array, positions to the last bit."""

import os
import unittest

import made
import numpy as np

PVPYTHON = made.needs("pvpython", "python3-paraview")
made.needs_drench("hdf5")

SCRIPT = """
import json, sys
from paraview import servermanager, simple
from vtkmodules.util.numpy_support import vtk_to_numpy
folder, answer = sys.argv[1], sys.argv[2]
told = {}
for part in ["liquid", "strands", "cloth"]:
    reader = simple.PVDReader(FileName=f"{folder}/{part}.pvd")
    reader.UpdatePipelineInformation()
    times = list(reader.TimestepValues)
    reader.UpdatePipeline(times[2])
    data = servermanager.Fetch(reader)
    data = data.GetBlock(0) if data.IsA("vtkMultiBlockDataSet") else data
    arrays = lambda of: {of.GetArrayName(i): vtk_to_numpy(of.GetArray(i)).tolist() for i in range(of.GetNumberOfArrays())}
    told[part] = {"times": times, "points": vtk_to_numpy(data.GetPoints().GetData()).tolist(),
                  "cells": [[data.GetCell(i).GetPointId(k) for k in range(data.GetCell(i).GetNumberOfPoints())]
                            for i in range(data.GetNumberOfCells())],
                  "types": sorted({data.GetCellType(i) for i in range(data.GetNumberOfCells())}),
                  "point_data": arrays(data.GetPointData()), "cell_data": arrays(data.GetCellData())}
json.dump(told, open(answer, "w"))
"""


class ParaView(made.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = cls.export("vtk")

    def test_series_is_read_with_fields_and_times(self):
        environment = dict(os.environ, QT_QPA_PLATFORM="offscreen")
        told = self.ask([PVPYTHON, "--force-offscreen-rendering"], SCRIPT, self.files, env=environment)
        types = {"liquid": [1], "strands": [4], "cloth": [5]}
        for name, (kind, make) in made.PARTS.items():
            arrays, part = make(3), told[name]
            self.expect_near(part["times"], np.arange(made.FRAMES) * made.FRAME_TIME, 1e-15)
            self.expect_near(part["points"], arrays["position"][0], 0)
            self.assertEqual(part["types"], types[name])
            for array, (data, _) in arrays.items():
                if array in ("index", "position"):
                    continue
                of = "point_data" if len(data) == len(arrays["position"][0]) else "cell_data"
                self.expect_near(part[of][array], data, 0)
        first = made.strands(3)["index"][0]
        self.assertEqual(told["strands"]["cells"], [list(range(a, b)) for a, b in zip(first, first[1:])])
        self.assertEqual(told["cloth"]["cells"], made.cloth(3)["index"][0].tolist())
        self.assertIn("body", told["cloth"]["cell_data"])


if __name__ == "__main__":
    unittest.main()
