"""Known mistakes and other wrong answers: wrong implementations, most of them written as small edits of the reference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate, pairwise

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.table import Table, Wrong, between, text, truth
from normgrade.course.translations import translations
from normgrade.language import _

TOKEN = re.compile(r"\s+|\d+\.?\d*(?:e[-+]?\d+)?|[\w.]+|[^\w\s]", re.IGNORECASE)  # a number, a name with dots, an operator, or space
LONGEST_LABEL = 60  # in characters
WRONG, EQUIVALENT = "wrong", "equivalent"  # keys of mistakes.toml that are no names of mistakes
COST = 4  # in points, of a mistake that gives no other cost


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement in the reference.

    - `start`, `end`: the range of characters that are replaced, without `end`.
    - `new`: the text in their place.

    >>> applied("x - mean", [Edit(2, 3, "+")])
    'x + mean'
    """

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Mistake:
    """One known wrong implementation.

    - `name`: unique within its exercise, as in `"unbiased-variance"`.
    - `says`: the explanation for the learner, in the current language.
    - `source`: the whole wrong implementation, as Python source.
    - `edits`: the differences of `source` from the reference; empty if `source` comes from a separate file.
    - `remedy`: a remark at the learner's own line, in a few words; "" if there is none.
    - `cost`: the points that it costs if mistakes explain all failures.

    >>> from normgrade.course.course import Course
    >>> mistakes = {mistake.name: mistake for mistake in read_mistakes(Course.find().exercise("layer_norm"))}
    >>> [edit.new for edit in mistakes["unbiased-variance"].edits]
    ['correction=1']
    """

    name: str
    says: str
    source: str
    edits: tuple[Edit, ...] = ()
    remedy: str = ""
    cost: int = COST


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """One wrong implementation that is no known mistake: it must fail, and learners never hear of it.

    - `name`: unique among the wrong answers and the known mistakes of its exercise, as in `"eps-of-the-class"`.
    - `what`: the fault, in English, for maintainers.
    - `source`: the whole wrong implementation, as Python source.
    - `courtesy`: true if it fails only claims that are asked as a courtesy.

    >>> from normgrade.course.course import Course
    >>> [answer.what for answer in read_wrong(Course.find().exercise("layer_norm")) if answer.name == "biased-only-with-gradients"]
    ['Without gradients the variance is divided by n − 1']
    """

    name: str
    what: str
    source: str
    courtesy: bool = False


def read_mistakes(exercise: Exercise, language: str = "") -> tuple[Mistake, ...]:
    """Return every known mistake of an exercise, in the order of mistakes.toml. Raise CourseError if a file is wrong.

    `language` is that of their texts, a code such as "zh", by default the current one.
    """
    reference, words = read_text(exercise.reference), translations(exercise.solutions, language)
    found = entries(Table.of_file(exercise.mistakes), Table.of_optional(exercise.shared_mistakes))
    return tuple(read_mistake(name, entry, reference, words) for name, entry in found)


def read_wrong(exercise: Exercise) -> tuple[WrongAnswer, ...]:
    """Return every other wrong answer, in the order of mistakes.toml. Raise CourseError if a file is wrong."""
    whole, shared = Table.of_file(exercise.mistakes), Table.of_optional(exercise.shared_mistakes)
    reference, table = read_text(exercise.reference), whole.table(WRONG, {})
    for name in table.content:
        if name in whole.content:
            table.wrong(name, _("a known mistake has this name; choose another"))
    return tuple(read_wrong_answer(name, entry, reference) for name, entry in entries(table, shared.table(WRONG, {})))


def entries(table: Table, shared: Table) -> Iterator[tuple[str, Table]]:
    """Yield the wrong answers in a table, by name. Each takes the keys that it lacks from the entry of that name in `shared`."""
    for name in table.content:
        if name not in (WRONG, EQUIVALENT):
            yield name, replace(table.table(name), shared=shared.table(name, {}))


def read_mistake(name: str, entry: Table, reference: str, words: Mapping[str, str]) -> Mistake:
    """Return the mistake that one entry of mistakes.toml describes; `words` translate its texts."""
    says, remedy = entry.take("says", text), entry.take("remedy", label, "")
    cost = entry.take("cost", between(1, 1000), COST)
    source, edits = read_source(entry, reference)
    if len(words.get(remedy, "")) > LONGEST_LABEL:
        said = _("its translation has more than {longest} characters: {said}", longest=LONGEST_LABEL, said=words[remedy])
        entry.wrong("remedy", said)
    return Mistake(name, words.get(says, says), source, edits, words.get(remedy, remedy), cost)


def read_wrong_answer(name: str, entry: Table, reference: str) -> WrongAnswer:
    """Return the wrong answer that one entry of `wrong` in mistakes.toml describes."""
    what, courtesy = entry.take("what", text), entry.take("courtesy", truth, False)
    source, _edits = read_source(entry, reference)
    return WrongAnswer(name, what, source, courtesy)


def read_source(entry: Table, reference: str) -> tuple[str, tuple[Edit, ...]]:
    """Return the source that an entry describes by `edit` or `file`, and its edits, which are none for a file.

    All other keys of the entry must be read before. Raise CourseError if the entry is wrong.
    """
    pairs, file = entry.take("edit", texts_in_pairs, ()), entry.take("file", text, "")
    entry.finish()
    if bool(pairs) == bool(file):
        entry.wrong("edit", _("either `edit` or `file` is needed, and not both"))
    if not file:
        edits = tuple(find_edit(entry, old, new, reference) for old, new in pairs)
        return applied(reference, edits) or entry.wrong("edit", _("two of its replacements overlap")), edits
    path = entry.path.parent / file
    try:
        return path.read_text(encoding="utf-8"), ()
    except OSError as error:
        entry.wrong("file", _("{path} cannot be read ({error})", path=path, error=error.strerror))


def find_edit(entry: Table, old: str, new: str, reference: str) -> Edit:
    """Return the edit that replaces `old`, which must occur exactly once, by `new`."""
    if (count := reference.count(old)) != 1:
        entry.wrong("edit", _("{old!r} must occur exactly once in reference.py, not {count} times", old=old, count=count))
    start = reference.index(old)
    return Edit(start, start + len(old), new)


def edits_of(pairs: Iterable[Sequence[str]], reference: str) -> tuple[Edit, ...]:
    """Return the edits that replace the only occurrence of each old text by the new one; none if one does not occur exactly once."""
    found = [(old, new) for old, new in pairs]
    if any(reference.count(old) != 1 for old, _new in found):
        return ()
    return tuple(Edit(reference.index(old), reference.index(old) + len(old), new) for old, new in found)


def applied(reference: str, edits: Iterable[Edit]) -> str | None:
    """Return the reference with all edits made; None if two of them overlap."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    if any(first.end > second.start for first, second in pairwise(ordered)):
        return None
    for edit in reversed(ordered):
        reference = reference[: edit.start] + edit.new + reference[edit.end :]
    return reference


def combined(reference: str, mistakes: Sequence[Mistake]) -> str | None:
    """Return the reference with all of these mistakes; None if their edits overlap, or if one of several comes from a file.

    Edits of the same expression are combined token by token. The result may not be valid Python.
    """
    if len(mistakes) == 1:
        return mistakes[0].source
    if not all(mistake.edits for mistake in mistakes):
        return None
    return applied(reference, [edit for mistake in mistakes for edit in mistake.edits]) or combined_by_token(reference, mistakes)


def combined_by_token(reference: str, mistakes: Sequence[Mistake]) -> str | None:
    """Return the reference with the parts of all edits, except for changes of what another mistake takes away.

    Return None if the parts overlap otherwise, or if nothing is left of a mistake.
    """
    parts = [dict.fromkeys(part for edit in mistake.edits for part in by_token(reference, edit)) for mistake in mistakes]
    every = dict.fromkeys(part for own in parts for part in own)
    gone = {part for part in every for other in every if part != other and is_taken_away(part, other)}
    return applied(reference, [part for part in every if part not in gone]) if all(own.keys() - gone for own in parts) else None


def is_taken_away(part: Edit, other: Edit) -> bool:
    """Return True if `other` removes all that `part` replaces, or the text around the point where it inserts something.

    >>> is_taken_away(Edit(6, 7, "n"), Edit(4, 8, "")), is_taken_away(Edit(4, 4, "n"), Edit(4, 8, ""))
    (True, False)
    """
    inside = other.start <= part.start and part.end <= other.end
    return inside and not other.new and part.start < other.end and other.start < part.end


def by_token(reference: str, edit: Edit) -> Iterator[Edit]:
    """Split an edit into parts, none of which replaces a token that stays.

    >>> [*by_token("var = x.var(0)", Edit(6, 14, "x.var(1)"))]
    [Edit(start=12, end=13, new='1')]
    """
    old, new = TOKEN.findall(reference[edit.start : edit.end]), TOKEN.findall(edit.new)
    places = [edit.start, *(edit.start + length for length in accumulate(map(len, old)))]
    for tag, first, end, first_new, end_new in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Edit(places[first], places[end], "".join(new[first_new:end_new]))


def together(reference: str, mistakes: Iterable[Mistake]) -> str | None:
    """Return the source that has all of these mistakes; None if they cannot be combined, or if the result is no valid Python."""
    source = combined(reference, tuple(mistakes))
    if source is None:
        return None
    try:
        compile(source, "mistakes", "exec", dont_inherit=True)
    except SyntaxError:
        return None
    return source


def label(value: object) -> str:
    """Validate a text that is short enough to follow a line of code."""
    if isinstance(value, str) and value.strip() and len(value) <= LONGEST_LABEL:
        return value
    raise Wrong(_("a text of at most {longest} characters", longest=LONGEST_LABEL))


def texts_in_pairs(value: object) -> tuple[tuple[str, str], ...]:
    """Validate a list of pairs of texts, each an old text and its replacement."""
    if isinstance(value, list) and all(isinstance(pair, list) and list(map(type, pair)) == [str, str] for pair in value):
        return tuple((old, new) for old, new in value)
    raise Wrong(_('a list of pairs, [["old", "new"], …]'))
