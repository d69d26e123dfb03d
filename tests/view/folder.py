"""A made-up result folder: liquid in a tank, strands, a cloth and a collider, as drench writes them."""

import json
import math
from pathlib import Path

import h5py
import numpy

SCENE = """title: "{title}"
time: {{frame_rate: 24, start_frame: 1, frames: {frames}}}
domain: {{cell: 0.5}}
"""


def write_array(group, name, unit, values, compression=1):
    kept = {"compression": 1, "shuffle": True} if compression and len(values) else {}
    group.create_dataset(name, data=values, **kept).attrs["unit"] = unit


def write_part(file, name, kind, elements, index=None, compression=1, **arrays):
    group = file.create_group(name)
    group.attrs["kind"] = kind
    group.attrs["point_count"] = numpy.int64(len(arrays["position"]))
    group.attrs["element_count"] = numpy.int64(elements)
    if index is not None:
        group.create_dataset("index", data=index.astype("u4"))
    units = {"position": "cm", "velocity": "cm/s", "radius": "cm", "film_height": "cm", "mass": "g", "volume": "cm3",
             "pressure": "dyn/cm2"}
    for array, values in arrays.items():
        write_array(group, array, units.get(array, ""), values, compression)


def liquid(count, time):
    """A wave in a tank of 40 x 20 x 20 cm, half full."""
    random = numpy.random.default_rng(1)
    place = random.random((count, 3))
    x, height, z = place[:, 0] * 40 - 20, place[:, 1], place[:, 2] * 20 - 10
    phase = x * 0.25 - 5 * time
    top = 8 + 3 * numpy.sin(phase) + numpy.cos(0.5 * z + 3 * time)
    position = numpy.stack([x, height * top, z], 1).astype("f4")
    speed = 20 * height
    velocity = numpy.stack([speed * numpy.cos(phase), speed * numpy.sin(phase), 0 * x], 1).astype("f4")
    volume = numpy.full(count, 40 * 20 * 8 / max(count, 1), "f4")
    pressure = (981 * (top - position[:, 1])).astype("f4")
    return dict(position=position, velocity=velocity, mass=volume, volume=volume, pressure=pressure,
                body=numpy.zeros(count, "u4"), id=numpy.arange(count, dtype="u8"))


def strands(count, vertices, time):
    """Hair that hangs from a round patch over the tank and sways, wettest at its tips."""
    root = 2 * math.pi * numpy.arange(count)[:, None] * 0.61803398875
    away = 6 * numpy.sqrt((numpy.arange(count)[:, None] + 0.5) / max(count, 1))
    along = numpy.linspace(0, 1, vertices)[None, :]
    sway = 3 * along**2 * math.sin(3 * time)
    position = numpy.stack([away * numpy.cos(root) * (1 + 0.3 * along) + sway, 30 - 18 * along + 0 * away,
                            away * numpy.sin(root) * (1 + 0.3 * along)], 2).reshape(-1, 3)
    film = (0.05 * along**2 * (1 + 0 * away)).reshape(-1)
    return dict(position=position, radius=numpy.full(len(position), 0.02), film_height=film,
                velocity=numpy.stack([sway + 0 * away, 0 * sway + 0 * away, 0 * sway + 0 * away], 2).reshape(-1, 3))


def cloth(side, time):
    u, v = numpy.meshgrid(numpy.linspace(0, 1, side), numpy.linspace(0, 1, side), indexing="ij")
    position = numpy.stack([22 + 10 * u, 14 + numpy.sin(5 * u + 4 * time) - 6 * v**2, 12 * v - 6], 2).reshape(-1, 3)
    corner = (numpy.arange(side - 1)[:, None] * side + numpy.arange(side - 1)[None, :]).reshape(-1)
    index = numpy.stack([corner, corner + 1, corner + side, corner + side, corner + 1, corner + side + 1], 1).reshape(-1, 3)
    return index, dict(position=position.astype("f4"), velocity=(0 * position).astype("f4"),
                       wetness=v.reshape(-1).astype("f4") * min(1, time + 0.2))


def tank():
    x, y, z = numpy.array([[-20, 20], [0, 16], [-10, 10]])
    corners = numpy.array([[i, j, k] for i in x for j in y for k in z], "f4")
    sides = [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 4, 5], [0, 2, 4, 6], [1, 3, 5, 7]]
    index = numpy.array([t for a, b, c, d in sides for t in ([a, b, c], [b, d, c])])
    return index, dict(position=corners)


def write_frame(folder, number, points=2000, curves=20, vertices=10, time=None, compression=1):
    time = (number - 1) / 24 if time is None else time
    path = Path(folder, "frames", f"frame_{number:06d}.h5")
    with h5py.File(path, "w") as file:
        file.attrs["time"] = float(time)
        file.attrs["step"] = numpy.int64(10 * (number - 1))
        file.attrs["number"] = numpy.int64(number)
        file.attrs["sample"] = numpy.int64(0)
        write_part(file, "liquid", "points", 0, compression=compression, **liquid(points, time))
        write_part(file, "strands", "curves", curves, numpy.arange(curves + 1) * vertices, compression,
                   **strands(curves, vertices, time))
        index, arrays = cloth(24, time)
        write_part(file, "cloth", "triangles", len(index), index, **arrays)
        index, arrays = tank()
        write_part(file, "colliders", "triangles", len(index), index, **arrays)
    return path


def stats_line(step, ids):
    time = step / 240
    return json.dumps({"step": step, "time": time, "dt": 1 / 240, "ids": ids,
                       "volume": {"total": 6400 + 0.5 * math.sin(time)},
                       "energy": {"kinetic": 2e6 * math.exp(-time), "elastic": 1e4, "potential": 3e6 - 1e6 * time},
                       "solves": [{"name": "pressure", "reason": "converged", "iterations": 8 + step % 5, "residual": 1e-5}],
                       "step_seconds": 0.02 + 0.01 * math.sin(step)}) + "\n"


def write_stats(folder, steps, points=2000, first=1):
    with open(Path(folder, "stats.jsonl"), "a", encoding="utf-8") as out:
        for step in range(first, steps + 1):
            out.write(stats_line(step, points // 2 + min(points, points * step // 60) // 2))


def write_folder(folder, frames=5, points=2000, curves=20, vertices=10, steps=None, title="a made-up wave",
                 compression=1):
    folder = Path(folder)
    (folder / "frames").mkdir(parents=True)
    (folder / "scene.yaml").write_text(SCENE.format(title=title, frames=max(frames - 1, 0)))
    (folder / "run.json").write_text(json.dumps({"start_frame": 1, "samples": 1, "outputs": frames}))
    for number in range(1, frames + 1):
        write_frame(folder, number, points, curves, vertices, compression=compression)
    write_stats(folder, 10 * frames if steps is None else steps, points)
    return folder
