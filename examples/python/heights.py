#!/usr/bin/python3
"""Runs a scene into a folder, then reads its frames: how high the jelly stands, frame by frame.

    python3 examples/python/heights.py [FOLDER]
"""

import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))  # where drench is not installed

import drench

SCENE = """
title: two jellies fall on a floor
time: {frame_rate: 50, frames: 15}
domain: {cell: 4 mm}
bodies:
  - {name: soft, material: gelatin, shape: {type: box, center: [-2, 2, 0], size: [2, 2, 2]}}
  - {name: stiff, material: jelly, shape: {type: box, center: [2, 2, 0], size: [2, 2, 2]}}
colliders:
  - {name: floor, shape: {type: half_space}}
"""


def main(folder):
    def tell(now):
        if now.frame_written and now.frame % 5 == 1:
            print(f"frame {now.frame} of {now.last_frame}, {now.report.particles} particles")

    summary = drench.run(drench.Scene(SCENE), folder, overwrite=True, progress=tell)
    print(f"{summary.frames} frames in {summary.steps} steps")
    print("time, s   soft, cm   stiff, cm")
    for frame in drench.Result(folder):
        particles = frame["particles"]
        top = [particles["position"][particles["body"] == body, 1].max() for body in (0, 1)]
        print(f"{frame.time:7.2f}   {top[0]:8.3f}   {top[1]:9.3f}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as place:
            main(Path(place, "results"))
