"""Plays on record: every sub-expression of the source reports its value, and the last of these values are kept."""

from __future__ import annotations

import linecache
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from normgrade.course.tensor_library import Library
from normgrade.worker.untrusted import play
from normgrade.worker.untrusted.exceptions import describe
from normgrade.worker.untrusted.play import Backend, backend, execute
from normgrade.worker.untrusted.rewriting import REPORT, Spot, SpotKind, rewritten
from normgrade.worker.wire.observation import (
    MOST_DIMENSIONS,
    MOST_NUMBERS,
    MOST_OF_ALL,
    MOST_RECORDS,
    Array,
    Cause,
    Observation,
    Playable,
    Put,
    Record,
    Recording,
)

SCALARS = (bool, int, str, bytes, tuple, list, dict, set, type(None))  # the types of most values that are no floating-point numbers


@dataclass
class Recorder:
    """A recorder that gets every value at every place. It keeps the last ones, and can replace some.

    A value that is only read, and was recorded before, is recorded again if `every` is True. Iterations are counted over the whole play.
    """

    spots: Sequence[Spot]
    used: Backend
    puts: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)
    keep: bool = True
    every: bool = False
    records: deque[Record] = field(default_factory=deque)
    iterations: Counter[int] = field(default_factory=Counter)
    numbers: int = 0
    read: dict[int, tuple[object, np.ndarray]] = field(default_factory=dict)  # by identity: the value and its numbers

    def tell(self, place: int, value: Any) -> Any:
        """Record a value. Return it, or the value that was put in its place."""
        if type(value) in SCALARS:
            return value
        with suppress(Exception):  # a value that cannot be read is not recorded
            return self.told(place, value)
        return value

    def told(self, place: int, value: Any) -> Any:
        seen = play.to_value(value, self.used, MOST_NUMBERS * 8)
        if not isinstance(seen, Array) or seen.values.dtype.kind != "f":
            return value
        iteration = self.iterations[place]
        self.iterations[place] += 1
        if (place, iteration) in self.puts:
            value = self.replaced(place, value, self.puts[place, iteration])
            seen = play.to_value(value, self.used)
            assert isinstance(seen, Array)
        if self.keep and 0 < seen.values.size <= MOST_NUMBERS and seen.values.ndim <= MOST_DIMENSIONS and self.is_new(place, value, seen):
            self.add(Record(place, iteration, seen.dtype, seen.values.astype(np.float64)))
        return value

    def is_new(self, place: int, value: Any, seen: Array) -> bool:
        """Return False for a value that is only read, if its numbers are those that were recorded last, unless every value is kept."""
        before = self.read.get(id(value))
        self.read[id(value)] = value, seen.values
        if self.every or self.spots[place].kind.makes or before is None:
            return True
        return not np.array_equal(before[1], seen.values, equal_nan=True)

    def add(self, record: Record) -> None:
        self.records.append(record)
        self.numbers += record.values.size
        while len(self.records) > MOST_RECORDS or self.numbers > MOST_OF_ALL:
            self.numbers -= self.records.popleft().values.size

    def replaced(self, place: int, value: Any, numbers: np.ndarray) -> Any:
        """Return these numbers in the form of the value. A value that was updated in place keeps its identity."""
        if isinstance(value, float):
            return float(numbers)
        if isinstance(value, np.ndarray | np.generic):
            new: Any = np.array(numbers, dtype=value.dtype)
        else:
            new = self.used.given(Array(np.array(numbers), "float64")).to(value.dtype)
        if self.spots[place].kind is not SpotKind.UPDATED:
            return new
        if isinstance(value, np.ndarray):
            value[...] = new
        else:
            value.detach().copy_(new)
        return value


@lru_cache
def executed(source: str, file_name: str) -> tuple[ModuleType, Sequence[Spot]]:
    """Execute a rewritten source. Return its module, which reports to nobody yet, and its places. Its exceptions are passed on."""
    new, module = rewritten(source), ModuleType("submission")
    module.__file__ = file_name
    vars(module)[REPORT] = to_nobody
    linecache.cache[file_name] = (len(source), None, source.splitlines(keepends=True), file_name)
    with play.found_by_name(module):
        execute(source, module, {}, new.tree)
    return module, new.spots


def to_nobody(place: int, value: Any) -> Any:
    return value


def play_on_record(
    source: str,
    file_name: str,
    request: Playable,
    probes: ModuleType | None,
    size_limit_bytes: int,
    written_with: Library = Library.TORCH,
    puts: Iterable[Put] = (),
    keep: bool = True,
    every: bool = False,
) -> Recording:
    """Play a request once in float64, and record values if `keep` is True.

    If `every` is True, a value is also recorded when a name is read again. `puts` are the values that replace others.
    """
    try:
        module, spots = executed(source, file_name)
    except BaseException as error:  # SystemExit and KeyboardInterrupt too: the source has raised them
        return Recording(error=describe(error, file_name, cause=Cause.NOT_LOADED))
    own = {(put.place, put.iteration): put.values.values for put in puts}
    recorder = Recorder(spots, backend(written_with), own, keep, every)
    vars(module)[REPORT] = recorder.tell
    try:
        seen = play.play(module, request, probes, size_limit_bytes, "float64", written_with=written_with)
    except BaseException as error:  # the values that the probe returned could not be read
        seen = Observation(error=describe(error, file_name))
    finally:
        vars(module)[REPORT] = to_nobody
    return Recording(seen.values, seen.error, records=tuple(recorder.records))
