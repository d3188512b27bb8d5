"""The place of a known mistake in a submission: the counterpart of the mistake's edit, found by comparing computations.

A mistake differs from the reference in a few operations: a variance without a correction, an eps outside the root. If the
submission takes such an operation, in the same role and at only one place, that is the place. Otherwise there is none: nothing is guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache

from normgrade.inspection.source import position
from normgrade.language.text import lines_of
from normgrade.pointing.edits import Span, changed
from normgrade.pointing.flow import Flow, flow_of
from normgrade.pointing.reader import TooLarge
from normgrade.pointing.values import UNORDERED, VIEWS, Kind, Value, meaning, seen_through

WHOLE = UNORDERED | {"-", "@", "**", "sqrt", "square"}  # operations that are one with all their parts
NAMED = (Kind.ARGUMENT, Kind.ATTRIBUTE, Kind.CALL, Kind.NAME)
BLAND = VIEWS | {"shape", "index", "dim", "numel", "dtype", "len", "1/", "promote_types", "each", "item"}  # found in any program
BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)  # too large for one place
Extent = tuple[int, int, int, int]  # the line and byte at which a node begins, and those at which it ends
Description = tuple[str, str]  # the words for an operation, and for its use; "" if the use is left out
LEVELS = 6  # of detail in the description of an operation
OWN_LEVELS = 3  # the levels at which only its direct parts are described


@dataclass(frozen=True, slots=True, order=True)
class Caret:
    """A place in a source: line and column, both from 1, and its width in characters."""

    line: int
    column: int
    width: int


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a computation with all its parts, or one argument of a call.

    role: the role of the one part; None for all parts.
    """

    value: Value
    role: str | None = None

    @property
    def at(self) -> ast.AST | None:
        """The node of the operation, or of the part that tells more; None if it is a whole block."""
        part = None if self.role is None else self.value.part(self.role)
        written = part.at if part is not None and part.at is not None and self.is_told_by(part) else self.value.at
        return None if isinstance(written, BLOCKS) else written

    def is_told_by(self, part: Value) -> bool:
        """Return True for a condition, the value of an effect, a constant, and a name among other parts.

        The name of an input counts only as a further argument: `x` in `x.mean(dim)` says nothing, `dim` does.
        """
        if self.role == "if" or self.value.is_effect or part.kind is Kind.CONSTANT:
            return True
        named = part.kind in NAMED or (part.kind is Kind.INPUT and self.role not in ("", "0"))
        return named and len(self.value.parts) > 1

    def words(self, depth: int) -> str:
        """Return a description of the operation, with its parts described down to a depth."""
        said = [f"{role}:{described(part, depth)}" for role, part in self.value.parts if self.role in (None, role)]
        return f"{self.value.key}({', '.join(sorted(said) if self.value.operation in UNORDERED else said)})"


class Computation:
    """The operations of a program, and their uses."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.values = list(flow.values())
        self.reached = {id(value) for value in self.values}
        self.at_level: dict[int, dict[Description, list[Operation]]] = {}

    @cached_property
    def operations(self) -> list[Operation]:
        telling = (value for value in self.values if value.parts and value.operation not in BLAND)
        return [operation for value in telling for operation in operations_of(value) if operation.at is not None]

    @cached_property
    def views(self) -> list[Operation]:
        """The operations that only change shape or dtype. They count only if no other one does: there are many ways to write them."""
        return [Operation(value) for value in self.values if value.is_view and isinstance(value.at, ast.expr)]

    @cached_property
    def effects(self) -> dict[int, set[str]]:
        """The keys of the effects that a value is part of, by the identity of the value."""
        found: dict[int, set[str]] = {}
        for effect in self.flow.effects:
            rest = [effect]
            while rest:
                value = rest.pop()
                keys = found.setdefault(id(value), set())
                if effect.key not in keys:
                    keys.add(effect.key)
                    rest += [part for _role, part in value.parts]
        return found

    def described_at(self, level: int) -> Mapping[Description, list[Operation]]:
        """Return all operations by their descriptions at a level of detail."""
        if level not in self.at_level:
            found: dict[Description, list[Operation]] = {}
            for operation in (*self.operations, *self.views):
                for said in self.descriptions(operation, level):
                    found.setdefault(said, []).append(operation)
            self.at_level[level] = found
        return self.at_level[level]

    def descriptions(self, operation: Operation, level: int) -> set[Description]:
        """Return the descriptions of an operation, one for each of its uses. A higher level is more detailed."""
        words = operation.words(level // 3)
        match level:
            case 0 | 3:
                return {(words, "")}
            case 1 | 4:
                return {(words, effect) for effect in self.effects[id(operation.value)]}
        return {(words, use) for use in self.uses(operation.value, level // 2)}

    def places(self, level: int, told: Set[Description], avoided: Set[Description]) -> dict[Extent, list[Operation]]:
        """Return the places of the operations that have one of the descriptions `told`, and none of the descriptions `avoided`.

        A place in a helper may have several operations, because a helper is read anew for every call.
        """
        found: dict[Extent, list[Operation]] = {}
        for operation in (operation for said in told for operation in self.described_at(level).get(said, ())):
            if not avoided & self.descriptions(operation, level):
                found.setdefault(where(operation.at), []).append(operation)
        return found

    def place_of_effect(self, level: int, told: Set[Description]) -> ast.AST | None:
        """Return the only node that sets a buffer from an operation with one of these descriptions; None if there are none or several."""
        uses = {use for words, use in told if (words, use) in self.described_at(level)}
        effects = [effect for effect in self.flow.effects if effect.key in uses]
        places = {where(effect.at): effect.at for effect in effects}
        return next(iter(places.values())) if len(places) == 1 and all(effect.kind is Kind.SET for effect in effects) else None

    def uses(self, value: Value, far: int) -> Iterator[str]:
        """Yield the uses of a value, each as a chain of this many users."""
        for role, user in value.users:
            if id(user) not in self.reached:
                continue
            if user.is_view or user.operation == "either":
                yield from self.uses(user, far)
            elif far == 1:
                yield f"{role} of {user.key}"
            else:
                yield from (f"{role} of {user.key} → {use}" for use in self.uses(user, far - 1))


def operations_of(value: Value) -> Iterator[Operation]:
    """Yield the operations of a value. If a view restores the dimension that a statistic lost, its keepdim is no operation."""
    if value.operation in WHOLE:
        yield Operation(value)
        return
    viewed = any(user.is_view for _role, user in value.users)
    for role in dict.fromkeys(role for role, _part in value.parts):
        if role != "keepdim" or not viewed:
            yield Operation(value, role)


def described(value: Value, depth: int) -> str:
    value = seen_through(value)
    if not depth or not value.parts:
        return meaning(value)
    parts = sorted(described(part, depth - 1) for _role, part in value.parts)
    return f"{value.key}({', '.join(parts)})"


def counterparts(reference: str, mistake: str, submission: str) -> tuple[Caret, ...]:
    """Return the places at which the submission makes the mistake; empty if they are uncertain."""
    try:
        state = frozenset(computation(reference).flow.state)
        right, wrong, theirs = (computation(source, state) for source in (reference, mistake, submission))
        changes = changed(reference, mistake)
        told = told_by(changes, wrong.operations, LEVELS, right, wrong) or told_by(changes, wrong.views, OWN_LEVELS, right, wrong)
        found = [(level, first(the_one(operation, level, right, wrong, theirs) for operation in operations)) for level, operations in told]
    except (SyntaxError, ValueError, RecursionError, TooLarge):
        return ()
    lines = lines_of(submission)
    spots = [(level, caret_of(at, lines)) for level, at in found if at is not None]
    return one_per_line(spots) if len(spots) == len(found) else ()


@lru_cache(maxsize=8)
def computation(source: str, state: frozenset[str] = frozenset()) -> Computation:
    """Return the computation of a source. It is cached, because several mistakes are searched for in one submission."""
    return Computation(flow_of(source, state))


def one_per_line(found: list[tuple[int, Caret]]) -> tuple[Caret, ...]:
    """Return one spot of each line: the one that needed the least detail, and among those the widest."""
    best = {spot.line: spot for _level, spot in sorted(found, key=lambda each: (-each[0], each[1].width))}
    return tuple(sorted(best.values()))


def told_by(
    changes: list[Span], operations: list[Operation], levels: int, right: Computation, wrong: Computation
) -> list[tuple[int, list[Operation]]]:
    """Return, for each change that these operations show, the lowest level that tells them from the reference, and the nearest ones."""
    found = []
    for change in changes:
        near = sorted(
            (operation for operation in operations if change.touches(operation.at)), key=lambda operation: change.apart(operation.at)
        )
        for level in range(levels):
            if told := [operation for operation in near if wrong.descriptions(operation, level) - right.described_at(level).keys()]:
                first_of_value = {
                    id(operation.value): operation for operation in reversed(told) if where(operation.at) == where(told[0].at)
                }
                found.append((level, list(first_of_value.values())[::-1]))
                break
    return found


def first(places: Iterator[ast.AST | None]) -> ast.AST | None:
    return next((place for place in places if place is not None), None)


def the_one(operation: Operation, level: int, right: Computation, wrong: Computation, theirs: Computation) -> ast.AST | None:
    """Return the only place at which the submission takes an operation for the same use; None if there is none.

    If there are several, higher levels of detail may tell them apart.
    """
    for closer in range(level, LEVELS):
        said = wrong.descriptions(operation, closer)
        told = said - right.described_at(closer).keys()
        avoided = right.described_at(closer).keys() if told == said else frozenset[Description]()
        found = theirs.places(closer, told, avoided)
        if not found:
            return theirs.place_of_effect(closer, told)
        if len(found) == 1:
            taken = next(iter(found.values()))
            used = {*wrong.uses(operation.value, 1)}
            used_alike = any(each.value.is_effect or used & {*theirs.uses(each.value, 1)} for each in taken)
            whole = all(holds_its_sum(each.value) for each in taken)
            return taken[0].at if used_alike and whole and len(wrong.places(closer, told, avoided)) == 1 else None
    return None


def holds_its_sum(value: Value) -> bool:
    """Return True if every sum that a division divides by is written within it. Otherwise a missing term may belong elsewhere."""
    divisors = [seen_through(part.parts[0][1]) for _role, part in value.parts if value.operation == "*" and part.operation == "1/"]
    return all(within(part.at, value.at) for part in divisors if part.operation == "+")


def within(inner: ast.AST | None, outer: ast.AST | None) -> bool:
    return where(outer)[:2] <= where(inner)[:2] and where(inner)[2:] <= where(outer)[2:]


def where(node: ast.AST | None) -> Extent:
    line, column, last, end = (getattr(node, name, 0) or 0 for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"))
    return line, column, last, end


def caret_of(node: ast.AST, lines: list[str]) -> Caret:
    """Return the place to underline: the name of a called function, the target of an assignment, a returned value, or the whole expression.

    If an expression has several lines, only its first line is underlined.
    """
    match node:
        case ast.Call(func=ast.Attribute(attr=name, end_lineno=int(last), end_col_offset=int(end))):
            node = ast.Name(name, lineno=last, col_offset=end - len(name.encode()), end_lineno=last, end_col_offset=end)
        case ast.Call(func=ast.Name() as function):
            node = function
        case ast.Return(value=ast.expr() as returned):
            node = returned
        case ast.Assign(targets=[target, *_]) | ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            node = target
    line, column = position(lines, node)
    text = lines[line - 1].rstrip()
    _line, _column, last, end = where(node)
    stop = len(text.encode()[:end].decode(errors="ignore")) if last == line else len(text)
    return Caret(line, column, max(1, stop - column + 1))
