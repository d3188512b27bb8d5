"""The reference's plays in float64: read from the cache, or played all together when the first of them is needed."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from normgrade.oracle.cache import Cache
from normgrade.oracle.kept import Damaged, packed, read_error, unpacked, written_error
from normgrade.worker.wire.observation import Array, Observation, Request, Value

PlayExactly = Callable[[Iterable[Request]], Iterator[Observation | None]]  # in float64, one after the other; None if there is no answer
SPEED = 1  # of zlib: the fastest, which takes a third less than the smallest


@dataclass
class ExactPlays:
    """Plays by name. Those that are `owed` were requested, but not needed so far."""

    cache: Cache
    play: PlayExactly
    owed: dict[str, Request] = field(default_factory=dict)
    seen: dict[str, Observation] = field(default_factory=dict)

    def owe(self, name: str, request: Request) -> None:
        """Mark a request to be played with the next ones, unless it was played."""
        if name not in self.seen:
            self.owed[name] = request

    def of(self, name: str, request: Request) -> Observation | None:
        """Return the observation of a play, or None if there is no answer."""
        if name not in self.seen:
            self.owe(name, request)
            self.settle()
        return self.seen.get(name)

    def settle(self) -> None:
        """Play all that is owed, except for the plays in the cache."""
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
        """Return a play from the cache, or None if it is missing or damaged."""
        content = self.cache.get(name)
        try:
            return None if content is None else decode(content)
        except Damaged:
            return None


def encode(observation: Observation) -> bytes:
    """Return the bytes of an observation. Each array is stored once; if float32 holds its numbers exactly, it takes half the space."""
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
    """Return the observation that `encode` wrote. Raise Damaged if the bytes are anything else."""
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
    """Return the numbers in float32 if it holds them exactly, as it does those of a request."""
    if value.dtype != "float64":
        return value
    with np.errstate(all="ignore"):
        small = value.values.astype(np.float32)
    return Array(small, "float32") if np.array_equal(small, value.values, equal_nan=True) else value
