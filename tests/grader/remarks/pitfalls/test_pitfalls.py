"""A table of pitfalls is read from its top: the first entry that fits counts, with the words of its pattern and of its clue."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from normgrade.inspection.program import program_of
from normgrade.remarks.pitfalls.pitfalls import Advice, Crash, Pitfall, Spotted, advice_on

PROGRAM = program_of("def f(x):\n    for i in x:\n        y = x[0] + 1\n")
assert PROGRAM is not None
CRASH = Crash(PROGRAM, "raised", ("KeyError", "LookupError"), "no 'a' here", 3, "f", slug="rms")


def of(*pitfalls: Pitfall, crash: Crash = CRASH) -> Advice:
    return advice_on(crash, pitfalls)


def test_the_first_entry_that_fits_counts() -> None:
    first, second = Pitfall("LookupError|OSError", r"no '(?P<name>\w)'", "{name} of {slug}"), Pitfall("KeyError", "", "second")
    assert of(first, second).text == "a of rms" and of(second, first).text == "second"


@pytest.mark.parametrize("pitfall", [Pitfall("OSError", "", "no"), Pitfall("KeyError", "yes", "no"), Pitfall("Error", "", "no")])
def test_an_entry_that_does_not_fit_gives_nothing(pitfall: Pitfall) -> None:
    assert of(pitfall) == Advice("")


def test_a_clue_decides_and_adds_words_and_a_place() -> None:
    node = ast.Pass()
    unsure = Pitfall("KeyError", "", "unsure", lambda crash, match: None)
    sure = Pitfall("KeyError", r"'(?P<name>\w)'", "{name}{more}", lambda crash, match: Spotted({"more": crash.line}, node))
    assert of(unsure, sure) == Advice("a3", node)


def test_an_ending_without_an_exception_has_a_word() -> None:
    assert of(Pitfall("timed out", "", "slow"), crash=replace(CRASH, ending="timed out", types=())).text == "slow"


def test_a_crash_knows_its_function_and_statement() -> None:
    assert CRASH.around is not None and CRASH.around.name == "f"
    assert {type(node) for node in CRASH.here} >= {ast.Assign, ast.Subscript} and not any(isinstance(node, ast.For) for node in CRASH.here)
    nowhere = replace(CRASH, line=0)
    assert (nowhere.around, nowhere.here) == (None, [])


def test_long_words_of_the_submission_are_cut() -> None:
    found = of(Pitfall("KeyError", "(?P<name>x+)", "{name}"), crash=replace(CRASH, message="x" * 1000))
    assert found.text == "x" * 80 + "…"
