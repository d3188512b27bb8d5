"""The usual causes of exceptions and their remedies, in tables; the first entry that fits is used.

An entry is true of any code that raises such an exception. If its truth depends on the code, a clue examines the text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from normgrade.course.signature import Signature
from normgrade.inspection.program import Definition, Program
from normgrade.language import _

LONGEST_WORD = 80  # characters


@dataclass(frozen=True)
class Crash:
    """An exception that a submission raised, or another ending, and its place.

    ending: the word for the ending, one of `worker.observation.Cause`.
    types: the names of the exception's classes, most derived first.
    line, function: the innermost line of the submission; 0 and "" if there is none.
    """

    program: Program
    ending: str
    types: tuple[str, ...]
    message: str
    line: int = 0
    function: str = ""
    slug: str = ""
    contract: tuple[Signature, ...] = ()

    @cached_property
    def around(self) -> Definition | None:
        """The function that raised the exception."""
        return self.program.around(self.line) if self.line else None

    @cached_property
    def here(self) -> list[ast.AST]:
        """The nodes of the statement that raised the exception."""
        statement = self.program.statement(self.line) if self.line else None
        return [] if statement is None else [statement, *simple(statement)]


class Spotted(NamedTuple):
    """A clue in the text: the words for the advice, and a better place than the line that raised."""

    words: Mapping[str, object] = {}
    at: ast.AST | None = None


Clue = Callable[[Crash, re.Match[str]], Spotted | None]


class Pitfall(NamedTuple):
    """One usual cause.

    raised: the names of exceptions, or a word for another ending, separated by "|".
    says: a pattern that the message contains; its groups are words of the advice.
    advice: the cause and its remedy, to be translated.
    clue: a search for evidence in the code; without a clue, the message is sufficient.
    """

    raised: str
    says: str
    advice: str
    clue: Clue | None = None


class Advice(NamedTuple):
    """A sentence or two, and their place in the source if it is not the place of the exception."""

    text: str
    at: ast.AST | None = None


def advice_on(crash: Crash, pitfalls: Iterable[Pitfall]) -> Advice:
    """Return the advice of the first entry that fits a crash; without text if none fits."""
    kinds = {*crash.types, crash.ending}
    for pitfall in pitfalls:
        if kinds.isdisjoint(pitfall.raised.split("|")) or not (match := re.search(pitfall.says, crash.message)):
            continue
        found = pitfall.clue(crash, match) if pitfall.clue else Spotted()
        if found is not None:
            words = {"slug": crash.slug, **match.groupdict(), **found.words}
            return Advice(_(pitfall.advice, **{name: shortened(word) for name, word in words.items()}), found.at)
    return Advice("")


def shortened(word: object) -> object:
    """Return a word for an advice, cut if it is too long: a submission's messages and names may have any length."""
    return f"{word[:LONGEST_WORD]}…" if isinstance(word, str) and len(word) > LONGEST_WORD else word


def simple(statement: ast.stmt) -> Iterable[ast.AST]:
    """Yield the nodes of a statement, without those of the blocks below its header."""
    for name, value in ast.iter_fields(statement):
        if name not in ("body", "orelse", "finalbody", "handlers", "cases"):
            for node in value if isinstance(value, list) else [value]:
                if isinstance(node, ast.AST):
                    yield from ast.walk(node)
