"""Quantities, the learner's values, and the ways to replace one by the other."""

from __future__ import annotations

import numpy as np

from normgrade.diagnosis.steps.quantities import arranged, forms, held_values, puts_for, quantities
from normgrade.diagnosis.steps.same_values import EXACT, Groups
from normgrade.diagnosis.steps.sources import source_of
from normgrade.worker.wire.observation import Record

TEXT = "def f(x):\n    mean = x.mean(-1)\n    return x - mean.view(-1, 1)\n"
SOURCE = source_of(TEXT)
X = np.arange(6.0).reshape(2, 3) ** 2
MEAN = X.mean(-1)


def record(text: str, values: np.ndarray, iteration: int = 0) -> Record:
    place = next(number for number, spot in enumerate(SOURCE.spots) if SOURCE.text_of(spot) == text)
    return Record(place, iteration, "float64", values)


RECORDS = [
    record("x", X),
    record("x.mean(-1)", MEAN),
    record("mean.view(-1, 1)", MEAN.reshape(2, 1)),
    record("x - mean.view(-1, 1)", X - MEAN.reshape(2, 1)),
]


def test_a_quantity_includes_all_places_with_its_numbers() -> None:
    learners = Groups(EXACT)
    [held] = held_values([RECORDS[1]], learners)
    found = quantities(RECORDS, SOURCE, learners)
    assert [len(each.records) for each in found] == [2, 1]  # x is only read
    assert [each.group for each in found] == [held.group, None]


def test_a_loop_is_stacked_as_one_value() -> None:
    groups = Groups(EXACT)
    rows = [record("x.mean(-1)", np.array(value), iteration) for iteration, value in enumerate(MEAN)]
    held = held_values(rows, groups)
    assert [each.values.shape for each in held if each.values.size == 2] == [(2,)]
    assert {each.time for each in held} == {0, 1}


def test_a_value_replaces_a_quantity_at_every_place() -> None:
    quantity = quantities(RECORDS, SOURCE, Groups(EXACT))[0]
    [puts] = puts_for(quantity, np.array([7.0, 8.0]), [])
    assert [put.values.values.tolist() for put in puts] == [[7, 8], [[7], [8]]]


def test_values_are_arranged_by_their_sizes() -> None:
    like = np.zeros((2, 1, 3))
    assert [way.tolist() for way in arranged(np.array(5.0), like, [])] == [np.full(like.shape, 5.0).tolist()]
    rows = np.arange(6.0).reshape(2, 3)
    assert [way[:, 0].tolist() for way in arranged(rows, like, [])] == [rows.tolist()]
    assert [way[:, 0].tolist() for way in arranged(rows.T, like, [])] == [rows.tolist()]
    assert [way.shape for way in arranged(np.arange(4.0), like, [(2, 4, 3)])] == [(1, 4, 1)]
    assert arranged(np.arange(5.0), like, [(2, 4, 3)]) == []
    assert [way.shape for way in arranged(np.arange(6.0), like, [])] == [(2, 1, 3)]


def test_a_value_may_be_a_form_of_a_quantity() -> None:
    found = [form.tolist() for form in forms(np.array([4.0]), [2])]
    assert found == [[16.0], [0.25], [0.0625], [2.0], [2.0]]
    assert [form.tolist() for form in forms(np.array([-4.0]), [2])] == [[-2.0]]
