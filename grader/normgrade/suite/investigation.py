"""Looks for the mistakes in what a submission did: suspects are played where that tells, the likeliest first, until all is explained."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from normgrade.compare.deadline import Deadline, OutOfTime
from normgrade.compare.diagnose import Known, diagnose
from normgrade.compare.effects import Layout
from normgrade.compare.evidence import evidence_of
from normgrade.compare.footprints import Footprints
from normgrade.compare.played import Result
from normgrade.compare.suspects import Suspects
from normgrade.course.signature import Signature
from normgrade.report.report import Diagnosis, Outcome
from normgrade.suite.questioning import Asked, Questioning, Remembering

EDGE = 0.02  # of the facts that a mistake changes, those that may be right by a hair
MORE = 3  # times as many plays of each suspect, after one was not enough to refute it
SAMPLE = 5  # plays in which each suspect acts
MOST = 2000  # plays of all suspects


@dataclass(frozen=True)
class Investigation:
    """One submission, whose `results` known mistakes are held against."""

    results: Sequence[Result]
    reference: str
    contract: tuple[Signature, ...]
    footprints: Footprints
    questioning: Questioning
    within_s: float = math.inf

    @cached_property
    def suspects(self) -> Suspects:
        return Suspects.of(self.results, self.footprints)

    @cached_property
    def together(self) -> Remembering:
        """Plays several mistakes together."""
        return Remembering(self.questioning.play_sources)

    def explain(self) -> tuple[Diagnosis, ...] | None:
        """The diagnoses of the first suspects that explain everything, or else the best ones; None where the time was too short."""
        found, last, deadline = list[tuple[Diagnosis, ...]](), None, Deadline.after(self.within_s)
        with np.errstate(all="ignore"):
            for members, exactly in self.attempts(deadline, found):
                if (members, exactly) == last:
                    continue
                last, asked = (members, exactly), everywhere(members, self.suspects)
                self.questioning.see(asked, exactly)
                with suppress(OutOfTime):
                    found.append(self.diagnoses(asked, deadline, self.footprints.layout, exactly))
                if found and (exactly or len(best_of(found)) < 2) and not self.others(best_of(found), members):
                    break
        return best_of(found) if found else None

    def attempts(self, deadline: Deadline, found: Sequence[tuple[Diagnosis, ...]]) -> Iterator[tuple[list[int], bool]]:
        """Suspects, the likeliest ones first, and if they are to be seen exactly; the last ones depend on what was `found` before."""
        natively = self.agreeing(exactly=False)
        if natively and self.suspects.cover(natively, EDGE):
            yield natively, False
        members = self.agreeing()
        if self.suspects.cover(members, EDGE) or deadline.has_passed():
            yield members, True
        if not deadline.has_passed():
            some = sorted({*self.telling(deadline), *members})
            yield some, True
            others = sorted(self.others(best_of(found), some), key=lambda member: len(self.suspects.acting(member)))
            yield self.played([*some, *others], deadline), True

    def others(self, diagnoses: Sequence[Diagnosis], members: Sequence[int]) -> list[int]:
        """The suspects that are not among these members, and that change a wrong fact which no mistake of the best diagnosis explains.

        A finding of our own counts after all known mistakes: those that change its facts are among them.
        """
        named = [number for number, name in enumerate(self.footprints.mistakes) if name in {*names_in(diagnoses[:1])}]
        failed = {result.check.name for result in self.results if result.check.outcome is Outcome.FAILED}
        unexplained = self.suspects.facts_of(failed - explained(diagnoses)) | ~self.footprints.marks[named].any(0)
        return [member for member in self.suspects.fitting(1.0, unexplained) if member not in members]

    def diagnoses(
        self, asked: Sequence[Asked], deadline: Deadline, layout: Layout | None = None, exactly: bool = False
    ) -> tuple[Diagnosis, ...]:
        """The diagnoses of all that went wrong in the `layout`, by default in these plays of mistakes, in half of the time left."""
        within_s = deadline.left_s / 2 if self.within_s else 0.0
        records = self.questioning.records
        known = Known(self.reference, tuple(records.mistakes), self.questioning.forecasts(asked, layout, exactly), self.contract)
        return diagnose(self.results, known, self.together.plays, within_s)

    def agreeing(self, exactly: bool = True) -> list[int]:
        """The suspects whose facts are all wrong, and that nothing contradicts which went wrong; natively only, or `exactly` neither."""
        members, first, size = self.suspects.fitting(EDGE), 0, 1
        plays = {member: self.suspects.failing(member, members) for member in members}
        while asked := [(member, play) for member in members for play in plays[member][first : first + size]]:
            self.questioning.see(asked, exactly=False)
            doubtful = self.contradicted(asked, exactly=False)
            if exactly:
                self.questioning.see(doubtful)
                doubtful = self.contradicted(doubtful, exactly=True)
            refuted = {member for member, _ in doubtful}
            members = [member for member in members if member not in refuted]
            first, size = first + size, MORE * size
        return sorted(members)

    def telling(self, deadline: Deadline) -> list[int]:
        """The suspects that best explain a sample of what went wrong, together or each in the place of another."""
        members = self.suspects.fitting(1.0)
        sample = self.suspects.sample(members, SAMPLE)
        asked = [(member, play) for member, play in everywhere(members, self.suspects) if play in sample]
        self.questioning.see(asked, exactly=False)
        with suppress(OutOfTime):
            names = {*names_in(self.diagnoses(asked, deadline))}
            return [number for number, name in enumerate(self.footprints.mistakes) if name in names]
        return []

    def played(self, members: Sequence[int], deadline: Deadline) -> list[int]:
        """The first of these suspects, after they were played everywhere: as many as may take half of the time left.

        Those that act in few plays come first: a sample tells the least of them.
        """
        found, plays, enough = [], 0, Deadline.after(deadline.left_s / 2)
        for member in members:
            asked = everywhere([member], self.suspects)
            plays += len(asked)
            if plays > MOST or enough.has_passed():
                break
            self.questioning.see(asked)
            found.append(member)
        return sorted(found)

    def contradicted(self, asked: Sequence[Asked], exactly: bool) -> list[Asked]:
        """Those of these plays of mistakes that lead to something else than what was observed."""
        if not asked:
            return []
        evidence = evidence_of(self.results, self.questioning.forecasts(asked, exactly=exactly))
        bits = {play.key: play.bits for play in evidence.plays}
        keys = self.footprints.layout.keys
        return [(member, play) for member, play in asked if evidence.parts[member].contradicted & bits.get(keys[play], 0)]


def everywhere(members: Iterable[int], suspects: Suspects) -> list[Asked]:
    """The plays of these mistakes that were observed and that they change."""
    return [(member, play) for member in members for play in suspects.acting(member)]


def explained(diagnoses: Sequence[Diagnosis]) -> set[str]:
    """The failed checks that the best diagnosis explains."""
    return {name for diagnosis in diagnoses[:1] for name in diagnosis.checks}


def best_of(found: Sequence[tuple[Diagnosis, ...]]) -> tuple[Diagnosis, ...]:
    """The diagnoses that explain the most; the last ones of several."""
    return max(reversed(found), key=lambda diagnoses: len(explained(diagnoses)), default=())


def names_in(diagnoses: Iterable[Diagnosis]) -> Iterator[str]:
    """The names of all mistakes of some diagnoses."""
    return (name for diagnosis in diagnoses for name in diagnosis.mistakes)
