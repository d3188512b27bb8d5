"""Tests of studies: they are played in workers, on all sides, and an exception of the learner's code is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from studied import FILES, LAB, RMS

from normgrade.course.exercise import Exercise
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.language.errors import CourseError
from normgrade.learner.study import Laboratory, Study, fits, numbers
from normgrade.learner.study_screen import parts
from normgrade.worker.wire.observation import Array


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
