"""Credibility: a guessed name is dropped if an unknown mistake merely resembles it, and stays beside an unknown mistake."""

from __future__ import annotations

from scripted import Plays, World, raised

from normgrade.diagnosis.credible import credible

PLAYS = [{"output": [1.0, 2.0, 3.0], "state": [5.0, 7.0]} for _ in range(8)]
DOUBLED, STRANGE = [2.0, 4.0, 6.0], [0.3, 0.2, 0.9]


def names(world: World, submission: Plays, members: set[str]) -> set[str]:
    """Return the credible ones of these names."""
    search, known = world.search(submission), list(world.mistakes)
    guess = search.settled(tuple(sorted(known.index(name) for name in members)))
    assert guess is not None
    return {known[member] for member in credible(guess, search).members}


def test_a_mistake_that_explains_everything_is_credible() -> None:
    world = World(PLAYS, {"doubled": {number: {"output": DOUBLED} for number in range(3)}})
    assert names(world, world.mistakes["doubled"], {"doubled"}) == {"doubled"}


def test_a_name_that_fits_few_facts_is_dropped() -> None:
    world = World(PLAYS, {"doubled": {number: {"output": DOUBLED} for number in range(5)}})
    submission = {0: {"output": DOUBLED}} | {number: {"output": STRANGE} for number in range(1, 5)}
    assert names(world, submission, {"doubled"}) == set()


def test_a_name_is_dropped_if_its_plays_stay_unexplained() -> None:
    world = World(PLAYS, {"doubled": {number: {"output": DOUBLED} for number in range(3)}})
    submission = {0: {"output": DOUBLED}, 1: {"output": DOUBLED}, 2: {"output": STRANGE}}
    assert names(world, submission, {"doubled"}) == set()


def test_a_name_stays_beside_an_unknown_mistake_elsewhere() -> None:
    world = World(PLAYS, {"doubled": {number: {"output": DOUBLED} for number in range(3)}})
    submission = {0: {"output": DOUBLED}, 1: {"output": DOUBLED}, 2: {"output": STRANGE}, 3: {"output": STRANGE}}
    assert names(world, submission, {"doubled"}) == {"doubled"}


def test_arithmetic_is_judged_after_the_formula() -> None:
    unstable = {0: {"output": [1.5, 2.5, 3.5]}}
    world = World(PLAYS, {"unstable": unstable}, exact={"unstable": {}})
    assert names(world, unstable, {"unstable"}) == {"unstable"}
    assert names(world, {**unstable, 1: {"state": [0.5, 0.5]}}, {"unstable"}) == {"unstable"}
    assert names(world, {**unstable, 1: {"output": STRANGE}}, {"unstable"}) == set()


def test_an_error_beside_unexplained_errors_is_no_evidence() -> None:
    world = World(PLAYS, {"crashes": {0: raised("TypeError")}})
    assert names(world, {0: raised("TypeError"), 1: {"output": STRANGE}}, {"crashes"}) == {"crashes"}
    assert names(world, {0: raised("TypeError"), 1: raised("TypeError")}, {"crashes"}) == set()


def test_only_the_doubtful_name_is_dropped() -> None:
    world = World(PLAYS, {"doubled": {0: {"output": DOUBLED}, 1: {"output": DOUBLED}}, "state-lost": {2: {"state": [0.5, 0.25]}}})
    submission = {0: {"output": DOUBLED}, 1: {"output": STRANGE}, 2: {"state": [0.5, 0.25]}}
    assert names(world, submission, {"doubled", "state-lost"}) == {"state-lost"}


def test_name_that_adds_nothing_is_dropped() -> None:
    doubled: Plays = {0: {"output": DOUBLED}}
    together = {frozenset({"doubled", "strange"}): doubled}
    world = World(PLAYS, {"doubled": doubled, "strange": {0: {"output": STRANGE}}}, together=together)
    assert names(world, doubled, {"doubled", "strange"}) == {"doubled"}
