"""Result folders: run a scene into one, and look into one."""

import ctypes as c
from types import SimpleNamespace

from . import _native as native
from .frame import Frame, ResultFrame
from .world import report_of


def run(scene, folder=None, *, threads=0, frames=None, until=None, resume=False, overwrite=False, progress=None,
        observe=None, notice=None):
    """Runs a scene, into a folder where one is given.

    progress(now) is called after every step with frame, last_frame, time, seconds_left, report and the rest of
    dr_progress; observe(frame) at every output time, with arrays that hold during the call. An exception in one of them
    ends the run and is raised here. Gives the summary.
    """
    options, summary, stop, problems = native.RunOptions(), native.RunSummary(), c.c_int(0), []
    native.library.dr_run_options_default(c.byref(options))

    def guard(function, wrap):
        def called(_, argument):
            try:
                if not problems:
                    function(wrap(argument))
            except BaseException as problem:  # ctypes would print and swallow it
                problems.append(problem)
                stop.value = 1
        return called

    def plain(pointer):
        now = pointer.contents
        names = {name: getattr(now, name) for name, _ in now._fields_ if name not in ("report", "rejected_because")}
        because = now.rejected_because.decode() if now.rejected_because else None
        return SimpleNamespace(**names, rejected_because=because, report=report_of(now.report.contents))

    options.folder = native.path_bytes(folder) if folder is not None else None
    options.threads, options.resume, options.overwrite = threads, resume, overwrite
    options.command = b"python"
    options.stop = c.pointer(stop)
    if frames is not None:
        options.frames = frames
    if until is not None:
        options.until = until
    if progress:
        options.progress = native.ON_PROGRESS(guard(progress, plain))
    if observe:
        options.observe = native.ON_FRAME(guard(observe, lambda pointer: Frame(pointer.contents, None)))
    if notice:
        options.notice = native.ON_NOTICE(guard(notice, lambda text: text.decode("utf-8", "replace")))
    try:
        native.call("dr_run", scene._handle, c.byref(options), c.byref(summary))
    except native.Error:
        if problems:
            raise problems[0] from None
        raise
    if problems:
        raise problems[0]
    return SimpleNamespace(**{name: getattr(summary, name) for name, _ in summary._fields_})


class Result:
    """A folder of results: len(result), result[0], `for frame in result`, also while a run still writes it."""

    def __init__(self, folder):
        self._handle = c.c_void_p()
        native.call("dr_result_open", native.path_bytes(folder), None, c.byref(self._handle))

    def __len__(self):
        return native.library.dr_result_frame_count(self._handle)

    def refresh(self):
        native.call("dr_result_refresh", self._handle)

    def label(self, index):
        """(number, sample) of a frame."""
        number, sample = c.c_int64(), c.c_int64()
        native.library.dr_result_frame_label(self._handle, index, c.byref(number), c.byref(sample))
        return number.value, sample.value

    def __getitem__(self, index):
        count = len(self)
        if not -count <= index < count:
            raise IndexError(index)
        pointer = c.POINTER(native.FrameView)()
        native.call("dr_result_read", self._handle, index % count, c.byref(pointer))
        return Frame(pointer.contents, ResultFrame(pointer))

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __del__(self):
        if getattr(self, "_handle", None):
            native.library.dr_result_close(self._handle)
