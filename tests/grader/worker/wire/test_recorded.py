"""Tests of records in messages: a limited number of numbers; anything else is refused with a ProtocolError."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from normgrade.worker.wire import framing, messages, recorded
from normgrade.worker.wire.framing import ProtocolError
from normgrade.worker.wire.observation import Array, Observation, Put, Record, Recording, Request
from normgrade.worker.wire.recorded import MOST_NUMBERS, MOST_OF_ALL, MOST_RECORDS

MUTANTS = 3000


def floats(*values: float) -> Array:
    return Array(np.array(values), "float64")


def back(recording: Recording) -> Recording:
    _serial, found = messages.decode(Recording, messages.encode(recording), body_limit=recorded.BYTES)
    return found


def test_records_come_back() -> None:
    records = (
        Record(7, 0, "float32", np.ones((2, 3))),
        Record(0, 399, "bfloat16", np.array(np.nan)),
        Record(1, 0, "float64", np.zeros((5, 2))),
    )
    found = back(Recording({"y": True}, records=records)).records
    assert [(each.place, each.iteration, each.dtype) for each in found] == [(7, 0, "float32"), (0, 399, "bfloat16"), (1, 0, "float64")]
    assert all(np.array_equal(a.values, b.values, equal_nan=True) for a, b in zip(found, records, strict=True))


def test_most_records_fit_into_an_answer() -> None:
    wide = MOST_OF_ALL // MOST_RECORDS
    records = [Record(9999, 9999, "bfloat16", np.ones((1, 1, 1, 1, 1, wide))) for _ in range(MOST_RECORDS)]
    frame = messages.encode(Recording(records=tuple(records)))
    limit = messages.body_limit_bytes(messages.RecordQuestion(Request("p", {}), 0))
    assert len(messages.decode(Recording, frame, framing.ANSWER_HEADER_BYTES, limit)[1].records) == MOST_RECORDS


@pytest.mark.parametrize(
    ("table", "numbers", "message"),
    [
        ({}, floats(), "a list of any number of items"),
        ([[0, 0, 0]] * 401, floats(*[1.0] * 401), "401 records; at most 400 are allowed"),
        ([], None, "records without their numbers"),
        ([], Array(np.zeros(0, np.float32), "float32"), "records without their numbers"),
        ([], Array(np.zeros((0, 1)), "float64"), "records without their numbers"),
        ([], floats(1.0), "1 numbers for records that have 0"),
        ([[0, 0, 0, 2]], floats(1.0), r"a record of the shape \(2,\)"),
        ([[0, 0, 0, MOST_NUMBERS + 1]], floats(*[1.0] * (MOST_NUMBERS + 1)), r"a record of the shape \(513,\)"),
        ([[0, 0, 0, 1, 1, 1, 1, 1, 1, 1]], floats(1.0), r"a record of the shape"),
        ([[0, 0, 4]], floats(1.0), r"a record of the shape \(\)"),
        ([[0, 0]], floats(1.0), "a record of 2 fields"),
        ([[-1, 0, 0]], floats(1.0), "a non-negative integer"),
        ([[0, "x", 0]], floats(1.0), "a non-negative integer"),
        ([[0, 0, 0, True]], floats(1.0), "a non-negative integer"),
        ([[0, 0, 0, 0, 2**62]], floats(), "a record of the shape"),
        ([0], floats(1.0), "a list of any number of items"),
        ([[0, 0, 0, MOST_NUMBERS]] * 129, floats(*[1.0] * 129 * MOST_NUMBERS), "66048 numbers for records"),
    ],
)
def test_other_records_are_refused(table: Any, numbers: Any, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        recorded.read_records({"table": table, "numbers": numbers})


@pytest.mark.parametrize(
    "row", [[0, 0], [0, 0, 1.5], [-1, 0, floats(1)], [0, None, floats(1)], [0, 0, Array(np.ones(1, np.float32), "float32")]]
)
def test_other_values_to_put_are_refused(row: Any) -> None:
    with pytest.raises(ProtocolError):
        recorded.read_puts([row])


def test_too_many_values_to_put_are_refused() -> None:
    with pytest.raises(ProtocolError, match="65 values to put"):
        recorded.read_puts([[0, 0, floats(1)]] * 65)
    assert recorded.written_puts([Put(1, 2, floats(3))])[0][:2] == [1, 2]


def an_int(chance: Random) -> Any:
    return chance.choice([-1, 0, 1, 3, 4, 6, 7, 512, 513, 2**31, 2**63, True, None, 0.5, "0", [], {}, 10**40])


def with_another_cell(chance: Random, table: list[Any]) -> Any:
    row = chance.randrange(len(table))
    column = chance.randrange(len(table[row]) + 1)
    return [*table[:row], [*table[row][:column], an_int(chance), *table[row][column + chance.randrange(2) :]], *table[row + 1 :]]


def with_other_rows(chance: Random, table: list[Any]) -> Any:
    return chance.choice([table * 100, table[1:], [], [*table, [0, 0, 0]], [[]], None, {}, "x", [table], [an_int(chance)], table[::-1]])


DAMAGE: tuple[Callable[[Random, list[Any]], Any], ...] = (with_another_cell, with_another_cell, with_other_rows)


RECORDS = (
    Record(7, 0, "float32", np.arange(6.0).reshape(2, 3)),
    Record(0, 3, "float64", np.array(0.5)),
    Record(9, 1, "float64", np.ones(5)),
)


def test_damaged_tables_give_valid_records_or_protocol_errors() -> None:
    """Accept only records that hold exactly the numbers received. Otherwise raise a ProtocolError."""
    chance, accepted, refused = Random(5), 0, 0
    written = recorded.written_records(RECORDS)
    for _ in range(MUTANTS):
        table = written["table"]
        for _ in range(chance.choice([1, 1, 2])):
            if isinstance(table, list) and table and all(isinstance(row, list) for row in table):
                table = chance.choice(DAMAGE)(chance, json.loads(json.dumps(table)))
        numbers = written["numbers"].values[: chance.choice([12, 12, 12, 0, 5])]
        header = {"values": {}, "error": None, "records": {"table": table, "numbers": {"$array": ["float64", [numbers.size]]}}}
        frame = framing.build(7, 0, json.dumps(header).encode(), [numbers.tobytes()])
        try:
            found = messages.decode(messages.ANSWERS, frame, body_limit=recorded.BYTES)[1]
        except ProtocolError:
            refused += 1
            continue
        accepted += 1
        assert isinstance(found, Recording) and sum(each.values.size for each in found.records) == numbers.size
        assert len(found.records) <= MOST_RECORDS and all(
            each.values.size <= MOST_NUMBERS and each.values.ndim <= 6 for each in found.records
        )
        assert all(type(each.place) is int and each.values.dtype == np.float64 for each in found.records)
    assert accepted > 100 and refused > 1000


def test_recording_answers_only_a_record_question() -> None:
    assert messages.answered_by(messages.PlayQuestion(Request("p", {}), 0)) is Observation
    assert messages.answered_by(messages.RecordQuestion(Request("p", {}), 0)) is Recording
    assert messages.body_limit_bytes(messages.Load("", "", "")) == 0
