"""A single word for every operation, written as an operator, a method or a function."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence

from normgrade.pointing.values import Kind, Parts, Value, constant, number, numbered, on_one, same, seen_through

OPERATORS: Mapping[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@", ast.Mod: "%", ast.FloorDiv: "//",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not",
    ast.In: "in", ast.NotIn: "not in", ast.And: "and", ast.Or: "or",
}  # fmt: skip
SPELLINGS = {  # other names of the same operations
    "add": "+", "sub": "-", "subtract": "-", "mul": "*", "multiply": "*", "div": "/", "divide": "/", "true_divide": "/", "pow": "**",
    "matmul": "@", "mm": "@", "mv": "@", "dot": "@", "ndim": "dim", "size": "shape", "clip": "clamp", "clamp_min": "clamp",
    "absolute": "abs", "data": "detach", "square_": "square", "maximum": "clamp", "max": "amax", "half": "to half",
}  # fmt: skip
ROLES = {  # of the positional arguments after the first
    **dict.fromkeys(("mean", "sum", "amax", "amin", "prod", "var", "std", "var_mean", "std_mean"), ("dim", "keepdim")),
    "clamp": ("min", "max"), "softmax": ("dim",), "lerp": ("end", "weight"), "range": ("1", "2"),
}  # fmt: skip
SAME_ROLES = {"axis": "dim", "keepdims": "keepdim", "exponent": "1", "other": "1", "input": "0"}
REDUCTIONS = frozenset({"mean", "sum", "amax", "amin", "prod"})
SPREADS = frozenset({"var", "std", "var_mean", "std_mean"})


def operation(name: str, given: Sequence[Value], named: Mapping[str, Value], at: ast.AST | None) -> Value:
    """Return the value of an operation on values, some of them with a name."""
    name = SPELLINGS.get(name, name)
    if name == "cat" or name == "stack":
        return Value(Kind.OPERATION, name, parts_of(name, given, named), at)
    if len(given) + len(named) == 2 and name in ARITHMETIC and not {"alpha", "rounding_mode"} & named.keys():
        one, other = (*given, *named.values())
        return ARITHMETIC[name](one, other, at)
    if name == "+" and "alpha" in named and len(given) == 2:
        return Value(Kind.OPERATION, "+", (("", given[0]), ("", times(named["alpha"], given[1], at))), at)
    if len(given) == 1 and not named and name in ROOTS:
        return ROOTS[name](given[0], at)
    if name in SPREADS and given:
        return spread(name, given, named, at)
    if name in REDUCTIONS and given:
        return Value(Kind.OPERATION, name, completed(dict(parts_of(name, given, named))), at)
    return Value(Kind.OPERATION, name, parts_of(name, given, named), at)


def parts_of(name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Parts:
    roles = ("0", *ROLES.get(name, ()))
    placed = [(roles[number] if number < len(roles) else str(number), value) for number, value in enumerate(given)]
    return (*placed, *sorted((SAME_ROLES.get(role, role), value) for role, value in named.items()))


def spread(name: str, given: Sequence[Value], named: Mapping[str, Value], at: ast.AST | None) -> Value:
    """Return the value of a variance, or of its root, with its correction, which is 1 by default.

    A bool in the second position is `unbiased`.
    """
    parts = {"0": given[0]}
    for role, value in (*(("", value) for value in given[1:]), *named.items()):
        is_bool = value.kind is Kind.CONSTANT and value.name in ("True", "False")
        if role == "unbiased" or (not role and is_bool and "correction" not in parts):
            parts["correction"] = constant(int(is_bool and value.name == "True"), value.at)
        elif role in ("correction", "ddof"):
            parts["correction"] = value
        else:
            parts[SAME_ROLES.get(role, role) or ("keepdim" if is_bool else "dim")] = value
    parts.setdefault("correction", constant(1))
    if name == "std":
        return on_one("sqrt", Value(Kind.OPERATION, "var", completed(parts), at), at)
    return Value(Kind.OPERATION, name, completed(parts), at)


def completed(parts: dict[str, Value]) -> Parts:
    """Return the parts of a reduction, with defaults for the missing ones."""
    return tuple({**parts, "dim": parts.get("dim", constant(None)), "keepdim": parts.get("keepdim", constant(False))}.items())


# Arithmetic


def sum_of(one: Value, other: Value, at: ast.AST | None) -> Value:
    return folded("+", one, other, at) or Value(Kind.OPERATION, "+", (("", one), ("", other)), at)


def difference(one: Value, other: Value, at: ast.AST | None) -> Value:
    return folded("-", one, other, at) or Value(Kind.OPERATION, "-", numbered((one, other)), at)


def times(one: Value, other: Value, at: ast.AST | None) -> Value:
    if number(one) is None and same(one, other):
        return on_one("square", one, at)
    return folded("*", one, other, at) or Value(Kind.OPERATION, "*", (("", one), ("", other)), at)


def quotient(one: Value, other: Value, at: ast.AST | None) -> Value:
    """Return a / b as a · (1 / b), so that a reciprocal root and a division by a root are the same."""
    if found := folded("/", one, other, at):
        return found
    if one.operation == "sum" and seen_through(other).operation not in ("+", "-"):  # n - 1 or n + 1 gives no mean
        return Value(Kind.OPERATION, "mean", (*one.parts, ("by", other)), at)
    inverse = on_one("1/", other, at)
    return inverse if number(one) == 1 else Value(Kind.OPERATION, "*", (("", one), ("", inverse)), at)


def power(one: Value, other: Value, at: ast.AST | None) -> Value:
    if found := folded("**", one, other, at):
        return found
    match number(other):
        case 2:
            return on_one("square", one, at)
        case 0.5:
            return on_one("sqrt", one, at)
        case -0.5:
            return reciprocal_root(one, at)
    return Value(Kind.OPERATION, "**", numbered((one, other)), at)


def reciprocal_root(value: Value, at: ast.AST | None) -> Value:
    return on_one("1/", on_one("sqrt", value, at), at)


def reciprocal(value: Value, at: ast.AST | None) -> Value:
    return on_one("1/", value, at)


def square(value: Value, at: ast.AST | None) -> Value:
    return on_one("square", value, at)


def folded(sign: str, one: Value, other: Value, at: ast.AST | None) -> Value | None:
    """Return the result of an operation on two numbers; None if one is not a known number, or the operation fails."""
    left, right = number(one), number(other)
    if left is None or right is None:
        return None
    try:
        found = COMPUTED[sign](left, right)
    except (ArithmeticError, ValueError):
        return None
    return as_number(found, at) if isinstance(found, float) else None


def as_number(found: float, at: ast.AST | None) -> Value:
    return constant(int(found) if found == found // 1 and abs(found) < 1e15 else found, at)


def negative(value: Value, at: ast.AST | None) -> Value:
    known = number(value)
    return on_one("negative", value, at) if known is None else as_number(-known, at)


def negated(value: Value, at: ast.AST | None) -> Value:
    """Return the negation of a value; a comparison becomes the opposite comparison."""
    if value.operation in OPPOSITES:
        return Value(Kind.OPERATION, OPPOSITES[value.operation], value.parts, value.at)
    return value.parts[0][1] if value.operation == "not" else on_one("not", value, at)


def either(condition: Value, then: Value, otherwise: Value, at: ast.AST | None) -> Value:
    """Return one of two values, chosen by a condition."""
    if seen_through(then) is seen_through(otherwise):
        of_dtype = any(part.operation == "dtype" for _role, part in condition.parts)
        return otherwise if of_dtype and not then.is_view else then  # `y if x.dtype == wide else y.to(x.dtype)` has the dtype of x
    if condition.operation in ("not", "is not", "!=", "not in"):
        return Value(Kind.OPERATION, "either", (("if", negated(condition, at)), ("then", otherwise), ("else", then)), at)
    return Value(Kind.OPERATION, "either", (("if", condition), ("then", then), ("else", otherwise)), at)


# Several values


def several(values: list[Value], at: ast.AST) -> Value:
    """Return several values as one; if all are constants, as one constant."""
    if values and all(value.kind is Kind.CONSTANT for value in values):
        return Value(Kind.CONSTANT, f"({', '.join(value.name for value in values)})", at=at)
    if len(values) == 1 and values[0].operation == "*of":
        return values[0]
    return Value(Kind.OPERATION, "several", numbered(values), at)


def item(value: Value, number: int, at: ast.AST) -> Value:
    """Return one of several values; for `var_mean`, the variance or the mean."""
    inner = seen_through(value)
    match inner.operation:
        case "several" if number < len(inner.parts):
            return inner.parts[number][1]
        case "var_mean" | "std_mean" if number == 0:
            var = Value(Kind.OPERATION, "var", inner.parts, inner.at)
            return var if inner.name == "var_mean" else on_one("sqrt", var, inner.at)
        case "var_mean" | "std_mean":
            return Value(Kind.OPERATION, "mean", tuple(part for part in inner.parts if part[0] != "correction"), inner.at)
        case "either":
            condition, then, otherwise = (part for _role, part in inner.parts)
            return either(condition, item(then, number, at), item(otherwise, number, at), at)
    return Value(Kind.OPERATION, "item", numbered((value, constant(number))), at)


PAIRS = (("is", "is not"), ("==", "!="), ("in", "not in"), ("<", ">="), (">", "<="))
OPPOSITES = {one: other for pair in PAIRS for one, other in (pair, pair[::-1])}
COMPUTED: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "**": operator.pow,
}  # fmt: skip
ARITHMETIC: Mapping[str, Callable[[Value, Value, ast.AST | None], Value]] = {
    "+": sum_of,
    "-": difference,
    "*": times,
    "/": quotient,
    "**": power,
}
ROOTS = {"rsqrt": reciprocal_root, "reciprocal": reciprocal, "square": square}
