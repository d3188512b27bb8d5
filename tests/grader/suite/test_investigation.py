"""An investigation: suspects are played only where that tells, and named only where nothing contradicts them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from scripted import REFERENCE, Plays, Scripted, Seen, World, raised

from normgrade.oracle.cache import Cache
from normgrade.suite.investigation import Investigation
from normgrade.suite.questioning import Questioning
from normgrade.suite.records import Records
from normgrade.worker.observation import Observation, Playable

RIGHT: list[Seen] = [{"output": [1.0, 2.0]}, {"output": [3.0, 4.0], "flag": True}, {"output": [5.0, 6.0]}, {"output": [7.0, 8.0]}]
HALVED: Plays = {0: {"output": [0.5, 1.0]}, 1: {"output": [1.5, 2.0]}, 2: {"output": [2.5, 3.0]}, 3: {"output": [3.5, 4.0]}}
NEGATED: Plays = {0: {"output": [-1.0, -2.0]}, 1: {"output": [-3.0, -4.0]}, 2: {"output": [-5.0, -6.0]}, 3: {"output": [-7.0, -8.0]}}
FLAG: Plays = {1: {"flag": False}}
LAST: Plays = {3: {"output": [9.0, 8.0]}}
MISTAKES = {"halved": HALVED, "negated": NEGATED, "flag": FLAG, "last": LAST}


@dataclass
class Case:
    """A suite with known mistakes, and whatever is played of them: the names, the play, and whether it was in float64."""

    world: World = field(default_factory=lambda: World(RIGHT, MISTAKES))
    records: Records | None = None
    asked: list[tuple[str, int, bool]] = field(default_factory=list)
    explained: tuple[str, ...] = ()

    def play(self, asked: Iterable[tuple[str, Playable]], exactly: bool = False) -> Iterator[Observation | None]:
        oracle = Scripted(Cache(Path("nowhere"), b""), world=self.world)
        for source, request in asked:
            names = "+".join(name for index, name in enumerate(self.world.mistakes) if source[index] != "z")
            self.asked.append((names, int(request.inputs["function"]), exactly))
            yield oracle.exactly(source, request) if exactly else self.world.play(source, request)  # type: ignore[arg-type]

    def named(self, submission: Plays, within_s: float = 1000.0) -> list[tuple[str, ...]] | None:
        """The mistakes that are named for a submission, one tuple for each explanation."""
        self.asked.clear()
        found = self.investigation(submission, within_s).explain()
        self.explained = found[0].checks if found else ()
        return None if found is None else [diagnosis.mistakes for diagnosis in found]

    def investigation(self, submission: Plays, within_s: float = 1000.0) -> Investigation:
        self.records = self.records or Records(Cache(Path("nowhere"), b""), self.world.known, lambda mistake: mistake.name)
        plays, footprints, results = self.world.plays(), self.world.footprints(), self.world.results(submission)
        return Investigation(results, REFERENCE, (), footprints, Questioning(plays, self.records, self.play), within_s)

    @property
    def natively(self) -> dict[str, int]:
        """How often each mistake was played natively."""
        names = [name for name, _, exactly in self.asked if not exactly]
        return {name: names.count(name) for name in names}


def test_a_mistake_that_explains_everything_is_played_natively_where_it_acts_and_others_once() -> None:
    case = Case()
    assert case.named(HALVED) == [("halved",)]
    assert case.natively == {"halved": 4, "negated": 1, "last": 1}
    assert not any(exactly for *_, exactly in case.asked)


def test_what_was_seen_is_not_played_again() -> None:
    case = Case()
    assert case.named(HALVED) == case.named(HALVED) == [("halved",)] and case.asked == []
    assert case.named(NEGATED) == [("negated",)] and case.natively == {"negated": 3}


def test_a_mistake_that_is_contradicted_at_its_last_play_does_not_explain_that() -> None:
    case = Case()
    assert case.named({**HALVED, 3: {"output": [3.0, 3.0]}}) == [("halved",)]
    assert case.explained == ("test_0", "test_1", "test_2")


@pytest.mark.parametrize("second", [FLAG, LAST])
def test_several_mistakes_are_named_together(second: Plays) -> None:
    both = {**HALVED, **{number: {**HALVED.get(number, {}), **seen} for number, seen in second.items()}}  # type: ignore[dict-item]
    [name] = [name for name, plays in MISTAKES.items() if plays is second]
    assert Case(World(RIGHT, MISTAKES, together={frozenset({"halved", name}): both})).named(both) == [("halved", name)]


def test_a_mistake_that_only_float64_tells_is_named() -> None:
    """Its native numbers are nothing to go by: the submission's are those of float64."""
    world = World(RIGHT, {"rough": HALVED, "negated": NEGATED}, exact={"rough": NEGATED})
    assert Case(world).named(NEGATED) == [("rough",), ("negated",)] or Case(world).named(NEGATED) == [("negated",)]


def test_nothing_is_named_where_no_mistake_is_known() -> None:
    case = Case(World(RIGHT, {}))
    assert case.named(HALVED) == [] and {name for name, *_ in case.asked} <= {""}


def test_without_any_time_only_the_likeliest_are_played() -> None:
    case = Case()
    assert case.named({0: {"output": [0.5, 1.0]}}, within_s=0.0) == []
    assert case.asked == []
    assert Case().named(HALVED, within_s=0.0) == [("halved",)]


def test_an_error_that_a_mistake_leads_to_is_its_own() -> None:
    world = World(RIGHT, {"crashes": {2: raised("TypeError"), 3: raised("TypeError")}, **MISTAKES})
    assert Case(world).named({2: raised("TypeError"), 3: raised("TypeError")}) == [("crashes",)]


def test_where_something_is_left_those_that_change_it_are_asked_and_no_others() -> None:
    first: Plays = {0: {"output": [9.0, 2.0]}}
    investigation = Case(World(RIGHT, {"halved": HALVED, "first": first, "last": LAST})).investigation(
        {**HALVED, 3: {"output": [3.0, 3.0]}}
    )
    found = investigation.explain()
    assert found is not None and [diagnosis.mistakes for diagnosis in found] == [("halved",)]
    assert investigation.others(found, [0]) == [2] and investigation.others(found, [0, 2]) == []
    assert investigation.others((), []) == [0, 1, 2]
