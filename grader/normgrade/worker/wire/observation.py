"""The requests that go from the grader to a worker, and the observations that answer them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from normgrade.language.places import Absent
from normgrade.worker.wire.codec import staying

if TYPE_CHECKING:  # the zygote starts before the grader imports NumPy
    import numpy as np

HALF = ("float16", "bfloat16")  # the dtypes of half precision
NAME_LIMIT, LINE_LIMIT = 100, 200  # characters of a name, and of a line
MOST_RECORDS = 400  # in one answer
MOST_NUMBERS = 512  # in one record
MOST_DIMENSIONS = 6  # of one record
MOST_OF_ALL = 64 * 1024  # numbers in all records of an answer
MOST_PUTS = 64  # in one question
BY_HAND = "ByHand"  # the name of the exception that a banned operation raises
NO_SUCH_PROBE = "NoSuchProbe"  # the name of the exception about an unknown probe


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """Numbers with the PyTorch name of their dtype, such as "float32", "int64" or "bool".

    NumPy has no bfloat16. Such values are held as float32, which is exact, and `dtype` is "bfloat16". `error` is the standard error of an
    estimate from random draws, and 0 otherwise. It does not travel, because only the error of a trusted implementation counts.
    """

    values: np.ndarray
    dtype: str
    error: float = 0.0

    @property
    def nbytes(self) -> int:
        """The bytes that the numbers take in their own dtype. A bfloat16 that is held as float32 takes twice as many."""
        return self.values.nbytes // 2 if self.dtype == "bfloat16" else self.values.nbytes


class Reason(StrEnum):
    """The reasons why a value could not travel."""

    TYPE = "type"  # it is neither a tensor, an array, a number nor a text
    SUBCLASS = "subclass"  # a tensor of a class that is derived from torch.Tensor
    FORM = "form"  # a tensor that is not dense, or not on the CPU, or has a dtype without arrays
    SIZE = "size"  # an int of more than 64 bits; a tensor or an array of more bytes than the limit


@dataclass(frozen=True, slots=True)
class Foreign:
    """The description of a value that could not travel: the name of its type; for an array also dtype and shape, for a tensor more."""

    reason: Reason
    type: str
    dtype: str | None = None
    shape: tuple[int, ...] | None = None
    layout: str | None = None
    device: str | None = None


Value = Array | Foreign | Absent | bool | int | float | str | None


class Playable(Protocol):
    """A probe and the inputs to play it on. `inputs` is JSON data whose leaves may also be an `Array`."""

    @property
    def probe(self) -> str: ...

    @property
    def inputs(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Request:
    """A probe and its inputs as they cross to the worker. In worker/wire/requests.py a request has its parts by name."""

    probe: str
    inputs: Mapping[str, Any]


class Cause(StrEnum):
    """The reasons why an observation ended early."""

    RAISED = "raised"  # an exception reached the probe
    NOT_LOADED = "not loaded"  # the submission itself could not be executed
    EXITED = "exited"  # the process ended by itself: sys.exit, os._exit, a closed pipe
    CRASHED = "crashed"  # killed by a signal: a segmentation fault, the memory limit
    OUT_OF_MEMORY = "memory limit"
    TIMED_OUT = "timed out"
    FORGED = "forged"  # bytes that are no frame, or an answer to another question


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of the learner's own code in a traceback. Python marks `width` characters in it from `column`, which counts from 1."""

    line: int
    function: str
    text: str
    column: int = 0  # 0 if Python marks no place
    width: int = 0


@dataclass(frozen=True, slots=True)
class Error:
    """The reason why an observation ended early.

    `types` names the exception's classes, most derived first: "ValueError" is the built-in one. `step` is the number of the step that
    raised it, or a word such as "build"; None if the probe has no steps. `meant` is an existing name that is nearly the one that was not
    found; "" if there is none.
    """

    cause: Cause
    message: str
    types: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    step: int | str | None = None
    meant: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """The values that a probe saw, by place; with an error, those that it saw before. `stdout` is the output of the learner's code.

    `deaths` has the reason for every process that was asked before and died of the question, and `left_out` the reason why statements of a
    notebook failed before, by their lines. Only the grader fills them in, not the worker.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    error: Error | None = None
    stdout: str = staying(default="")
    deaths: tuple[str, ...] = staying(default=())
    left_out: Mapping[int, str] = staying(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """The numbers at one place of a rewritten source, in one iteration, both counted from 0; `dtype` is that of the value."""

    place: int
    iteration: int
    dtype: str
    values: np.ndarray


@dataclass(frozen=True, slots=True)
class Recording(Observation):
    """An observation with the values at the places of a rewritten source, in the order of time."""

    records: tuple[Record, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Put:
    """Numbers that replace the value at one place, in one iteration."""

    place: int
    iteration: int
    values: Array


def type_name(thing: object) -> str:
    """Return the name of a thing's type, or its beginning."""
    return f"{type(thing).__name__:.{NAME_LIMIT}}"
