"""Blender imports PLY, OBJ lines, PC2 and VDB, finds everything where it should be, and renders one frame."""

import os
import shutil
import unittest

import made
import numpy as np

BLENDER = made.needs("blender", "blender")
made.needs_drench("hdf5")

FRAME = 3

SCRIPT = """
import json, sys
import bpy
from mathutils import Vector
folder, picture, frame, answer = sys.argv[sys.argv.index("--") + 1:]
frame = int(frame)
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.frame_set(frame)
told = {"version": bpy.app.version_string}


def material(name, color, roughness=0.4, transmission=0.0):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    inputs = made.node_tree.nodes["Principled BSDF"].inputs
    inputs["Base Color"].default_value = (*color, 1)
    inputs["Roughness"].default_value = roughness
    inputs["Transmission"].default_value = transmission
    return made


def take(name):
    taken = bpy.context.object
    taken.name = name
    return taken


def describe(name, shown):
    evaluated = shown.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    told[name] = {"points": [list(shown.matrix_world @ v.co) for v in mesh.vertices],
                  "edges": [list(e.vertices) for e in mesh.edges], "faces": [list(p.vertices) for p in mesh.polygons]}


# PLY: the surface of the liquid, strands as edges
bpy.ops.import_mesh.ply(filepath=f"{folder}/ply/surface_{frame:06}.ply")
surface = take("surface")
surface.data.materials.append(material("water", (0.3, 0.6, 0.9), 0.02, 0.8))
for polygon in surface.data.polygons:
    polygon.use_smooth = True
describe("surface", surface)
bpy.ops.import_mesh.ply(filepath=f"{folder}/ply/strands_{frame:06}.ply")
describe("strands_ply", take("strands_ply"))
bpy.context.object.hide_render = True

# OBJ: strands as lines, made thick by a curve. The newer importer of Blender 3.4 takes lines of two points only.
lines = f"{folder}/obj/strands_{frame:06}.obj"
if bpy.app.version < (3, 6, 0):
    bpy.ops.import_scene.obj(filepath=lines, axis_forward="Y", axis_up="Z", split_mode="OFF")
    bpy.context.view_layer.objects.active = bpy.context.selected_objects[0]
else:
    bpy.ops.wm.obj_import(filepath=lines, forward_axis="Y", up_axis="Z")
strands = take("strands")
describe("strands", strands)
bpy.ops.object.convert(target="CURVE")
strands.data.bevel_depth = 0.03
strands.data.materials.append(material("hair", (0.25, 0.12, 0.05)))

# PC2: the first frame of the cloth, moved by the cache
bpy.ops.wm.obj_import(filepath=f"{folder}/pc2/cloth.obj", forward_axis="Y", up_axis="Z")
cloth = take("cloth")
cache = cloth.modifiers.new("cache", "MESH_CACHE")
cache.cache_format = "PC2"
cache.filepath = f"{folder}/pc2/cloth.pc2"
cache.frame_start = 1
describe("cloth", cloth)
cloth.data.materials.clear()
cloth.data.materials.append(material("cloth", (0.8, 0.3, 0.2), 0.9))
cache.cache_format = "MDD"
cache.filepath = f"{folder}/mdd/cloth.mdd"
describe("cloth_mdd", cloth)

# VDB: the level set, as a mesh beside the one from the PLY
bpy.ops.object.volume_import(filepath=f"{folder}/vdb/surface_{frame:06}.vdb", files=[])
volume = take("volume")
volume.data.grids.load()
told["grids"] = {grid.name: grid.data_type for grid in volume.data.grids}
volume.hide_render = True
bpy.ops.mesh.primitive_cube_add()
level_set = take("level_set")
mesher = level_set.modifiers.new("mesher", "VOLUME_TO_MESH")
mesher.object = volume
mesher.grid_name = "surface"
mesher.threshold = 0.0
mesher.resolution_mode = "GRID"
describe("level_set", level_set)
volume.location.x = 2.6
level_set.data.materials.append(material("gold", (0.9, 0.6, 0.1), 0.3))

bpy.ops.mesh.primitive_plane_add(size=40, location=(0, 0, -0.6))
bpy.context.object.data.materials.append(material("ground", (0.5, 0.5, 0.5), 0.8))
camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
camera.location = (4.5, -7.5, 4.5)
camera.rotation_euler = (Vector((0.8, 0, 1.1)) - camera.location).to_track_quat("-Z", "Y").to_euler()
scene.collection.objects.link(camera)
scene.camera = camera
sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
sun.rotation_euler = (0.7, 0.3, 0.4)
sun.data.energy = 3
scene.collection.objects.link(sun)
scene.world = bpy.data.worlds.new("world")
scene.world.color = (0.4, 0.5, 0.6)
scene.render.engine = "CYCLES"
scene.cycles.samples = 12
scene.cycles.use_denoising = False
scene.render.resolution_x, scene.render.resolution_y = 480, 360
scene.render.filepath = picture
bpy.ops.render.render(write_still=True)
pixels = list(bpy.data.images.load(picture).pixels)
told["picture"] = {"size": len(pixels) // 4, "colors": len({tuple(round(c, 1) for c in pixels[i:i + 3])
                                                              for i in range(0, len(pixels), 4)})}
json.dump(told, open(answer, "w"))
"""


def turned(position):
    """y up to z up."""
    return np.stack([position[:, 0], -position[:, 2], position[:, 1]], 1)


class Blender(made.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        z = ["--up", "z"]
        cls.export("ply", *z, "--parts", "surface,strands", "--frames", str(FRAME))
        cls.export("obj", *z, "--parts", "strands", "--frames", str(FRAME))
        cls.export("pc2", *z, "--parts", "cloth")
        cls.export("mdd", *z, "--parts", "cloth")
        cls.export("vdb", *z, "--frames", str(FRAME))

    def test_everything_is_imported_and_rendered(self):
        picture = self.folder / "picture.png"
        command = [BLENDER, "-b", "--factory-startup", "-noaudio", "-t", "2", "--python-exit-code", "1", "--python"]
        told = self.ask(command, SCRIPT, "--", self.folder, picture, FRAME)
        keep = os.environ.get("DRENCH_KEEP_PICTURES")
        if keep:
            shutil.copy(picture, keep)
        self.check_strands(told["strands"])
        self.check_strands(told["strands_ply"])
        for cloth in ["cloth", "cloth_mdd"]:
            self.expect_near(told[cloth]["points"], turned(made.cloth(FRAME)["position"][0]))
        self.assertEqual(told["cloth"]["faces"], made.cloth(FRAME)["index"][0].tolist())
        self.assertEqual(told["grids"], {"surface": "FLOAT", "velocity": "VECTOR_FLOAT"})
        self.check_surfaces(np.array(told["surface"]["points"]), np.array(told["level_set"]["points"]))
        self.assertEqual(told["picture"]["size"], 480 * 360)
        self.assertGreater(told["picture"]["colors"], 40)

    def check_strands(self, strands):
        arrays = made.strands(FRAME)
        first = arrays["index"][0]
        expected = [[v, v + 1] for a, b in zip(first, first[1:]) for v in range(a, b - 1)]
        self.assertEqual(sorted(map(sorted, strands["edges"])), expected)
        self.expect_near(strands["points"], turned(arrays["position"][0]))

    def check_surfaces(self, mesh, level_set):
        """Both lie around the liquid and the films on the strands, which hang behind it."""
        liquid = turned(made.liquid(FRAME)["position"][0])
        for points in [mesh, level_set]:
            ball = points[points[:, 1] < 1.0]
            self.assertGreater(len(ball), 1000)
            self.assertGreater(len(points), len(ball))
            self.expect_near(ball.min(0), liquid.min(0), 0.12)
            self.expect_near(ball.max(0), liquid.max(0), 0.12)
        self.expect_near(mesh.min(0), level_set.min(0), 0.06)
        self.expect_near(mesh.max(0), level_set.max(0), 0.06)


if __name__ == "__main__":
    unittest.main()
