"""The reference's plays in float64: read from the cache, or played all together when the first of them is needed."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from normgrade.oracle.cache import Cache
from normgrade.oracle.kept import Damaged, packed, read_error, unpacked, written_error
from normgrade.worker.observation import Array, Observation, Request, Value

PlayExactly = Callable[[Iterable[Request]], Iterator[Observation | None]]  # in float64, one after the other; None where there is no answer
SPEED = 1  # of zlib: the fastest, which takes a third less than the smallest


@dataclass
class ExactPlays:
    """Plays by name. Those that are `owed` were asked for, and nobody has needed them yet."""

    cache: Cache
    play: PlayExactly
    owed: dict[str, Request] = field(default_factory=dict)
    seen: dict[str, Observation] = field(default_factory=dict)

    def owe(self, name: str, request: Request) -> None:
        """Have a request played with the next ones, unless it was."""
        if name not in self.seen:
            self.owed[name] = request

    def of(self, name: str, request: Request) -> Observation | None:
        """What is seen in a play; None where there is no answer."""
        if name not in self.seen:
            self.owe(name, request)
            self.settle()
        return self.seen.get(name)

    def settle(self) -> None:
        """Play all that is owed, except for what the cache knows."""
        owed, self.owed = self.owed, {}
        for name in owed:
            if (known := self.read(name)) is not None:
                self.seen[name] = known
        new = {name: request for name, request in owed.items() if name not in self.seen}
        if not new:
            return
        for name, observation in zip(new, self.play(new.values()), strict=True):
            if observation is not None:
                self.seen[name] = observation
                self.cache.put(name, encode(observation))

    def read(self, name: str) -> Observation | None:
        """A play as it was kept."""
        content = self.cache.get(name)
        try:
            return None if content is None else decode(content)
        except Damaged:
            return None


def encode(observation: Observation) -> bytes:
    """The bytes of an observation, each array once; numbers that are those of float32 take half the space."""
    arrays: dict[tuple[str, tuple[int, ...], bytes], tuple[int, Array]] = {}

    def written(value: Value) -> Value | list[object]:
        if not isinstance(value, Array):
            return value
        known = (value.dtype, value.values.shape, value.values.tobytes())
        number, _array = arrays.setdefault(known, (len(arrays), value))
        return [number, value.dtype]

    places = [[str(place), written(value)] for place, value in observation.values.items()]
    narrow = [narrowed(array) for _number, array in arrays.values()]
    return zlib.compress(packed({"arrays": narrow, "places": places, "error": written_error(observation.error)}), SPEED)


def decode(content: bytes) -> Observation:
    """The observation that `encode` wrote; Damaged where the bytes are anything else."""
    try:
        found = unpacked(zlib.decompress(content))
        arrays = found["arrays"]

        def read(value: Value | list[object]) -> Value:
            if not isinstance(value, list):
                return value
            number, dtype = value
            values = arrays[number].values
            return Array(values.astype(np.float64) if dtype == "float64" else values, str(dtype))

        return Observation({place: read(value) for place, value in found["places"]}, read_error(found["error"]))
    except (zlib.error, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Damaged from error


def narrowed(value: Array) -> Array:
    """The same numbers in float32 where that holds them exactly, as it does those that a request gives."""
    if value.dtype != "float64":
        return value
    with np.errstate(all="ignore"):
        small = value.values.astype(np.float32)
    return Array(small, "float32") if np.array_equal(small, value.values, equal_nan=True) else value
