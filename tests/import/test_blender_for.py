"""What `drench export --for blender` wrote stands upright and in metres after Blender's own importers, as they are set at first."""

import unittest

import made
import numpy as np

BLENDER = made.needs("blender", "blender")
made.needs_drench("hdf5")

FRAME = 2

SCRIPT = """
import json, sys
import bpy
folder, frame, answer = sys.argv[sys.argv.index("--") + 1:]
frame = int(frame)
told = {}


def describe(name):
    bpy.context.view_layer.update()
    shown = bpy.context.selected_objects[0] if bpy.context.selected_objects else bpy.context.object
    evaluated = shown.evaluated_get(bpy.context.evaluated_depsgraph_get())
    told[name] = [list(shown.matrix_world @ v.co) for v in evaluated.to_mesh().vertices]


bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.frame_set(frame)
new = bpy.app.version >= (3, 6, 0)
(bpy.ops.wm.ply_import if new else bpy.ops.import_mesh.ply)(filepath=f"{folder}/ply/cloth_{frame:06}.ply")
describe("ply")
bpy.ops.wm.obj_import(filepath=f"{folder}/obj/cloth_{frame:06}.obj")
describe("obj")
bpy.ops.wm.obj_import(filepath=f"{folder}/pc2/cloth.obj")
cloth = bpy.context.selected_objects[0]
cache = cloth.modifiers.new("cache", "MESH_CACHE")
cache.cache_format = "PC2"
cache.filepath = f"{folder}/pc2/cloth.pc2"
cache.frame_start = 1
describe("pc2")
bpy.ops.object.volume_import(filepath=f"{folder}/vdb/surface_{frame:06}.vdb", files=[])
volume = bpy.context.object
volume.data.grids.load()
bpy.ops.mesh.primitive_cube_add()
mesher = bpy.context.object.modifiers.new("mesher", "VOLUME_TO_MESH")
mesher.object = volume
mesher.grid_name = "surface"
mesher.threshold = 0.0
mesher.resolution_mode = "GRID"
describe("vdb")
json.dump(told, open(answer, "w"))
"""


def upright(position):
    """Metres, z up."""
    return 0.01 * np.stack([position[:, 0], -position[:, 2], position[:, 1]], 1)


class ForBlender(made.Case):
    def test_importers_put_everything_upright(self):
        for form in ("ply", "obj", "pc2"):
            self.export(form, "--for", "blender", "--parts", "cloth")
        self.export("vdb", "--for", "blender")
        command = [BLENDER, "-b", "--factory-startup", "-noaudio", "-t", "1", "--python-exit-code", "1", "--python"]
        told = self.ask(command, SCRIPT, "--", self.folder, FRAME)
        cloth = upright(made.cloth(FRAME)["position"][0])
        for form in ("ply", "obj", "pc2"):
            with self.subTest(form):
                self.expect_near(told[form], cloth, 1e-6)
        level_set = np.array(told["vdb"])
        liquid = upright(made.liquid(FRAME)["position"][0])
        ball = level_set[level_set[:, 1] < 0.01]
        self.assertGreater(len(ball), 1000)
        self.expect_near(ball.min(0), liquid.min(0), 0.0015)
        self.expect_near(ball.max(0), liquid.max(0), 0.0015)


if __name__ == "__main__":
    unittest.main()
