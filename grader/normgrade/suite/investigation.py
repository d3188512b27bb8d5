"""Looks for the mistakes in what a submission did: suspects are played where that tells, the likeliest first, until all is explained."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import tee
from typing import Protocol

import numpy as np

from normgrade.compare.deadline import OutOfTime
from normgrade.compare.diagnose import Clock, Known, diagnose
from normgrade.compare.effects import Layout, Plays, change_of, effects_from
from normgrade.compare.evidence import Evidence, evidence_of
from normgrade.compare.facts import Facts, facts_of
from normgrade.compare.footprints import Footprints
from normgrade.compare.forecasts import Forecasts, forecasts_of
from normgrade.compare.played import Result
from normgrade.compare.suspects import Suspects
from normgrade.course.signature import Signature
from normgrade.oracle.expectation import widened
from normgrade.report.report import BUILT_IN, Diagnosis, Outcome
from normgrade.suite.records import Records
from normgrade.worker.observation import Array, Foreign, Observation, Playable, Reason, Request

EDGE = 0.02  # of the facts that a mistake changes, those that may be right by a hair
HIDDEN = 0.25  # of the facts that a mistake changes, those that others may hide
MORE = 3  # times as many plays of each suspect, after one was not enough to refute it
SOME = 6  # plays of each suspect before it is played everywhere
MOST = 2000  # plays of all suspects
FOR_PLAYS = 0.5  # of the time, at most; the rest is for the search
Asked = tuple[int, int]  # a mistake and a play, by their numbers


class PlaysSources(Protocol):
    """Plays sources natively, or exactly in float64; None where there is no answer."""

    def __call__(self, asked: Iterable[tuple[str, Playable]], exactly: bool = False) -> Iterator[Observation | None]: ...


@dataclass
class Investigation:
    """One submission, whose `results` known mistakes are held against."""

    results: Sequence[Result]
    reference: str
    contract: tuple[Signature, ...]
    plays: Plays
    footprints: Footprints
    records: Records
    play_sources: PlaysSources
    within_s: float = math.inf
    clock: Clock = time.thread_time
    wide: dict[int, Request] = field(default_factory=dict)  # what is asked in float64, by the number of the play

    def explain(self) -> tuple[Diagnosis, ...] | None:
        """The diagnoses of the first suspects that explain everything, or else the best ones; None where the time was too short."""
        with np.errstate(all="ignore"):
            return self.best()

    def best(self) -> tuple[Diagnosis, ...] | None:
        started, best, last, joint = self.clock(), None, None, Remembering(self.play_sources)
        failed = {result.check.name for result in self.results if result.check.outcome is Outcome.FAILED}
        for members in self.attempts(lambda: self.clock() > started + FOR_PLAYS * self.within_s):
            if members == last and len(members) != 1:
                continue
            last = members
            left_s = max(started + self.within_s - self.clock(), 0.0)
            try:
                found = diagnose(self.results, self.known(members), joint.plays, left_s, self.clock)
            except OutOfTime:
                break
            if best is None or len(explained(found)) >= len(explained(best)):
                best = found
            if failed <= explained(best) and not any(name in BUILT_IN for name in best[0].mistakes):
                break  # a finding of our own counts once all mistakes that are known were asked
        return best

    def attempts(self, over: Callable[[], bool]) -> Iterator[list[int]]:
        """Suspects that were played, the likeliest ones first; fewer of them, once the time for plays is `over`."""
        suspects = Suspects.of(self.results, self.footprints)
        members = self.agreeing(suspects)
        self.see(everywhere(members, suspects), exactly=len(members) > 1)  # who is left alone agrees natively, which is enough
        yield members
        if not over():
            yield self.played(self.agreeing_somewhere(suspects), suspects, over)
            yield self.played(suspects.fitting(1.0), suspects, over)

    def agreeing(self, suspects: Suspects) -> list[int]:
        """The suspects whose facts are all wrong, and whom nothing contradicts that went wrong."""
        members, first, size = suspects.fitting(EDGE), 0, 1
        plays = {member: suspects.failing(member, members) for member in members}
        while asked := [(member, play) for member in members for play in plays[member][first : first + size]]:
            self.see(asked, exactly=False)
            doubtful = self.contradicted(asked)
            self.see(doubtful)
            refuted = {member for member, _ in self.contradicted(doubtful)}
            members = [member for member in members if member not in refuted]
            first, size = first + size, MORE * size
        return sorted(members)

    def agreeing_somewhere(self, suspects: Suspects) -> list[int]:
        """The suspects of whose facts a part may be right, and that agree with anything wrong in a few plays."""
        members = suspects.fitting(HIDDEN)
        asked = [(member, play) for member in members for play in suspects.failing(member, members)[:SOME]]
        self.see(asked)
        evidence = self.evidence(asked)
        return [member for member in members if evidence.parts[member].active & ~evidence.parts[member].contradicted & evidence.wrong]

    def played(self, members: Sequence[int], suspects: Suspects, over: Callable[[], bool]) -> list[int]:
        """The first of these suspects, as many as there is time for, after they were played everywhere."""
        found, left = [], MOST
        for member in members:
            asked = everywhere([member], suspects)
            left -= len(asked)
            if over() or left < 0:
                break
            self.see(asked)
            found.append(member)
        return sorted(found)

    def contradicted(self, asked: Sequence[Asked]) -> list[Asked]:
        """Those of these plays of mistakes that lead to something else than what was observed."""
        if not asked:
            return []
        evidence = self.evidence(asked)
        bits = {play.key: play.bits for play in evidence.plays}
        return [(member, play) for member, play in asked if evidence.parts[member].contradicted & bits.get(self.plays[play][0], 0)]

    def evidence(self, asked: Sequence[Asked]) -> Evidence:
        """The evidence of these plays of mistakes, and of no others."""
        some = [self.plays[play] for play in sorted({play for _, play in asked})]
        return evidence_of(self.results, self.forecasts(asked, Layout.of(some), some))

    def known(self, members: Sequence[int]) -> Known:
        """These suspects as all that is known, with what was seen of them."""
        asked = [(member, number) for member in members for number, (key, _) in enumerate(self.plays) if key in self.records.of(member)]
        some = [self.plays[play] for play in sorted({play for _, play in asked})]
        forecasts = self.forecasts(asked, self.footprints.layout, some)
        return Known(self.reference, tuple(self.records.mistakes), forecasts, self.contract)

    def forecasts(self, asked: Iterable[Asked], layout: Layout, plays: Plays) -> Forecasts:
        """What follows from these plays of mistakes."""
        seen = ((member, self.plays[play][0]) for member, play in sorted(asked))
        changes = [(member, key, self.records.of(member)[key]) for member, key in seen if key in self.records.of(member)]
        return forecasts_of(effects_from(changes, layout, self.footprints.mistakes), plays)

    def see(self, asked: Iterable[Asked], exactly: bool = True) -> None:
        """Play mistakes and take down what they change: natively, and in float64 where that is asked for and may make a difference."""
        new = [(member, play) for member, play in asked if self.is_new(member, play, exactly)]
        natively = dict[Asked, Facts]()
        for pair, native in zip(new, self.play_sources((self.source(pair), self.request(pair)) for pair in new), strict=True):
            if native is not None:  # else it cannot be executed
                expectation, right = self.plays[pair[1]][1].expectation, self.plays[pair[1]][1].right
                natively[pair] = facts_of(limited(native, expectation.size_bytes), right)
        rough = [pair for pair, facts in natively.items() if exactly and not facts.close]
        wide = self.play_sources(((self.source(pair), self.widened(pair)) for pair in rough), exactly=True)
        exact = {pair: observation for pair, observation in zip(rough, wide, strict=True) if observation is not None}
        for pair, facts in natively.items():
            member, (key, play) = pair[0], self.plays[pair[1]]
            self.records.add(member, key, change_of(facts, facts_of(exact[pair], play.right) if pair in exact else None, play.right))

    def is_new(self, member: int, play: int, exactly: bool) -> bool:
        """Whether there is more to see of a mistake in a play than was seen."""
        change = self.records.of(member).get(self.plays[play][0])
        return change is None or (exactly and change.rough)

    def source(self, pair: Asked) -> str:
        return self.records.mistakes[pair[0]].source

    def request(self, pair: Asked) -> Playable:
        return self.plays[pair[1]][1].expectation.request

    def widened(self, pair: Asked) -> Request:
        """The request in float64, made once."""
        if pair[1] not in self.wide:
            self.wide[pair[1]] = widened(self.request(pair))
        return self.wide[pair[1]]


def everywhere(members: Iterable[int], suspects: Suspects) -> list[Asked]:
    """The plays of these mistakes that were observed and that they change."""
    return [(member, play) for member in members for play in suspects.acting(member)]


def explained(diagnoses: Sequence[Diagnosis]) -> set[str]:
    """The failed checks that the best diagnosis explains."""
    return {name for diagnosis in diagnoses[:1] for name in diagnosis.checks}


def limited(observation: Observation, size_limit_bytes: int) -> Observation:
    """An observation whose arrays above a size are described: a submission's travel no other way."""
    values = {
        place: Foreign(Reason.SIZE, "", value.dtype, value.values.shape)
        if isinstance(value, Array) and value.values.nbytes > size_limit_bytes
        else value
        for place, value in observation.values.items()
    }
    return replace(observation, values=values)


@dataclass
class Remembering:
    """Plays sources natively, and each of them once: what was seen in one attempt serves the next."""

    play_sources: PlaysSources
    seen: dict[tuple[str, int], Observation | None] = field(default_factory=dict)  # by the source, and the identity of the request

    def plays(self, asked: Iterable[tuple[str, Playable]]) -> Iterator[Observation | None]:
        """What each source observes, in their order."""
        started = set[tuple[str, int]]()

        def new() -> Iterator[tuple[str, Playable]]:
            for source, request in theirs:
                if (pair := (source, id(request))) not in self.seen and pair not in started:
                    started.add(pair)
                    yield source, request

        theirs, ours = tee(asked)
        coming = self.play_sources(new())
        for source, request in ours:
            if (pair := (source, id(request))) not in self.seen:
                self.seen[pair] = next(coming)
            yield self.seen[pair]
