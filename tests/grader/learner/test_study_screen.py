"""Tests of a study in the terminal: its curves, its numbers and its sentences."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console
from studied import KNOWN, RIGHT, WRONG, compared, run

from normgrade.course.course import Course
from normgrade.learner.study import Seen, Study
from normgrade.learner.study_screen import (
    COLUMNS,
    HEIGHT,
    chart,
    company,
    headline,
    judged,
    loss_in_words,
    parts,
    row,
    sides,
    thinned,
    top_of,
)
from normgrade.worker.wire.observation import Cause, Error, Frame

SOURCE = "def rms(x, eps=1e-5):\n    return x.reshape(5, 3)\n"


def printed(study: Study, tiny: Course) -> str:
    console = Console(file=io.StringIO(), width=80, color_system=None, markup=False, highlight=False)
    for part in parts(study, tiny.exercise("rms"), SOURCE):
        console.print(part)
    written = console.file
    assert isinstance(written, io.StringIO)
    return written.getvalue()


def test_a_study_fits_on_a_screen(tiny: Course) -> None:
    text = printed(RIGHT, tiny)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) <= 45
    assert "● yours   ○ reference   · no norm" in text and "✓ With the same weights" in text
    assert "yours, batches of 2" in text and "A letter gives the same output" in text


def test_a_difference_is_told(tiny: Course) -> None:
    text = printed(WRONG, tiny)
    assert "✗ With the same weights" in text and "differ by 0.12 in training" in text


@pytest.mark.parametrize("count", [1, 2, 5, 6, 7, 40])
def test_few_of_many_sublayers_are_shown(count: int, tiny: Course) -> None:
    shown = run(3, 1, sublayers=count)
    text = printed(replace(RIGHT, yours=shown, reference=shown, bare=shown), tiny)
    heads = [line.split() for line in text.splitlines() if line.split() and all(each.isdigit() for each in line.split())]
    assert all(head[0] == "1" and head[-1] == str(count) and len(head) == min(count, 6) for head in heads) and len(heads) == 2


def test_an_exception_is_shown_at_its_line(tiny: Course) -> None:
    error = Error(
        Cause.RAISED,
        "shape '[5, 3]' is invalid for input of size 16384",
        ("RuntimeError",),
        (Frame(2, "rms", "return x.reshape(5, 3)", 8, 15),),
    )
    text = printed(replace(KNOWN, error=error), tiny)
    assert "✗ Your code raises an exception:" in text and "2 │ return x.reshape(5, 3)" in text and "✓" not in text


# Curves


def test_a_chart_has_its_range_beside_it() -> None:
    lines = chart({"●": np.linspace(2.0, 0.0, 80)})
    assert len(lines) == HEIGHT and lines[0].startswith("2.00 │") and lines[-1].startswith("0.00 │")
    assert lines[0].rstrip().endswith("│●●●") or "●" in lines[0]
    heights = [next(number for number, line in enumerate(lines) if line[6 + column] == "●") for column in range(40)]
    assert heights == sorted(heights)


def test_later_curves_are_drawn_over_earlier_ones() -> None:
    same = np.array([2.0, 1.0, 0.0])
    drawn = "".join(chart({"·": same, "●": same}))
    assert "●" in drawn and "·" not in drawn


def test_a_curve_that_explodes_does_not_flatten_the_others() -> None:
    lines = chart({"·": np.array([4.0, 1e6, np.inf]), "●": np.array([4.0, 2.0, 1.0])})
    assert lines[0].startswith("5.00 │") and lines[0].count("·") == 1  # at most a quarter above the first losses; infinity is nowhere


def test_losses_that_are_no_numbers_are_nowhere() -> None:
    assert "·" not in "".join(chart({"·": np.full(5, np.nan)}))
    assert top_of([np.full(5, np.nan)]) == 1.0


def test_many_steps_are_thinned_to_means() -> None:
    assert len(thinned(np.arange(80.0))) <= COLUMNS and thinned(np.arange(80.0))[:2] == [0.5, 2.5]
    assert np.isnan(thinned(np.array([1.0, np.nan]).repeat(40))[-1])


# Numbers and sentences


def test_the_headline_says_how_large_the_network_is() -> None:
    assert headline(RIGHT) == "small language model (Pre-LN): 8 sublayers, 53,212 numbers that are learnt, 40 steps of Adam"
    assert headline(replace(RIGHT, kind="classifier", name="")).startswith("small classifier of pictures: 8 sublayers")


def test_sides_have_rows() -> None:
    assert [side.name for side in sides(RIGHT)] == ["yours", "reference", "no norm"]
    assert [side.name for side in sides(KNOWN)] == ["reference", "no norm"]
    assert row(run(3.3, 1.0)) == ("3.30", "1.12", "1.10", "50%") and row(KNOWN.bare)[1] == "NaN"
    assert len({side.mark for side in sides(RIGHT)}) == len({side.colour for side in sides(RIGHT)}) == 3


@pytest.mark.parametrize(("loss", "said"), [(1.005, "1.00"), (999.0, "999.00"), (12345.0, "1.2e+04"), (float("nan"), "NaN")])
def test_losses_are_short(loss: float, said: str) -> None:
    assert loss_in_words(loss) == said


def test_outputs_are_judged_by_their_difference() -> None:
    assert judged(RIGHT) == "✓ With the same weights, the outputs are those of the reference: the largest difference is 1e-07."
    assert judged(WRONG) == "✗ With the same weights, outputs of up to 0.4 differ from the reference's by up to 3e-01."
    outputs = RIGHT.expected["outputs"]
    for place, said in (
        ("outputs in training", "✗ With the same weights, outputs of up to 0.4 in training differ"),
        ("outputs after learning", "✗ After a few steps from the same weights, outputs"),
    ):
        study = replace(RIGHT, expected={**RIGHT.expected, place: outputs}, compared={**compared(0.0), place: compared(0.3)["outputs"]})
        assert judged(study).startswith(said)


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (compared(0.0),
         ["An example gives the same output in a batch of 2 and of 64.", "A letter gives the same output in a sequence of 1 and of many."]),
        (compared(0.0, 0.25, 0.0, None), ["An example in a batch of 2 and of 64: its outputs differ by 0.25 in training, by 0 otherwise."]),
        (compared(0.0, letter=0.5),
         ["An example gives the same output in a batch of 2 and of 64.",
          "A letter in a sequence of 1 and of many: outputs differ by 0.5."]),
    ],
)  # fmt: skip
def test_company_is_told(seen: Seen, said: list[str]) -> None:
    assert [*company(seen)] == said
