"""A candidate: what its mistakes lead to at every play, each asked of the oracle once; and what it explains of a check."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from normgrade.compare.candidate import Candidate, OutOfTime, TimedOracle, fails_in_numbers_alone, is_wrong, made_together
from normgrade.compare.played import Played, Result
from normgrade.course.mistakes import Edit, Mistake
from normgrade.language.errors import CourseError
from normgrade.language.places import Place
from normgrade.oracle.cache import Cache
from normgrade.oracle.expectation import Oracle
from normgrade.oracle.expected import Expectation, Expected
from normgrade.report.report import Check, Kind, Outcome
from normgrade.worker.observation import Array, Cause, Error, Observation, Value
from normgrade.worker.requests import Action, FunctionCall, LayerStep, LayerStory, TypedRequest

FUNCTION = FunctionCall("f")
X = Array(np.ones(2), "float64")
LAYER = LayerStory("Layer", steps=[LayerStep(Action.TRAIN, X, upstream=X), LayerStep(Action.EVALUATE, X)])
FIRST = LayerStory("Layer", steps=[LayerStep(Action.TRAIN, X)])
REFUSED = Error(Cause.RAISED, "no", ("ValueError", "Exception"))
Answer = float | Error


def array(number: float, dtype: str = "float32") -> Array:
    return Array(np.array([number], dtype), dtype)


def seen(answer: Answer, dtype: str = "float32") -> Observation:
    return Observation(error=answer) if isinstance(answer, Error) else Observation({"output": array(answer, dtype)})


def expected(answer: Answer, request: TypedRequest = FUNCTION, spread: float = 0.0) -> Expectation:
    if isinstance(answer, Error):
        return Expectation(request, {}, answer)
    return Expectation(request, {Place("output"): Expected(array(answer, "float64"), "float32", np.array([spread]))})


@dataclass(frozen=True)
class Scripted(Oracle):
    """Answers with the numbers of a source, in float64 and natively, and writes down what it was asked."""

    numbers: Mapping[str, tuple[Answer, Answer]] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    requests: list[TypedRequest] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def glimpse(self, source: str, request: TypedRequest, exact: bool) -> Observation:
        self.asked.append((source, "exact" if exact else "native"))
        self.requests.append(request)
        return seen(self.numbers[source][0], "float64") if exact else seen(self.numbers[source][1])

    def expectation(self, source: str, request: TypedRequest, keep: bool = True, anew: bool = False) -> Expectation:
        self.asked.append((source, "expectation"))
        self.kept.extend([source] * keep)
        return expected(self.numbers[source][0], request)

    def modules(self, source: str) -> tuple[ModuleType, ModuleType | None]:
        if source not in self.numbers:
            raise CourseError(f"{source} cannot be executed.")
        return ModuleType("implementation"), None


def scripted(**numbers: tuple[Answer, Answer]) -> Scripted:
    return Scripted(Cache(Path("unused"), bytes(32)), numbers=numbers)


def candidate(oracle: Oracle, source: str, *parts: Candidate) -> Candidate:
    names = [part.source for part in parts] or [source]
    return Candidate(tuple(Mistake(name, "", name) for name in names), source, TimedOracle(oracle), parts)


def check(*plays: Played, outcome: Outcome = Outcome.FAILED) -> Result:
    return Result(Check("test_x", "It holds.", Kind.FORMULA, outcome, 1), plays)


# Each is asked once


def test_everything_about_a_play_is_asked_of_the_oracle_once() -> None:
    oracle = scripted(wrong=(2.0, 2.0))
    one, result = candidate(oracle, "wrong"), check(Played(seen(2.0), expected(1.0)))
    for _ in range(2):
        assert one.is_possible_at(result) and one.explains(result) and one.takes_part_in(result)
        assert not one.is_right_at(result) and one.fails_natively_at(result) and one.open_numbers([result]) == 0
    assert sorted(oracle.asked) == [("wrong", "exact"), ("wrong", "expectation"), ("wrong", "native")]


def test_the_expectation_of_one_mistake_is_kept_and_no_other() -> None:
    oracle, play = scripted(a=(1.0, 1.0), b=(1.0, 1.0), ab=(1.0, 1.0), reference=(1.0, 1.0)), Played(seen(1.0), expected(1.0))
    a, b = candidate(oracle, "a"), candidate(oracle, "b")
    for each in (a, candidate(oracle, "ab", a, b), Candidate((), "reference", TimedOracle(oracle))):
        assert each.replay(play).explains
    assert oracle.kept == ["a"]


def test_a_first_step_that_is_far_off_is_all_that_is_played() -> None:
    oracle = scripted(far=(9.0, 9.0), near=(1.0, 1.0))
    result = check(Played(seen(1.0), expected(1.0, LAYER)), outcome=Outcome.PASSED)
    assert not candidate(oracle, "far").is_possible_at(result)
    assert oracle.requests == [FIRST] * 2
    oracle.requests.clear()
    assert candidate(oracle, "near").is_possible_at(result)
    assert oracle.requests == [FIRST, LAYER]


def test_nothing_new_is_asked_when_time_is_up() -> None:
    oracle, play, time = scripted(wrong=(2.0, 2.0)), Played(seen(2.0), expected(1.0)), [0.0]
    replay = Candidate((), "wrong", TimedOracle(oracle, 10.0, lambda: time[0])).replay(play)
    assert replay.native.values["output"]
    time[0] = 10.1
    assert replay.fails_natively  # the native play is known
    with pytest.raises(OutOfTime):
        replay.explains  # noqa: B018
    with pytest.raises(OutOfTime):
        made_together((), "wrong", TimedOracle(oracle, 10.0, lambda: time[0]))
    assert oracle.asked == [("wrong", "native")]


# What it explains


@pytest.mark.parametrize(
    ("number", "possible", "explains"),
    [(2.0, True, True), (2.001, True, False), (2.1, False, False), (1.0, False, False), (math.nan, True, False)],
)
def test_a_check_is_explained_by_what_the_mistake_leads_to(number: float, possible: bool, explains: bool) -> None:
    one, result = candidate(scripted(wrong=(2.0, 2.0)), "wrong"), check(Played(seen(number), expected(1.0)))
    assert (one.is_possible_at(result), one.explains(result)) == (possible, explains)


def test_every_play_of_a_check_has_to_be_explained() -> None:
    one = candidate(scripted(wrong=(2.0, 2.0)), "wrong")
    explained, other = Played(seen(2.0), expected(1.0)), Played(seen(1.0), expected(1.0))
    assert one.explains(check(explained, explained)) and not one.explains(check(explained, other))
    assert not one.is_possible_at(check(other, explained))


@pytest.mark.parametrize(("observed", "native"), [(REFUSED, REFUSED), (1.0, 2.0), (REFUSED, 2.0), (1.0, REFUSED)])
def test_a_refusal_is_explained_where_both_refuse_or_neither(observed: Answer, native: Answer) -> None:
    oracle = scripted(wrong=(2.0, native))
    one, play = candidate(oracle, "wrong"), Played(seen(observed), expected(REFUSED), ("ValueError",))
    result = check(play, outcome=Outcome.PASSED if isinstance(observed, Error) else Outcome.FAILED)
    alike = isinstance(observed, Error) == isinstance(native, Error)
    assert one.explains(result) == one.is_possible_at(result) == alike
    assert oracle.asked == [("wrong", "native")] and one.takes_part_in(result)


def test_another_error_is_no_refusal() -> None:
    other = Error(Cause.RAISED, "no", ("TypeError", "Exception"))
    one = candidate(scripted(wrong=(other, other)), "wrong")
    assert one.explains(check(Played(seen(1.0), expected(REFUSED), ("ValueError",))))
    assert not one.explains(check(Played(seen(REFUSED), expected(REFUSED), ("ValueError",))))


def test_an_error_is_known_whether_it_is_raised_natively_or_in_float64() -> None:
    oracle, play = scripted(both=(REFUSED, REFUSED), exact=(REFUSED, 1.0), none=(1.0, 1.0)), Played(seen(REFUSED), expected(1.0))
    assert [candidate(oracle, source).replay(play).raises("ValueError") for source in oracle.numbers] == [True, True, False]
    assert not candidate(oracle, "both").replay(play).raises("Exception")  # its own type alone


# Arithmetic


UNSTABLE = (1.0, 1.5)  # right in float64, wrong natively


def test_a_mistake_of_arithmetic_explains_numbers_that_are_not_its_own() -> None:
    one = candidate(scripted(unstable=UNSTABLE), "unstable")
    assert one.is_arithmetic_at(result := check(Played(seen(7.0), expected(1.0))))
    assert one.is_possible_at(result) and one.explains(result) and one.takes_part_in(result)


@pytest.mark.parametrize(
    ("numbers", "result"),
    [
        ((2.0, 1.5), check(Played(seen(7.0), expected(1.0)))),  # wrong in float64, too
        ((1.0, 1.0), check(Played(seen(7.0), expected(1.0)))),  # right natively, too
        (UNSTABLE, check(Played(seen(7.0), expected(1.0)), outcome=Outcome.PASSED)),
        (UNSTABLE, check(Played(seen(REFUSED), expected(1.0)))),
        (UNSTABLE, check(Played(Observation({"output": array(7.0, "float64")}), expected(1.0)))),  # another dtype
    ],
)
def test_what_is_no_mistake_of_arithmetic(numbers: tuple[float, float], result: Result) -> None:
    one = candidate(scripted(other=numbers), "other")
    assert not one.is_arithmetic_at(result) and not one.explains(result)


def test_arithmetic_has_to_be_right_in_float64_for_every_mistake_alone() -> None:
    oracle = scripted(up=(2.0, 2.0), unstable=UNSTABLE, both=UNSTABLE)
    up, unstable, result = candidate(oracle, "up"), candidate(oracle, "unstable"), check(Played(seen(7.0), expected(1.0)))
    assert candidate(oracle, "both", unstable, unstable).is_arithmetic_at(result)
    assert not candidate(oracle, "both", up, unstable).is_arithmetic_at(result)


def test_who_is_right_in_every_way_takes_no_part() -> None:
    right, result = candidate(scripted(right=(1.0, 1.0)), "right"), check(Played(seen(7.0), expected(1.0)))
    assert right.is_right_at(result) and not right.fails_natively_at(result) and not right.takes_part_in(result)


# Numbers left open


def test_numbers_that_a_mistake_leaves_open_are_counted_but_for_refusals() -> None:
    one, played = candidate(scripted(wrong=(math.nan, 1.0)), "wrong"), Played(seen(7.0), expected(1.0))
    refusal = Played(seen(7.0), expected(REFUSED), ("ValueError",))
    assert one.open_numbers([check(played, refusal), check(played), check(Played(seen(7.0), expected(1.0)))]) == 3


# Made together


def test_mistakes_are_made_together_where_they_can_be_and_can_be_executed() -> None:
    oracle = TimedOracle(scripted(ab=(1.0, 1.0), Ab=(2.0, 2.0), AB=(3.0, 3.0)))
    upper_a, upper_b = Mistake("a", "", "Ab", (Edit(0, 1, "A"),)), Mistake("b", "", "aB", (Edit(1, 2, "B"),))
    one, both, unchanged = (made_together(mistakes, "ab", oracle) for mistakes in ((upper_a,), (upper_a, upper_b), ()))
    assert one and both and unchanged and [each.source for each in (one, both, unchanged)] == ["Ab", "AB", "ab"]
    assert both.names == ("a", "b")
    assert made_together((upper_b,), "ab", oracle) is None  # not executable
    assert made_together((upper_a, upper_a), "ab", oracle) is None


# A play by itself


VALUES: list[tuple[Value, bool, bool]] = [(array(1.0), False, True), (array(2.0), True, True), (None, True, False)]


@pytest.mark.parametrize(("value", "wrong", "numbers_alone"), VALUES)
def test_what_differs_may_be_numbers_alone(value: Value, wrong: bool, numbers_alone: bool) -> None:
    play = Played(Observation({"output": value}), expected(1.0))
    assert (is_wrong(play), fails_in_numbers_alone(check(play))) == (wrong, numbers_alone)
    assert not fails_in_numbers_alone(check(play, outcome=Outcome.PASSED))


def test_an_end_in_an_error_is_wrong_though_nothing_was_seen() -> None:
    assert is_wrong(Played(seen(REFUSED), expected(1.0))) and is_wrong(Played(Observation(), expected(REFUSED)))
    assert not is_wrong(Played(seen(REFUSED), expected(REFUSED)))
