#!/usr/bin/python3
"""A study in a loop: how far hairs of different thickness hang down, from one scene that is changed value by value.

    python3 examples/python/droop.py
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))  # where drench is not installed

import drench

SCENE = {
    "domain": {"cell": "5 mm"},
    "materials": [{"name": "fibre", "kind": "hair", "preset": "hair", "damping": "1e5 P"}],
    "strands": [{"name": "lock", "material": "fibre", "type": "line", "start": [0, 0, 0], "end": [4, 0, 0],
                 "vertices": 30, "rest": "straight", "contact": "none"}],
}


def droop(radius):
    """How far below its root the tip of a hair of 4 cm hangs, cm."""
    world = drench.World(drench.Scene(SCENE).set("strands.lock.radius", radius))
    world.advance(1.0)
    strand = world.frame()["strands"].curves()[0]
    return -float(strand[-1, 1])


if __name__ == "__main__":
    for micrometres in (20, 35, 50, 80, 120):
        print(f"radius {micrometres:3d} um: the tip hangs {droop(f'{micrometres} um'):.3f} cm below the root")
