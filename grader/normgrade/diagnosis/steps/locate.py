"""The search for the first wrong step of a submission. A step is only reported if a replay of right code proves it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

import numpy as np

from normgrade.compare.played import Result
from normgrade.course.signature import Signature
from normgrade.diagnosis.steps.case import Case
from normgrade.diagnosis.steps.failing import failing_plays
from normgrade.diagnosis.steps.in_a_row import in_a_row
from normgrade.diagnosis.steps.replays import Answer, Replays, Spent
from normgrade.diagnosis.steps.small_changes import Change, change_for, change_for_several, change_without_value
from normgrade.diagnosis.steps.sources import source_of
from normgrade.diagnosis.steps.step import Step
from normgrade.diagnosis.steps.substitution import Link, StepSearch
from normgrade.diagnosis.steps.telling import Telling

PLAYS, LOOKED_AT = 2, 6  # failing plays that are searched, and failing plays that are recorded to see if they can be searched
REPLAYS = 250  # in all
FOR_CHANGES = 80  # of these, at most, for changes without a value of the learner's


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
    left, plays = REPLAYS, PLAYS
    for failing in failing_plays(unexplained)[:LOOKED_AT]:
        replays = Replays(failing, course_worker, left)
        case = Case(failing, source_of(source), sources, submission, replays, defines)
        with suppress(Spent), np.errstate(all="ignore"):
            if (search := case.search()) is not None:
                plays -= 1
                if (step := next(steps(case, search), None)) is not None:
                    return step
        left = replays.left
        if not plays:
            break
    return None


def steps(case: Case, search: StepSearch) -> Iterator[Step]:
    """Yield the first wrong step as each method finds it: by a value of the learner's, a small change, or another right source.

    A proof about a value that is made before any call ends the search, because no step explains it.
    """
    telling = Telling(case.source, case.failing.request, case.defines)
    if links := search.proved() or in_a_row(search):
        yield from proved(search, links, telling)
        if any(telling.is_built(link.held) for link in links):
            return
    change = change_without_value(search, FOR_CHANGES)
    if change is not None and (step := telling.of_change(search, change)) is not None:
        yield step
    for other in case.searches_elsewhere(search):
        if links := other.proved() or in_a_row(other):
            yield from proved(other, links, telling)


def proved(search: StepSearch, links: Sequence[Link], telling: Telling) -> Iterator[Step]:
    """Yield the step that the learner's values prove, with a change if one is found."""
    recording = search.with_values(links)
    step = None if recording is None else telling.of_values(search, links, recording, found_change(search, links))
    if step is not None:
        yield step


def found_change(search: StepSearch, links: Sequence[Link]) -> Change | None:
    """Return a change with the same effect as the learner's values; None if there is none, or no replay is left."""
    try:
        return change_for(search, links[0]) if len(links) == 1 else change_for_several(search, links)
    except Spent:
        return None
