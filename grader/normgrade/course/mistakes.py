"""Known mistakes: wrong implementations, written as small edits of the reference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from normgrade.course.course import Exercise, Table, Wrong, read, text
from normgrade.language import _
from normgrade.language.errors import CourseError


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters of the reference from `start` to `end`."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Mistake:
    """One known mistake: its name, what it says to the learner, and the wrong source. No edits where a file holds the source."""

    name: str
    says: str
    source: str
    edits: tuple[Edit, ...] = ()


def read_mistakes(exercise: Exercise) -> tuple[Mistake, ...]:
    """Every mistake of the exercise, in the order of mistakes.toml."""
    reference = read(exercise.reference)
    table = Table.read(exercise.mistakes)
    mistakes = tuple(read_mistake(exercise, entry, reference) for entry in table.tables("mistake"))
    table.finish()
    names = [mistake.name for mistake in mistakes]
    for name in names:
        if names.count(name) > 1:
            table.wrong("mistake", _('the name "{name}" is given twice', name=name))
    return mistakes


def read_mistake(exercise: Exercise, entry: Table, reference: str) -> Mistake:
    name, says = entry.take("name", text), entry.spoken("says", text)
    pairs, file = entry.take("edit", texts_in_pairs, ()), entry.take("file", text, "")
    entry.finish()
    if bool(pairs) == bool(file):
        entry.wrong("edit", _('the mistake "{name}" needs either `edit` or `file`', name=name))
    if not file:
        edits = tuple(find_edit(entry, name, old, new, reference) for old, new in pairs)
        source = applied(reference, edits) or entry.wrong("edit", _('the edits of "{name}" overlap', name=name))
        return Mistake(name, says, source, edits)
    path = exercise.mistakes.parent / file
    try:
        return Mistake(name, says, path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CourseError(
            _(
                '{toml}: file: the mistake "{name}" names {path}, which cannot be read ({error}).',
                toml=entry.path,
                name=name,
                path=path,
                error=error.strerror,
            )
        ) from error


def find_edit(entry: Table, name: str, old: str, new: str, reference: str) -> Edit:
    if (count := reference.count(old)) != 1:
        entry.wrong(
            "edit",
            _(
                '{old!r} of the mistake "{name}" must occur exactly once in reference.py, not {count} times',
                old=old,
                name=name,
                count=count,
            ),
        )
    start = reference.index(old)
    return Edit(start, start + len(old), new)


def applied(reference: str, edits: Iterable[Edit]) -> str | None:
    """The reference with the edits made; None where two of them touch the same text."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    if any(first.end > second.start for first, second in pairwise(ordered)):
        return None
    for edit in reversed(ordered):
        reference = reference[: edit.start] + edit.new + reference[edit.end :]
    return reference


def together(reference: str, mistakes: Iterable[Mistake]) -> str | None:
    """The source with all of these mistakes; None where they cannot be made together."""
    mistakes = tuple(mistakes)
    if len(mistakes) == 1:
        return mistakes[0].source
    if not all(mistake.edits for mistake in mistakes):
        return None
    source = applied(reference, (edit for mistake in mistakes for edit in mistake.edits))
    if source is None:
        return None
    try:
        compile(source, "mistakes", "exec", dont_inherit=True)
    except SyntaxError:
        return None
    return source


def texts_in_pairs(value: object) -> tuple[tuple[str, str], ...]:
    if isinstance(value, list) and all(isinstance(pair, list) and list(map(type, pair)) == [str, str] for pair in value):
        return tuple((old, new) for old, new in value)
    raise Wrong(_('a list of pairs, [["old", "new"], …]'))
