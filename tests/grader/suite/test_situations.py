"""Tests of situations: they are derived from the typical uses of a suite, and each exercise plays those that apply."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from normgrade.course.course import Course
from normgrade.course.package import PACKAGE, carried
from normgrade.language.docstring import first_paragraph_in
from normgrade.language.errors import CourseError
from normgrade.suite.collection import collect, derived
from normgrade.suite.situations import PREFIX, SITUATIONS, of_one_length, with_axes

EXERCISES = list(Course(carried()))


def test_every_situation_is_translated() -> None:
    for situation in SITUATIONS.values():
        docstring = situation.play.__doc__
        assert all(first_paragraph_in(docstring, language) for language in ("en", "zh")), situation.name
        assert situation.hints.keys() == {"en", "zh"} and all(situation.hints.values())


def test_exercise_plays_every_situation_not_left_out() -> None:
    suites = collect(EXERCISES)
    for exercise in EXERCISES:
        played = [name.removeprefix(PREFIX) for name in suites[exercise.slug].names if name.startswith(PREFIX)]
        assert played == [name for name, each in SITUATIONS.items() if not exercise.leaves_out(*each.called)]
        assert all(exercise.left_out.values())


def test_without_typical_uses_there_is_no_situation(tiny: Course) -> None:
    assert not [name for name in collect([tiny.exercise("rms")])["rms"].names if name.startswith(PREFIX)]


def test_unknown_situation_cannot_be_left_out(tiny: Course) -> None:
    exercise = replace(tiny.exercise("rms"), left_out={"at_night": "it is dark"})
    with pytest.raises(CourseError, match='rms: there is no situation "at_night"; there is as_built, without_gradients, '):
        derived(exercise, {})


def test_exercise_can_make_a_situation_a_courtesy(tiny: Course) -> None:
    exercise = replace(tiny.exercise("rms"), left_out={}, courtesy=("illegal_inputs",))
    courtesies = {test.name: test.courtesy for test in derived(exercise, {"typical": lambda: ()})}
    assert [name for name, courtesy in courtesies.items() if courtesy] == ["situation_illegal_inputs"]
    with pytest.raises(CourseError, match='rms: there is no situation "at_night"; there is as_built, '):
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
