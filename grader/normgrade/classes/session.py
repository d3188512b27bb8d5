"""One run over a class: which hand-ins are to be graded, and their grading, each kept in the gradebook as soon as it is known."""

from __future__ import annotations

import hashlib
import platform
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from normgrade import __version__
from normgrade.classes.gradebook import Gradebook
from normgrade.classes.hand_ins import HandedIn, HandIn
from normgrade.classes.pool import Graded, Work
from normgrade.classes.results import Origin, Result
from normgrade.course.exercise import Exercise
from normgrade.course.layout import settings_in
from normgrade.course.package import digest_of_sources
from normgrade.language import _

Grading = Callable[[Iterable[Work]], Iterator[Graded]]  # yields the graded submissions as they come


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


def enrol(found: HandedIn, gradebook: Gradebook) -> None:
    """Add the students of a class to the gradebook, also those who handed in nothing."""
    gradebook.enrol(found.students)


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


# The origin of a result: digests of the course and of normgrade, and the versions of the libraries


FOR_LEARNERS = {".md", ".svg"}  # the endings of files that decide no verdict


def origin_of(exercise: Exercise, seed: int) -> Origin:
    """Return the origin of the results at an exercise that are made here, with this seed."""
    libraries = {"python": platform.python_version(), "numpy": version("numpy"), "torch": version("torch")}
    return Origin(digest_of_exercise(exercise), digest_of_sources().hex(), {"normgrade": __version__, **libraries}, seed)


def digest_of_exercise(exercise: Exercise) -> str:
    """Return a digest of all files of the course that decide a verdict on this exercise, in hexadecimal."""
    digest = hashlib.sha256()
    for path in files_of(exercise):
        content, name = path.read_bytes(), path.relative_to(exercise.course).as_posix()
        digest.update(f"{len(name)} {len(content)} {name}".encode() + content)
    return digest.hexdigest()


def files_of(exercise: Exercise) -> Iterator[Path]:
    """Yield the files, sorted within each folder."""
    for folder in (exercise.folder, exercise.solutions):
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file() and decides(path))
    shared = exercise.shared_probes, exercise.shared_mistakes, settings_in(exercise.course)
    for path in (exercise.suite, *exercise.helpers, *shared):
        if path is not None and path.is_file():
            yield path


def decides(path: Path) -> bool:
    """Return True if the content of a file in a folder of the course can decide a verdict."""
    return path.suffix not in FOR_LEARNERS and "__pycache__" not in path.parts
