"""drench from Python: scenes, worlds, frames as numpy arrays, result folders.

    import drench
    world = drench.World(drench.Scene.read("pour.yaml"), loads=True)
    world.advance(0.1)
    world.frame()["liquid"]["position"]      # (n, 3), a view of the library's memory
    world.collider("paddle").force           # dyn

Needs libdrench and numpy. Lengths are in cm, masses in g, times in s, forces in dyn.
"""

from ._native import Error, library as _library
from .frame import Frame, Part
from .result import Result, run
from .scene import Scene
from .world import Collider, Emitter, Load, Pose, World

__all__ = ["Collider", "Emitter", "Error", "Frame", "Load", "Part", "Pose", "Result", "Scene", "World", "features", "run"]
__version__ = _library.dr_version().decode()


def features():
    """What this build can do: {"yaml": True, ...}."""
    lines = _library.dr_version_features().decode().splitlines()
    return {name: value == "yes" for name, value in (line.split() for line in lines)}
