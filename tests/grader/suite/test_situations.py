"""Tests of situations: they are derived from the typical uses of a suite, and each exercise plays those that apply."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hidden_suites import InThisProcess, changed, played

from normgrade.course.course import Course
from normgrade.course.package import PACKAGE, carried
from normgrade.language import _, speak
from normgrade.language.errors import CourseError
from normgrade.report.report import Outcome
from normgrade.suite import build, ones, use
from normgrade.suite.collection import collect, derived
from normgrade.suite.situations import PREFIX, SITUATIONS, of_one_length, with_axes
from normgrade.suite.suite import Suite

EXERCISES = list(Course(carried()))


def test_every_situation_is_translated() -> None:
    speak("zh")
    for situation in SITUATIONS.values():
        assert all(_(text) != text for text in (situation.claim, situation.hint)), situation.name


def test_exercise_plays_every_situation_not_left_out() -> None:
    suites = collect(EXERCISES)
    for exercise in EXERCISES:
        played = [name.removeprefix(PREFIX) for name in suites[exercise.slug].names if name.startswith(PREFIX)]
        assert played == [name for name, each in SITUATIONS.items() if not exercise.leaves_out(*each.called)]
        assert all(exercise.left_out.values())


def test_without_typical_uses_there_is_no_situation(tiny: Course) -> None:
    assert not [name for name in collect([tiny.exercise("rms")])["rms"].names if name.startswith(PREFIX)]


def test_called_gives_no_optional_argument(tiny: Course, expectations: Path) -> None:
    exercise = replace(tiny.exercise("centring"), left_out={})
    uses = [use(build(3, momentum=0.3), ones(4, 3), ones(2, 3), [-1])]
    [called, *_others] = derived(exercise, {"typical": lambda: uses})
    source = changed(", momentum=0.1", "").replace("self.momentum = momentum", "self.momentum = 0.1")
    [result] = played(Suite(exercise, (called,)), InThisProcess(source, exercise), expectations)
    assert (result.check.name, result.check.outcome, len(result.plays)) == ("situation_called", Outcome.PASSED, 2)


def test_unknown_situation_cannot_be_left_out(tiny: Course) -> None:
    exercise = replace(tiny.exercise("rms"), left_out={"at_night": "it is dark"})
    with pytest.raises(CourseError, match='rms: there is no situation "at_night"; there is called, as_built, '):
        derived(exercise, {})


def test_exercise_can_make_a_situation_a_courtesy(tiny: Course) -> None:
    exercise = replace(tiny.exercise("rms"), left_out={}, courtesy=("illegal_inputs",))
    courtesies = {test.name: test.courtesy for test in derived(exercise, {"typical": lambda: ()})}
    assert [name for name, courtesy in courtesies.items() if courtesy] == ["situation_illegal_inputs"]
    with pytest.raises(CourseError, match='rms: there is no situation "at_night"; there is called, as_built, '):
        derived(replace(exercise, courtesy=("at_night",)), {})


def test_module_names_no_exercise() -> None:
    source = (PACKAGE / "suite" / "situations.py").read_text(encoding="utf-8")
    assert [exercise.slug for exercise in EXERCISES if exercise.slug in source] == []


@pytest.mark.parametrize(
    ("shape", "fixed", "alike"),
    [
        ((5, 3), [1], (3, 3)),
        ((2, 3, 5), [1], (3, 3, 3)),
        ((2, 4), [], (4, 4)),
        ((2, 3, 4, 6), [-1], (6, 3, 4, 6)),  # more would be too many numbers
        ((6,), [-1], (6,)),
        ((3, 2, 5), [-2, -1], (5, 2, 5)),
    ],
)
def test_axes_take_the_length_of_a_fixed_one(shape: tuple[int, ...], fixed: list[int], alike: tuple[int, ...]) -> None:
    x = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
    (found,) = of_one_length((x,), fixed)
    beginning = tuple(slice(min(sizes)) for sizes in zip(shape, alike, strict=True))
    assert found.shape == alike and found.dtype == np.float32 and (found[beginning] == x[beginning]).all()


@pytest.mark.parametrize(("fixed", "shape"), [([-1], (1, 1, 2, 4, 3)), ([1], (4, 3, 1, 1, 2)), ([], (1, 1, 2, 4, 3))])
def test_further_axes_keep_fixed_positions(fixed: list[int], shape: tuple[int, ...]) -> None:
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    found = with_axes(x, 5, fixed)
    assert found.shape == shape and found.dtype == np.float32 and np.array_equal(np.sort(found.ravel()), np.sort([*x.flat, *(2 * x).flat]))


def test_no_inputs_give_no_axes() -> None:
    assert of_one_length((), []) == ()
