"""Credibility: a name that an unknown mistake only looks like is dropped, one that stands beside it stays."""

from __future__ import annotations

from scripted import Plays, World, raised

from normgrade.compare.credible import credible

PLAYS = [{"output": [1.0, 2.0, 3.0], "state": [5.0, 7.0]} for _ in range(8)]
DOUBLED, STRANGE = [2.0, 4.0, 6.0], [0.3, 0.2, 0.9]


def names(world: World, submission: Plays, members: set[str]) -> set[str]:
    """The credible ones of these names."""
    search, known = world.search(submission), list(world.mistakes)
    guess = search.settled(tuple(sorted(known.index(name) for name in members)))
    assert guess is not None
    return {known[member] for member in credible(guess, search).members}


def test_what_explains_everything_is_credible() -> None:
    world = World(PLAYS, {"doubled": {number: {"output": DOUBLED} for number in range(3)}})
    assert names(world, world.mistakes["doubled"], {"doubled"}) == {"doubled"}


def test_a_name_that_fits_a_few_of_the_facts_that_it_changes_is_dropped() -> None:
    world = World(PLAYS, {"doubled": {number: {"output": DOUBLED} for number in range(5)}})
    submission = {0: {"output": DOUBLED}} | {number: {"output": STRANGE} for number in range(1, 5)}
    assert names(world, submission, {"doubled"}) == set()


def test_a_name_is_dropped_where_all_that_it_does_not_explain_lies_where_it_acts() -> None:
    world = World(PLAYS, {"doubled": {number: {"output": DOUBLED} for number in range(3)}})
    submission = {0: {"output": DOUBLED}, 1: {"output": DOUBLED}, 2: {"output": STRANGE}}
    assert names(world, submission, {"doubled"}) == set()


def test_beside_something_unknown_that_acts_elsewhere_too_it_stays() -> None:
    world = World(PLAYS, {"doubled": {number: {"output": DOUBLED} for number in range(3)}})
    submission = {0: {"output": DOUBLED}, 1: {"output": DOUBLED}, 2: {"output": STRANGE}, 3: {"output": STRANGE}}
    assert names(world, submission, {"doubled"}) == {"doubled"}


def test_arithmetic_is_not_judged_before_the_formula_is_settled() -> None:
    unstable = {0: {"output": [1.5, 2.5, 3.5]}}
    world = World(PLAYS, {"unstable": unstable}, exact={"unstable": {}})
    assert names(world, unstable, {"unstable"}) == {"unstable"}
    assert names(world, {**unstable, 1: {"state": [0.5, 0.5]}}, {"unstable"}) == {"unstable"}
    assert names(world, {**unstable, 1: {"output": STRANGE}}, {"unstable"}) == set()


def test_an_error_is_no_evidence_where_others_of_its_kind_are_not_explained() -> None:
    world = World(PLAYS, {"crashes": {0: raised("TypeError")}})
    assert names(world, {0: raised("TypeError"), 1: {"output": STRANGE}}, {"crashes"}) == {"crashes"}
    assert names(world, {0: raised("TypeError"), 1: raised("TypeError")}, {"crashes"}) == set()


def test_of_several_names_the_doubtful_one_goes() -> None:
    world = World(PLAYS, {"doubled": {0: {"output": DOUBLED}, 1: {"output": DOUBLED}}, "state-lost": {2: {"state": [0.5, 0.25]}}})
    submission = {0: {"output": DOUBLED}, 1: {"output": STRANGE}, 2: {"state": [0.5, 0.25]}}
    assert names(world, submission, {"doubled", "state-lost"}) == {"state-lost"}
