"""A suite of scripted plays: the observations of the reference, known mistakes and a submission are given number by number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from pathlib import Path
from typing import Any

import numpy as np

from normgrade.compare.played import Played, PlayKey, Result
from normgrade.course.mistakes import Edit, Mistake
from normgrade.diagnosis.best import best
from normgrade.diagnosis.effects import Effects, effects_of
from normgrade.diagnosis.evidence import Evidence, evidence_of
from normgrade.diagnosis.footprints import Footprints
from normgrade.diagnosis.forecasts import Forecasts, forecasts_of
from normgrade.diagnosis.joint import Joint
from normgrade.diagnosis.search import Search
from normgrade.language.places import Place
from normgrade.oracle.cache import Cache
from normgrade.oracle.expected import Expectation, Expected
from normgrade.oracle.oracle import Oracle
from normgrade.report.report import Check, Kind, Outcome
from normgrade.worker.wire.observation import Array, Cause, Error, Observation, Playable, Request, Value
from normgrade.worker.wire.requests import FunctionCall, TypedRequest

Seen = Mapping[str, Any] | Error  # by place; lists are numbers of float32
Plays = Mapping[int, Seen]  # differences from the reference, by the number of the play
REFERENCE = "z" * 25  # a source of one letter per known mistake


def raised(kind: str, step: int | None = 1) -> Error:
    return Error(Cause.RAISED, "no", (kind, "Exception"), step=step)


def value(given: Any, dtype: str = "float32") -> Value:
    return Array(np.asarray(given, dtype), dtype) if isinstance(given, list) else given


def observation(seen: Seen, dtype: str = "float32") -> Observation:
    if isinstance(seen, Error):
        return Observation(error=seen)
    return Observation({place: value(given, dtype) for place, given in seen.items()})


def expectation(seen: Seen, number: int, dtype: str = "float32") -> Expectation:
    request = FunctionCall(str(number))
    if isinstance(seen, Error):
        return Expectation(request, {}, seen)
    places = {}
    for place, given in seen.items():
        right = value(given, "float64")
        spread = np.zeros(right.values.shape) if isinstance(right, Array) else None
        places[Place.of(place)] = Expected(right, dtype if isinstance(right, Array) else None, spread)
    return Expectation(request, places)


@dataclass
class World:
    """A suite with one play per check. `exact` has the plays in float64 that differ from the native ones."""

    right: Sequence[Seen]
    mistakes: Mapping[str, Plays]
    exact: Mapping[str, Plays] = field(default_factory=dict)
    together: Mapping[frozenset[str], Plays] = field(default_factory=dict)
    dtypes: Mapping[int, str] = field(default_factory=dict)
    asked: list[tuple[frozenset[str], int]] = field(default_factory=list)

    @property
    def known(self) -> tuple[Mistake, ...]:
        """The mistakes, each of which turns one letter of the reference into another."""
        found = []
        for index, name in enumerate(self.mistakes):
            letter = chr(ord("a") + index)
            source = REFERENCE[:index] + letter + REFERENCE[index + 1 :]
            found.append(Mistake(name, f"{name}.", source, (Edit(index, index + 1, letter),)))
        return tuple(found)

    def expected(self, number: int) -> Expectation:
        return expectation(self.right[number], number, self.dtypes.get(number, "float32"))

    def seen(self, plays: Plays, number: int, dtype: str | None = None) -> Observation:
        """Return the observation of a play: the reference's, except for the places in `plays`."""
        right, other = self.right[number], plays.get(number, {})
        dtype = dtype or self.dtypes.get(number, "float32")
        if isinstance(other, Error) or isinstance(right, Error):
            return observation(other or right, dtype)
        return observation({**right, **other}, dtype)

    def play(self, source: str, request: TypedRequest) -> Observation:
        """Return the observation of a native play of several known mistakes at once."""
        assert isinstance(request, FunctionCall)
        names = frozenset(name for index, name in enumerate(self.mistakes) if source[index] != "z")
        number = int(request.function)
        self.asked.append((names, number))
        if names in self.together:
            return self.seen(self.together[names], number)
        parts = [self.mistakes[name].get(number, {}) for name in sorted(names)]
        if error := next((part for part in parts if isinstance(part, Error)), None):
            return observation(error)
        return self.seen({number: {place: given for part in parts if not isinstance(part, Error) for place, given in part.items()}}, number)

    def answers(self, asked: Iterable[tuple[str, TypedRequest]]) -> Iterator[Observation]:
        """Return the observations of native plays, one after the other."""
        return starmap(self.play, asked)

    def plays(self) -> list[tuple[PlayKey, Played]]:
        """Return all plays, with nothing observed."""
        return [
            ((f"test_{number}", 0), Played(Observation(), self.expected(number), refusal(seen))) for number, seen in enumerate(self.right)
        ]

    def effects(self) -> Effects:
        return effects_of(self.plays(), REFERENCE, self.known, Scripted(Cache(Path("nowhere"), b""), world=self))

    def footprints(self) -> Footprints:
        return Footprints.of(self.effects(), np.arange(len(self.right), dtype=np.uint64), self.known)

    def forecasts(self) -> Forecasts:
        return forecasts_of(self.effects(), self.plays())

    def results(self, submission: Plays) -> list[Result]:
        """Return the results of a submission: a check fails if anything differs."""
        found = []
        for number, seen in enumerate(self.right):
            play = Played(self.seen(submission, number), self.expected(number), refusal(seen))
            wrong = play.differences or (play.observation.error is None) != (play.expectation.error is None)
            wrong = wrong or (play.observation.error is not None and play.observation.error != play.expectation.error)
            outcome = Outcome.FAILED if wrong else Outcome.PASSED
            found.append(Result(Check(f"test_{number}", f"Claim {number}.", Kind.FORMULA, outcome, 1), (play,)))
        return found

    def evidence(self, submission: Plays) -> Evidence:
        with np.errstate(all="ignore"):
            return evidence_of(self.results(submission), self.forecasts())

    def search(self, submission: Plays) -> Search:
        evidence = self.evidence(submission)
        return Search(evidence, Joint(evidence, REFERENCE, self.known, self.answers))

    def best(self, submission: Plays) -> list[set[str]]:
        """Return the names of the mistakes in each of the best guesses."""
        names = list(self.mistakes)
        return [{names[member] for member in guess.members} for guess in best(self.search(submission)).guesses]


def refusal(seen: Seen) -> tuple[str, ...] | None:
    return (seen.types[0],) if isinstance(seen, Error) else None


@dataclass(frozen=True)
class Scripted(Oracle):
    """An oracle that answers for the sources of a world."""

    world: World | None = None

    def exactly(self, source: str, wide: Request) -> Observation:
        return self.played(source, wide, exact=True)

    def natively(self, source: str, request: Playable, size_limit_bytes: int | None = None) -> Observation:
        return self.played(source, request, exact=False)

    def played(self, source: str, request: Playable, exact: bool) -> Observation:
        assert self.world is not None
        number = int(request.inputs["function"])
        names = [name for index, name in enumerate(self.world.mistakes) if source[index] != "z"]
        plays: Plays = self.world.mistakes[names[0]] if names else {}
        if exact and names and names[0] in self.world.exact:
            plays = self.world.exact[names[0]]
        return self.world.seen(plays, number, "float64" if exact else None)
