"""Tests of habits: the exercises that they fit, and references with one of them."""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any

import pytest

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.package import carried
from normgrade.course.tensor_library import Library
from normgrade.verify.habits import KINDS, Habit, fitting, habits_in, with_habit

EXERCISES = [pytest.param(exercise, id=exercise.slug) for exercise in Course(carried())]


def habits_of(library: Library) -> tuple[Habit, ...]:
    """Return the habits of the course that normgrade carries."""
    return habits_in(Course(carried()).files("layer_norm").shared_habits(library))


def habit_of(exercise: Exercise, name: str) -> Habit:
    return next(habit for habit in fitting(exercise) if habit.name == name)


def names_that_fit(slug: str) -> set[str]:
    return {habit.name for habit in fitting(Course(carried()).exercise(slug))}


@pytest.mark.parametrize("library", Library)
def test_every_habit_has_a_sentence_and_unique_name(library: Library) -> None:
    habits = habits_of(library)
    assert len(habits) > 50 and set(Counter(habit.name for habit in habits).values()) == {1}
    assert [habit.name for habit in habits if not habit.says.endswith((".", "…")) or "\n" in habit.says] == []


def test_many_habits_share_their_name_in_both_libraries() -> None:
    torch, numpy = ({habit.name for habit in habits_of(library)} for library in Library)
    assert len(torch & numpy) > 30


def test_every_kind_has_its_habits() -> None:
    around = {kind for library in Library for habit in habits_of(library) for kind in habit.around}
    assert around == set(KINDS)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_habit_takes_no_name_from_the_reference(exercise: Exercise) -> None:
    names = bound(read_text(exercise.reference))
    for habit in fitting(exercise):
        source = with_habit(exercise, habit)
        compile(source, habit.name, "exec", dont_inherit=True)
        assert not names & bound(habit.code), habit.name


def bound(source: str) -> set[str]:
    """Return the names of functions, classes and constants at the top level of a source."""
    body = ast.parse(source).body
    constants = {target.id for each in body if isinstance(each, ast.Assign) for target in each.targets if isinstance(target, ast.Name)}
    return constants | {each.name for each in body if isinstance(each, ast.FunctionDef | ast.ClassDef)}


def test_habit_brings_only_the_helpers_it_needs() -> None:
    exercise = Course(carried()).exercise("rms_norm_backward")
    code = habit_of(exercise, "print-options-set").code
    assert "np.set_printoptions" in code and "def after" in code and "def spoilt" not in code and "import warnings" not in code


def test_habit_wraps_the_names_of_the_contract() -> None:
    course = Course(carried())
    lines = {
        ("batch_norm", "seed-set"): ["BatchNorm.forward = seed_set(BatchNorm.forward)"],
        ("batch_norm", "mode-toggled"): ["BatchNorm = mode_toggled(BatchNorm)"],
        ("softmax", "nan-replaced"): ["softmax = nan_replaced(softmax)"],
        ("softmax_backward", "nan-replaced"): ["forward, backward = nan_replaced(forward, backward)"],
        ("deep_norm", "nan-replaced"): ["DeepNorm.forward = nan_replaced(DeepNorm.forward)"],
    }
    for (slug, name), expected in lines.items():
        exercise = course.exercise(slug)
        assert with_habit(exercise, habit_of(exercise, name)).splitlines()[-len(expected) :] == expected


@pytest.mark.parametrize(
    ("name", "slugs", "others"),
    [
        ("mode-toggled", "batch_norm spectral_norm", "layer_norm softmax"),
        ("counter-stops-at-10000", "batch_norm spade", "spectral_norm layer_norm"),
        ("hooks-skipped-in-evaluation", "pre_post_norm skip_init", "layer_norm fixup"),
        ("no-gradient-where-one-input-needs-none", "ada_in spade", "layer_norm softmax"),
        ("wrong-after-a-refusal", "batch_norm min_max group_norm_backward", "rms_norm spectral_norm softmax_backward"),
        ("weights-clipped-at-100", "dyt layer_norm_backward", "spectral_norm softmax_backward softmax"),
        ("inputs-clipped-at-10000", "spectral_norm softmax_backward", "weight_norm ada_bn"),
        ("nan-replaced", "weight_norm min_max", "ada_bn"),
        ("seed-set", "ada_bn weight_norm softmax_backward", ""),
    ],
)
def test_habit_fits_exercises_that_could_show_it(name: str, slugs: str, others: str) -> None:
    assert all(name in names_that_fit(slug) for slug in slugs.split())
    assert not any(name in names_that_fit(slug) for slug in others.split())


def test_reference_with_a_habit_behaves_like_it() -> None:
    exercise = Course(carried()).exercise("rms_norm_backward")
    module: dict[str, Any] = {}
    exec(with_habit(exercise, habit_of(exercise, "gradients-in-a-list")), module)
    import numpy as np

    y, cache = module["forward"](np.ones((2, 3)), np.ones(3))
    assert isinstance(module["backward"](y, cache), list)


def test_a_course_may_have_no_habits(tiny: Course) -> None:
    assert fitting(tiny.exercise("rms")) == ()
