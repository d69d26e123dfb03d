"""Frames: read-only numpy views of the library's own memory. Nothing is copied."""

import ctypes as c

import numpy as np

from . import _native as native

_TYPES = [np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]
_KINDS = ["points", "curves", "triangles"]


def _view(address, dtype, shape, owner):
    """An array over memory that lives as long as its owner."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    if count == 0 or not address:
        array = np.empty(shape, dtype)
    else:
        memory = (c.c_char * (count * dtype.itemsize)).from_address(address)
        memory.owner = owner
        array = np.frombuffer(memory, dtype).reshape(shape)
    array.flags.writeable = False
    return array


class Part:
    """Points, curves or triangles with their arrays: part["position"], part.unit("position")."""

    def __init__(self, part, owner):
        self.name = part.name.decode()
        self.kind = _KINDS[part.kind]
        self.point_count, self.element_count = part.point_count, part.element_count
        self._arrays, self._units = {}, {}
        for i in range(part.array_count):
            array = part.arrays[i]
            name = array.name.decode()
            shape = (array.count,) if array.components == 1 else (array.count, array.components)
            self._arrays[name] = _view(array.data, _TYPES[array.type], shape, owner)
            self._units[name] = array.unit.decode() if array.unit else ""
        shapes = {"points": (0,), "curves": (self.element_count + 1,), "triangles": (self.element_count, 3)}
        self.index = _view(part.index, np.uint32, shapes[self.kind], owner)

    def __getitem__(self, name):
        return self._arrays[name]

    def __contains__(self, name):
        return name in self._arrays

    def __iter__(self):
        return iter(self._arrays)

    def unit(self, name):
        return self._units[name]

    def curves(self, name="position"):
        """The array curve by curve, a view each."""
        array = self._arrays[name]
        return [array[a:b] for a, b in zip(self.index[:-1], self.index[1:])]

    def __repr__(self):
        return f"<{self.name}: {self.point_count} points, {self.element_count} {self.kind}>"


class Frame:
    """What there is at one time. Its parts go by name: frame["liquid"]["position"].

    A world's frame shows the state as it is now: its arrays hold until the next step. Copy what should stay.
    """

    def __init__(self, frame, owner):
        self.time, self.step, self.number, self.sample = frame.time, frame.step, frame.number, frame.sample
        parts = [Part(frame.parts[i], owner) for i in range(frame.part_count)]
        self.parts = {part.name: part for part in parts}

    def __getitem__(self, name):
        return self.parts[name]

    def __contains__(self, name):
        return name in self.parts

    def __iter__(self):
        return iter(self.parts.values())

    def __repr__(self):
        return f"<frame {self.number} at {self.time:g} s: {', '.join(map(repr, self))}>"


class ResultFrame:
    """Owns a frame that was read from a folder, until no array of it is left."""

    def __init__(self, pointer):
        self._pointer = pointer

    def __del__(self):
        native.library.dr_result_release(self._pointer)
