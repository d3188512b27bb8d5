"""Looks for the mistakes in what a submission did: suspects are played where that tells, the likeliest first, until all is explained."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from normgrade.compare.deadline import OutOfTime
from normgrade.compare.diagnose import Clock, Known, diagnose
from normgrade.compare.evidence import evidence_of
from normgrade.compare.footprints import Footprints
from normgrade.compare.played import Result
from normgrade.compare.suspects import Suspects
from normgrade.course.signature import Signature
from normgrade.report.report import BUILT_IN, Diagnosis, Outcome
from normgrade.suite.questioning import Asked, Questioning, Remembering

EDGE = 0.02  # of the facts that a mistake changes, those that may be right by a hair
MORE = 3  # times as many plays of each suspect, after one was not enough to refute it
SAMPLES = (12, 36)  # plays that went wrong in which all suspects are played


@dataclass(frozen=True)
class Investigation:
    """One submission, whose `results` known mistakes are held against."""

    results: Sequence[Result]
    reference: str
    contract: tuple[Signature, ...]
    footprints: Footprints
    questioning: Questioning
    within_s: float = math.inf
    clock: Clock = time.thread_time

    @cached_property
    def joint(self) -> Remembering:
        """What plays several mistakes in one source."""
        return Remembering(self.questioning.play_sources)

    def explain(self) -> tuple[Diagnosis, ...] | None:
        """The diagnoses of the first suspects that explain everything, or else the best ones; None where the time was too short."""
        suspects, best, last, until = Suspects.of(self.results, self.footprints), None, None, self.clock() + self.within_s
        failed = {result.check.name for result in self.results if result.check.outcome is Outcome.FAILED}
        with np.errstate(all="ignore"):
            for members, share in self.attempts(suspects, until):
                if members == last and len(members) != 1:
                    continue
                last, within_s = members, share * (until - self.clock()) if self.within_s else 0.0
                with suppress(OutOfTime):
                    found = diagnose(self.results, self.known(members, suspects), self.joint.plays, within_s, self.clock)
                    best = found if best is None or len(explained(found)) >= len(explained(best)) else best
                if best is not None and failed <= explained(best) and not any(name in BUILT_IN for name in best[0].mistakes):
                    break  # a finding of our own counts once all mistakes that are known were asked
        return best

    def attempts(self, suspects: Suspects, until: float) -> Iterator[tuple[list[int], float]]:
        """Suspects that were played, the likeliest ones first, each time with the share of the time left in which to search among them."""
        members = self.agreeing(suspects)
        if suspects.leave_at_most(EDGE, members) or not self.within_s:
            self.questioning.see(everywhere(members, suspects), exactly=len(members) > 1)  # who is left alone agrees natively: enough
            yield members, 0.5
        for most in SAMPLES:
            if self.clock() < until:
                yield self.leading(suspects, most, until), 0.5

    def leading(self, suspects: Suspects, most: int, until: float) -> list[int]:
        """The suspects that explain best what went wrong in so many plays, in which all were played. Then they are played everywhere."""
        members = suspects.fitting(1.0)
        asked = [(member, play) for play in suspects.sample(members, most) for member in members if suspects.footprints.acts[member, play]]
        self.questioning.see(asked)
        mistakes = tuple(self.questioning.records.mistakes)
        known = Known(self.reference, mistakes, self.questioning.forecasts(asked), self.contract)
        named: set[str] = set()
        with suppress(OutOfTime):
            found = diagnose(self.results, known, self.joint.plays, 0.5 * (until - self.clock()), self.clock)
            named = {name for diagnosis in found for name in diagnosis.mistakes}
        leading = [member for member in members if mistakes[member].name in named]
        self.questioning.see(everywhere(leading, suspects))
        return sorted(leading)

    def agreeing(self, suspects: Suspects) -> list[int]:
        """The suspects whose facts are all wrong, and whom nothing contradicts that went wrong."""
        members, first, size = suspects.fitting(EDGE), 0, 1
        plays = {member: suspects.failing(member, members) for member in members}
        while asked := [(member, play) for member in members for play in plays[member][first : first + size]]:
            self.questioning.see(asked, exactly=False)
            doubtful = self.contradicted(asked)
            self.questioning.see(doubtful)
            refuted = {member for member, _ in self.contradicted(doubtful)}
            members = [member for member in members if member not in refuted]
            first, size = first + size, MORE * size
        return sorted(members)

    def contradicted(self, asked: Sequence[Asked]) -> list[Asked]:
        """Those of these plays of mistakes that lead to something else than what was observed."""
        if not asked:
            return []
        evidence = evidence_of(self.results, self.questioning.forecasts(asked))
        bits = {play.key: play.bits for play in evidence.plays}
        keys = self.footprints.layout.keys
        return [(member, play) for member, play in asked if evidence.parts[member].contradicted & bits.get(keys[play], 0)]

    def known(self, members: Sequence[int], suspects: Suspects) -> Known:
        """These suspects as all that is known, with what was seen of them."""
        forecasts = self.questioning.forecasts(everywhere(members, suspects), self.footprints.layout)
        return Known(self.reference, tuple(self.questioning.records.mistakes), forecasts, self.contract)


def everywhere(members: Iterable[int], suspects: Suspects) -> list[Asked]:
    """The plays of these mistakes that were observed and that they change."""
    return [(member, play) for member in members for play in suspects.acting(member)]


def explained(diagnoses: Sequence[Diagnosis]) -> set[str]:
    """The failed checks that the best diagnosis explains."""
    return {name for diagnosis in diagnoses[:1] for name in diagnosis.checks}
