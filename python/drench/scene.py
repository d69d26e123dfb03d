"""Scenes: read from files, or made of text or of Python's own dictionaries."""

import ctypes as c
import json

from . import _native as native


class Scene:
    """What is to be simulated. Scene.read(path), Scene.parse(text) or Scene({"domain": {"cell": "2 mm"}, ...})."""

    def __init__(self, description, name="scene"):
        text = description if isinstance(description, str) else json.dumps(description)
        self._handle = c.c_void_p()
        data = text.encode()
        native.call("dr_scene_parse", data, len(data), native.path_bytes(name), None, c.byref(self._handle))

    @classmethod
    def parse(cls, text, name="scene"):
        return cls(text, name)

    @classmethod
    def read(cls, path):
        scene = cls.__new__(cls)
        scene._handle = c.c_void_p()
        native.call("dr_scene_read", native.path_bytes(path), None, c.byref(scene._handle))
        return scene

    def set(self, path, value):
        """Sets one value as a scene file would write it: set("domain.cell", "2 mm")."""
        if isinstance(value, bool):
            value = "yes" if value else "no"
        elif isinstance(value, (list, tuple)):
            value = f"[{', '.join(map(str, value))}]"
        native.call("dr_scene_set", self._handle, path.encode(), str(value).encode())
        native.call("dr_scene_load", self._handle)
        return self

    def check(self):
        """Looks at everything that can be known without simulating. Gives what the scene comes to."""
        forecast = native.Forecast()
        native.call("dr_scene_forecast", self._handle, c.byref(forecast))
        return {name: getattr(forecast, name) for name, _ in forecast._fields_}

    def text(self):
        """The scene with every value written out."""
        text, length = c.c_void_p(), c.c_size_t()
        native.call("dr_scene_write_text", self._handle, c.byref(text), c.byref(length))
        try:
            return c.string_at(text, length.value).decode()
        finally:
            native.library.dr_scene_release_text(self._handle, text, length)

    def __del__(self):
        if getattr(self, "_handle", None):
            native.library.dr_scene_destroy(self._handle)
