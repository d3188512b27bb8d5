"""The quantities of a recorded play, and the ways to put a value of the learner's in the place of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from normgrade.diagnosis.steps.same_values import Groups, collapsed, distinct
from normgrade.diagnosis.steps.sources import Source
from normgrade.worker.wire.observation import MOST_PUTS, Array, Put, Record

MOST_STACKED = 64  # iterations of a loop that are treated as one value
MOST_WAYS = 3  # to arrange a value


@dataclass(frozen=True, eq=False)
class Quantity:
    """A value that the reference computes: all records that hold the same numbers, in order of time."""

    records: tuple[Record, ...]
    group: int | None  # of the learner's values that are the same, if there are any
    kept: int  # the number of its distinct numbers

    @property
    def values(self) -> np.ndarray:
        return self.records[0].values


@dataclass(frozen=True, eq=False)
class Held:
    """A value that the learner's code holds: its first record, and the time of that. The values of a loop are stacked as one."""

    record: Record
    values: np.ndarray
    time: int
    group: int


def quantities(records: Sequence[Record], source: Source, learners: Groups) -> list[Quantity]:
    """Return the quantities that a source makes, each with all places that make it."""
    own, members = Groups(learners.tolerance), dict[tuple[int, int], list[Record]]()
    for record in records:
        group = own.add(distinct(record.values, own.tolerance))
        if group is not None and source.spots[record.place].kind.makes:
            members.setdefault((group, record.values.size), []).append(record)
    found = []
    for some in members.values():
        numbers = distinct(some[0].values, own.tolerance)
        assert numbers is not None
        found.append(Quantity(tuple(some), learners.find(numbers), numbers.size))
    return found


def held_values(records: Sequence[Record], groups: Groups) -> list[Held]:
    """Return the learner's values in order of time, each once; those of a loop also as one."""
    found: dict[int, Held] = {}
    stacks = [(record, record.values, time) for time, record in enumerate(records)]
    for record, values, time in [*stacks, *stacked(records)]:
        group = groups.add(distinct(values, groups.tolerance))
        if group is not None and (group not in found or time < found[group].time):
            found[group] = Held(record, collapsed(values), time, group)
    return sorted(found.values(), key=lambda held: held.time)


def stacked(records: Sequence[Record]) -> Iterator[tuple[Record, np.ndarray, int]]:
    """Yield the values that a loop makes at one place, stacked in one array, with the first record and its time."""
    places: dict[int, list[tuple[int, Record]]] = {}
    for time, record in enumerate(records):
        places.setdefault(record.place, []).append((time, record))
    for made in places.values():
        shapes = {record.values.shape for _time, record in made}
        if 1 < len(made) <= MOST_STACKED and len(shapes) == 1:
            yield made[0][1], np.stack([record.values for _time, record in made]), made[0][0]


def puts_for(quantity: Quantity, values: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> Iterator[tuple[Put, ...]]:
    """Yield the ways to put a value in the place of a quantity, at all places that make it."""
    ways = [arranged(values, record.values, shapes) for record in quantity.records[:MOST_PUTS]]
    for way in range(min(map(len, ways), default=0)):
        yield tuple(
            Put(record.place, record.iteration, Array(np.array(some[way]), "float64"))
            for record, some in zip(quantity.records, ways, strict=False)
        )


def arranged(values: np.ndarray, like: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
    """Return the values in the shape of an array, in a few ways. `shapes` are larger shapes that the array may be broadcast over."""
    if values.shape == like.shape:
        return [values]
    if values.size == 1:
        return [np.full(like.shape, values.item())]
    sizes, wanted = ([size for size in shape if size > 1] for shape in (values.shape, like.shape))
    squeezed, found = values.reshape(sizes), list[np.ndarray]()
    if sizes == wanted:
        found.append(values.reshape(like.shape))
    elif sorted(sizes) == sorted(wanted):
        orders = [order for order in permutations(range(len(sizes))) if [sizes[axis] for axis in order] == wanted]
        found += [squeezed.transpose(order).reshape(like.shape) for order in orders]
    elif values.size == like.size:
        found += [values.reshape(like.shape), squeezed.T.reshape(like.shape)]
    else:
        found += [way for shape in shapes if (way := spread(squeezed, shape, like)) is not None]
        found += [values] if values.ndim == like.ndim else []
    return unlike(found)[:MOST_WAYS]


def spread(squeezed: np.ndarray, shape: tuple[int, ...], like: np.ndarray) -> np.ndarray | None:
    """Return the values with their axes at the axes of the same size in a larger shape; None if that is ambiguous."""
    fits = len(shape) == like.ndim and all(size in (1, whole) for size, whole in zip(like.shape, shape, strict=True))
    if not fits or len({*shape}) < len(shape) or not {*squeezed.shape} <= {*shape} or len({*squeezed.shape}) < squeezed.ndim:
        return None
    order = sorted(range(squeezed.ndim), key=lambda axis: shape.index(squeezed.shape[axis]))
    return squeezed.transpose(order).reshape([size if size in squeezed.shape else 1 for size in shape])


def unlike(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return each distinct array once."""
    found: list[np.ndarray] = []
    for each in arrays:
        if not any(each.shape == other.shape and np.array_equal(each, other) for other in found):
            found.append(each)
    return found


def forms(values: np.ndarray, counts: Sequence[int]) -> Iterator[np.ndarray]:
    """Yield the related values that may be meant: square, reciprocal, reciprocal square, root, or mean over each count."""
    if (values > 0).all():
        yield values**2
        yield 1 / values
        yield values**-2
        yield np.sqrt(values)
    yield from (values / count for count in counts)
