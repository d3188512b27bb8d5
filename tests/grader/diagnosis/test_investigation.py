"""Tests of the investigation: it plays suspects only if that can tell them apart, and names them only if no play contradicts them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from scripted import REFERENCE, Plays, Scripted, Seen, World, raised

from normgrade.compare.played import Result
from normgrade.course.mistakes import COST
from normgrade.diagnosis.deadline import OutOfTime
from normgrade.diagnosis.investigation import Found, Investigation
from normgrade.diagnosis.more_plays import NoMorePlays
from normgrade.diagnosis.questioning import Questioning
from normgrade.diagnosis.records import Records
from normgrade.diagnosis.steps.quantities import Quantity
from normgrade.diagnosis.steps.small_changes import Change
from normgrade.diagnosis.steps.step import Named, Step
from normgrade.diagnosis.steps.traces import Acting, Combine
from normgrade.oracle.cache import Cache
from normgrade.report.report import UNLISTED
from normgrade.worker.wire.observation import Observation, Playable, Recording

RIGHT: list[Seen] = [{"output": [1.0, 2.0]}, {"output": [3.0, 4.0], "flag": True}, {"output": [5.0, 6.0]}, {"output": [7.0, 8.0]}]
HALVED: Plays = {0: {"output": [0.5, 1.0]}, 1: {"output": [1.5, 2.0]}, 2: {"output": [2.5, 3.0]}, 3: {"output": [3.5, 4.0]}}
NEGATED: Plays = {0: {"output": [-1.0, -2.0]}, 1: {"output": [-3.0, -4.0]}, 2: {"output": [-5.0, -6.0]}, 3: {"output": [-7.0, -8.0]}}
FLAG: Plays = {1: {"flag": False}}
LAST: Plays = {3: {"output": [9.0, 8.0]}}
MISTAKES = {"halved": HALVED, "negated": NEGATED, "flag": FLAG, "last": LAST}


@dataclass
class Case:
    """A suite with known mistakes. `asked` records their plays: the names, the number of the play, and true if it was in float64."""

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
        """Return the mistakes named for a submission, one tuple for each explanation."""
        self.asked.clear()
        found = self.investigation(submission, within_s).explain().diagnoses
        self.explained = found[0].checks if found else ()
        return None if found is None else [diagnosis.mistakes for diagnosis in found]

    def investigation(self, submission: Plays, within_s: float = 1000.0) -> Investigation:
        self.records = self.records or Records(Cache(Path("nowhere"), b""), self.world.known, lambda mistake: mistake.name)
        plays, footprints, results = self.world.plays(), self.world.footprints(), self.world.results(submission)
        return Investigation(results, REFERENCE, (), footprints, Questioning(plays, self.records, self.play), within_s)

    @property
    def natively(self) -> dict[str, int]:
        """The number of native plays of each mistake."""
        names = [name for name, _, exactly in self.asked if not exactly]
        return {name: names.count(name) for name in names}


def test_explaining_mistake_is_played_fully_and_others_once() -> None:
    case = Case()
    assert case.named(HALVED) == [("halved",)]
    assert case.natively == {"halved": 4, "negated": 1, "last": 1}
    assert not any(exactly for *_, exactly in case.asked)


def test_recorded_plays_are_not_repeated() -> None:
    case = Case()
    assert case.named(HALVED) == case.named(HALVED) == [("halved",)] and case.asked == []
    assert case.named(NEGATED) == [("negated",)] and case.natively == {"negated": 3}


def test_contradicted_play_is_not_explained() -> None:
    case = Case()
    assert case.named({**HALVED, 3: {"output": [3.0, 3.0]}}) == [("halved",)]
    assert case.explained == ("test_0", "test_1", "test_2")


@pytest.mark.parametrize("second", [FLAG, LAST])
def test_several_mistakes_are_named_together(second: Plays) -> None:
    both = {**HALVED, **{number: {**HALVED.get(number, {}), **seen} for number, seen in second.items()}}  # type: ignore[dict-item]
    [name] = [name for name, plays in MISTAKES.items() if plays is second]
    assert Case(World(RIGHT, MISTAKES, together={frozenset({"halved", name}): both})).named(both) == [("halved", name)]


def test_mistake_visible_only_in_float64_is_named() -> None:
    """Name it although its native numbers differ: the submission's numbers are those of its float64 play."""
    world = World(RIGHT, {"rough": HALVED, "negated": NEGATED}, exact={"rough": NEGATED})
    assert Case(world).named(NEGATED) == [("rough",), ("negated",)] or Case(world).named(NEGATED) == [("negated",)]


def test_without_known_mistakes_nothing_is_named() -> None:
    case = Case(World(RIGHT, {}))
    assert case.named(HALVED) == [] and {name for name, *_ in case.asked} <= {""}


def test_without_time_only_the_likeliest_is_played() -> None:
    case = Case()
    assert case.named({0: {"output": [0.5, 1.0]}}, within_s=0.0) == []
    assert case.asked == []
    assert Case().named(HALVED, within_s=0.0) == [("halved",)]


def test_exception_raised_by_a_mistake_identifies_it() -> None:
    world = World(RIGHT, {"crashes": {2: raised("TypeError"), 3: raised("TypeError")}, **MISTAKES})
    assert Case(world).named({2: raised("TypeError"), 3: raised("TypeError")}) == [("crashes",)]


def step_to(world: World, name: str) -> Step:
    """Return a step whose change is a mistake of the world."""
    [mistake] = [mistake for mistake in world.known if mistake.name == name]
    edits = [[REFERENCE[edit.start : edit.end], edit.new] for edit in mistake.edits]
    nothing = Quantity((), None, 0)
    change = Change(mistake.source, edits, "as if divided by 2", "another right source", nothing, Recording({}), None)
    return Step((), Named("the mean", 1, 1, 3), change=change)


def with_unlisted(submission: Plays, step: Step | None, world: World) -> tuple[Found, list[Sequence[Result]]]:
    """Explain a submission with the world's last mistake unlisted. Return the diagnosis, and the results searched for a first step."""
    case, asked = Case(world), list[Sequence[Result]]()

    class Telling(NoMorePlays):
        def first_wrong_step(self, results: Sequence[Result], right: str) -> Step | None:
            asked.append(results)
            return step

    whole = case.investigation(submission)
    listed = world.known[:-1]
    records = Records(Cache(Path("nowhere"), b""), listed, lambda mistake: mistake.name)
    questioning = Questioning(world.plays(), records, case.play)
    return replace(whole, footprints=whole.footprints.among(listed), questioning=questioning, again=Telling()).explain(), asked


UNKNOWN_TOO = World(RIGHT, {**MISTAKES, "unknown": {0: {"output": [1.5, 2.5]}, 2: {"output": [5.5, 6.5]}}})


def test_change_at_the_first_wrong_step_is_a_mistake() -> None:
    found, asked = with_unlisted(UNKNOWN_TOO.mistakes["unknown"], step := step_to(UNKNOWN_TOO, "unknown"), UNKNOWN_TOO)
    assert found.diagnoses is not None and [each.mistakes for each in found.diagnoses] == [(UNLISTED,)]
    assert found.diagnoses[0].says == step.says and found.diagnoses[0].cost == COST and found.diagnoses[0].checks == ("test_0", "test_2")
    assert [[result.check.name for result in results] for results in asked] == [["test_0", "test_2"]]


def test_unlisted_change_is_named_beside_known_mistakes() -> None:
    submission: Plays = {**UNKNOWN_TOO.mistakes["unknown"], **FLAG}
    found, asked = with_unlisted(submission, step_to(UNKNOWN_TOO, "unknown"), UNKNOWN_TOO)
    assert found.diagnoses is not None and [each.mistakes for each in found.diagnoses] == [("flag", UNLISTED)]
    assert [[result.check.name for result in results] for results in asked] == [["test_0", "test_2"]]


def test_change_without_explanation_gives_only_its_step() -> None:
    found, _asked = with_unlisted({3: {"output": [3.0, 3.0]}}, step := step_to(UNKNOWN_TOO, "unknown"), UNKNOWN_TOO)
    assert found == Found((), step)


def test_full_explanation_needs_no_first_wrong_step() -> None:
    found, asked = with_unlisted(HALVED, None, UNKNOWN_TOO)
    assert found.step is None and asked == []


@pytest.mark.parametrize(("asked", "names"), [("first_wrong_step", [("halved",)]), ("traced", None)])
def test_stopped_search_says_so_and_keeps_its_finds(asked: str, names: list[tuple[str, ...]] | None) -> None:
    class Late(NoMorePlays):
        """A submission for whose further plays no time is left."""

    def late(*_asked: object) -> None:
        raise OutOfTime

    setattr(Late, asked, late)
    half = {number: HALVED[number] for number in (0, 1, 2)} | {3: {"output": [3.0, 3.0]}}
    found = replace(Case().investigation(half), again=Late()).explain()
    assert (found.step, found.stopped) == (None, True)
    assert (found.diagnoses and [each.mistakes for each in found.diagnoses]) == names


def test_only_mistakes_that_change_the_rest_are_others() -> None:
    first: Plays = {0: {"output": [9.0, 2.0]}}
    investigation = Case(World(RIGHT, {"halved": HALVED, "first": first, "last": LAST})).investigation(
        {**HALVED, 3: {"output": [3.0, 3.0]}}
    )
    found = investigation.explain().diagnoses
    assert found is not None and [diagnosis.mistakes for diagnosis in found] == [("halved",)]
    assert investigation.others(found, [0]) == [2] and investigation.others(found, [0, 2]) == []
    assert investigation.others((), []) == [0, 1, 2]


def test_traced_mistakes_are_tried_together() -> None:
    """Try two mistakes whose joint effect differs in every play from the effect of each."""
    both: Plays = {number: {"output": [number + 9.0, -3.0]} for number in range(4)}
    world = World(
        RIGHT, {"halved": HALVED, "negated": {**NEGATED, 0: {"output": [-1.0, -2.0]}}}, together={frozenset(("halved", "negated")): both}
    )

    class Tracing(NoMorePlays):
        def traced(self, results: Sequence[Result], acting: Acting, combine: Combine, beside: Sequence[int]) -> list[int]:
            assert combine([0, 1]) is not None
            return [*acting((results[0].check.name, 0))]

    found = replace(Case(world).investigation(both), again=Tracing()).explain().diagnoses
    assert found is not None and [diagnosis.mistakes for diagnosis in found] == [("halved", "negated")]
