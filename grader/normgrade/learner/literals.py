"""Python literals that somebody typed. They are parsed, never executed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from math import inf, nan
from types import MappingProxyType
from typing import Any

from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.language.text import lines_of
from normgrade.language.visible import visible_name

NUMBERS: Mapping[str, float] = MappingProxyType({"nan": nan, "inf": inf})
LONGEST = 40  # characters of a part in a message
Made = Mapping[str, Callable[..., Any]]  # the functions that may be called, by name
NOTHING: Made = MappingProxyType({})


def expression(text: str, where: str) -> ast.expr:
    """Return the one expression in a text. Raises a UsageError if there is none; `where` names the text in its message."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset or 1
        said = _("{where} cannot be read at line {line}, column {column}: {error}.", where=where, line=line, column=column, error=error.msg)
    except (ValueError, RecursionError, MemoryError, OverflowError):
        said = _("{where} cannot be read: it is nested too deeply, or contains a NUL character.", where=where)
    raise UsageError(said)


def value_of(node: ast.expr, text: str, where: str, made: Made = NOTHING) -> Any:
    """Return the value of a literal.

    It is a number, a text, True, False, None, nan, inf, a list or tuple of these, or a call of a function in `made`. Raises a UsageError
    for anything else.
    """
    match node:
        case ast.Constant(value=None | bool() | int() | float() | str() as value):
            return value
        case ast.Name(id=name) if name in NUMBERS:
            return NUMBERS[name]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            value = value_of(operand, text, where)
            if isinstance(value, int | float):
                return -value if isinstance(sign, ast.USub) else value
        case ast.List(elts=items):
            return [value_of(item, text, where, made) for item in items]
        case ast.Tuple(elts=items):
            return tuple(value_of(item, text, where, made) for item in items)
        case ast.Call(func=ast.Name(id=name)) if name in made:
            args, kwargs = arguments_of(node, text, where, made)
            try:
                return made[name](*args, **kwargs)
            except TypeError as error:
                raise UsageError(
                    _("{part} in {where} cannot be created: {error}.", part=part(node, text), where=where, error=error)
                ) from error
    raise UsageError(
        _(
            "{part} at line {line}, column {column} of {where} is not a literal. Write a number, a string, True, False, None or a list.",
            part=part(node, text),
            line=node.lineno,
            column=column_of(node, text),
            where=where,
        )
    )


def arguments_of(call: ast.Call, text: str, where: str, made: Made) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call, by position and by name."""
    if any(keyword.arg is None for keyword in call.keywords):
        raise UsageError(_("** in {where} is not a literal. Write each argument with its name.", where=where))
    args = [value_of(argument, text, where, made) for argument in call.args]
    return args, {str(keyword.arg): value_of(keyword.value, text, where, made) for keyword in call.keywords}


def part(node: ast.expr, text: str) -> str:
    """Return a part of the text as it was typed, or the beginning of a long part."""
    typed = visible_name(ast.get_source_segment(text.strip(), node) or ast.unparse(node))
    return typed if len(typed) <= LONGEST else f"{typed[: LONGEST - 1]}…"


def column_of(node: ast.expr, text: str) -> int:
    """Return the column of a part in characters, counted from 1."""
    line = lines_of(text.strip())[node.lineno - 1]
    return len(line.encode()[: node.col_offset].decode(errors="ignore")) + 1
