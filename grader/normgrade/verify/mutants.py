"""Mechanical mutants of a reference: every small change of its syntax tree, one at a time."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from normgrade.course.exercise import Exercise
from normgrade.course.table import Table, Wrong, text
from normgrade.language import _
from normgrade.verify.mutations import changes_of


@dataclass(frozen=True, slots=True)
class Mutant:
    """A reference with one change: the statement that was there and the one in its place, as `ast.unparse` writes them.

    `line` is that of the change in the reference, `source` the whole mutant. For a statement with a body, `was` and `now` are its head.
    """

    line: int
    was: str
    now: str
    source: str

    def __str__(self) -> str:
        return _("line {line}: `{was}` → `{now}`", line=self.line, was=self.was, now=self.now)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A change that makes no visible difference, and the reason for that."""

    was: str
    now: str
    reason: str


@cache
def mutants_of(source: str) -> tuple[Mutant, ...]:
    """Return all mutants that are Python and another program than the source, in the order of its lines."""
    tree = ast.parse(source)
    original, slots = ast.unparse(tree), dict(slots_of(tree))
    found: dict[str, Mutant] = {}
    for node, other in changes_of(tree):
        mutated = unparsed_with(tree, slots[node], other)
        if mutated in found or mutated == original or not is_python(mutated):
            continue
        was, now = difference(original.splitlines(), mutated.splitlines())
        found[mutated] = Mutant(line_of(node), was, now, mutated)
    return tuple(sorted(found.values(), key=lambda mutant: mutant.line))


class Slot(NamedTuple):
    """The position of a node in a tree: a field of its parent, and the index in that field if it is a list."""

    parent: ast.AST
    name: str
    number: int | None


def slots_of(tree: ast.AST) -> Iterator[tuple[ast.AST, Slot]]:
    """Yield every node below the root, with its slot."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if isinstance(value, ast.AST):
                yield value, Slot(parent, name, None)
            elif isinstance(value, list):
                yield from ((each, Slot(parent, name, number)) for number, each in enumerate(value) if isinstance(each, ast.AST))


def unparsed_with(tree: ast.Module, slot: Slot, other: ast.AST) -> str:
    """Return the source of a tree with another node in that slot. The tree stays as it was."""
    parent, name, number = slot
    held = getattr(parent, name)
    setattr(parent, name, other if number is None else [*held[:number], other, *held[number + 1 :]])
    try:
        return ast.unparse(tree)
    finally:
        setattr(parent, name, held)


def is_python(source: str) -> bool:
    try:
        compile(source, "mutant", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def difference(old: list[str], new: list[str]) -> tuple[str, str]:
    """Return the text between the lines that both begin with and those that both end with, without indentation."""
    start = number_alike(old, new)
    end = number_alike(old[start:][::-1], new[start:][::-1])
    was, now = (" ".join(line.strip() for line in lines[start : len(lines) - end]) for lines in (old, new))
    return was, now


def number_alike(old: list[str], new: list[str]) -> int:
    """Return the number of lines that both begin with."""
    return sum(1 for both in takewhile(lambda two: two[0] == two[1], zip(old, new, strict=False)))


def line_of(node: ast.stmt | ast.expr) -> int:
    """Return the first line of a node; if it has decorators, that of the first one."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min(each.lineno for each in (node, *decorators))


def read_accepted(exercise: Exercise) -> tuple[Accepted, ...]:
    """Return the changes that `equivalent.toml` accepts; none if there is no such file."""
    if not exercise.equivalent.exists():
        return ()
    table = Table.of_file(exercise.equivalent)
    accepted = []
    for entry in table.tables("mutant"):
        was, now = map(unparsed, entry.take("change", two_texts))
        accepted.append(Accepted(was, now, entry.take("reason", text)))
        entry.finish()
    table.finish()
    return tuple(accepted)


def blocks(mutants: Iterable[Mutant]) -> Iterator[str]:
    """Yield the lines that accept these mutants, to be pasted into equivalent.toml. They are indented, so that they are not wrapped."""
    for mutant in mutants:
        change = json.dumps([mutant.was, mutant.now], ensure_ascii=False)  # JSON that is TOML, too
        yield from ("", "    [[mutant]]", f"    change = {change}", '    reason = ""')


def unparsed(statement: str) -> str:
    """Return a statement in the form of `ast.unparse`. If it is only the head of a statement, without its body, return it unchanged."""
    try:
        return ast.unparse(ast.parse(statement))
    except SyntaxError:
        return statement


def two_texts(value: object) -> tuple[str, str]:
    match value:
        case [str(old), str(new)]:
            return old, new
    raise Wrong(_('a pair of texts, ["the old code", "the new code"]'))
