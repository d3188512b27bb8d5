"""Exceptions and places in running code, in the form in which they travel from a worker to the grader."""

from __future__ import annotations

import builtins
import errno
import linecache
import re
import traceback
from collections import deque
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice
from types import CodeType, FrameType, TracebackType

from normgrade.language import _
from normgrade.worker.wire.observation import BY_HAND, LINE_LIMIT, NAME_LIMIT, Cause, Error, Frame

MESSAGE_LIMIT = 2000  # characters of a text
FRAME_LIMIT = 5  # of the learner's frames, the innermost
# The text of a plain RuntimeError of PyTorch contains the first, or is one of the others: that of C++, or of a convolution.
NO_MEMORY = re.compile(r"DefaultCPUAllocator: can't allocate memory|\A(std::bad_alloc|could not create a primitive)\Z")
BUILT_IN = {id(thing): name for name, thing in vars(builtins).items() if isinstance(thing, type) and issubclass(thing, BaseException)}
NAME_OF = type.__dict__["__name__"].__get__  # of a class; that of its metaclass may raise, or lie
SAID_BY_HAND = "ByHand: "
Spot = tuple[CodeType, int, int]  # a piece of code, the instruction in it, and the line


def describe(error: BaseException, file_name: str | None, step: int | str | None = None, cause: Cause = Cause.RAISED) -> Error:
    """Describe an exception: the names of its classes along the MRO, a capped message, the frames of the learner's own file."""
    if isinstance(error, SystemExit):
        cause = Cause.EXITED
    if wants_memory(error):
        cause = Cause.OUT_OF_MEMORY
    try:
        message = str(error)
    except BaseException:
        message = _("its message could not be read")
    types = tuple(name_of(kind) for kind in type(error).__mro__ if kind is not object)
    if isinstance(error, RuntimeError) and SAID_BY_HAND in message:  # TorchScript wraps exceptions of operations
        types, message = (BY_HAND, *types), message.rpartition(SAID_BY_HAND)[2].partition("\n")[0]
    return Error(cause, message[:MESSAGE_LIMIT], types, frames_of(error.__traceback__, file_name), step, meant_by(error))


def name_of(kind: type) -> str:
    """Return the name of an exception's class as it travels. Only a built-in class travels under the name of one."""
    name = NAME_OF(kind)[:NAME_LIMIT]
    return name if id(kind) in BUILT_IN or name not in BUILT_IN.values() else f"submission.{name}"


def stops_the_process(error: BaseException) -> bool:
    """Return True if an exception concerns the process in which it was raised, not the code that raised it."""
    return not isinstance(error, Exception) or wants_memory(error)


def wants_memory(error: BaseException) -> bool:
    """Return True if an exception of Python, the system or PyTorch says that memory is exhausted."""
    refused = isinstance(error, OSError) and error.errno == errno.ENOMEM
    return isinstance(error, MemoryError) or refused or (type(error) is RuntimeError and NO_MEMORY.search(str(error)) is not None)


# Where it was raised


def frames_of(trace: TracebackType | None, file_name: str | None) -> tuple[Frame, ...]:
    """Return the frames of a traceback that belong to this file, the innermost last."""
    spots: deque[Spot] = deque(maxlen=FRAME_LIMIT)
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file_name:
            spots.append((trace.tb_frame.f_code, trace.tb_lasti, trace.tb_lineno))
        trace = trace.tb_next
    return tuple(map(frame_at, spots))


def frames_running(frame: FrameType | None, file_name: str | None) -> tuple[Frame, ...]:
    """Return the frames of running code that belong to this file, the innermost last."""
    own = (each for each, _line in traceback.walk_stack(frame) if each.f_code.co_filename == file_name)
    spots = [(each.f_code, each.f_lasti, each.f_lineno or 0) for each in islice(own, FRAME_LIMIT)]
    return tuple(map(frame_at, reversed(spots)))


def frame_at(spot: Spot) -> Frame:
    """Return the line of a place in code, and the characters of it that Python names."""
    code, instruction, line = spot
    whole = linecache.getline(code.co_filename, line).rstrip("\n")
    _first, last, start, end = next(islice(code.co_positions(), instruction // 2, None), (None, None, None, None))
    text = whole.strip()[:LINE_LIMIT]
    if start is None or end is None:
        return Frame(line, code.co_name[:NAME_LIMIT], text)
    column = characters(whole, start)
    width = (characters(whole, end) if last == line else len(whole.rstrip())) - column
    return Frame(line, code.co_name[:NAME_LIMIT], text, column + 1, max(width, 0))


def characters(line: str, offset: int) -> int:
    """Return how many characters of a line its first `offset` bytes are."""
    return len(line.encode(errors="surrogatepass")[:offset].decode(errors="ignore"))


# The name that was probably meant


def meant_by(error: BaseException) -> str:
    """Return an existing name that is nearly the one that an exception did not find; "" if there is none.

    Python 3.11 suggests it only in the traceback that it prints itself, and no version does for a module with as many names as `torch`.
    """
    try:
        wanted = getattr(error, "name", None)
        if not isinstance(error, NameError | AttributeError) or not isinstance(wanted, str):
            return ""
        return nearest(wanted[:NAME_LIMIT], tuple(names_there(error, wanted)))[:NAME_LIMIT]
    except BaseException:  # this may call code of the submission, such as `__dir__`
        return ""


def names_there(error: NameError | AttributeError, wanted: str) -> Iterable[str]:
    """Return the names that the exception could have found: the attributes of its object, or the names in scope."""
    if isinstance(error, AttributeError):
        return dir(error.obj)
    *_before, (frame, _line) = traceback.walk_tb(error.__traceback__)
    around = frame.f_locals.get("self")
    own = [f"self.{wanted}"] if around is not None and hasattr(around, wanted) else []
    return [*own, *frame.f_locals, *frame.f_globals, *dir(builtins)]


@lru_cache  # the same exception is raised in play after play
def nearest(wanted: str, names: Sequence[str]) -> str:
    """Return the name that differs from `wanted` only in a few letters, preferably an attribute of `self`; "" if there is none."""
    known = [name for name in names if name != wanted and name.startswith("_") == wanted.startswith("_")]
    if f"self.{wanted}" in known:
        return f"self.{wanted}"
    same = [name for name in known if name.lower() == wanted.lower()]
    near = get_close_matches(wanted, known, n=1)
    swapped = (name for name in known if sorted(name) == sorted(wanted))
    return next(iter((*same, *near, *swapped)), "")
