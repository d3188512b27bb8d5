"""One run over a class: which hand-ins are to be graded, and their grading, each kept in the gradebook as soon as it is known."""

from __future__ import annotations

import hashlib
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from normgrade.classes.executors import Graded, Grading, Work
from normgrade.classes.gradebook import Gradebook
from normgrade.classes.hand_ins import HandIn, Origin, Result
from normgrade.language import _


@dataclass(frozen=True, slots=True)
class Plan:
    """The hand-ins of a class.

    new: those that are to be graded, sorted by exercise, so that a process seldom has to read another one.
    kept: those whose result is in the gradebook.
    older: those among the kept ones that another version of normgrade or of a library graded.
    origins: the origin of results that are made now, by slug.
    """

    new: tuple[HandIn, ...]
    kept: tuple[HandIn, ...]
    older: tuple[HandIn, ...]
    origins: Mapping[str, Origin]


class Tally:
    """The count of a run: how many submissions are graded, with how many points, how fast, and which the grader could not grade."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.earned, self.possible = total, 0, 0, 0
        self.errors: list[Graded] = []
        self.started = time.monotonic()

    def count(self, graded: Graded, results: Sequence[Result]) -> None:
        """Count a graded submission."""
        self.done += len(results)
        self.earned += sum(result.earned for result in results)
        self.possible += sum(result.possible for result in results)
        if graded.error:
            self.errors.append(graded)

    def in_words(self) -> str:
        """Return how far the run is."""
        rate = self.done / max(time.monotonic() - self.started, 1e-3)
        return _(
            "{done} of {total} graded, {rate:.1f} per second, {earned} of {possible} points",
            done=self.done,
            total=self.total,
            rate=rate,
            earned=self.earned,
            possible=self.possible,
        )


def plan(hand_ins: Sequence[HandIn], gradebook: Gradebook, origins: Mapping[str, Origin], again: bool) -> Plan:
    """Return what is to be graded: hand-ins that are new, and those whose file, exercise or seed has changed; with `again`, all."""
    known = {} if again else {key: mark.result for key, mark in gradebook.marks().items() if mark.result is not None}
    new, kept, older = [], [], []
    for hand_in in sorted(hand_ins, key=lambda each: (each.exercise, each.student)):
        made, now = known.get((hand_in.student, hand_in.exercise)), origins[hand_in.exercise]
        if made is None or (made.digest, made.course, made.seed) != (digest_of(hand_in.content), now.course, now.seed):
            new.append(hand_in)
            continue
        kept.append(hand_in)
        if (made.program, made.versions) != (now.program, now.versions):
            older.append(hand_in)
    return Plan(tuple(new), tuple(kept), tuple(older), origins)


def grade_class(planned: Plan, gradebook: Gradebook, grade: Grading) -> Iterator[tuple[Graded, list[Result]]]:
    """Grade the new hand-ins with `grade`, and yield each graded submission with its results, which the gradebook has kept by then.

    Hand-ins of the same file at the same exercise, such as those of a group, are graded once.
    """
    alike: dict[tuple[str, str], list[HandIn]] = defaultdict(list)
    for hand_in in planned.new:
        alike[hand_in.exercise, digest_of(hand_in.content)].append(hand_in)
    works = [Work(slug, members[0].content, members[0].origin) for (slug, _digest), members in alike.items()]
    for graded in grade(works):
        slug, digest = graded.work.slug, digest_of(graded.work.content)
        results = [] if graded.error else [Result.of(each, digest, graded.text, planned.origins[slug]) for each in alike[slug, digest]]
        gradebook.keep(results)
        yield graded, results


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
