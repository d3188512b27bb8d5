"""The search for the first wrong step of a submission. A step is only reported if a replay of right code proves it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice

import numpy as np

from normgrade.compare.played import Result
from normgrade.course.signature import Signature
from normgrade.diagnosis.steps.case import Case
from normgrade.diagnosis.steps.failing import Failing, failing_plays
from normgrade.diagnosis.steps.in_a_row import in_a_row
from normgrade.diagnosis.steps.replays import Answer, Replays, Spent, outputs_of, places_apart
from normgrade.diagnosis.steps.same_values import tolerance_of
from normgrade.diagnosis.steps.small_changes import Change, change_for_several, changes_for, changes_without_value
from normgrade.diagnosis.steps.sources import source_of
from normgrade.diagnosis.steps.step import Step
from normgrade.diagnosis.steps.substitution import LOOSE, Link, StepSearch
from normgrade.diagnosis.steps.telling import Telling
from normgrade.worker.wire.messages import RecordQuestion
from normgrade.worker.wire.observation import Recording

PLAYS, LOOKED_AT = 2, 6  # failing plays that are searched, and failing plays that are recorded to see if they can be searched
REPLAYS = 250  # in all
FOR_CHANGES = 80  # of these, at most, for changes without a value of the learner's
PROOFS, CHANGES = 3, 4  # values of the learner's, and changes for each, that are compared with further plays


def locate(
    unexplained: Iterable[Result],
    source: str,
    sources: Sequence[str],
    submission: Answer,
    course_worker: Answer,
    defines: Sequence[Signature] = (),
) -> Step | None:
    """Return the first step of a submission that goes wrong; None if that is uncertain.

    unexplained: failing checks whose numbers are wrong.
    source: the source of the submission.
    sources: right sources: the reference, then the alternatives.
    submission, course_worker: play questions in workers, on the submission and on sources of the course.
    defines: the names that the exercise defines, with their parameters.
    """
    left, plays, every = REPLAYS, PLAYS, failing_plays(unexplained)[:LOOKED_AT]
    for failing in every:
        replays = Replays(failing, course_worker, left)
        case = Case(failing, source_of(source), sources, submission, replays, defines)
        with suppress(Spent), np.errstate(all="ignore"):
            if (search := case.search()) is not None:
                plays -= 1
                others = Others([each for each in every if each is not failing], submission, course_worker)
                if (step := others.agreed(steps(case, search))) is not None:
                    return step
        left = replays.left
        if not plays:
            break
    return None


@dataclass(frozen=True, eq=False)
class Others:
    """The other failing plays. They tell which of several changes is the learner's: in one play, several may do the same."""

    failing: Sequence[Failing]
    submission: Answer
    course_worker: Answer

    def agreed(self, found: Iterator[Step]) -> Step | None:
        """Return the first step with a change that does the same as the submission in all of these plays, else the first step."""
        first: Step | None = None
        with suppress(Spent):
            for step in found:
                if step.change is not None and self.agree(step.change):
                    return step
                first = first or step
        return first

    def agree(self, change: Change) -> bool:
        """Return True if a changed source gives the outputs of the submission, as far as they can be compared."""
        return all(self.is_alike(change, failing, recording) for failing, recording in self.recordings)

    @cached_property
    def recordings(self) -> list[tuple[Failing, Recording]]:
        """The submission in these plays."""
        asked = [(each, self.submission(RecordQuestion(each.whole, each.size_limit_bytes))) for each in self.failing]
        return [(each, recording) for each, recording in asked if recording.error is None]

    def is_alike(self, change: Change, failing: Failing, recording: Recording) -> bool:
        tolerance = tolerance_of(recording.records)
        played = self.course_worker(RecordQuestion(failing.whole, failing.size_limit_bytes, change.source))
        return tolerance is None or not places_apart(outputs_of(played), outputs_of(recording), LOOSE * tolerance)


def steps(case: Case, search: StepSearch) -> Iterator[Step]:
    """Yield the first wrong step as each method finds it: by a value of the learner's, a small change, or another right source.

    A proof about a value that is made before any call ends the search, because no step explains it.
    """
    telling = Telling(case.source, case.failing.request, case.defines)
    for links in islice(proofs(search), PROOFS):
        yield from proved(search, links, telling)
        if any(telling.is_built(link.held) for link in links):
            return
    for change in islice(changes_without_value(search, FOR_CHANGES), CHANGES):
        if (step := telling.of_change(search, change)) is not None:
            yield step
    for other in case.searches_elsewhere(search):
        for links in islice(proofs(other), 1):
            yield from proved(other, links, telling)


def proofs(search: StepSearch) -> Iterator[Sequence[Link]]:
    """Yield the quantities that explain the learner's outputs, each by itself, or else several in a row."""
    first = None
    for first in search.proofs():
        yield first
    if first is None and (links := in_a_row(search)):
        yield links


def proved(search: StepSearch, links: Sequence[Link], telling: Telling) -> Iterator[Step]:
    """Yield the step that the learner's values prove, with each change that is found, or else without one."""
    if (recording := search.with_values(links)) is None:
        return
    some = islice(found_changes(search, links), CHANGES)
    for change in chain([next(some, None)], some):
        if (step := telling.of_values(search, links, recording, change)) is not None:
            yield step


def found_changes(search: StepSearch, links: Sequence[Link]) -> Iterator[Change]:
    """Yield the changes with the same effect as the learner's values, until no replay is left."""
    with suppress(Spent):
        if len(links) == 1:
            yield from changes_for(search, links[0])
        elif (change := change_for_several(search, links)) is not None:
            yield change
