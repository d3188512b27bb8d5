"""The search for the mistakes of a submission: suspects are played, the likeliest first, until everything is explained."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from normgrade.compare.played import PlayKey, Result
from normgrade.course.mistakes import Mistake, applied, combined, edits_of
from normgrade.course.signature import Signature
from normgrade.diagnosis.deadline import Deadline, OutOfTime
from normgrade.diagnosis.diagnose import Known, diagnose
from normgrade.diagnosis.effects import Layout
from normgrade.diagnosis.evidence import evidence_of
from normgrade.diagnosis.footprints import Footprints
from normgrade.diagnosis.more_plays import MorePlays, NoMorePlays
from normgrade.diagnosis.peeling import NOWHERE, Peeled, peel
from normgrade.diagnosis.questioning import Asked, Questioning, Remembering
from normgrade.diagnosis.steps.step import Step
from normgrade.diagnosis.suspects import Suspects, form_suspects
from normgrade.report.report import UNLISTED, Diagnosis, Outcome

EDGE = 0.02  # the part of the facts that a mistake changes that may be right by a hair
MORE = 3  # times as many plays of each suspect in every round, if one play was not enough to refute it
MOST = 100  # plays of the suspects that are added last, those that act in the fewest plays first
SAMPLE = 3  # plays in which each suspect acts


class Attempt(NamedTuple):
    """The suspects to try, in float64 too or natively only, and those of them that are looked at together first."""

    members: list[int]
    exactly: bool
    together: tuple[int, ...] = ()


class Found(NamedTuple):
    """The diagnoses, None if the time was too short, and the first wrong step of the failures that they leave open, if it is certain.

    `stopped` is True if the time was over before everything was tried.
    """

    diagnoses: tuple[Diagnosis, ...] | None
    step: Step | None = None
    stopped: bool = False


@dataclass(frozen=True)
class Investigation:
    """The comparison of a submission's `results` with known mistakes.

    `again` plays the submission once more, and `peeled` tells the facts that were already taken off these results.
    """

    results: Sequence[Result]
    reference: str
    contract: tuple[Signature, ...]
    footprints: Footprints
    questioning: Questioning
    within_s: float = math.inf
    again: MorePlays = NoMorePlays()  # noqa: RUF009 (it has no state)
    peeled: Peeled | None = None

    @cached_property
    def suspects(self) -> Suspects:
        return Suspects.of(self.results, self.footprints, self.peeled.aside if self.peeled else NOWHERE)

    @cached_property
    def together(self) -> Remembering:
        """The player of several mistakes together."""
        return Remembering(self.questioning.play_sources)

    def explain(self) -> Found:
        """Return the diagnoses that explain the most, and the first wrong step of the failures that they leave open.

        The suspects that agree with all observations are tried first. If they leave a failure open, wrong forms and half precision are
        taken off, and the rest is looked at. If a failure is still open, its first wrong step is looked for, and a change of the reference
        that does the same is one more suspect.
        """
        found, deadline, step, late = list[tuple[Diagnosis, ...]](), Deadline.after(self.within_s), None, True
        with np.errstate(all="ignore"), suppress(OutOfTime):
            self.try_each(self.likeliest(deadline), found, deadline)
            if self.failed - explained(best_of(found)):
                peeled = peel(
                    self.results, self.again.answers, self.again.recordings, partial(self.again.recordings, source=self.reference)
                )
                rest = replace(self, results=peeled.rest, peeled=peeled) if peeled.kinds else self
                rest.try_each(rest.attempts(deadline, found), found, deadline)
                step = rest.first_wrong_step(found, deadline)
            late = self.within_s > 0 and deadline.has_passed()
        stopped = not found or (late and bool(self.failed - explained(best_of(found))))
        return Found(best_of(found) if found else None, step, stopped)

    def first_wrong_step(self, found: list[tuple[Diagnosis, ...]], deadline: Deadline) -> Step | None:
        """Return the first wrong step of the failed checks that no mistake explains; None if it is not certain.

        The submission is compared with the reference that has the mistakes `found`, first together with those that left traces. If the
        step comes with a change of the reference that does the same, that is tried as one more mistake. A step with traced mistakes counts
        only if fewer failures are left open then.
        """
        left, named = self.left_open(best_of(found)), self.named_in(best_of(found))
        for some in dict.fromkeys((tuple(sorted({*named, *self.traced})), tuple(named))):
            right = self.made_together(some)
            step = self.again.first_wrong_step(left, right) if left and right else None
            if step is not None and step.change is not None:
                self.with_unlisted(step).try_each([self.with_last(some)], found, deadline)
            if step is not None and ([*some] == named or len(self.left_open(best_of(found))) < len(left)):
                return step
        return None

    def left_open(self, diagnoses: Sequence[Diagnosis]) -> list[Result]:
        """Return the results that failed and that no mistake explains."""
        names = self.failed - explained(diagnoses)
        return [result for result in self.results if result.check.name in names]

    def named_in(self, diagnoses: Sequence[Diagnosis]) -> list[int]:
        """Return the mistakes of the best diagnosis."""
        names = {*names_in(diagnoses[:1])}
        return [number for number, name in enumerate(self.footprints.mistakes) if name in names]

    def made_together(self, members: Sequence[int]) -> str | None:
        """Return the reference with these mistakes; None if they cannot be made together."""
        known = self.questioning.records.mistakes
        return combined(self.reference, [known[member] for member in members]) if members else self.reference

    def with_unlisted(self, step: Step) -> Investigation:
        """Return the investigation with one more mistake at the end, which is not listed and may act in any play."""
        assert step.change is not None
        edits = edits_of(step.change.edits, self.reference)
        source = applied(self.reference, edits) if edits else None
        unlisted = Mistake(UNLISTED, step.says, source or step.change.source, edits)
        every = self.footprints.among(self.questioning.records.mistakes).with_any(unlisted)
        records = self.questioning.records.of_those([*self.questioning.records.mistakes, unlisted])
        return replace(self, footprints=every, questioning=replace(self.questioning, records=records))

    def with_last(self, members: Sequence[int]) -> Attempt:
        """Return the attempt with these mistakes and, together with them, the one that `with_unlisted` adds."""
        every = [*members, len(self.footprints.mistakes)]
        return Attempt(every, True, tuple(every))

    @property
    def failed(self) -> set[str]:
        """The names of the checks that failed."""
        return {result.check.name for result in self.results if result.check.outcome is Outcome.FAILED}

    def try_each(self, attempts: Iterable[Attempt], found: list[tuple[Diagnosis, ...]], deadline: Deadline) -> None:
        """Add the diagnoses of each attempt to those that were `found`, up to the first attempt that leaves no other suspect to ask.

        A native attempt with several diagnoses is followed by the next one in any case.
        """
        last = None
        for attempt in attempts:
            if attempt == last:
                continue
            members, exactly, together = last = attempt
            asked = everywhere(members, self.suspects)
            self.questioning.see(asked, exactly)
            asked += [pair for pair in self.of_forms if pair not in {*asked}]
            with suppress(OutOfTime):
                found.append(self.diagnoses(asked, deadline, self.footprints.layout, exactly, together))
            if found and (exactly or len(best_of(found)) < 2) and not self.others(best_of(found), members):
                break

    def likeliest(self, deadline: Deadline) -> Iterator[Attempt]:
        """Yield the suspects that agree with the observations, first natively, then in float64, too."""
        natively = self.agreeing(exactly=False)
        if natively and self.suspects.cover(natively, EDGE):
            yield Attempt(natively, False)
        members = self.agreeing()
        if self.suspects.cover(members, EDGE) or deadline.has_passed():
            yield Attempt(members, True)

    def attempts(self, deadline: Deadline, found: Sequence[tuple[Diagnosis, ...]]) -> Iterator[Attempt]:
        """Yield further suspects after forms were taken off, the likeliest first; the last are for failures that `found` leaves open."""
        if self.peeled is not None:
            yield from self.likeliest(deadline)
        if not deadline.has_passed():
            some = sorted({*self.telling(deadline), *self.agreeing(), *self.traced})
            yield Attempt(some, True, self.traced)
            if left := self.left_open(best_of(found)):
                others = sorted(self.others(best_of(found), some), key=lambda member: len(self.suspects.acting(member)))
                traced = self.traced_in(left, self.named_in(best_of(found)))
                yield Attempt(sorted({*some, *self.first_of(others), *traced}), True, traced)

    def first_of(self, members: Sequence[int]) -> Iterator[int]:
        """Return the first of these suspects, up to MOST plays in all."""
        plays = accumulate(len(self.suspects.acting(member)) for member in members)
        return (member for member, count in zip(members, plays, strict=True) if count <= MOST)

    @cached_property
    def of_forms(self) -> list[Asked]:
        """The plays of the mistakes that may explain the facts that were taken off."""
        if self.peeled is None:
            return []
        asked = everywhere(form_suspects(self.peeled, self.footprints), self.suspects)
        self.questioning.see(asked, exactly=False)
        return asked

    def others(self, diagnoses: Sequence[Diagnosis], members: Sequence[int]) -> list[int]:
        """Return the suspects, except for these members, that change a wrong fact which no mistake of the best diagnosis explains.

        A built-in mistake counts after all known mistakes, so the suspects that change its facts are among them.
        """
        named = self.named_in(diagnoses)
        unexplained = self.suspects.facts_of(self.failed - explained(diagnoses)) | ~self.footprints.marks[named].any(0)
        return [member for member in self.suspects.fitting(1.0, unexplained) if member not in members]

    def diagnoses(
        self,
        asked: Sequence[Asked],
        deadline: Deadline,
        layout: Layout | None = None,
        exactly: bool = False,
        together: tuple[int, ...] = (),
    ) -> tuple[Diagnosis, ...]:
        """Return the diagnoses of all that went wrong in the `layout`, by default that of the plays `asked`, in half of the time left.

        The mistakes `together` are tried first.
        """
        within_s = deadline.left_s / 2 if self.within_s else 0.0
        records = self.questioning.records
        known = Known(self.reference, tuple(records.mistakes), self.questioning.forecasts(asked, layout, exactly), self.contract)
        return diagnose(self.results, known, self.together.plays, within_s, self.peeled, together)

    def agreeing(self, exactly: bool = True) -> list[int]:
        """Return the suspects whose facts are nearly all wrong, and that no failing play contradicts.

        If `exactly`, a suspect is contradicted only if its play in float64 disagrees, too.
        """
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
        """Return the suspects that best explain a sample of the failing plays, together or as alternatives; none if time is too short."""
        members = self.suspects.fitting(1.0)
        sample = self.suspects.sample(members, SAMPLE)
        asked = [(member, play) for member, play in everywhere(members, self.suspects) if play in sample]
        self.questioning.see(asked, exactly=False)
        with suppress(OutOfTime):
            names = {*names_in(self.diagnoses(asked, deadline))}
            return [number for number, name in enumerate(self.footprints.mistakes) if name in names]
        return []

    @cached_property
    def traced(self) -> tuple[int, ...]:
        """The suspects with wrong intermediate values that the submission makes, too."""
        return self.traced_in(self.left_open(()))

    def traced_in(self, results: Sequence[Result], beside: Sequence[int] = ()) -> tuple[int, ...]:
        """Return the suspects `beside`, and those that leave further traces in these results."""
        fitting, keys = self.suspects.fitting(1.0), self.footprints.layout.keys

        def acting(key: PlayKey) -> list[int]:
            return [member for member in fitting if self.footprints.acts[member, keys.index(key)]]

        return tuple(sorted(self.again.traced(results, acting, self.made_together, beside)))

    def contradicted(self, asked: Sequence[Asked], exactly: bool) -> list[Asked]:
        """Return those of these plays of mistakes whose outcome differs from the observation."""
        if not asked:
            return []
        evidence = evidence_of(self.results, self.questioning.forecasts(asked, exactly=exactly))
        bits = {play.key: play.bits for play in evidence.plays}
        keys = self.footprints.layout.keys
        return [(member, play) for member, play in asked if evidence.fits[member].contradicted & bits.get(keys[play], 0)]


def everywhere(members: Iterable[int], suspects: Suspects) -> list[Asked]:
    """Return every pair of one of these mistakes and an observed play that it changes."""
    return [(member, play) for member in members for play in suspects.acting(member)]


def explained(diagnoses: Sequence[Diagnosis]) -> set[str]:
    """Return the names of the failed checks that the best diagnosis explains."""
    return {name for diagnosis in diagnoses[:1] for name in diagnosis.checks}


def best_of(found: Sequence[tuple[Diagnosis, ...]]) -> tuple[Diagnosis, ...]:
    """Return the diagnoses that explain the most; if several do, the last ones."""
    return max(reversed(found), key=lambda diagnoses: (len(explained(diagnoses)), bool(diagnoses)), default=())


def names_in(diagnoses: Iterable[Diagnosis]) -> Iterator[str]:
    """Return the names of all mistakes of some diagnoses."""
    return (name for diagnosis in diagnoses for name in diagnosis.mistakes)
