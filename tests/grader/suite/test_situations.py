"""Tests of situations: they are derived from the typical uses of a suite, and each exercise plays those that apply."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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
from normgrade.suite import build, ones, situations, use
from normgrade.suite.collection import collect, derived
from normgrade.suite.situations import PREFIX, SITUATIONS, of_one_length, with_axes
from normgrade.suite.story import Build
from normgrade.suite.suite import Suite
from normgrade.worker.wire.requests import LayerStep

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


PLAYED = {  # the number of stories of each situation, for two uses that refuse one input; and their steps, each once
    "called": "2: train, evaluate",
    "as_built": "2: evaluate, train",
    "without_gradients": (
        "2: evaluate gradients=inference_mode, train, train gradients=no_grad, evaluate gradients=no_grad, "
        "train gradients=inference_mode"
    ),
    "modes_in_turn": "2: evaluate, train",
    "modes_asked_for": "2: evaluate mode=attribute, train mode=attribute, train mode=twice, evaluate mode=twice, evaluate",
    "changed_state": "4: evaluate, evaluate gradients=no_grad, change, load, train",
    "two_layers": "4: train, swap, evaluate",
    "two_shapes": "4: train, evaluate",
    "copies": "7: train, evaluate, copy, change, swap, pickle, reload, double, float64 evaluate, float64 train",
    "in_a_network": (
        "2: train, evaluate, train residual, evaluate residual twice, train twice, train steep, train overwritten, "
        "evaluate overwritten"
    ),
    "any_gradient": (
        "2: train arriving=one hot, evaluate arriving=with zeros, train arriving=ones, evaluate arriving=expanded, "
        "train arriving=strided, evaluate arriving=huge, train arriving=tiny"
    ),
    "gradients_add_up": "2: train graph, train keep, evaluate leaf keep, train leaf, evaluate graph",
    "many_calls": "2: train calls=40, evaluate calls=20, train beside, evaluate beside",
    "other_defaults": (
        "6: train default=float64, evaluate default=float64, float16, float16 train witness default=float64, "
        "float16 evaluate witness default=float64, bfloat16, bfloat16 train witness default=float64, "
        "bfloat16 evaluate witness default=float64, train default=bfloat16, evaluate default=bfloat16, "
        "float16 train witness default=bfloat16, float16 evaluate witness default=bfloat16, "
        "bfloat16 train witness default=bfloat16, bfloat16 evaluate witness default=bfloat16"
    ),
    "many_axes": "6: train, evaluate",
    "float64": "2: float64, float64 train, float64 evaluate",
    "every_dtype": (
        "14: float64, float64 train, float64 evaluate, float64 evaluate gradients=no_grad, settings, float16, "
        "float16 train witness, float16 evaluate witness, float16 evaluate gradients=no_grad witness, bfloat16, "
        "bfloat16 train witness, bfloat16 evaluate witness, bfloat16 evaluate gradients=inference_mode witness, "
        "bfloat16 train, bfloat16 evaluate, change"
    ),
    "float32_parameters": "2: float16 train, float16 evaluate, bfloat16 train, bfloat16 evaluate, bfloat16 evaluate gradients=no_grad",
    "far_eps": "6: train, evaluate, float16, float16 train",
    "length_one": "2: train, evaluate",
    "not_finite": "6: evaluate, train, evaluate gradients=no_grad, float16, float16 evaluate",
    "same_tensor": "2: train again, evaluate again, change, evaluate gradients=no_grad again",
    "views": (
        "2: train, evaluate, train view=strided, evaluate view=strided, train view=expanded, "
        "evaluate view=expanded gradients=no_grad"
    ),
    "whole_numbers": "3: train, evaluate",
    "frozen": (
        "2: train freeze=1, evaluate freeze=1, train freeze=2, evaluate freeze=2, train freeze=3, evaluate freeze=4, "
        "train frozen, evaluate constant, train frozen constant"
    ),
    "exact_state": "2: ",
    "nothing_else_changed": "4: train, train gradients=no_grad, evaluate gradients=no_grad, evaluate, settings, attempt",
    "learning": "2: train, learn, evaluate",
    "many_rows": "6: train, evaluate, float16, float16 train, bfloat16, bfloat16 train",
    "wide": "2: train",
    "real_size": "6: train, evaluate, float16, float16 train, bfloat16, bfloat16 train",
    "every_argument": "4: train, evaluate",
    "illegal_inputs": "22: train, evaluate gradients=no_grad, evaluate",
}  # fmt: skip


def test_situations_play_what_they_are_there_for(tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pin the steps, so that nobody weakens a situation by chance: all exercises would still pass."""
    stories: list[tuple[Build | LayerStep, ...]] = []

    def tell(*story: Any, **how: object) -> bool:
        stories.append(tuple(part for part in story if not isinstance(part, type)))
        return True

    for name in ("agree", "returns", "accepts", "refuses_at_last"):
        monkeypatch.setattr(situations, name, tell)
    exercise, yes = tiny.exercise("centring"), lambda *_story: True
    monkeypatch.setattr(situations, "current", lambda: SimpleNamespace(exercise=exercise, is_defined=yes, is_refused=yes))
    x, other = np.ones((4, 3), np.float32), np.ones((2, 3), np.float32)
    uses = [use(build(3, momentum=each), x, other, [1], [np.ones((2, 3, 3), np.float32)]) for each in (0.3, 0.5)]
    for name, each in SITUATIONS.items():
        stories.clear()
        each.play(lambda: uses)
        steps = dict.fromkeys(filter(None, (in_words(part) for story in stories for part in story)))
        assert f"{len(stories)}: {', '.join(steps)}" == PLAYED[name], name


def in_words(part: Build | LayerStep) -> str:
    """Return a step with its unusual options, or the dtype in which a layer is built if that is unusual."""
    if isinstance(part, Build):
        return "" if part.dtype == "float32" else part.dtype
    options = {name: value for name, value in part.options.unusual.items() if isinstance(value, str | int | float)}
    dtype = "" if part.x is None or part.x.dtype == "float32" else f"{part.x.dtype} "
    return " ".join([dtype + part.action, *(name if value is True else f"{name}={value}" for name, value in options.items())])
