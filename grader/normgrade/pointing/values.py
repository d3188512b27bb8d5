"""The computation of a program as a graph: every value knows its parts, its users, and its place in the source.

A value is identified by its operation, not by its spelling: `x.var(-1)`, `torch.var(h, dim=-1)` and intermediate names are the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Parts = tuple[tuple[str, "Value"], ...]
UNORDERED = frozenset({"+", "*", "and", "or", "=="})
VIEWS = frozenset(  # the same numbers, in another shape or dtype
    "view reshape flatten unflatten unsqueeze squeeze expand expand_as view_as reshape_as transpose permute movedim moveaxis swapaxes T mT "
    "contiguous clone to type type_as float double tuple list Tensor int repeat broadcast_to atleast_1d item returned".split()
)

EFFECTS = frozenset({"do", "keep", "loop", "overwrite", "return"})


@dataclass(eq=False, slots=True)
class Value:
    """A value, or an effect such as the return of a method or the setting of a buffer.

    label: the operation or the name, as in "sqrt", "+", "constant 0", "self.weight".
    parts: the values that it is made from, each with its role, as in "dim".
    at: its node in the source; None for a default that is not written.
    users: the values that are made from it, each with the role that this value has there.
    """

    label: str
    parts: Parts = ()
    at: ast.AST | None = None
    users: list[tuple[str, Value]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for role, part in self.parts:
            part.users.append((role, self))

    @property
    def is_effect(self) -> bool:
        return self.label in EFFECTS or self.label.startswith(("begin ", "set ", "default ", "return of ", "raise "))

    def part(self, role: str) -> Value | None:
        return next((value for name, value in self.parts if name == role), None)


def constant(value: object, at: ast.AST | None = None) -> Value:
    return Value(f"constant {value!r}", at=at)


def number(value: Value) -> float | None:
    """Return the number of a constant; None for any other value."""
    if not value.label.startswith("constant "):
        return None
    try:
        return float(value.label.removeprefix("constant "))
    except ValueError:
        return None


def seen_through(value: Value) -> Value:
    """Return the value without operations that only change its shape or dtype."""
    while value.label in VIEWS and value.parts:
        value = value.parts[0][1]
    return value


def same(one: Value, other: Value) -> bool:
    """Return True if both are the same value, or are computed in the same way."""
    one, other = seen_through(one), seen_through(other)
    if one is other:
        return True
    alike = one.label == other.label and len(one.parts) == len(other.parts)
    return alike and all(mine[0] == yours[0] and same(mine[1], yours[1]) for mine, yours in zip(one.parts, other.parts, strict=True))


def reached_from(roots: Iterable[Value]) -> Iterator[Value]:
    """Yield the roots and every value that they are made from, each once."""
    seen: set[int] = set()
    rest = list(roots)
    while rest:
        value = rest.pop()
        if id(value) not in seen:
            seen.add(id(value))
            yield value
            rest += [part for _role, part in value.parts]


# The meaning of a value in the formula, for any way to compute it


def kind(value: Value) -> str:
    """Return the word for a value that is part of another: "variance", "centred", or its label."""
    value = seen_through(value)
    match value.label:
        case "detach":
            return "detached"
        case "self.running_var":
            return "variance"
        case "self.running_mean":
            return "mean"
        case "either":
            kinds = {kind(part) for role, part in value.parts if role != "if"}
            return kinds.pop() if len(kinds) == 1 else "either"
        case "-":
            return "centred" if is_mean(value.parts[1][1]) else "-"
        case "mean" | "sum":
            return kind_of_average(value)
        case "*":
            return " · ".join(sorted("*" if seen_through(part).label == "*" else kind(part) for _role, part in value.parts))
        case "1/":
            return f"1/{kind(value.parts[0][1])}"
        case "index" if seen_through(value.parts[0][1]).label == "shape":
            return f"size {kind(value.parts[1][1])}"
        case "square":
            root = seen_through(value.parts[0][1])
            return "variance" if root.label == "sqrt" and kind(root.parts[0][1]) == "variance" else "square"
        case "var":
            return "variance"
    return value.label


def is_mean(value: Value) -> bool:
    value = seen_through(value)
    return is_mean(value.parts[0][1]) if value.label == "detach" and value.parts else kind(value) == "mean"


def kind_of_average(value: Value) -> str:
    """Return the word for a mean or a sum. The mean of squares is a variance if the squared value is centred."""
    averaged = seen_through(value.parts[0][1])
    if averaged.label != "square":
        return value.label
    of = "variance" if kind(averaged.parts[0][1]) == "centred" else "square"
    return of if value.label == "mean" else f"sum of {of}"
