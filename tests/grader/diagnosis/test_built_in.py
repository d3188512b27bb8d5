"""Built-in mistakes: other exceptions, signatures that lack arguments, other names, and limits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scripted import Plays, Seen, World, raised

from normgrade.course.mistakes import COST
from normgrade.diagnosis.built_in import EACH_CRASH, BuiltIn, built_in
from normgrade.diagnosis.evidence import facts_in
from normgrade.language.places import Place
from normgrade.remarks.uses import Use
from normgrade.remarks.works_for import Limit
from normgrade.report.report import CRASH, MISSING_ARGUMENTS, OTHER_EXCEPTION, OTHER_NAMES, SOME_INPUTS
from normgrade.worker.wire.observation import Error, Frame

PLAYS: list[Seen] = [raised("ValueError"), {"output": [1.0, 2.0]}, {"output": [3.0, 4.0]}]  # facts 0, 1 to 3, 4 to 6
CLAIMS = {f"test_{number}": f"Claim {number}." for number in range(3)}
UNEXPECTED = "f() got an unexpected keyword argument 'eps'\nmore"


def found(submission: Plays, mistakes: dict[str, Plays] | None = None) -> list[BuiltIn]:
    evidence = World(PLAYS, mistakes or {}).evidence(submission)
    return list(built_in(evidence, (), evidence.known, CLAIMS))


def names_of(mistakes: list[BuiltIn]) -> list[str]:
    return [mistake.name for mistake in mistakes]


def found_among(plays: list[Seen], submission: Plays) -> list[BuiltIn]:
    return list(built_in(World(plays, {}).evidence(submission), (), 0))


def lacking(message: str, step: int | str | None = None) -> Error:
    return replace(raised("TypeError"), message=message, step=step)


def test_another_exception_than_the_expected_one() -> None:
    assert found({0: raised("AssertionError")}) == [BuiltIn(OTHER_EXCEPTION, "Your code raises AssertionError instead of ValueError.", 1)]


@pytest.mark.parametrize("seen", [{}, {0: raised("AssertionError", 2)}, {1: raised("AssertionError")}])
def test_other_endings_are_not_another_exception(seen: Plays) -> None:
    assert OTHER_EXCEPTION not in names_of(found(seen))


def test_exceptions_of_known_mistakes_are_not_built_in() -> None:
    assert found({0: raised("AssertionError")}, {"asserts": {0: raised("AssertionError")}}) == []


@pytest.mark.parametrize(
    "message", [UNEXPECTED, "f() takes 2 positional arguments but 3 were given", "f() missing 1 required positional argument: 'eps'"]
)
@pytest.mark.parametrize("step", [None, "build"])
def test_arguments_that_a_signature_lacks(message: str, step: str | None) -> None:
    [mistake] = found({1: lacking(message, step), 2: lacking(message, step)})
    assert mistake.name == MISSING_ARGUMENTS and [*facts_in(mistake.facts)] == [1, 2, 3, 4, 5, 6]
    assert mistake.says == (
        "f() does not accept `eps`." if message == UNEXPECTED else f"The signature does not match the contract: {message}."
    )


@pytest.mark.parametrize(
    "error",
    [lacking(UNEXPECTED, 2), lacking("unsupported operand"), replace(lacking(UNEXPECTED), frames=(Frame(3, "forward", "g(eps=1)"),))],
)
def test_other_type_errors_are_crashes(error: Error) -> None:
    assert names_of(found({1: error})) == [CRASH]


def test_refusal_that_crashes_as_legal_calls_belongs_to_them() -> None:
    assert found({0: raised("RuntimeError"), 1: raised("RuntimeError", 2)}) == [
        BuiltIn(CRASH, "RuntimeError ends 2 of 3 failing claims.", 0b1001, EACH_CRASH)
    ]


def test_one_exception_on_one_line_is_one_crash() -> None:
    """Count the claims that each ends, and what each costs; an exception that a known mistake leads to is no crash."""
    here, there = (replace(raised("RuntimeError", step), frames=(Frame(3 + step, "forward", "x @ y"),)) for step in (1, 2))
    [crash] = found({1: here, 2: there})
    assert crash.says == "RuntimeError on line 4 ends 1 of 3 failing claims.\nRuntimeError on line 5 ends 1 of 3 failing claims."
    assert crash.cost == 2 * EACH_CRASH
    assert found({1: here, 2: there}, {"raises": {1: raised("RuntimeError")}, "too": {2: raised("RuntimeError", 2)}}) == []


def test_what_is_told_otherwise_is_no_crash() -> None:
    assert names_of(found({0: raised("AssertionError"), 1: lacking(UNEXPECTED)})) == [OTHER_EXCEPTION, MISSING_ARGUMENTS]


def test_several_facts_of_a_kind_make_one_finding() -> None:
    """Join several exceptions into one mistake, and several missing arguments of one function into another."""
    [mistake] = found_among([raised("ValueError")] * 2, {0: raised("RuntimeError"), 1: raised("TypeError")})
    assert mistake.says == "Your code raises RuntimeError or TypeError instead of ValueError."
    keyword = "f() got an unexpected keyword argument '{}'"
    [mistake] = found({1: lacking(keyword.format("eps")), 2: lacking(keyword.format("dim"))})
    assert mistake.says == "f() does not accept `eps` and `dim`."
    [mistake] = found({1: lacking(keyword.format("eps")), 2: lacking("f() takes 2 positional arguments but 3 were given")})
    assert mistake.says == "f() does not accept `eps`."


def test_a_limit_of_the_inputs_is_a_finding() -> None:
    """Check that a limit explains only the endings of the plays beyond it, unless known mistakes lead to all of these endings."""
    submission: Plays = {1: raised("IndexError"), 2: raised("IndexError")}
    evidence = World(PLAYS, {}).evidence(submission)
    uses = [Use(play.play, None, {}, play.play.observation.error, False) for play in evidence.plays[1:]]
    limits = (Limit("Only some.", tuple(uses)),)
    assert [*built_in(evidence, limits, 0)] == [BuiltIn(SOME_INPUTS, "Only some.", 0b1001000, COST)]
    assert [*built_in(evidence, limits, evidence.plays[1].ending | evidence.plays[2].ending)] == []


def test_tensors_under_other_names() -> None:
    world = World([{Place("key of {name}", name="weight"): "weight", Place("key of {name}", name="bias"): "bias"}], {})
    [mistake] = built_in(world.evidence({0: {"key of weight": "gamma"}}), (), 0)
    assert mistake == BuiltIn(OTHER_NAMES, "`weight` of the contract is called `gamma` in your code.", 1)
    assert not [*built_in(world.evidence({0: {"key of weight": None}}), (), 0)]
    absent = World([{Place("key of {name}", name="weight"): None}], {})  # absent if a switch turns it off
    assert not [*built_in(absent.evidence({0: {"key of weight": "weight"}}), (), 0)]
