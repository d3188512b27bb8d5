"""Tests of situations: they are derived from the typical uses of a suite, and each exercise plays those that apply."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hidden_suites import InThisProcess, changed, played

from normgrade.compare.played import Result
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
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
    assert [name for name, courtesy in courtesies.items() if courtesy] == ["situation_float64", "situation_illegal_inputs"]
    with pytest.raises(CourseError, match='rms: there is no situation "at_night"; there is called, as_built, '):
        derived(replace(exercise, courtesy=("at_night",)), {})


WRONG = {
    "float64 in float32": ("float64", "return (x - mean) * self.weight", "return ((x - mean) * self.weight).float().to(x.dtype)"),
    "no more than 4096 features": ("wide", "return (x", "mean = mean * (x.shape[1] <= 4096)\n        return (x"),
    "no more than 4096 rows": ("wide", "return (x", "mean = x[:4096].mean(0) if len(x) > 4096 else mean\n        return (x"),
    "another mode after a refusal": ("nothing_else_changed", "            raise", "            self.training = False\n            raise"),
    "other statistics after a refusal": (
        "nothing_else_changed",
        "            raise",
        "            self.running_mean += 1\n            raise",
    ),
    "no gradients after a refusal": (
        "nothing_else_changed",
        "            raise",
        "            torch.set_grad_enabled(False)\n            raise",
    ),
    "seven dimensions are taken": ("illegal_inputs", "if x.dim() != 2:", "if x.dim() not in (2, 7):"),
    "a scalar is taken": ("illegal_inputs", "if x.dim() != 2:", "if x.dim() not in (2, 0):"),
}
ALSO = "float64", "views", "wide", "nothing_else_changed", "illegal_inputs"


@pytest.mark.parametrize("name", WRONG)
def test_wrong_way_fails_one_situation(name: str, tiny: Course, expectations: Path) -> None:
    exercise = replace(tiny.exercise("centring"), left_out={})
    fails, old, new = WRONG[name]
    result = {each.check.name: each.check.outcome for each in played_situations(exercise, changed(old, new), expectations)}
    assert [situation for situation in ALSO if result[PREFIX + situation] is not Outcome.PASSED] == [fails]


def test_layer_that_refuses_too_little_fails_only_there(tiny: Course, expectations: Path) -> None:
    exercise = replace(tiny.exercise("centring"), left_out={})
    results = played_situations(exercise, changed("if x.dim() != 2:", "if x.dim() > 3:"), expectations)
    failed = [each.check.name for each in results if each.check.outcome is Outcome.FAILED]
    assert failed == ["situation_illegal_inputs"]


def played_situations(exercise: Exercise, source: str, expectations: Path) -> list[Result]:
    """Play some situations of `centring` on a source."""
    random = np.random.default_rng(0)
    x, other = (random.standard_normal((rows, 3)).astype(np.float32) + 1 for rows in (4, 2))
    uses = [use(build(3, momentum=0.3), x, other, [1], [np.ones((2, 3, 3), np.float32)])]
    tests = [test for test in derived(exercise, {"typical": lambda: uses}) if test.name.removeprefix(PREFIX) in ALSO]
    return played(Suite(exercise, tuple(tests)), InThisProcess(source, exercise), expectations)


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
