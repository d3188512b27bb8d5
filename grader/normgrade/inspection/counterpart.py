"""Where in a submission a known mistake stands: the counterpart of the mistake's edit, found by what both compute.

A mistake differs from the reference in a few steps of the computation: a variance without a correction, an eps outside the root. Where the
submission takes such a step, in the same role and at one place alone, that is the place. Otherwise there is none: nothing is guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from normgrade.inspection.edits import Span, changed
from normgrade.inspection.flow import Flow, TooLarge, flow_of
from normgrade.inspection.source import position
from normgrade.inspection.values import UNORDERED, VIEWS, Value, kind, seen_through
from normgrade.language.text import lines_of

WHOLE = UNORDERED | {"-", "@", "**", "sqrt", "square"}  # operations that are one step with all their parts
LEAVES = ("constant ", "argument ", "self.", "name ", "dtype ")
BLAND = VIEWS | {"shape", "index", "dim", "numel", "dtype", "len", "1/", "promote_types", "each", "item"}  # found in any program
BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)  # too much for one place
LEVELS = 6  # of detail, in which a step is described


@dataclass(frozen=True, slots=True, order=True)
class Spot:
    """A place in a source: line and column, both from 1, and how many characters it takes."""

    line: int
    column: int
    width: int


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a computation: an operation with all its parts, or one thing that a call is given.

    role: which of the parts; None for all.
    """

    value: Value
    role: str | None = None

    @property
    def at(self) -> ast.AST | None:
        """Where it is written: a constant or a name that a call is given, else the operation."""
        part = None if self.role is None else self.value.part(self.role)
        if part is not None and part.at is not None and (self.role == "if" or self.value.is_effect or part.label.startswith(LEAVES)):
            return None if isinstance(part.at, BLOCKS) else part.at
        return None if isinstance(self.value.at, BLOCKS) else self.value.at

    def words(self, depth: int) -> str:
        """What the step does, its parts described to some depth."""
        said = [f"{role}:{described(part, depth)}" for role, part in self.value.parts if self.role in (None, role)]
        return f"{self.value.label}({', '.join(sorted(said) if self.value.label in UNORDERED else said)})"


class Computation:
    """The steps of a program, and for what each is used."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.values = list(flow.values())
        self.reached = {id(value) for value in self.values}
        self.known: dict[int, frozenset[str]] = {}

    @cached_property
    def steps(self) -> list[Step]:
        return [step for value in self.values if value.parts and value.label not in BLAND for step in steps_of(value) if step.at is not None]

    @cached_property
    def effects(self) -> dict[int, set[str]]:
        """By the identity of a value: the effects in which it has a part."""
        found: dict[int, set[str]] = {}
        for effect in self.flow.effects:
            rest = [effect]
            while rest:
                value = rest.pop()
                labels = found.setdefault(id(value), set())
                if effect.label not in labels:
                    labels.add(effect.label)
                    rest += [part for _role, part in value.parts]
        return found

    def described_at(self, level: int) -> frozenset[str]:
        """All descriptions of all steps at a level of detail."""
        if level not in self.known:
            self.known[level] = frozenset(words for step in self.steps for words in self.descriptions(step, level))
        return self.known[level]

    def descriptions(self, step: Step, level: int) -> set[str]:
        """What a step does, the more detailed the higher the level; one description for each of its uses."""
        match level:
            case 0:
                return {step.words(0)}
            case 1:
                return {f"{step.words(0)} → {effect}" for effect in self.effects[id(step.value)]}
            case 2:
                return {f"{step.words(0)} → {use}" for use in self.uses(step.value, 1)}
            case 3:
                return {step.words(1)}
            case 4:
                return {f"{step.words(1)} → {effect}" for effect in self.effects[id(step.value)]}
        return {f"{step.words(1)} → {use}" for use in self.uses(step.value, 2)}

    def uses(self, value: Value, far: int) -> Iterator[str]:
        """For what a value is used, in so many steps."""
        for role, user in value.users:
            if id(user) not in self.reached:
                continue
            if seen_through(user) is not user or user.label == "either":
                yield from self.uses(user, far)
            elif far == 1:
                yield f"{role} of {user.label}"
            else:
                yield from (f"{role} of {user.label} → {use}" for use in self.uses(user, far - 1))


def steps_of(value: Value) -> Iterator[Step]:
    """A statistic without keepdim is a step where nothing gives it the lost dimensions back."""
    if value.label in WHOLE:
        yield Step(value)
        return
    viewed = any(user.label in VIEWS for _role, user in value.users)
    for role in dict.fromkeys(role for role, _part in value.parts):
        if role != "keepdim" or not viewed:
            yield Step(value, role)


def described(value: Value, depth: int) -> str:
    value = seen_through(value)
    if not depth or not value.parts:
        return kind(value)
    parts = sorted(described(part, depth - 1) for _role, part in value.parts)
    return f"{value.label}({', '.join(parts)})"


def counterparts(reference: str, mistake: str, submission: str) -> tuple[Spot, ...]:
    """Where the submission does what the mistake does and the reference does not; empty where that is uncertain."""
    try:
        state = frozenset(flow_of(reference).state)
        right, wrong, theirs = (Computation(flow_of(source, state)) for source in (reference, mistake, submission))
        told = [telling for change in changed(reference, mistake) if (telling := telling_step(change, right, wrong)) is not None]
        found = [(level, the_one(step, level, right, wrong, theirs)) for level, step in told]
    except (SyntaxError, ValueError, RecursionError, TooLarge):
        return ()
    lines = lines_of(submission)
    spots = [(level, spot_of(at, lines)) for level, at in found if at is not None]
    return one_per_line(spots) if len(spots) == len(found) else ()


def one_per_line(found: list[tuple[int, Spot]]) -> tuple[Spot, ...]:
    """Of each line, the spot that needed the least detail, and of several the widest."""
    best = {spot.line: spot for _level, spot in sorted(found, key=lambda each: (-each[0], each[1].width))}
    return tuple(sorted(best.values()))


def telling_step(change: Span, right: Computation, wrong: Computation) -> tuple[int, Step] | None:
    """The step that a change of the reference made, and the level of detail at which it is told from those of the reference."""
    near = sorted((step for step in wrong.steps if change.touches(step.at)), key=lambda step: change.apart(step.at))
    told = ((level, step) for level in range(LEVELS) for step in near if wrong.descriptions(step, level) - right.described_at(level))
    return next(told, None)


def the_one(step: Step, level: int, right: Computation, wrong: Computation, theirs: Computation) -> ast.AST | None:
    """The one place at which the submission takes a step; where there are several, a more detailed look may tell them apart."""
    for closer in range(level, LEVELS):
        told = wrong.descriptions(step, closer) - right.described_at(closer)
        wholly = told == wrong.descriptions(step, closer)
        alike = ((mine, theirs.descriptions(mine, closer)) for mine in theirs.steps)
        found = {where(mine.at): mine for mine, said in alike if told & said and not (wholly and said & right.described_at(closer))}
        if len(found) == 1:
            only = next(iter(found.values()))
            used_alike = {*theirs.uses(only.value, 1)} & {*wrong.uses(step.value, 1)} or only.value.is_effect
            return only.at if holds_its_sum(only.value) and used_alike else None
        if not found:
            return None
    return None


def holds_its_sum(value: Value) -> bool:
    """Whether a sum that is divided by is written within the division: elsewhere, what it lacks may have its place there."""
    divisors = [seen_through(part.parts[0][1]) for _role, part in value.parts if value.label == "*" and part.label == "1/"]
    return all(where(value.at) <= where(part.at) and where(part.at)[2:] <= where(value.at)[2:] for part in divisors if part.label == "+")


def where(node: ast.AST | None) -> tuple[int, int, int, int]:
    """The line and byte at which a node begins and ends."""
    return tuple(getattr(node, name, 0) or 0 for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"))  # type: ignore[return-value]


def spot_of(node: ast.AST, lines: list[str]) -> Spot:
    """What is underlined: the name of a called function, the target of an assignment, else the whole expression as far as its line goes."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name, end_lineno=int(last), end_col_offset=int(end))):
            node = ast.Name(name, lineno=last, col_offset=end - len(name.encode()), end_lineno=last, end_col_offset=end)
        case ast.Call(func=ast.Name() as function):
            node = function
        case ast.Assign(targets=[target, *_]) | ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            node = target
    line, column = position(lines, node)
    text = lines[line - 1].rstrip()
    _line, _column, last, end = where(node)
    stop = len(text.encode()[:end].decode(errors="ignore")) if last == line else len(text)
    return Spot(line, column, max(1, stop - column + 1))
