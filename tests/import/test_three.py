"""three.js reads the USD layer and the glTF file: mesh, positions, unit, up axis."""

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

import made
import numpy as np

NODE = made.needs("node", "nodejs")
made.needs_drench("hdf5")

SCRIPT = """
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const [three, usda, glb, answer] = process.argv.slice(2);
const from = path => import(pathToFileURL(`${three}/${path}`));
const { Box3 } = await from('build/three.module.js');
const { USDLoader } = await from('examples/jsm/loaders/USDLoader.js');
const { GLTFLoader } = await from('examples/jsm/loaders/GLTFLoader.js');
globalThis.self = globalThis;
const told = {};
const tell = (format, root) => {
    root.updateMatrixWorld(true);
    const box = new Box3().setFromObject(root);
    told[format] = { box: [box.min.toArray(), box.max.toArray()], objects: {} };
    root.traverse(object => {
        if (!object.geometry) return;
        const { position, normal } = object.geometry.attributes;
        told[format].objects[object.name] = { type: object.type, position: Array.from(position.array), normals: !!normal,
                                              index: object.geometry.index ? Array.from(object.geometry.index.array) : null };
    });
};
tell('usda', new USDLoader().parse(readFileSync(usda, 'utf8')));
const bytes = readFileSync(glb);
new GLTFLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '', gltf => {
    tell('gltf', gltf.scene);
    writeFileSync(answer, JSON.stringify(told));
}, error => { throw error; });
"""


RELEASE = 187  # whose loader of USD this was written for; older ones name meshes otherwise


def release(place):
    return int(json.loads((place / "package.json").read_text())["version"].split(".")[1])


def find_three(folder):
    """An installed three.js, or one that npm fetches; skips where there is neither."""
    root = Path(os.environ.get("DRENCH_SOURCE", "."))
    for place in [os.environ.get("DRENCH_THREE"), root / "viewer" / "node_modules" / "three"]:
        if place and (Path(place) / "examples/jsm/loaders/USDLoader.js").exists() and release(Path(place)) >= RELEASE:
            return Path(place)
    npm = shutil.which("npm")
    if not npm:
        made.skip("neither three.js nor npm is at hand; DRENCH_THREE may name the folder of three.js")
    try:
        run = subprocess.run([npm, "install", "--no-audit", "--no-fund", "--prefer-offline", "--prefix", folder, f"three@0.{RELEASE}.0"],
                             capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        run = None
    place = Path(folder, "node_modules", "three")
    if not run or run.returncode or not place.exists():
        made.skip("npm cannot fetch three.js here; DRENCH_THREE may name the folder of three.js")
    return place


class Three(made.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.three = find_three(cls.folder / "npm")
        usda = cls.export("usda", "--up", "z", "--unit", "mm", "--parts", "cloth,strands,liquid,surface")
        cls.files = [usda / "drench.usda", cls.export("gltf", "--frames", "2") / "frame_000002.glb"]

    def test_usd_and_gltf_are_read(self):
        told = self.ask([NODE], SCRIPT, self.three, *self.files, ending=".mjs")
        self.check_usda(told["usda"])
        self.check_gltf(told["gltf"])

    def check_usda(self, told):
        mesh = told["objects"]["cloth"]
        arrays = made.cloth(1)
        position = np.array(mesh["position"]).reshape(-1, 3)
        index = np.arange(len(position)) if mesh["index"] is None else np.array(mesh["index"])
        expected = arrays["position"][0][arrays["index"][0].ravel()] * [10, 10, 10]
        expected = np.stack([expected[:, 0], -expected[:, 2], expected[:, 1]], 1)
        self.expect_near(position[index], expected, 1e-5)
        self.assertIn("surface", told["objects"])
        # In metres and with y up again once the loader has turned and scaled it.
        low, high = np.array(told["box"])
        self.expect_near([low[2], high[2]], [-0.02, 0.02], 1e-6)
        self.assertAlmostEqual(high[1], 0.03, delta=0.0004)  # the roots of the strands, as thick as they are

    def check_gltf(self, told):
        kinds = {name: told["objects"][name]["type"] for name in made.PARTS}
        self.assertEqual(kinds, {"liquid": "Points", "strands": "LineSegments", "cloth": "Mesh"})
        for name, (_, make) in made.PARTS.items():
            self.expect_near(np.array(told["objects"][name]["position"]).reshape(-1, 3), make(2)["position"][0] * 0.01, 1e-8)
        self.assertEqual(told["objects"]["cloth"]["index"], made.cloth(2)["index"][0].ravel().tolist())


if __name__ == "__main__":
    unittest.main()
