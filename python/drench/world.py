"""Worlds: step, look, move colliders, switch emitters, read forces."""

import ctypes as c
from collections import namedtuple
from types import SimpleNamespace

import numpy as np

from . import _native as native
from .frame import Frame

Pose = namedtuple("Pose", "rotation translation velocity spin")
Load = namedtuple("Load", "force torque")

_REASONS = ["converged", "iterations", "stalled", "not finite"]


def _plain(value):
    if isinstance(value, bytes):
        return value.decode()
    return np.array(value) if isinstance(value, c.Array) else value


def report_of(report):
    """A report as plain Python values that stay."""
    plain = {name: _plain(getattr(report, name)) for name, _ in report._fields_
             if name not in ("solves", "warnings", "solve_count", "warning_count")}
    plain["solves"] = [SimpleNamespace(name=s.name.decode(), reason=_REASONS[s.reason], iterations=s.iterations,
                                       residual=s.residual) for s in report.solves[:report.solve_count]]
    plain["warnings"] = [w.value.decode("utf-8", "replace") for w in report.warnings[:report.warning_count]]
    return SimpleNamespace(**plain)


class _Keeper:
    """Owns the C world; arrays of frames hold on to it."""

    def __init__(self, handle):
        self.handle = handle

    def __del__(self):
        native.library.dr_world_destroy(self.handle)


class Collider:
    def __init__(self, world, index):
        self._world, self.index = world, index

    def move(self, until, translate=(0, 0, 0), rotate=(0, 0, 0), center=(0, 0, 0)):
        """From now on, in place of its script: evenly from where it is to where the scene has it, turned about center
        by rotate (x, then y, then z, rad) and moved by translate (cm), by that time."""
        to = native.Placement(tuple(map(float, translate)), tuple(map(float, rotate)), tuple(map(float, center)))
        native.call("dr_world_move_collider", self._world._handle, self.index, c.byref(to), until)

    @property
    def pose(self):
        """A point x of the scene's shape is at rotation @ x + translation."""
        pose = native.ColliderPose()
        native.call("dr_world_collider_pose", self._world._handle, self.index, c.byref(pose))
        return Pose(np.array(pose.rotation).reshape(3, 3), *(np.array(getattr(pose, name)) for name in Pose._fields[1:]))

    def load(self, about=None):
        """Mean force over the last step (dyn) and torque about a point (dyn cm); of a world made with loads=True."""
        return self._world._load(self.index, about)

    @property
    def force(self):
        return self.load().force

    @property
    def torque(self):
        """About the origin."""
        return self.load().torque


class Emitter:
    def __init__(self, world, index):
        self._world, self.index = world, index

    def switch(self, on):
        native.call("dr_world_switch_emitter", self._world._handle, self.index, bool(on))


class World:
    """A scene at work. loads=True measures what matter does to colliders."""

    def __init__(self, scene, threads=0, loads=False):
        handle = c.c_void_p()
        options = native.WorldOptions(threads, None, loads)
        native.call("dr_world_create", scene._handle, c.byref(options), c.byref(handle))
        self._handle = handle
        self._keeper = _Keeper(handle)

    # ---- stepping

    @property
    def time(self):
        return native.library.dr_world_time(self._handle)

    @property
    def step_count(self):
        return native.library.dr_world_step_count(self._handle)

    def step(self, until):
        """One step that does not pass `until`."""
        native.call("dr_world_step", self._handle, until)

    def advance(self, until):
        native.call("dr_world_advance", self._handle, until)

    # ---- looking

    @property
    def report(self):
        """What the last step did."""
        return report_of(native.library.dr_world_report(self._handle).contents)

    def frame(self, number=0):
        view = native.FrameView(number=number)
        native.call("dr_world_view", self._handle, c.byref(view))
        return Frame(view, self._keeper)

    @property
    def hash(self):
        return native.library.dr_world_hash(self._handle)

    # ---- steering

    def _find(self, kind, which):
        count = getattr(native.library, f"dr_world_{kind}_count")(self._handle)
        if isinstance(which, int):
            index = which if 0 <= which < count else -1
        else:
            index = getattr(native.library, f"dr_world_find_{kind}")(self._handle, which.encode())
        if index < 0:
            raise KeyError(f"the scene has no {kind} {which!r}")
        return index

    def collider(self, which):
        """By name or by number."""
        return Collider(self, self._find("collider", which))

    def emitter(self, which):
        return Emitter(self, self._find("emitter", which))

    def _load(self, solid, about=None):
        load = native.Load()
        point = (c.c_double * 3)(*map(float, about)) if about is not None else None
        native.call("dr_world_load", self._handle, solid, point, c.byref(load))
        return Load(np.array(load.force), np.array(load.torque))

    def sides_load(self, about=None):
        """On all sides of the domain together."""
        return self._load(-1, about)

    def rest_load(self, about=None):
        """What liquid lost and no solid got: the error of the balance."""
        return self._load(-2, about)
