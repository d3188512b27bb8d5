"""The words of a step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from normgrade.diagnosis.steps.quantities import Quantity
from normgrade.diagnosis.steps.small_changes import Change
from normgrade.diagnosis.steps.sources import source_of
from normgrade.diagnosis.steps.step import Named, Step, by_factor
from normgrade.language import speak
from normgrade.worker.wire.observation import Record, Recording

MEAN, VAR, SCALE = Named("the mean", 12, 5, 6), Named("the variance", 13, 5, 6), Named("the scale", 15, 1, 2)
QUANTITY = Quantity((Record(0, 0, "float64", np.ones(1)),), None, 1)
CHANGE = Change("x", [], "as if divided by n − 1", "y", QUANTITY, Recording(), None)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (
            Step((MEAN,), VAR, how="every value × 40/39", change=CHANGE),
            "the mean is right (line 12); the variance is wrong (line 13): every value × 40/39, as if divided by n − 1; "
            "all other errors follow from this",
        ),
        (
            Step((), VAR, how="every value × 5/4", change=replace(CHANGE, words="× 1.25")),
            "the variance is wrong (line 13): every value × 5/4; all other errors follow from this",
        ),
        (Step((), VAR), "the variance is wrong (line 13); all other errors follow from this"),
        (
            Step((MEAN,), VAR, (SCALE,)),
            "the mean is right (line 12); the variance is wrong (line 13); the scale is also wrong (line 15); "
            "all other errors follow from this",
        ),
    ],
)
def test_a_step_tells_right_and_wrong_values(step: Step, words: str) -> None:
    assert step.says == words and (step.line, step.column, step.width) == (13, 5, 6)


def test_a_step_is_translated() -> None:
    speak("zh")
    assert "第 13 行" in Step((MEAN,), VAR).says


@pytest.mark.parametrize(("ratio", "words"), [(40 / 39, "40/39"), (3.0, "3"), (-0.5, "−1/2"), (1.23456789, "1.23457"), (6 / 7, "6/7")])
def test_a_factor_is_a_fraction_if_possible(ratio: float, words: str) -> None:
    assert by_factor(ratio) == f"every value × {words}"


def test_a_place_is_counted_in_characters() -> None:
    source = source_of("def f(x):\n    é = 1; y = x + (x *\n        2)\n")
    numbers = {source.text_of(spot): number for number, spot in enumerate(source.spots)}
    whole = source.spots[numbers["x + (x *\n        2)"]]
    assert Named.at("it", source, whole) == Named("it", 2, 16, 8)
