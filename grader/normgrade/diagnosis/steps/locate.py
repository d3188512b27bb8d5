"""The search for the first wrong step of a submission. A step is only reported if a replay of right code proves it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
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

PLAYS, LOOKED_AT = 2, 6  # failing plays that are searched, and failing plays that are recorded to see if they can be searched
REPLAYS = 250  # in all
FOR_CHANGES = 80  # of these, at most, for changes without a value of the learner's
CHANGES = 4  # that do the same in one play, and are compared in the others


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
        first: Step | None = None
        replays = Replays(failing, course_worker, left)
        case = Case(failing, source_of(source), sources, submission, replays, defines)
        with suppress(Spent), np.errstate(all="ignore"):
            if (search := case.search()) is not None:
                plays -= 1
                for step in steps(case, search):
                    others = (each for each in every if each is not failing)
                    if step.change is not None and all(does_the_same(step.change, each, submission, course_worker) for each in others):
                        return step
                    first = first or step
        if first is not None or not plays:
            return first
        left = replays.left
    return None


def does_the_same(change: Change, failing: Failing, submission: Answer, course_worker: Answer) -> bool:
    """Return True if a change gives the submission's outputs in a further play: in a single one, several changes may."""
    theirs = submission(RecordQuestion(failing.whole, failing.size_limit_bytes))
    if theirs.error is not None or (tolerance := tolerance_of(theirs.records)) is None:
        return True
    made = course_worker(RecordQuestion(failing.whole, failing.size_limit_bytes, change.source))
    return not places_apart(outputs_of(made), outputs_of(theirs), LOOSE * tolerance)


def steps(case: Case, search: StepSearch) -> Iterator[Step]:
    """Yield the first wrong step as each method finds it: by a value of the learner's, a small change, or another right source.

    A proof about a value that is made before any call ends the search, because no step explains it.
    """
    telling = Telling(case.source, case.failing.request, case.defines)
    if links := search.proved() or in_a_row(search):
        yield from proved(search, links, telling)
        if any(telling.is_built(link.held) for link in links):
            return
    for change in islice(changes_without_value(search, FOR_CHANGES), CHANGES):
        if (step := telling.of_change(search, change)) is not None:
            yield step
    for other in case.searches_elsewhere(search):
        if links := other.proved() or in_a_row(other):
            yield from proved(other, links, telling)


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
