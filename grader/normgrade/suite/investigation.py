"""Looks for the mistakes in what a submission did: suspects are played where that tells, the likeliest first, until all is explained."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from normgrade.compare.deadline import Deadline, OutOfTime
from normgrade.compare.diagnose import Known, diagnose
from normgrade.compare.effects import Layout
from normgrade.compare.evidence import evidence_of
from normgrade.compare.footprints import Footprints
from normgrade.compare.peeling import NOWHERE, Peeled, peel
from normgrade.compare.played import Result
from normgrade.compare.suspects import Suspects, form_suspects
from normgrade.course.mistakes import Mistake, applied, combined, edits_of
from normgrade.course.signature import Signature
from normgrade.report.report import UNLISTED, Diagnosis, Outcome
from normgrade.steps.step import Step
from normgrade.suite.again import Again, Never
from normgrade.suite.questioning import Asked, Questioning, Remembering

EDGE = 0.02  # of the facts that a mistake changes, those that may be right by a hair
MORE = 3  # times as many plays of each suspect, after one was not enough to refute it
LOOKS = 3  # plays of each suspect in which it may show
SAMPLE = 3  # plays in which each suspect acts
MOST = 300  # plays of all suspects


Attempt = tuple[list[int], bool]  # suspects, and if they are seen exactly


class Found(NamedTuple):
    """The diagnoses, None where the time was too short, and the first wrong step of what they leave open, if it is certain."""

    diagnoses: tuple[Diagnosis, ...] | None
    step: Step | None = None


@dataclass(frozen=True)
class Investigation:
    """One submission, whose `results` known mistakes are held against.

    `again` plays it once more, and `peeled` is what was taken off these results already.
    """

    results: Sequence[Result]
    reference: str
    contract: tuple[Signature, ...]
    footprints: Footprints
    questioning: Questioning
    within_s: float = math.inf
    again: Again = Never()  # noqa: RUF009
    peeled: Peeled | None = None
    followed: list[int] = field(default_factory=list)

    @cached_property
    def suspects(self) -> Suspects:
        return Suspects.of(self.results, self.footprints, self.peeled.aside if self.peeled else NOWHERE)

    @cached_property
    def together(self) -> Remembering:
        """Plays several mistakes together."""
        return Remembering(self.questioning.play_sources)

    def explain(self) -> Found:
        """The diagnoses that explain the most, and the first wrong step of what they leave open.

        Suspects that agree with all that was observed are named exactly. If they leave something open, what is wrong about forms and half
        precision is taken off, and the rest is looked at. If that leaves something open, too, the first step that goes wrong there is
        looked for, and a change of the reference that does the same is one more suspect.
        """
        found, deadline, step = list[tuple[Diagnosis, ...]](), Deadline.after(self.within_s), None
        with np.errstate(all="ignore"):
            self.try_each(self.likeliest(deadline), found, deadline)
            if self.failed - explained(best_of(found)):
                peeled = peel(self.results, self.again.answers)
                rest = replace(self, results=peeled.rest, peeled=peeled) if peeled.kinds else self
                rest.try_each(rest.attempts(deadline, found), found, deadline)
                step = rest.first_wrong_step(best_of(found))
                if step is not None and step.change is not None:
                    rest.with_unlisted(step).try_each([rest.together_with_last(best_of(found))], found, deadline)
        return Found(best_of(found) if found else None, step)

    def first_wrong_step(self, diagnoses: Sequence[Diagnosis]) -> Step | None:
        """The first step that goes wrong at the claims that fail and that no mistake explains."""
        left = self.left_open(diagnoses)
        for some in ([*self.named_in(diagnoses), *self.traced_beside(diagnoses)], self.named_in(diagnoses)):
            right = combined(self.reference, some) if some else self.reference
            if left and right and (step := self.again.first_wrong_step(left, right)) is not None:
                return step
        return None

    def traced_beside(self, diagnoses: Sequence[Diagnosis]) -> list[Mistake]:
        """The mistakes that left traces, without those of the best diagnosis."""
        known, names = self.questioning.records.mistakes, {*names_in(diagnoses[:1])}
        return [known[member] for member in self.followed if known[member].name not in names]

    def left_open(self, diagnoses: Sequence[Diagnosis]) -> list[Result]:
        """The results that no mistake explains."""
        names = self.failed - explained(diagnoses)
        return [result for result in self.results if result.check.name in names]

    def named_in(self, diagnoses: Sequence[Diagnosis]) -> list[Mistake]:
        """The mistakes of the best diagnosis."""
        names = {*names_in(diagnoses[:1])}
        return [mistake for mistake in self.questioning.records.mistakes if mistake.name in names]

    def with_unlisted(self, step: Step) -> Investigation:
        """The same with one more mistake, the last, which nobody has listed; it may act in any play."""
        assert step.change is not None
        edits = edits_of(step.change.edits, self.reference)
        source = applied(self.reference, edits) if edits else None
        unlisted = Mistake(UNLISTED, step.says, source or step.change.source, edits)
        every = self.footprints.among(self.questioning.records.mistakes).with_any(unlisted)
        records = self.questioning.records.of_those([*self.questioning.records.mistakes, unlisted])
        return replace(self, footprints=every, questioning=replace(self.questioning, records=records))

    def together_with_last(self, diagnoses: Sequence[Diagnosis]) -> Attempt:
        """The mistakes of the best diagnosis, and the last one of all."""
        named = [number for number, name in enumerate(self.footprints.mistakes) if name in {*names_in(diagnoses[:1])}]
        return [*{*named, *self.followed}, len(self.footprints.mistakes)], True

    @property
    def failed(self) -> set[str]:
        """The names of the checks that failed."""
        return {result.check.name for result in self.results if result.check.outcome is Outcome.FAILED}

    def try_each(self, attempts: Iterable[Attempt], found: list[tuple[Diagnosis, ...]], deadline: Deadline) -> None:
        """Add the diagnoses of each attempt to those that were `found`, up to the first that leaves nobody else to ask."""
        last = None
        for members, exactly in attempts:
            if (members, exactly) == last:
                continue
            last, asked = (members, exactly), everywhere(members, self.suspects)
            self.questioning.see(asked, exactly)
            asked += [pair for pair in self.of_forms if pair not in {*asked}]
            with suppress(OutOfTime):
                found.append(self.diagnoses(asked, deadline, self.footprints.layout, exactly))
            if found and (exactly or len(best_of(found)) < 2) and not self.others(best_of(found), members):
                break

    def likeliest(self, deadline: Deadline) -> Iterator[Attempt]:
        """The suspects that agree with what was observed, natively and exactly."""
        natively = self.agreeing(exactly=False)
        if natively and self.suspects.cover(natively, EDGE):
            yield natively, False
        members = self.agreeing()
        if self.suspects.cover(members, EDGE) or deadline.has_passed():
            yield members, True

    def attempts(self, deadline: Deadline, found: Sequence[tuple[Diagnosis, ...]]) -> Iterator[Attempt]:
        """Suspects, the likeliest ones first; the last ones depend on what was `found` before."""
        if self.peeled is not None:
            yield from self.likeliest(deadline)
        if not deadline.has_passed():
            some = sorted({*self.telling(deadline), *self.agreeing(), *self.trace(found)})
            yield some, True
            others = sorted(self.others(best_of(found), some), key=lambda member: len(self.suspects.acting(member)))
            yield self.played([*some, *others], deadline), True

    @cached_property
    def of_forms(self) -> list[Asked]:
        """The plays of the mistakes that may be what was taken off."""
        if self.peeled is None:
            return []
        asked = everywhere(form_suspects(self.peeled, self.footprints), self.suspects)
        self.questioning.see(asked, exactly=False)
        return asked

    def others(self, diagnoses: Sequence[Diagnosis], members: Sequence[int]) -> list[int]:
        """The suspects that are not among these members, and that change a wrong fact which no mistake of the best diagnosis explains.

        A finding of our own counts after all known mistakes: those that change its facts are among them.
        """
        named = [number for number, name in enumerate(self.footprints.mistakes) if name in {*names_in(diagnoses[:1])}]
        unexplained = self.suspects.facts_of(self.failed - explained(diagnoses)) | ~self.footprints.marks[named].any(0)
        return [member for member in self.suspects.fitting(1.0, unexplained) if member not in members and member in self.showing]

    def diagnoses(
        self, asked: Sequence[Asked], deadline: Deadline, layout: Layout | None = None, exactly: bool = False
    ) -> tuple[Diagnosis, ...]:
        """The diagnoses of all that went wrong in the `layout`, by default in these plays of mistakes, in half of the time left."""
        within_s = deadline.left_s / 2 if self.within_s else 0.0
        records = self.questioning.records
        known = Known(self.reference, tuple(records.mistakes), self.questioning.forecasts(asked, layout, exactly), self.contract)
        return diagnose(self.results, known, self.together.plays, within_s, self.peeled, self.seed(asked))

    def seed(self, asked: Sequence[Asked]) -> tuple[int, ...]:
        """The mistakes that left traces, if they are among those that were asked."""
        return tuple(sorted({member for member, _play in asked} & {*self.followed}))

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

    @cached_property
    def showing(self) -> list[int]:
        """The suspects that lead alone to something that went wrong, just as it was observed, in one of their first plays."""
        members, found = self.suspects.fitting(1.0), list[int]()
        plays = {member: self.suspects.failing(member, members)[:LOOKS] for member in members}
        for look in range(LOOKS):
            asked = [(member, plays[member][look]) for member in members if member not in found and look < len(plays[member])]
            self.questioning.see(asked, exactly=False)
            found += self.leading_to_it(asked)
        return [member for member in members if member in found]

    def leading_to_it(self, asked: Sequence[Asked]) -> list[int]:
        """The mistakes that in these plays lead to anything wrong that was observed."""
        if not asked:
            return []
        evidence = evidence_of(self.results, self.questioning.forecasts(asked, exactly=False))
        bits = {play.key: play.bits for play in evidence.plays}
        keys = self.footprints.layout.keys
        found = []
        for member, play in asked:
            part = evidence.parts[member]
            if part.active & ~part.contradicted & evidence.wrong & bits.get(keys[play], 0):
                found.append(member)
        return found

    def telling(self, deadline: Deadline) -> list[int]:
        """The suspects that best explain a sample of what went wrong, together or each in the place of another."""
        members = self.showing
        sample = self.suspects.sample(members, SAMPLE)
        asked = [(member, play) for member, play in everywhere(members, self.suspects) if play in sample]
        self.questioning.see(asked, exactly=False)
        with suppress(OutOfTime):
            names = {*names_in(self.diagnoses(asked, deadline))}
            return [number for number, name in enumerate(self.footprints.mistakes) if name in names]
        return []

    def trace(self, found: Sequence[tuple[Diagnosis, ...]]) -> list[int]:
        """The suspects that make values on the way which only wrong code makes, and the submission too."""
        known = self.questioning.records.mistakes

        def combine(members: Sequence[int]) -> str | None:
            return combined(self.reference, [known[member] for member in members]) if members else self.reference

        self.followed[:] = self.again.traced(self.left_open(best_of(found)), self.suspects.fitting(1.0), combine)
        return self.followed

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
    return max(reversed(found), key=lambda diagnoses: (len(explained(diagnoses)), bool(diagnoses)), default=())


def names_in(diagnoses: Iterable[Diagnosis]) -> Iterator[str]:
    """The names of all mistakes of some diagnoses."""
    return (name for diagnosis in diagnoses for name in diagnosis.mistakes)
