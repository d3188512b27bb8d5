"""The requests that go from the grader to a worker, and the observations that answer them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from normgrade.language.places import Absent

if TYPE_CHECKING:  # the zygote starts before the grader imports NumPy
    import numpy as np

HALF = ("float16", "bfloat16")  # the dtypes of half precision
NAME_LIMIT = 100  # characters of a name


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """Numbers with the name of their dtype in PyTorch, as in "float32", "int64" or "bool".

    NumPy has no bfloat16: such values are held as float32, which is exact, while `dtype` says "bfloat16". `error` is the standard error
    of an estimate from random draws, and 0 otherwise. It does not travel: only the error of a trusted implementation counts.
    """

    values: np.ndarray
    dtype: str
    error: float = 0.0

    @property
    def nbytes(self) -> int:
        """The bytes that the numbers take in their own dtype. Held as float32, a bfloat16 takes twice as many."""
        return self.values.nbytes // 2 if self.dtype == "bfloat16" else self.values.nbytes


class Reason(StrEnum):
    """Why a value could not travel."""

    TYPE = "type"  # it is neither a tensor, an array, a number nor a text
    SUBCLASS = "subclass"  # a tensor of a class that is derived from torch.Tensor
    FORM = "form"  # a tensor that is not dense, or not on the CPU, or has a dtype of which there are no arrays
    SIZE = "size"  # an int of more than 64 bits; a tensor or an array of more bytes than was asked for


@dataclass(frozen=True, slots=True)
class Foreign:
    """A value that could not travel: the name of its type; of a tensor more, and of an array its dtype and shape."""

    reason: Reason
    type: str
    dtype: str | None = None
    shape: tuple[int, ...] | None = None
    layout: str | None = None
    device: str | None = None


Value = Array | Foreign | Absent | bool | int | float | str | None


class Playable(Protocol):
    """Play this probe on these inputs. `inputs` is JSON data whose leaves may also be an `Array`."""

    @property
    def probe(self) -> str: ...

    @property
    def inputs(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Request:
    """A probe and its inputs as they cross to the worker; worker/requests.py has it with its parts by name."""

    probe: str
    inputs: Mapping[str, Any]


class Cause(StrEnum):
    """Why an observation ended early."""

    RAISED = "raised"  # an exception reached the probe
    NOT_LOADED = "not loaded"  # the submission itself could not be executed
    EXITED = "exited"  # the process ended by itself: sys.exit, os._exit, a closed pipe
    CRASHED = "crashed"  # killed by a signal: a segmentation fault, the memory limit
    OUT_OF_MEMORY = "memory limit"
    TIMED_OUT = "timed out"
    FORGED = "forged"  # bytes that are no frame, or an answer to another question


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of the learner's own code in a traceback. Python names a place in it: from a column, counted from 1, so many characters."""

    line: int
    function: str
    text: str
    column: int = 0  # 0 where Python names no place
    width: int = 0


@dataclass(frozen=True, slots=True)
class Error:
    """How an observation ended early. `types` names the exception's classes, most derived first: "ValueError" is the built-in one.

    `step` is the number of the step that raised it, or a word such as "build"; None where the probe knows no steps. `meant` is a name that
    is there and nearly the one that was not found; "" where there is none.
    """

    cause: Cause
    message: str
    types: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    step: int | str | None = None
    meant: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """The values that a probe saw, by place. With an error: those that it saw before. `stdout` is what the learner's code printed.

    `deaths` says of every process that was asked before, and died of it, why it did; no worker can say that of itself.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    error: Error | None = None
    stdout: str = ""
    deaths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """The numbers at one place of a rewritten source, in one iteration, both counted from 0; `dtype` is that of the value."""

    place: int
    iteration: int
    dtype: str
    values: np.ndarray


@dataclass(frozen=True, slots=True)
class Recording(Observation):
    """What a probe saw, and the values at the places that it came through, in the order of time."""

    records: tuple[Record, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Put:
    """These numbers stand for the value at one place, in one iteration."""

    place: int
    iteration: int
    values: Array


def type_name(thing: object) -> str:
    """The name of a thing's type, or its beginning."""
    return f"{type(thing).__name__:.{NAME_LIMIT}}"
