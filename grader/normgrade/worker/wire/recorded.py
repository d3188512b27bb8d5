"""Recorded values as they travel: a table of places, and all their numbers one after the other. Only numbers cross, not many."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from normgrade.language import _
from normgrade.worker.wire.codec import an_object, dimensions, items, natural
from normgrade.worker.wire.framing import ProtocolError
from normgrade.worker.wire.observation import Array, Put, Record

if TYPE_CHECKING:  # the zygote starts before the grader imports NumPy
    import numpy as np

MOST_RECORDS = 400  # in one answer
MOST_NUMBERS = 512  # in one record
MOST_DIMENSIONS = 6  # of one record
MOST_OF_ALL = 64 * 1024  # numbers in all, which take 512 KiB
BYTES = 8 * MOST_OF_ALL
MOST_PUTS = 64  # in one question
FLOATS = ("float64", "float32", "float16", "bfloat16")


def written_records(records: Sequence[Record]) -> dict[str, Any]:
    """Return the records as a table, and all their numbers."""
    import numpy as np  # loads NumPy

    table = [[each.place, each.iteration, FLOATS.index(each.dtype), *each.values.shape] for each in records]
    numbers = [np.zeros(0), *(each.values.ravel() for each in records)]
    return {"table": table, "numbers": Array(np.concatenate(numbers).astype(np.float64), "float64")}


def read_records(written: object) -> tuple[Record, ...]:
    """Return the records. Raises ProtocolError for too many records, and if their numbers are too few or too many."""
    table, numbers = an_object(written, "table", "numbers").values()
    rows = items(table)
    if len(rows) > MOST_RECORDS:
        raise ProtocolError(_("{n} records; at most {limit} are allowed", n=len(rows), limit=MOST_RECORDS))
    if not isinstance(numbers, Array) or numbers.dtype != "float64" or numbers.values.ndim != 1:
        raise ProtocolError(_("records without their numbers"))
    found, start = [], 0
    for row in rows:
        record = read_record(row, numbers.values[start:])
        found.append(record)
        start += record.values.size
    if start != numbers.values.size or start > MOST_OF_ALL:
        raise ProtocolError(_("{found} numbers for records that have {n}", found=numbers.values.size, n=start))
    return tuple(found)


def read_record(row: object, numbers: np.ndarray) -> Record:
    """Return a record, whose numbers are the first of these."""
    fields = items(row)
    if len(fields) < 3:
        raise ProtocolError(_("a record of {n} fields", n=len(fields)))
    place, iteration, dtype = map(natural, fields[:3])
    shape = dimensions(fields[3:])
    size = math.prod(shape)
    if len(shape) > MOST_DIMENSIONS or not 0 < size <= min(MOST_NUMBERS, numbers.size) or dtype >= len(FLOATS):
        raise ProtocolError(_("a record of the shape {shape}", shape=shape))
    return Record(place, iteration, FLOATS[dtype], numbers[:size].reshape(shape))


def written_puts(puts: Iterable[Put]) -> list[list[Any]]:
    return [[each.place, each.iteration, each.values] for each in puts]


def read_puts(written: object) -> tuple[Put, ...]:
    rows = items(written)
    if len(rows) > MOST_PUTS:
        raise ProtocolError(_("{n} values to put; at most {limit} are allowed", n=len(rows), limit=MOST_PUTS))
    return tuple(map(read_put, rows))


def read_put(row: object) -> Put:
    place, iteration, values = items(row, 3)
    if not isinstance(values, Array) or values.dtype != "float64":
        raise ProtocolError(_("a value to put that is not an array of float64"))
    return Put(natural(place), natural(iteration), values)
