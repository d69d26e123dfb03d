#!/usr/bin/python3
"""Water is poured on a tray that Python swings; the force on the tray is plotted.

    python3 examples/python/pour.py [PICTURE]

Some seconds of computing. Draws with matplotlib (Debian package python3-matplotlib) where that is installed, else as an SVG of its own.
"""

import math
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))  # where drench is not installed

import drench

SCENE = {
    "title": "water on a tray",
    "time": {"max_step": "5 ms"},
    "domain": {"cell": "8 mm"},
    "emitters": [{"name": "tap", "material": "water", "velocity": [0, "-60 cm/s", 0],
                  "shape": {"type": "cylinder", "center": [0, 8, 0], "radius": 1.2, "height": 1}}],
    "colliders": [{"name": "tray", "shape": {"type": "box", "center": [0, 0, 0], "size": [8, 1.5, 8]}}],
    "drains": [{"name": "below", "shape": {"type": "half_space", "point": [0, -6, 0]}}],
}
END, FRAMES, SWING = 0.5, 50, math.radians(20)


def simulate():
    """Times (s) and the tray's forces (dyn): swung from Python, the tap closed after 0.3 s."""
    world = drench.World(drench.Scene(SCENE), loads=True)
    tray, tap = world.collider("tray"), world.emitter("tap")
    times, forces = [], []
    for i in range(1, FRAMES + 1):
        until = END * i / FRAMES
        tray.move(until, rotate=(0, 0, SWING * math.sin(2 * math.pi * 2 * until)))
        tap.switch(until <= 0.3)
        world.advance(until)
        times.append(world.time)
        forces.append(tray.force)
    frame = world.frame()
    print(f"{world.step_count} steps, {frame['liquid'].point_count} particles at the end, "
          f"{world.report.volume_drained:.1f} cm3 went down the drain")
    return times, forces


def draw_svg(path, times, forces):
    low, high = min(min(f[:2]) for f in forces), max(max(f[:2]) for f in forces)

    def line(axis, colour):
        points = " ".join(f"{60 + 520 * t / END:.1f},{20 + 320 * (high - f[axis]) / (high - low or 1):.1f}"
                          for t, f in zip(times, forces))
        return f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{points}"/>'

    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="600" height="380" font-family="sans-serif" font-size="12">'
                    f'<rect width="600" height="380" fill="white"/><rect x="60" y="20" width="520" height="320" fill="none" stroke="grey"/>'
                    f'<text x="5" y="30">{high:.3g} dyn</text><text x="5" y="340">{low:.3g} dyn</text>'
                    f'<text x="240" y="365">time 0 .. {END} s; blue: along x, red: up</text>{line(0, "steelblue")}{line(1, "firebrick")}</svg>\n')


def draw(path, times, forces):
    try:
        import matplotlib
    except ImportError:
        path = path.with_suffix(".svg")
        draw_svg(path, times, forces)
        return path
    matplotlib.use("Agg")
    from matplotlib import pyplot
    for axis, name in enumerate(["along x", "up"]):
        pyplot.plot(times, [force[axis] / 980.665 for force in forces], label=name)
    pyplot.xlabel("time, s")
    pyplot.ylabel("force on the tray, gram-force")
    pyplot.legend()
    pyplot.savefig(path, dpi=120)
    return path


if __name__ == "__main__":
    wanted = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("pour.png")
    print("the force is drawn in", draw(wanted, *simulate()))
