"""A class in words: the hand-ins that were found, those that are left out, and the marks of each exercise."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from normgrade.classes.gradebook import Change, Mark, Result
from normgrade.classes.hand_ins import HandedIn
from normgrade.language import _, n_
from normgrade.language.visible import visible_name
from normgrade.report.report import Outcome

MOST_LEFT_OUT = 20  # sentences about files that are not graded
MOST_NAMES = 30  # names of students in a line
COMMONEST = 3  # mistakes named for each exercise


def understood(found: HandedIn, whole: bool) -> Iterator[str]:
    """Yield the lines about the hand-ins that were found. With `whole`, all late ones are named."""
    for name, layout in found.layouts:
        yield visible_name(_("{path}: read as {layout}", path=name, layout=layout))
    by_exercise = Counter(each.exercise for each in found.hand_ins)
    students = len({each.student for each in found.hand_ins})
    yield _(
        "{files}: {students} × {exercises}",
        files=n_("{n} hand-in", "{n} hand-ins", len(found.hand_ins)),
        students=n_("{n} student", "{n} students", students),
        exercises=n_("{n} exercise", "{n} exercises", len(by_exercise)),
    )
    yield "  " + " · ".join(f"{slug} {number}" for slug, number in sorted(by_exercise.items()))
    if late := [_("{student} ({slug})", student=each.student, slug=each.exercise) for each in found.hand_ins if each.late]:
        yield n_("{n} came late: {names}", "{n} came late: {names}", len(late), names=names_in_words(late, whole))


def left_out_in_words(found: HandedIn, whole: bool) -> Iterator[str]:
    """Yield the lines about files that are left out, absent students and those who are not on the roster. With `whole`, none is cut."""
    if found.left_out:
        yield _("Left out:")
        for each in found.left_out if whole else found.left_out[:MOST_LEFT_OUT]:
            yield "  " + visible_name(f"{each.origin}: {each.why}")
            yield from ("    " + visible_name(file) for file in each.files if whole)
        if not whole and (more := len(found.left_out) - MOST_LEFT_OUT) > 0:
            yield "  " + n_("… and {n} more. --dry-run names all.", "… and {n} more. --dry-run names all.", more)
    if found.absent:
        yield n_(
            "{n} student of the roster handed in nothing to grade: {names}",
            "{n} students of the roster handed in nothing to grade: {names}",
            len(found.absent),
            names=names_in_words(found.absent, whole),
        )
    if found.nameless:
        yield n_(
            "{n} row of the roster has no name, so another cell of it stands for the student.",
            "{n} rows of the roster have no name, so another cell of each stands for the student.",
            found.nameless,
        )
    if found.ungraded:
        yield n_(
            "{n} student handed in nothing to grade: {names}",
            "{n} students handed in nothing to grade: {names}",
            len(found.ungraded),
            names=names_in_words(found.ungraded, whole),
        )
    if found.strangers:
        yield n_(
            "{n} student is not on the roster, and is graded all the same: {names}",
            "{n} students are not on the roster, and are graded all the same: {names}",
            len(found.strangers),
            names=names_in_words(found.strangers, whole),
        )


def names_in_words(names: Sequence[str], whole: bool = False) -> str:
    """Return the first names in a line, or with `whole` all. A name with a comma is quoted."""
    shown = [f'"{name}"' if "," in name else name for name in map(visible_name, names)]
    return ", ".join(shown if whole or len(shown) <= MOST_NAMES else [*shown[:MOST_NAMES], "…"])


def summary_of(marks: Iterable[Mark], slugs: Sequence[str]) -> Iterator[str]:
    """Yield two lines for each exercise: how many passed and the points, and the commonest mistakes."""
    by_exercise: dict[str, list[Mark]] = {slug: [] for slug in sorted(slugs)}
    for mark in marks:
        if mark.exercise in by_exercise:
            by_exercise[mark.exercise].append(mark)
    for slug, those in by_exercise.items():
        results = [mark.result for mark in those if mark.result is not None]
        if not results:
            continue
        yield _(
            "{slug}: {passed} of {all} passed, {median:g} of {possible} points in the median",
            slug=slug,
            passed=sum(result.outcome is Outcome.PASSED for result in results),
            all=len(results),
            median=statistics.median(mark.points for mark in those),
            possible=results[-1].possible,
        )
        mistakes = Counter(name for result in results for name in result.mistakes)
        if mistakes:
            yield "  " + " · ".join(f"{name} {number}" for name, number in mistakes.most_common(COMMONEST))


def marks_in_words(students: Mapping[str, str], marks: Mapping[tuple[str, str], Mark]) -> Iterator[str]:
    """Yield a line for each student with the points of each exercise; a star marks those that a person set."""
    slugs = sorted({slug for _student, slug in marks})
    for student in students:
        found = [(slug, marks[student, slug]) for slug in slugs if (student, slug) in marks]
        told = ", ".join(f"{slug} {mark.points:g}{'*' if mark.override else ''}{late_in_words(mark.late)}" for slug, mark in found)
        yield f"{visible_name(student)}: {told or _('nothing')}"
    if any(mark.override for mark in marks.values()):
        yield _("* set by a person")


def late_in_words(late: bool) -> str:
    return f" ({_('late')})" if late else ""


def result_in_words(result: Result) -> str:
    """Return a line about one result."""
    return _(
        "{slug}, attempt {attempt}, graded on {day}: {earned} of {possible} points, {outcome} {mistakes}",
        slug=result.exercise,
        attempt=f"{result.attempt}{late_in_words(result.late)}",
        day=f"{result.at:%Y-%m-%d %H:%M}",
        earned=result.earned,
        possible=result.possible,
        outcome=_(result.outcome),
        mistakes=", ".join(result.mistakes),
    ).rstrip()


def change_in_words(change: Change) -> str:
    """Return a line about a mark that a regrading changed."""
    return _(
        "{student}, {slug}: {old} → {new} points {mistakes}",
        student=visible_name(change.new.student),
        slug=change.new.exercise,
        old=change.old.earned,
        new=change.new.earned,
        mistakes="" if change.old.mistakes == change.new.mistakes else f"({listing(change.old)} → {listing(change.new)})",
    ).rstrip()


def listing(result: Result) -> str:
    """Return the mistakes of a result, or its outcome if none is named."""
    return ", ".join(result.mistakes) or _(result.outcome)
