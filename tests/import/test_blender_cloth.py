"""Cloth that drench ran: Blender finds its normals, texture coordinates and vertices in their order, in OBJ, PLY, glTF and USD, and moves it by a
point cache."""

import shutil
import subprocess
import unittest

import h5py
import made
import numpy as np

BLENDER = made.needs("blender", "blender")
made.needs_drench("hdf5")

SCENE = """
domain: {cell: 1 cm}
time: {frame_rate: 24, frames: 2}
cloths:
  - {name: sheet, material: cloth curtain, type: rectangle, center: [0, 10, 0], width: 8, depth: 6, holds: [{name: rail, edge: left}]}
"""

SCRIPT = """
import json, sys
import bpy, numpy
folder, answer = sys.argv[sys.argv.index("--") + 1:]
told = {}
numpy.bool = bool  # that its importer of glTF still asks for


def describe(name):
    shown = next(o for o in bpy.context.selected_objects if o.type == "MESH")
    bpy.context.view_layer.update()
    mesh = shown.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    mesh.calc_normals_split()
    texture = mesh.uv_layers.active.data if mesh.uv_layers.active else []
    told[name] = {"points": [list(shown.matrix_world @ v.co) for v in mesh.vertices],
                  "corners": [loop.vertex_index for loop in mesh.loops],
                  "texture": [list(one.uv) for one in texture],
                  "normals": [list(loop.normal) for loop in mesh.loops]}
    bpy.ops.object.select_all(action="DESELECT")


bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.frame_set(3)
bpy.ops.wm.obj_import(filepath=f"{folder}/obj/cloth_000003.obj", forward_axis="Y", up_axis="Z")
describe("obj")
bpy.ops.import_mesh.ply(filepath=f"{folder}/ply/cloth_000003.ply")
describe("ply")
bpy.ops.import_scene.gltf(filepath=f"{folder}/gltf/frame_000003.glb")
describe("gltf")
bpy.ops.wm.obj_import(filepath=f"{folder}/pc2/cloth.obj", forward_axis="Y", up_axis="Z")
cloth = bpy.context.selected_objects[0]
cache = cloth.modifiers.new("cache", "MESH_CACHE")
cache.cache_format = "PC2"
cache.filepath = f"{folder}/pc2/cloth.pc2"
cache.frame_start = 1
describe("pc2")
try:
    bpy.ops.wm.usd_import(filepath=f"{folder}/usda/drench.usda")
    describe("usda")
except (AttributeError, RuntimeError, StopIteration):
    pass
json.dump(told, open(answer, "w"))
"""


class Cloth(made.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        results, scene = cls.folder / "results", cls.folder / "cloth.yaml"
        shutil.rmtree(results)
        scene.write_text(SCENE)
        subprocess.run([made.DRENCH, "run", str(scene), "-o", str(results), "--quiet"], check=True)
        for form in ["obj", "ply", "gltf", "pc2", "usda"]:
            cls.export(form, "--parts", "cloth")
        with h5py.File(results / "frames" / "frame_000003.h5") as file:
            cls.sheet = {name: file["cloth"][name][:] for name in ["position", "normal", "coordinates", "index"]}
        cls.told = cls.ask(cls(), [BLENDER, "-b", "--factory-startup", "-noaudio", "-t", "1", "--python-exit-code", "1", "--python"], SCRIPT, "--", cls.folder)

    def expect_sheet(self, name, points):
        told, corners = self.told[name], self.sheet["index"].ravel()
        self.expect_near(told["points"], points, 1e-4)
        np.testing.assert_array_equal(told["corners"], corners)

    def test_vertices_keep_their_order_and_place(self):
        for name in ["obj", "ply", "pc2"]:
            self.expect_sheet(name, self.sheet["position"])

    def test_the_cloth_hangs(self):
        self.assertLess(self.sheet["position"][:, 1].min(), 9.5)

    def test_normals_and_texture_arrive(self):
        corners = self.sheet["index"].ravel()
        self.expect_near(self.told["obj"]["texture"], self.sheet["coordinates"][corners], 1e-4)
        self.expect_near(self.told["obj"]["normals"], self.sheet["normal"][corners], 2e-2)
        self.expect_near(self.told["ply"]["texture"], self.sheet["coordinates"][corners], 1e-4)

    def test_gltf_has_texture_coordinates_in_metres(self):
        told = self.told["gltf"]
        texture = np.array(told["texture"]) * [1, -1] + [0, 1]
        self.assertEqual(len(told["corners"]), self.sheet["index"].size)
        corners = np.array(told["corners"])
        place = np.array(told["points"])[corners]
        for point, found in list(zip(place, texture))[::37]:
            away = np.linalg.norm(self.sheet["position"] * 0.01 - [point[0], point[2], -point[1]], axis=1)
            self.assertLess(away.min(), 1e-6)
            self.expect_near(found, self.sheet["coordinates"][away.argmin()] * 0.01, 1e-5)

    def test_usd_has_texture_coordinates(self):
        if "usda" not in self.told:
            self.skipTest("this Blender has no USD")
        corners = self.sheet["index"].ravel()
        self.expect_near(self.told["usda"]["texture"], self.sheet["coordinates"][corners], 1e-4)


if __name__ == "__main__":
    unittest.main()
