"""Tests of the lab: its networks are played, compared and shown in the terminal."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from studied import FILES, KNOWN, LAB, RIGHT, RMS, WRONG, compared, run

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.language.errors import CourseError
from normgrade.learner.study import (
    COLUMNS,
    HEIGHT,
    Laboratory,
    Seen,
    Study,
    chart,
    company,
    fits,
    headline,
    judged,
    loss_in_words,
    numbers,
    parts,
    row,
    sides,
    thinned,
    top_of,
)
from normgrade.worker.wire.observation import Array, Cause, Error, Frame


@pytest.fixture
def exercise(edited_course: object) -> Exercise:
    found: Exercise = edited_course(FILES).exercise("rms")  # type: ignore[operator]
    return found


def studied(exercise: Exercise, source: str) -> Study:
    with open_grader([exercise], Options(), lambda exercises: {}) as grader:
        (study,) = Laboratory(grader, exercise, source, "rms.py").studies()
    return study


def test_a_right_layer_agrees_and_learns_alike(exercise: Exercise) -> None:
    study = studied(exercise, RMS)
    assert study.agrees and study.worst[0] < 1e-5 < study.worst[1] and study.error is None
    assert study.yours is not None and study.few is not None
    yours, reference, bare = (numbers(side["loss"]) for side in (study.yours, study.reference, study.bare))
    assert yours == pytest.approx(reference, rel=1e-4) and bare != pytest.approx(reference, rel=1e-3)
    assert len(numbers(study.few["loss"])) == 3


def test_a_wrong_layer_does_not_agree(exercise: Exercise) -> None:
    study = studied(exercise, RMS.replace("(-1, ", "((0, 1), "))
    assert not study.agrees and study.worst[0] > 1e-3 and study.compared is not None and numbers(study.compared["alone in training"]) > 1e-3


def test_a_weight_that_is_never_used_is_noticed(edited_course: object) -> None:
    """A new norm has the weight 1, so only what is learnt tells."""
    lab = (
        LAB.replace("def __init__(self, rms):", "def __init__(self, rms, scaled):")
        .replace("self.rms = rms", "self.rms, self.scaled, self.weight = rms, scaled, nn.Parameter(torch.ones(32))")
        .replace("return self.rms(x)", "return self.scaled(self.rms(x), self.weight)")
        .replace("Rms(impl.rms)", "Rms(impl.rms, getattr(impl, 'scaled', torch.mul))")
        .replace("from torch import nn", "import torch\nfrom torch import nn")
    )
    exercise: Exercise = edited_course(FILES | {"exercises/rms/lab.py": lab}).exercise("rms")  # type: ignore[operator]
    assert studied(exercise, RMS).agrees
    study = studied(exercise, f"{RMS}\n\ndef scaled(x, weight):\n    return x + 0 * weight\n")
    assert not study.agrees and study.worst[2] == "learning"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def rms(x, eps=1e-5):\n    return x.reshape(5, 3)\n", "RuntimeError"),
        ("raise ValueError('at once')\n", "ValueError"),
        ("def rms(x, eps=1e-5):\n    return x if x.requires_grad else 1 / 0\n", "ZeroDivisionError"),
    ],
)
def test_an_exception_is_told(exercise: Exercise, source: str, said: str) -> None:
    study = studied(exercise, source)
    assert study.yours is None and not study.agrees and study.error is not None and study.error.types[0] == said


FORGED = """
import shared_lab

shared_lab.trained = lambda impl, lab, **asked: {"loss": "curves", "right": None}
"""


def test_a_forged_answer_is_told(exercise: Exercise) -> None:
    study = studied(exercise, RMS + FORGED)
    assert study.yours is None and not study.agrees and study.error is not None
    assert study.error.message == "its answer has another form than the numbers that were asked for"
    shown = "\n".join(str(part) for part in parts(study, exercise, RMS + FORGED))
    assert "✗ Your code returns no result:" in shown and study.error.message in shown


EXPECTED = {"loss": Array(np.ones(3), "float64"), "right": 0.5, "activations first": Array(np.ones(2), "float64"), "outputs": 1}


@pytest.mark.parametrize(
    ("changes", "fitting"),
    [
        ({}, True),
        ({"loss": Array(np.full(3, np.nan), "float64"), "right": Array(np.array(1), "int64")}, True),
        ({"activations first": Array(np.ones(5), "float64"), "outputs": "anything"}, True),
        ({"loss": Array(np.ones(2), "float64")}, False),
        ({"loss": "curves"}, False),
        ({"loss": Array(np.ones(3, complex), "complex64")}, False),
        ({"right": Array(np.ones(2), "float64")}, False),
        ({"right": None}, False),
        ({"right": True}, False),
        ({"activations first": 1.0}, False),
        ({"activations first": Array(np.ones((2, 2)), "float64")}, False),
    ],
)
def test_an_answer_has_numbers_where_they_belong(changes: dict[str, Any], fitting: bool) -> None:
    assert fits(EXPECTED | changes, EXPECTED) is fitting
    assert not fits({}, EXPECTED)


def test_steps_are_told_in_turn(exercise: Exercise) -> None:
    told = list[tuple[int, int]]()
    with open_grader([exercise], Options(), lambda exercises: {}) as grader:
        laboratory = Laboratory(grader, exercise, RMS, "rms.py", lambda what, done, total: told.append((done, total)))
        assert len([*laboratory.studies()]) == 1
    assert told == [(number, 4) for number in range(4)]


def test_a_broken_lab_is_an_error_of_the_course(edited_course: object) -> None:
    broken: Exercise = edited_course(FILES | {"exercises/rms/lab.py": LAB.replace("impl.rms)", "impl.rsm)")}).exercise("rms")  # type: ignore[operator]
    with pytest.raises(CourseError, match=r"The lab fails with the reference: AttributeError: .*rsm"):
        studied(broken, RMS)


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
