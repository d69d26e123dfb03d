"""The C interface as ctypes sees it: structs, functions, and where the shared library is.

tests/python/test_layout.py compares every struct with the C headers.
"""

import ctypes as c
import ctypes.util
import os
from pathlib import Path

try:
    from ._place import LIBRARY_FOLDER  # written when drench is installed
except ImportError:
    LIBRARY_FOLDER = None

SONAME = "libdrench.so.0"


class Error(Exception):
    """What the library refused, in its own words. status is a word such as "bad scene"."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


# ---- structs


class ErrorText(c.Structure):
    _fields_ = [("status", c.c_int), ("count", c.c_int), ("text", c.c_char * 6000)]


class WorldOptions(c.Structure):
    _fields_ = [("threads", c.c_int), ("allocator", c.c_void_p), ("loads", c.c_bool)]


class Forecast(c.Structure):
    _fields_ = [(name, c.c_double) for name in ("particles", "emitted", "vertices", "bytes", "machine_bytes",
                                                "cloth_vertices", "triangles")]


class Placement(c.Structure):
    _fields_ = [("translate", c.c_double * 3), ("rotate", c.c_double * 3), ("center", c.c_double * 3)]


class ColliderPose(c.Structure):
    _fields_ = [("rotation", c.c_double * 9), ("translation", c.c_double * 3), ("velocity", c.c_double * 3),
                ("spin", c.c_double * 3)]


class Load(c.Structure):
    _fields_ = [("force", c.c_double * 3), ("torque", c.c_double * 3)]


class FrameArray(c.Structure):
    _fields_ = [("name", c.c_char_p), ("unit", c.c_char_p), ("type", c.c_int), ("components", c.c_int),
                ("count", c.c_size_t), ("data", c.c_void_p)]


class FramePart(c.Structure):
    _fields_ = [("name", c.c_char_p), ("kind", c.c_int), ("point_count", c.c_size_t), ("element_count", c.c_size_t),
                ("index", c.c_void_p), ("array_count", c.c_int), ("arrays", c.POINTER(FrameArray))]


class FrameView(c.Structure):
    _fields_ = [("time", c.c_double), ("step", c.c_int64), ("number", c.c_int), ("sample", c.c_int),
                ("part_count", c.c_int), ("parts", c.POINTER(FramePart))]


class SolveReport(c.Structure):
    _fields_ = [("name", c.c_char_p), ("reason", c.c_int), ("iterations", c.c_int), ("residual", c.c_double)]


STAGES, SOLVES, WARNINGS = 13, 8, 8


class Report(c.Structure):
    _fields_ = [("step", c.c_int64), ("time", c.c_double), ("dt", c.c_double), ("rejected", c.c_int),
                ("rejected_because", c.c_char_p), ("limited_by", c.c_char_p), ("particles", c.c_int64),
                ("blocks", c.c_int64), ("strands", c.c_int64), ("vertices", c.c_int64), ("emitted", c.c_int64),
                ("drained", c.c_int64), ("culled", c.c_int64), ("ids", c.c_int64), ("volume_bulk", c.c_double),
                ("volume_film", c.c_double), ("volume_fabric", c.c_double), ("volume_drained", c.c_double),
                ("volume_total", c.c_double), ("volume_emitted", c.c_double), ("bubbles", c.c_int64),
                ("volume_bubbles", c.c_double), ("volume_bubbles_lost", c.c_double), ("volume_occupied", c.c_double),
                ("mass", c.c_double), ("linear_momentum", c.c_double * 3), ("angular_momentum", c.c_double * 3),
                ("energy_kinetic", c.c_double), ("energy_elastic", c.c_double), ("energy_potential", c.c_double),
                ("energy_surface", c.c_double),
                ("largest_speed", c.c_double), ("solve_count", c.c_int), ("solves", SolveReport * SOLVES),
                ("contacts", c.c_int64), ("held", c.c_int64), ("stage_seconds", c.c_double * STAGES),
                ("step_seconds", c.c_double), ("resident_bytes", c.c_uint64), ("warning_count", c.c_int),
                ("warnings", (c.c_char * 200) * WARNINGS)]


class Progress(c.Structure):
    _fields_ = [("frame", c.c_int64), ("first_frame", c.c_int64), ("last_frame", c.c_int64),
                ("frames_done", c.c_int64), ("frames_total", c.c_int64), ("frame_written", c.c_bool),
                ("time", c.c_double), ("until", c.c_double), ("seconds", c.c_double), ("seconds_left", c.c_double),
                ("rejected", c.c_int64), ("rejected_because", c.c_char_p), ("report", c.POINTER(Report))]


ON_PROGRESS = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(Progress))
ON_FRAME = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(FrameView))
ON_NOTICE = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p)


class RunOptions(c.Structure):
    _fields_ = [("folder", c.c_char_p), ("threads", c.c_int), ("frames", c.c_int64), ("until", c.c_double),
                ("resume", c.c_bool), ("overwrite", c.c_bool), ("command", c.c_char_p), ("stop", c.POINTER(c.c_int)),
                ("progress", ON_PROGRESS), ("observe", ON_FRAME), ("notice", ON_NOTICE), ("user", c.c_void_p),
                ("allocator", c.c_void_p)]


class RunSummary(c.Structure):
    _fields_ = [("steps", c.c_int64), ("frames", c.c_int64), ("rejected", c.c_int64), ("time", c.c_double),
                ("seconds", c.c_double), ("cpu_seconds", c.c_double), ("state_hash", c.c_uint64),
                ("peak_particles", c.c_uint64), ("peak_resident_bytes", c.c_uint64), ("resumed", c.c_bool),
                ("complete", c.c_bool)]


# By the names of the C headers, for the test that compares them.
STRUCTS = {
    "dr_error": ErrorText, "dr_world_options": WorldOptions, "dr_forecast": Forecast, "dr_placement": Placement,
    "dr_collider_pose": ColliderPose, "dr_load": Load, "dr_frame_array": FrameArray, "dr_frame_part": FramePart,
    "dr_frame": FrameView, "dr_solve_report": SolveReport, "dr_report": Report, "dr_progress": Progress,
    "dr_run_options": RunOptions, "dr_run_summary": RunSummary,
}

# ---- functions: result, then arguments

HANDLE, HANDLE_PLACE, TEXT, PROBLEM = c.c_void_p, c.POINTER(c.c_void_p), c.c_char_p, c.POINTER(ErrorText)

FUNCTIONS = {
    "dr_version": (TEXT,),
    "dr_version_features": (TEXT,),
    "dr_status_name": (TEXT, c.c_int),
    "dr_scene_read": (c.c_int, TEXT, HANDLE, HANDLE_PLACE, PROBLEM),
    "dr_scene_parse": (c.c_int, TEXT, c.c_size_t, TEXT, HANDLE, HANDLE_PLACE, PROBLEM),
    "dr_scene_set": (c.c_int, HANDLE, TEXT, TEXT, PROBLEM),
    "dr_scene_load": (c.c_int, HANDLE, PROBLEM),
    "dr_scene_forecast": (c.c_int, HANDLE, c.POINTER(Forecast), PROBLEM),
    "dr_scene_write_text": (c.c_int, HANDLE, c.POINTER(c.c_void_p), c.POINTER(c.c_size_t), PROBLEM),
    "dr_scene_release_text": (None, HANDLE, c.c_void_p, c.c_size_t),
    "dr_scene_destroy": (None, HANDLE),
    "dr_world_create": (c.c_int, HANDLE, c.POINTER(WorldOptions), HANDLE_PLACE, PROBLEM),
    "dr_world_destroy": (None, HANDLE),
    "dr_world_step": (c.c_int, HANDLE, c.c_double, PROBLEM),
    "dr_world_advance": (c.c_int, HANDLE, c.c_double, PROBLEM),
    "dr_world_time": (c.c_double, HANDLE),
    "dr_world_step_count": (c.c_int64, HANDLE),
    "dr_world_report": (c.POINTER(Report), HANDLE),
    "dr_world_hash": (c.c_uint64, HANDLE),
    "dr_world_view": (c.c_int, HANDLE, c.POINTER(FrameView), PROBLEM),
    "dr_world_collider_count": (c.c_int, HANDLE),
    "dr_world_emitter_count": (c.c_int, HANDLE),
    "dr_world_find_collider": (c.c_int, HANDLE, TEXT),
    "dr_world_find_emitter": (c.c_int, HANDLE, TEXT),
    "dr_world_move_collider": (c.c_int, HANDLE, c.c_int, c.POINTER(Placement), c.c_double, PROBLEM),
    "dr_world_collider_pose": (c.c_int, HANDLE, c.c_int, c.POINTER(ColliderPose), PROBLEM),
    "dr_world_switch_emitter": (c.c_int, HANDLE, c.c_int, c.c_bool, PROBLEM),
    "dr_world_load": (c.c_int, HANDLE, c.c_int, c.POINTER(c.c_double), c.POINTER(Load), PROBLEM),
    "dr_run_options_default": (None, c.POINTER(RunOptions)),
    "dr_run": (c.c_int, HANDLE, c.POINTER(RunOptions), c.POINTER(RunSummary), PROBLEM),
    "dr_result_open": (c.c_int, TEXT, HANDLE, HANDLE_PLACE, PROBLEM),
    "dr_result_close": (None, HANDLE),
    "dr_result_refresh": (c.c_int, HANDLE, PROBLEM),
    "dr_result_frame_count": (c.c_size_t, HANDLE),
    "dr_result_frame_label": (None, HANDLE, c.c_size_t, c.POINTER(c.c_int64), c.POINTER(c.c_int64)),
    "dr_result_read": (c.c_int, HANDLE, c.c_size_t, c.POINTER(c.POINTER(FrameView)), PROBLEM),
    "dr_result_release": (None, c.POINTER(FrameView)),
}


def candidates():
    """Where the shared library may be, the likeliest first."""
    here = Path(__file__).resolve().parent
    if os.environ.get("DRENCH_LIBRARY"):
        yield os.environ["DRENCH_LIBRARY"]
        return
    if LIBRARY_FOLDER:
        yield str(here / LIBRARY_FOLDER / SONAME)
    for preset in ("release", "portable", "debug"):  # a checkout that was built
        yield str(here.parents[1] / "build" / preset / SONAME)
    yield SONAME
    found = ctypes.util.find_library("drench")
    if found:
        yield found


def open_library():
    problems = []
    for path in candidates():
        if "/" in path and not os.path.exists(path):
            continue
        try:
            library = c.CDLL(path)
        except OSError as problem:
            problems.append(str(problem))
            continue
        for name, (result, *arguments) in FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        return library
    raise ImportError("libdrench was not found: `make install` puts it in place, or DRENCH_LIBRARY names it"
                      + "".join(f"\n    {problem}" for problem in problems))


library = open_library()


def call(name, *arguments):
    """Calls a function whose last argument is a dr_error, and raises what it tells."""
    error = ErrorText()
    status = getattr(library, name)(*arguments, c.byref(error))
    if status != 0:
        word = library.dr_status_name(status).decode()
        raise Error(word, error.text.decode("utf-8", "replace") or word)


def path_bytes(path):
    return os.fsencode(os.fspath(path))
