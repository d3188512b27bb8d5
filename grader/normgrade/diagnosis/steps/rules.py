"""The rules for small, typical mistakes in an expression. Each yields edits of the source, with words for their effect."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from normgrade.course.mistakes import Edit
from normgrade.diagnosis.steps.catalogue import term_in_words
from normgrade.diagnosis.steps.sources import Source, last_name
from normgrade.language import N_, _

ROOTS = ("sqrt", "rsqrt")
PLAIN = {  # elementwise functions that can be left out
    "sqrt": N_("without the root"), "rsqrt": N_("without the reciprocal root"), "square": N_("without squares"),
    "abs": N_("without absolute values"), "exp": N_("without the exponential"), "tanh": N_("without the tanh"),
    "log": N_("without the log"),
}  # fmt: skip
INSTEAD = {  # functions that are often mistaken for each other
    "mean": ("sum",), "sum": ("mean",), "var": ("std",), "std": ("var",), "square": ("abs",), "abs": ("square",),
    "amax": ("amin",), "max": ("min",), "rsqrt": ("sqrt",),
}  # fmt: skip
SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
SHOWN = {"+": "+", "-": "−", "*": "×", "/": "÷"}
FREEDOM = ("correction", "ddof", "unbiased")
FIXED = ("1e-5", "1e-6", "1e-8", "1e-12", "1e-3")  # usual values of eps
RATES = ("momentum", "decay", "alpha", "rate")


@dataclass(frozen=True)
class Variant:
    """Edits of a source, and their effect in words, as in "without the root"."""

    edits: tuple[Edit, ...]
    words: str


Rule = Callable[[Source, ast.expr], Iterator[Variant]]


def one(source: Source, node: ast.expr, new: str, words: str) -> Variant:
    """Return the variant that replaces the text of a node."""
    return Variant((Edit(*source.range_of(node), new),), words)


def freedom(source: Source, node: ast.expr) -> Iterator[Variant]:
    """Yield variants that divide by n − 1 instead of n, or by n instead of n − 1."""
    if not isinstance(node, ast.Call):
        return
    for keyword in node.keywords:
        if keyword.arg in FREEDOM and isinstance(keyword.value, ast.Constant):
            right = bool(keyword.value.value)
            new = str(not right) if keyword.arg == "unbiased" else str(int(not right))
            yield one(source, keyword.value, new, divided_by("n" if right else "n − 1"))
    if function_name(node) in ("var", "std") and not any(keyword.arg in FREEDOM for keyword in node.keywords):
        added, count = ("correction=0", "n") if "torch" in source.text else ("ddof=1", "n − 1")
        end = source.range_of(node)[1] - 1
        yield Variant((Edit(end, end, f", {added}"),), divided_by(count))


def divided_by(count: str) -> str:
    return _("as if divided by {count}", count=count)


def left_out(source: Source, node: ast.expr) -> Iterator[Variant]:
    """Yield variants without one side of an operation, or without an elementwise function."""
    match node:
        case ast.BinOp(left=left, op=ast.Pow()):
            yield one(source, node, f"({source.text_of(left)})", _("without the power"))
        case ast.BinOp(left=left, op=operator, right=right):
            yield one(source, node, f"({source.text_of(left)})", without(right))
            minus = "-" if isinstance(operator, ast.Sub) else ""
            yield one(source, node, f"({minus}{source.text_of(right)})", without(left))
    if (inner := argument_of(node)) is not None and (name := function_name(node)) in PLAIN:
        yield one(source, node, f"({source.text_of(inner)})", _(PLAIN[name]))


def without(term: ast.expr) -> str:
    return _("without {term}", term=term_in_words(term))


def turned(source: Source, node: ast.expr) -> Iterator[Variant]:
    """Yield variants with another sign, with the two sides swapped, or with absolute values instead of squares."""
    if not isinstance(node, ast.BinOp) or type(node.op) not in SIGNS:
        return
    left, right, sign = source.text_of(node.left), source.text_of(node.right), SIGNS[type(node.op)]
    if sign in "-/":
        yield one(source, node, f"(({right}) {sign} ({left}))", _("with the two sides swapped"))
    for other in SHOWN:
        if other != sign:
            words = _("{other} instead of {name}", other=SHOWN[other], name=SHOWN[sign])
            yield one(source, node, f"(({left}) {other} ({right}))", words)
    if sign == "*" and isinstance(node.left, ast.BinOp) and left == right:
        yield one(source, node, f"abs({left})", _("absolute values instead of squares"))


def exchanged(source: Source, node: ast.expr) -> Iterator[Variant]:
    """Yield variants that call a function often mistaken for this one."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name, end = node.func.attr, source.range_of(node.func)[1]
        for other in INSTEAD.get(name, ()):
            words = _("{other} instead of {name}", other=other, name=name)
            yield Variant((Edit(end - len(name), end, other),), words)


def outside(source: Source, node: ast.expr) -> Iterator[Variant]:
    """Yield variants of an added eps, such as its square, a fixed number or a maximum, and variants with an addend outside of its root."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and is_small(node.right):
        left, right = source.text_of(node.left), source.text_of(node.right)
        larger = f"({left}).clamp(min={right})" if "torch" in source.text else f"np.maximum({left}, {right})"
        yield one(source, node, larger, _("the larger of the two instead of the sum"))
        yield one(source, node.right, f"({right}) ** 2", _("with the square of {term}", term=term_in_words(node.right)))
        for fixed in FIXED:
            yield one(source, node.right, fixed, _("with {fixed} instead of {term}", fixed=fixed, term=term_in_words(node.right)))
    inner = argument_of(node)
    if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add) and function_name(node) in ROOTS:
        term = term_in_words(inner.right)
        (start, end), (first, last) = source.range_of(node), source.range_of(inner)
        without_term = source.range_of(inner.left)[1]
        root = source.text[start:first] + source.text[first:without_term] + source.text[last:end]
        if function_name(node) == "sqrt":
            yield one(source, node, f"({root} + {source.text_of(inner.right)})", _("with {term} outside the root", term=term))
        else:
            new = f"(1 / ({root.replace('rsqrt', 'sqrt')} + {source.text_of(inner.right)}))"
            yield one(source, node, new, _("with {term} outside the root", term=term))


def is_small(node: ast.expr) -> bool:
    """Return True if a node is an eps."""
    return isinstance(node, ast.Name | ast.Attribute) and last_name(node).lower().startswith("eps")


def complement(source: Source, node: ast.expr) -> Iterator[Variant]:
    """Yield the variant with 1 − m instead of m."""
    if isinstance(node, ast.Name | ast.Attribute) and any(word in last_name(node) for word in RATES):
        text = source.text_of(node)
        yield one(source, node, f"(1 - {text})", _("with 1 − {name} instead of {name}", name=last_name(node)))


def swapped(source: Source, node: ast.expr) -> Iterator[Variant]:
    """Yield the variant that swaps an assignment with the next one to the same name."""
    statement = source.parents.get(node)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return
    name = statement.targets[0].id
    later = [
        each
        for each in ast.walk(source.function(node))
        if isinstance(each, ast.Assign) and each.lineno > statement.lineno and last_name(each.targets[0]) == name
    ]
    if later and name in {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}:
        following = min(later, key=lambda each: each.lineno).value
        edits = (
            Edit(*source.range_of(node), source.text_of(following)),
            Edit(*source.range_of(following), source.text_of(node)),
        )
        yield Variant(edits, _("with two steps swapped"))


def distributed(source: Source, node: ast.expr) -> Iterator[Variant]:
    """Yield the variant (a + c) · b instead of a · b + c."""
    match node:
        case ast.BinOp(left=ast.BinOp(left=a, op=ast.Mult(), right=b), op=ast.Add(), right=c):
            first, factor, term = map(source.text_of, (a, b, c))
            words = _("{term} before {factor}", term=term_in_words(c), factor=term_in_words(b))
            yield one(source, node, f"(({first} + {term}) * {factor})", words)


RULES: Sequence[Rule] = (freedom, left_out, exchanged, outside, complement, swapped, distributed, turned)


def function_name(node: ast.expr) -> str:
    """Return the last name of a function that is called; "" if the node is no call."""
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def argument_of(node: ast.expr) -> ast.expr | None:
    """Return the argument of an elementwise function, or the array whose method is called."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch" | "np" | "numpy" | "math")), args=[first, *_rest]):
            return first
        case ast.Call(func=ast.Attribute(value=value), args=[]):
            return value
        case ast.Call(func=ast.Name(id="abs"), args=[first]):
            return first
    return None
