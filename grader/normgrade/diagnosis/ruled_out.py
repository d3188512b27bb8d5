"""Known mistakes that a submission's source rules out: wrong defaults that it does not have, and a missing eps if it has one."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from normgrade.course.mistakes import Mistake

EPS = "eps"
LARGEST_EPS = 1e-3
READ = 512  # sources whose reading is held: the mistakes of an exercise or two, for the next submission
Functions = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Reading:
    """The numbers of a source.

    - `defaults`: the default of each parameter that has a plain one, by function and name.
    - `has_eps`: True if any computation uses the parameter eps, directly or as an attribute, or a number as small.
    """

    defaults: dict[tuple[str, str], object]
    has_eps: bool


def without_ruled_out(mistakes: Sequence[Mistake], reference: str, submission: str) -> list[Mistake]:
    """Return the mistakes that the submission may have made, according to its source."""
    right, own = reading_of(reference), reading_of(submission)
    if right is None or own is None:
        return [*mistakes]
    return [mistake for mistake in mistakes if not is_ruled_out(mistake, right, own)]


def is_ruled_out(mistake: Mistake, right: Reading, own: Reading) -> bool:
    """Return True if a mistake has a default that the submission does not have, or misses an eps that the submission has."""
    wrong = reading_of(mistake.source)
    if wrong is None:
        return False
    changed = {place: default for place, default in wrong.defaults.items() if right.defaults.get(place, default) != default}
    if any(place in own.defaults and own.defaults[place] != default for place, default in changed.items()):
        return True
    return EPS in mistake.name.split("-") and right.has_eps and own.has_eps and not wrong.has_eps


@lru_cache(maxsize=READ)
def reading_of(source: str) -> Reading | None:
    """Return the numbers of a source; None if it is not valid Python."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        tree = ast.parse(source)
        return Reading(dict(defaults_in(tree)), has_eps(tree))
    return None


def defaults_in(tree: ast.Module) -> Iterator[tuple[tuple[str, str], object]]:
    """Yield the plain defaults of all functions and methods, each with the names of the function and of the parameter."""
    owners: list[ast.Module | ast.ClassDef] = [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]
    for owner in owners:
        for function in owner.body:
            if isinstance(function, Functions):
                name = f"{owner.name}.{function.name}" if isinstance(owner, ast.ClassDef) else function.name
                given = function.args
                positional = [*given.posonlyargs, *given.args]
                pairs = [*zip(positional[len(positional) - len(given.defaults) :], given.defaults, strict=True)]
                pairs += [(each, value) for each, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value is not None]
                for parameter, value in pairs:
                    with suppress(ValueError):
                        yield (name, parameter.arg), ast.literal_eval(value)


def has_eps(tree: ast.Module) -> bool:
    """Return True if an operation or a call takes eps, or a number as small. Storing it in an attribute does not count."""
    stored = [node for node in ast.walk(tree) if targets_of(node)]
    names = {EPS, *(target for node in stored if is_named(node, {EPS}) for target in targets_of(node))}
    skipped = {id(part) for node in stored for part in ast.walk(node)}
    taking = (node for node in ast.walk(tree) if isinstance(node, ast.BinOp | ast.Call) and id(node) not in skipped)
    return any(is_named(node, names) for node in taking)


def is_named(node: ast.AST, names: Collection[str]) -> bool:
    """Return True if an expression contains one of these names or attributes, or a number as small as eps."""
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in names:
                return True
            case ast.Constant(value=float() as number) if 0 < number <= LARGEST_EPS:
                return True
    return False


def targets_of(node: ast.AST) -> list[str]:
    """Return the attributes that a statement assigns to, as in `self.eps = eps`."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [each.attr for target in targets for each in ast.walk(target) if isinstance(each, ast.Attribute)]
