"""drench export of cloth, in every format: vertices in the order of the file that they came from, in every frame, with
their triangles, normals and texture coordinates."""

import json
import re
import struct
import sys
import unittest
import xml.etree.ElementTree as xml

from program import Case, needs

try:
    import h5py
    import numpy as np
except ImportError:
    print("h5py is not installed (Debian package python3-h5py)")
    sys.exit(77)

needs("hdf5")
needs("yaml")

# Two squares beside each other, numbered across the way that meshes are made.
MESH = """v 0 3 0
v 2 3 1
v 1 3 0
v 0 3 1
v 2 3 0
v 1 3 1
vt 0 0
vt 1 .5
vt .5 0
vt 0 .5
vt 1 0
vt .5 .5
f 1/1 6/6 3/3
f 1/1 4/4 6/6
f 3/3 2/2 5/5
f 3/3 6/6 2/2
"""
SCENE = """
domain: {cell: 0.5}
time: {frame_rate: 20, frames: 2}
materials: [{name: shirt, preset: cotton}]
cloths:
  - {name: read, material: shirt, type: file, file: mesh.obj, rest: texture}
  - {name: made, material: shirt, type: disc, radius: 1, edge: 0.4, center: [0, 6, 0], velocity: [30, 0, 10]}
"""
PLACES = np.array([[0, 3, 0], [2, 3, 1], [1, 3, 0], [0, 3, 1], [2, 3, 0], [1, 3, 1]], float)
TRIANGLES = [[0, 5, 2], [0, 3, 5], [2, 1, 4], [2, 5, 1]]
KINDS = {"float": "<f4", "double": "<f8", "uint": "<u4", "int": "<i4", "uchar": "u1", "ushort": "<u2"}


class Sheet:
    """What a file says of cloth; what it does not have is None."""

    def __init__(self, points, triangles, normals=None, texture=None):
        self.points, self.triangles = np.asarray(points, float), np.asarray(triangles, int).reshape(-1, 3)
        self.normals = None if normals is None else np.asarray(normals, float)
        self.texture = None if texture is None else np.asarray(texture, float)


def read_obj(path):
    rows = {"v": [], "vt": [], "vn": []}
    triangles = []
    for line in path.read_text().splitlines():
        words = line.split()
        if words and words[0] in rows:
            rows[words[0]].append([float(word) for word in words[1:]])
        elif words and words[0] == "f":
            corners = [[int(one) - 1 for one in word.split("/")] for word in words[1:]]
            assert all(len(set(corner)) == 1 for corner in corners)
            triangles.append([corner[0] for corner in corners])
    return Sheet(rows["v"], triangles, rows["vn"], rows["vt"])


def read_ply(path):
    head, body = path.read_bytes().split(b"end_header\n", 1)
    elements = []
    for line in head.decode().splitlines():
        words = line.split()
        if words[0] == "element":
            elements.append((words[1], int(words[2]), []))
        elif words[0] == "property" and words[1] != "list":
            elements[-1][2].append((words[2], KINDS[words[1]]))
        elif words[0] == "property":
            elements[-1][2].extend([("count", KINDS[words[2]]), ("index", KINDS[words[3]], 3)])
    read = {}
    for name, count, fields in elements:
        kind = np.dtype(fields)
        read[name] = np.frombuffer(body, kind, count)
        body = body[count * kind.itemsize:]
    vertex = read["vertex"]
    assert (read["face"]["count"] == 3).all()
    return Sheet(np.stack([vertex[a] for a in "xyz"], 1), read["face"]["index"],
                 np.stack([vertex["n" + a] for a in "xyz"], 1), np.stack([vertex["s"], vertex["t"]], 1))


def read_vtu(path):
    data = path.read_bytes()
    at = data.index(b"<AppendedData")
    start = data.index(b"_", at) + 1
    arrays = {}
    for array in xml.fromstring(data[:at] + b"</VTKFile>").iter("DataArray"):
        if array.get("format") != "appended":
            continue
        kind = {"Float32": "<f4", "UInt32": "<u4", "UInt8": "u1"}[array.get("type")]
        size = struct.unpack_from("<Q", data, start + int(array.get("offset")))[0]
        values = np.frombuffer(data, kind, size // np.dtype(kind).itemsize, start + int(array.get("offset")) + 8)
        arrays[array.get("Name")] = values.reshape(-1, int(array.get("NumberOfComponents")))
    return Sheet(arrays["position"], arrays["connectivity"], arrays["normal"], arrays["coordinates"])


def read_glb(path):
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    told, blob = json.loads(data[20:20 + length]), data[28 + length:]

    def take(number):
        accessor = told["accessors"][number]
        view = told["bufferViews"][accessor["bufferView"]]
        at = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        kind = {5126: "<f4", 5125: "<u4", 5123: "<u2"}[accessor["componentType"]]
        wide = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}[accessor["type"]]
        return np.frombuffer(blob, kind, accessor["count"] * wide, at).reshape(-1, wide)

    mesh = next(m for m in told["meshes"] if m["name"] == "cloth")["primitives"][0]
    of = mesh["attributes"]
    return Sheet(100 * take(of["POSITION"]), take(mesh["indices"]), take(of["NORMAL"]), 100 * take(of["TEXCOORD_0"]))


def read_usda(path, code):
    text = path.read_text()
    text = text[text.index('def Mesh "cloth"'):]

    def take(name, wide):
        found = re.search(re.escape(name) + r"\.timeSamples = \{(.*?)\n\s*\}", text, re.S)
        rows = re.findall(r"(\d+): \[(.*?)\]", found.group(1), re.S)
        row = [row for at, row in rows if int(at) <= code][-1]  # what stays has no sample of its own
        return np.array([float(x) for x in re.findall(r"[-+0-9.e]+", row)]).reshape(-1, wide)

    assert (take("int[] faceVertexCounts", 1) == 3).all()
    return Sheet(take("point3f[] points", 3), take("int[] faceVertexIndices", 3), take("normal3f[] normals", 3),
                 take("texCoord2f[] primvars:st", 2))


def read_pc2(path):
    mark, version, count, start, rate, samples = struct.unpack_from("<12siiffi", path.read_bytes())
    assert mark[:11] == b"POINTCACHE2" and version == 1
    return np.frombuffer(path.read_bytes(), "<f4", offset=32).reshape(samples, count, 3)


def read_mdd(path):
    samples, count = struct.unpack_from(">ii", path.read_bytes())
    return np.frombuffer(path.read_bytes(), ">f4", offset=8 + 4 * samples).reshape(samples, count, 3)


class ExportCloth(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "mesh.obj").write_text(MESH)
        self.scene.write_text(SCENE)
        self.run_scene("results")
        self.names = sorted(path.name for path in (self.folder / "results" / "frames").iterdir())

    def export(self, form, *words):
        self.drench("export", "results", "--format", form, "--parts", "cloth", "-o", form, *words)
        return self.folder / form

    def frame(self, number):
        with h5py.File(self.folder / "results" / "frames" / self.names[number]) as frame:
            part = frame["cloth"]
            return Sheet(part["position"], part["index"], part["normal"], part["coordinates"])

    def check(self, found, number):
        wanted = self.frame(number)
        np.testing.assert_allclose(found.points, wanted.points, atol=2e-5)
        np.testing.assert_array_equal(found.triangles, wanted.triangles)
        np.testing.assert_allclose(found.normals, wanted.normals, atol=1e-5)
        np.testing.assert_allclose(found.texture, wanted.texture, atol=2e-5)

    def test_frames_have_the_vertices_of_the_file_in_its_order(self):
        self.assertEqual(len(self.names), 3)
        for number in range(3):
            sheet = self.frame(number)
            moved = sheet.points[:6] - PLACES
            self.assertLess(np.ptp(moved, axis=0).max(), 0.05)  # it falls as it is
            self.assertEqual({frozenset(t) for t in sheet.triangles[:4].tolist()}, {frozenset(t) for t in TRIANGLES})
            np.testing.assert_allclose(np.linalg.norm(sheet.normals, axis=1), 1, atol=1e-5)
            corners = sheet.points[sheet.triangles]
            across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            for corner in range(3):
                self.assertTrue(((across * sheet.normals[sheet.triangles[:, corner]]).sum(1) > 0).all())
        self.assertGreater(np.abs(self.frame(2).points[6:] - self.frame(0).points[6:]).max(), 1)

    def test_coordinates_are_lengths_along_the_cloth(self):
        sheet = self.frame(0)
        texture, points = sheet.texture[:6], sheet.points[:6]
        for a in range(6):
            for b in range(a):
                self.assertAlmostEqual(np.linalg.norm(texture[a] - texture[b]), np.linalg.norm(points[a] - points[b]), 4)

    def test_formats_of_frames_have_all_of_it(self):
        for form, end, read in (("obj", "obj", read_obj), ("ply", "ply", read_ply), ("vtk", "vtu", read_vtu)):
            files = sorted(path for path in self.export(form).iterdir() if path.suffix == "." + end)
            self.assertEqual(len(files), 3)
            for number, path in enumerate(files):
                with self.subTest(path=path.name):
                    self.check(read(path), number)

    def test_gltf_has_all_of_it_in_metres(self):
        for number, path in enumerate(sorted(self.export("gltf").iterdir())):
            self.check(read_glb(path), number)

    def test_usd_has_all_of_it_at_every_time(self):
        path = self.export("usda") / "drench.usda"
        for number in range(3):
            self.check(read_usda(path, number + 1), number)

    def test_point_caches_keep_the_order_of_their_mesh(self):
        for form, read in (("pc2", read_pc2), ("mdd", read_mdd)):
            folder = self.export(form)
            cache = read(folder / f"cloth.{form}")
            self.assertEqual(len(cache), 3)
            for number in range(3):
                np.testing.assert_allclose(cache[number], self.frame(number).points, atol=2e-5)
            self.check(read_obj(folder / "cloth.obj"), 0)

    def test_normals_turn_with_the_axes_and_texture_takes_the_unit(self):
        found, wanted = read_obj(sorted(self.export("obj", "--up", "z", "--unit", "m").iterdir())[2]), self.frame(2)
        np.testing.assert_allclose(100 * found.points, wanted.points[:, [0, 2, 1]] * [1, -1, 1], atol=2e-5)
        np.testing.assert_allclose(found.normals, wanted.normals[:, [0, 2, 1]] * [1, -1, 1], atol=1e-5)
        np.testing.assert_allclose(100 * found.texture, wanted.texture, atol=2e-5)


if __name__ == "__main__":
    unittest.main()
