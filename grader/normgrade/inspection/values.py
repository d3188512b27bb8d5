"""What a program computes, as a graph: every value knows from what it is made, for what it is used, and where that is written.

A value is told by what is done, not by how it is spelt: `x.var(-1)`, `torch.var(h, dim=-1)` and names in between are one and the same.
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
    """A value, or an effect such as what a method returns or a buffer is set to.

    label: what it is, as in "sqrt", "+", "constant 0", "self.weight".
    parts: what it is made from, each with its role, as in "dim".
    at: where it is written; None for a default that is written nowhere.
    users: the values that are made from it, each with the role that it has there.
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
    """The number that a constant is; None for all else."""
    if not value.label.startswith("constant "):
        return None
    try:
        return float(value.label.removeprefix("constant "))
    except ValueError:
        return None


def seen_through(value: Value) -> Value:
    """The value without what changes its shape or dtype alone."""
    while value.label in VIEWS and value.parts:
        value = value.parts[0][1]
    return value


def same(one: Value, other: Value) -> bool:
    """Whether both are the same value, or are computed in the same way."""
    one, other = seen_through(one), seen_through(other)
    if one is other:
        return True
    alike = one.label == other.label and len(one.parts) == len(other.parts)
    return alike and all(mine[0] == yours[0] and same(mine[1], yours[1]) for mine, yours in zip(one.parts, other.parts, strict=True))


def reached_from(roots: Iterable[Value]) -> Iterator[Value]:
    """Every value from which the roots are made, once, and the roots."""
    seen: set[int] = set()
    rest = list(roots)
    while rest:
        value = rest.pop()
        if id(value) not in seen:
            seen.add(id(value))
            yield value
            rest += [part for _role, part in value.parts]


# What a value stands for in the formula, however it is computed


def kind(value: Value) -> str:
    """The word for a value where it is a part of another: "variance", "centred", or what its label says."""
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
    """The mean of squares is a variance, where what is squared is centred."""
    averaged = seen_through(value.parts[0][1])
    if averaged.label != "square":
        return value.label
    of = "variance" if kind(averaged.parts[0][1]) == "centred" else "square"
    return of if value.label == "mean" else f"sum of {of}"
