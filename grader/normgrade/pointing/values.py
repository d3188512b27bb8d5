"""The computation of a program as a graph: every value knows its parts, its users, and its place in the source.

A value is identified by its operation, not by its spelling: `x.var(-1)`, `torch.var(h, dim=-1)` and intermediate names are the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum, auto

Parts = tuple[tuple[str, "Value"], ...]
UNORDERED = frozenset({"+", "*", "and", "or", "=="})
VIEWS = frozenset(  # the same numbers, in another shape or dtype
    "view reshape flatten unflatten unsqueeze squeeze expand expand_as view_as reshape_as transpose permute movedim moveaxis swapaxes T mT "
    "contiguous clone to type type_as float double tuple list Tensor int repeat broadcast_to atleast_1d item returned".split()
)
RUNNING = {"running_var": "variance", "running_mean": "mean"}


class Kind(StrEnum):
    """The sort of a value. Each has an example of a name, unless its values have none."""

    # Values that are made from nothing else
    CONSTANT = auto()  # a literal: "1e-05"
    ARGUMENT = auto()  # an argument of a constructor, by its name: "eps"
    INPUT = auto()  # an argument of any other function, by its position: "0"
    ATTRIBUTE = auto()  # an attribute of `self` without a known value: "weight"
    NAME = auto()  # something from outside of the source: "float32"
    # Values that are made from their parts
    OPERATION = auto()  # an operation of Python, PyTorch or NumPy: "sqrt", "+"
    CALL = auto()  # a call of an attribute of `self`: "norm"
    SUPER = auto()  # a call of a base that is not in the source
    UNKNOWN = auto()  # an expression that is not followed: "Lambda"
    # Effects, and notes that they have as parts
    DEFAULT = auto()  # the default of an argument: "eps"
    BEGIN = auto()  # the first value of a parameter or buffer: "weight"
    KEEP = auto()  # another attribute that a constructor sets
    SET = auto()  # a later value of a parameter or buffer: "running_mean"
    OVERWRITE = auto()  # an attribute that is set, but not one of `self`
    LOOP = auto()  # the values that a loop goes over
    DO = auto()  # a call whose result is not used
    RAISE = auto()  # an error: "ValueError"
    RETURN = auto()  # the result of a function: "forward"
    NOTE = auto()  # a fact about the value of an effect: "graph cut"


EFFECTS = frozenset({Kind.DEFAULT, Kind.BEGIN, Kind.KEEP, Kind.SET, Kind.OVERWRITE, Kind.LOOP, Kind.DO, Kind.RAISE, Kind.RETURN})


@dataclass(eq=False, slots=True)
class Value:
    """A value, or an effect such as the return of a method or the setting of a buffer.

    kind, name: its sort, and the operation, constant or attribute that it is.
    parts: the values that it is made from, each with its role, as in "dim".
    at: its node in the source; None for a default that is not written.
    users: the values that are made from it, each with the role that this value has there.
    """

    kind: Kind
    name: str = ""
    parts: Parts = ()
    at: ast.AST | None = None
    users: list[tuple[str, Value]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for role, part in self.parts:
            part.users.append((role, self))

    @property
    def key(self) -> str:
        """The text that compares values of different programs: "sqrt", "constant 0", "attribute weight"."""
        return self.name if self.kind is Kind.OPERATION else f"{self.kind} {self.name}"

    @property
    def operation(self) -> str | None:
        """The name of the operation; None for any other kind of value."""
        return self.name if self.kind is Kind.OPERATION else None

    @property
    def is_view(self) -> bool:
        """True if it has the numbers of its first part."""
        return self.kind is Kind.OPERATION and self.name in VIEWS and bool(self.parts)

    @property
    def is_effect(self) -> bool:
        return self.kind in EFFECTS

    def part(self, role: str) -> Value | None:
        return next((value for name, value in self.parts if name == role), None)


def constant(value: object, at: ast.AST | None = None) -> Value:
    return Value(Kind.CONSTANT, repr(value), at=at)


def on_one(name: str, value: Value, at: ast.AST | None) -> Value:
    """Return the value of an operation on one value."""
    return Value(Kind.OPERATION, name, (("0", value),), at)


def numbered(values: Iterable[Value]) -> Parts:
    """Return values as parts, whose roles are their positions."""
    return tuple((str(position), value) for position, value in enumerate(values))


def number(value: Value) -> float | None:
    """Return the number of a constant; None for any other value."""
    if value.kind is not Kind.CONSTANT:
        return None
    try:
        return float(value.name)
    except ValueError:
        return None


def seen_through(value: Value) -> Value:
    """Return the value without operations that only change its shape or dtype."""
    while value.is_view:
        value = value.parts[0][1]
    return value


def same(one: Value, other: Value) -> bool:
    """Return True if both are the same value, or are computed in the same way."""
    one, other = seen_through(one), seen_through(other)
    if one is other:
        return True
    alike = one.kind is other.kind and one.name == other.name and len(one.parts) == len(other.parts)
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


# Questions about all that a value is made from


def keeps_graph(value: Value) -> bool:
    """Return True if gradients would flow from a stored value to the input: nothing between them cuts the graph."""
    value = seen_through(value)
    if value.operation in ("detach", "item") or not value.parts:
        return value.kind is Kind.INPUT
    return any(keeps_graph(part) for role, part in value.parts if role != "if")


def keeps_dtype(value: Value) -> bool:
    """Return True if a value, or one that it is made from, is cast to the dtype of the input."""
    return any(map(is_cast_back, reached_from([value])))


def is_cast_back(value: Value) -> bool:
    if value.operation not in ("to", "type", "type_as") or len(value.parts) < 2:
        return False
    _role, given = value.parts[1]
    return from_input(given) and (value.operation == "type_as" or given.operation == "dtype")


def from_input(value: Value) -> bool:
    """Return True if a value is the input, or its dtype."""
    return seen_through(value).kind is Kind.INPUT or (value.operation == "dtype" and from_input(value.parts[0][1]))


def is_parameter(value: Value) -> bool:
    return value.operation == "Parameter" or any(is_parameter(part) for role, part in value.parts if role != "if")


# The meaning of a value in the formula, for any way to compute it


def meaning(value: Value) -> str:
    """Return the word for a value that is part of another: "variance", "centred", or its key."""
    value = seen_through(value)
    if value.kind is Kind.ATTRIBUTE:
        return RUNNING.get(value.name, value.key)
    match value.operation:
        case "detach":
            return "detached"
        case "either":
            meanings = {meaning(part) for role, part in value.parts if role != "if"}
            return meanings.pop() if len(meanings) == 1 else "either"
        case "-":
            return "centred" if is_mean(value.parts[1][1]) else "-"
        case "mean" | "sum":
            return meaning_of_average(value)
        case "*":
            return " · ".join(sorted("*" if seen_through(part).operation == "*" else meaning(part) for _role, part in value.parts))
        case "1/":
            return f"1/{meaning(value.parts[0][1])}"
        case "index" if seen_through(value.parts[0][1]).operation == "shape":
            return f"size {meaning(value.parts[1][1])}"
        case "square":
            root = seen_through(value.parts[0][1])
            return "variance" if root.operation == "sqrt" and meaning(root.parts[0][1]) == "variance" else "square"
        case "var":
            return "variance"
    return value.key


def is_mean(value: Value) -> bool:
    value = seen_through(value)
    return is_mean(value.parts[0][1]) if value.operation == "detach" and value.parts else meaning(value) == "mean"


def meaning_of_average(value: Value) -> str:
    """Return the word for a mean or a sum. The mean of squares is a variance if the squared value is centred."""
    averaged = seen_through(value.parts[0][1])
    if averaged.operation != "square":
        return value.name
    of = "variance" if meaning(averaged.parts[0][1]) == "centred" else "square"
    return of if value.name == "mean" else f"sum of {of}"
