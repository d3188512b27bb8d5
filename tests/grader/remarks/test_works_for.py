"""The inputs for which a submission works, told only if they explain the failures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from uses_made import X, play, raised, step, story

from normgrade.compare.played import Played, Result
from normgrade.course.signature import Signature
from normgrade.remarks.works_for import limits, within
from normgrade.report.report import Check, Kind, Outcome
from normgrade.worker.wire.observation import Observation
from normgrade.worker.wire.requests import Action, LayerStep

CONTRACT = (Signature.parse("Norm(size, affine=True, mode=None)"),)


def results(*plays: Played) -> list[Result]:
    return [Result(Check(f"test_{number}", "It holds.", Kind.FORMULA, Outcome.FAILED, 1), (each,)) for number, each in enumerate(plays)]


def said(*plays: Played) -> list[str]:
    return [limit.says for limit in limits(results(*plays), CONTRACT)]


def of(dimensions: int, action: Action = Action.TRAIN, dtype: str = "float32") -> LayerStep:
    return step(np.ones((4, *[3] * (dimensions - 1)), np.float32), action, dtype)


def fine(*steps: LayerStep, **arguments: object) -> Played:
    return play(story(steps, kwargs=arguments))


def broken(*steps: LayerStep, kind: str = "ValueError", line: int = 7, **arguments: object) -> Played:
    """Return a play that ends in an exception at its last step."""
    return play(story(steps, kwargs=arguments), raised(len(steps), kind, line))


CASES: Mapping[str, tuple[list[Played], list[str]]] = {
    "dimensions": (
        [fine(of(4)), fine(of(4)), broken(of(2)), broken(of(4), of(3)), broken(of(5))],
        ["It works for inputs of 4 dimensions; with 2, 3 and 5 it raises ValueError."],
    ),
    "one dimension": (
        [fine(of(1)), fine(of(1)), broken(of(2)), broken(of(2), kind="IndexError")],
        ["It works for inputs of 1 dimension; with 2 it raises ValueError or IndexError."],
    ),
    "dtype": (
        [fine(of(2)), fine(of(2)), broken(of(2, dtype="float16")), broken(of(2, dtype="bfloat16"))],
        ["It works for float32; with bfloat16 and float16 it raises ValueError."],
    ),
    "a call that may be refused": (
        [*[fine(of(5, Action.ATTEMPT), of(4))] * 2, broken(of(2)), broken(of(2))],
        ["It works for inputs of 4 dimensions; with 2 it raises ValueError."],
    ),
    "evaluation": (
        [fine(of(2)), fine(of(2)), *[broken(of(2), of(2, Action.EVALUATE))] * 2],
        ["It works in training; in evaluation it raises ValueError."],
    ),
    "training": (
        [*[fine(of(2, Action.EVALUATE))] * 2, broken(of(2)), broken(of(2))],
        ["It works in evaluation; in training it raises ValueError."],
    ),
    "a single sample": (
        [fine(step(X)), fine(step(X)), *[broken(step(X[:1]))] * 2],
        ["It works for several samples; with a single one it raises ValueError."],
    ),
    "an argument": (
        [fine(of(2)), fine(of(2)), *[broken(of(2), affine=False)] * 2],
        ["With `affine=False` it raises ValueError."],
    ),
    "an argument that is always needed": (
        [*[fine(of(2), mode="same")] * 2, broken(of(2)), broken(of(2))],
        ["It works only with `mode='same'`; otherwise it raises ValueError."],
    ),
    "two causes": (
        [fine(of(4)), fine(of(4)), *[broken(of(3))] * 2, *[broken(of(4), kind="TypeError", line=9, affine=False)] * 2],
        ["With `affine=False` it raises TypeError."],  # with 4 dimensions, too
    ),
    "evaluation raises for another cause": (
        [*[fine(of(2, Action.EVALUATE))] * 2, *[broken(of(2))] * 2, *[broken(of(2, Action.EVALUATE), kind="TypeError", line=9)] * 2],
        [],
    ),
    "only what is right works": (
        [*[fine(of(2))] * 2, *[broken(of(3))] * 2, play(story([of(4)]), wrong={1})],
        ["It works for inputs of 2 dimensions; with 3 it raises ValueError."],
    ),
    "nothing of it is right": ([*[play(story([of(2)]), wrong={1})] * 2, *[broken(of(3))] * 2], []),
    "an argument, where nothing is right": (
        [*[play(story([of(2)]), wrong={1})] * 2, *[broken(of(2), affine=False)] * 2],
        ["With `affine=False` it raises ValueError."],
    ),
    "words of a probe": ([fine(of(2)), fine(of(2)), *[broken(of(2), scattered=True)] * 2], []),
    "some wrong beyond it": (
        [fine(of(2)), fine(of(2)), broken(of(3)), broken(of(3)), play(story([of(3)]), wrong={1})],
        ["It works for inputs of 2 dimensions; with 3 it raises ValueError or is wrong."],
    ),
    "what is left of a use beyond it": (
        [fine(of(2)), fine(of(2)), broken(of(3)), broken(of(3)), broken(of(3), of(2))],
        [],
    ),
    "traces of one beyond it": (
        [fine(of(2)), fine(of(2)), broken(of(4)), broken(of(4)), play(story([of(4), of(2)]), raised(2), wrong={1})],
        ["It works for inputs of 2 dimensions; with 4 it raises ValueError or is wrong."],
    ),
    "everything works": ([fine(of(2)), fine(of(3))], []),
    "nothing works": ([broken(of(2)), broken(of(3)), broken(of(4))], []),
    "nothing tells them apart": ([fine(of(2)), fine(of(2)), broken(of(2)), broken(of(2))], []),
    "one exception may be a matter of anything": ([fine(of(2)), fine(of(2)), broken(of(3))], []),
    "where nothing is right, wrong numbers are no limit": (
        [*[play(story([of(2)]), wrong={1})] * 2, broken(of(3)), broken(of(3)), play(story([of(3)]), wrong={1})],
        [],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_simplest_distinguishing_trait_is_told(name: str) -> None:
    plays, sentences = CASES[name]
    assert said(*plays) == sentences


def test_a_call_without_a_result_is_within_no_limits() -> None:
    silent = fine(of(4))
    found = results(silent, replace(silent, observation=Observation({"step 1 · output": None})))
    assert within(limits(found, CONTRACT), found, CONTRACT) == {"test_0"}


def test_checks_with_calls_before_a_crash_are_within_limits() -> None:
    found = results(fine(of(4)), fine(of(4)), broken(of(3)), broken(of(4), of(3)), play(story([of(3)]), raised("build")))
    assert within(limits(found, CONTRACT), found, CONTRACT) == {"test_0", "test_1", "test_3"}
