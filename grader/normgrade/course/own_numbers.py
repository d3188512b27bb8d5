"""Known mistakes with the numbers of a submission. A mistake with another eps, or another default, is still that mistake."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from normgrade.course.mistakes import Mistake, applied, by_token

NUMBER = re.compile(r"(?<![\w.])\d+(\.\d+)?(e-?\d+)?(?!\w|\.\d)", re.IGNORECASE)
PLAIN = 0.0, 0.5, 1.0, 2.0  # common factors and exponents, which identify no mistake
MOST_NUMBERS = 6  # of a submission
MOST = 24  # mistakes with other numbers


def with_numbers_of(source: str, mistakes: Sequence[Mistake], reference: str) -> list[tuple[Mistake, Mistake]]:
    """Return pairs of a mistake with a number in its edit, and that mistake with a number of the submission instead.

    There is one pair for each such number of the submission that the reference does not have.
    """
    right, known = numbers_in(reference), {mistake.source for mistake in mistakes}
    found: dict[str, tuple[Mistake, Mistake]] = {}
    for number in [number for number in numbers_in(source) if number not in right][:MOST_NUMBERS]:
        for mistake in mistakes:
            other = with_number(mistake, reference, number)
            if other is not None and other.source not in known:
                found.setdefault(other.source, (mistake, other))
    return [*found.values()][:MOST]


def called(name: str, mistakes: Iterable[Mistake], reference: str) -> Mistake | None:
    """Return the mistake of that name, which may be a known one with another number; None if there is none."""
    mistakes = [*mistakes]
    if exact := next((mistake for mistake in mistakes if mistake.name == name), None):
        return exact
    for mistake in mistakes:
        for own in NUMBER.finditer(mistake.name):
            before, after = mistake.name[: own.start()], mistake.name[own.end() :]
            number = name.removeprefix(before).removesuffix(after)
            if name != before + number + after or not NUMBER.fullmatch(number):
                continue
            if (other := with_number(mistake, reference, float(number))) is not None:
                return other
    return None


def with_number(mistake: Mistake, reference: str, number: float) -> Mistake | None:
    """Return the mistake with another number in place of its own; None if it has none."""
    parts = [part for edit in mistake.edits for part in by_token(reference, edit)]
    own = next((text for part in parts for text in numbers_of(part.new) if not text.isdecimal() and float(text) not in PLAIN), None)
    if own is None:
        return None
    text = written(number)
    edits = tuple(replace(edit, new=with_other(edit.new, own, text)) for edit in mistake.edits)
    return replace(in_words(mistake, own, text), source=applied(reference, edits) or mistake.source, edits=edits)


def in_words(mistake: Mistake, own: str, number: str) -> Mistake:
    """Return the mistake with another number in its name and texts."""
    name, says, remedy = (with_other(each, own, number) for each in (mistake.name, mistake.says, mistake.remedy))
    return replace(mistake, name=name, says=says, remedy=remedy)


def with_other(text: str, own: str, number: str) -> str:
    """Return a text with its own number replaced by another one everywhere."""
    return NUMBER.sub(lambda found: number if float(found[0]) == float(own) else found[0], text)


def numbers_of(text: str) -> Iterator[str]:
    """Yield the numbers in a text."""
    return (found[0] for found in NUMBER.finditer(text))


def numbers_in(source: str) -> list[float]:
    """Return the floating-point numbers in a source, each once, without plain factors."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        values = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
        return [*dict.fromkeys(value for value in values if isinstance(value, float) and value not in PLAIN)]
    return []


def written(number: float) -> str:
    """Return a number as people write it: "1e-8" and not "1e-08"."""
    return re.sub(r"e-0*", "e-", repr(number))
