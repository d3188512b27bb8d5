"""Checks of data that came from another process. Each returns the data in its type, or raises `ProtocolError`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, TypeVar

from normgrade.language import _
from normgrade.worker.wire.framing import ProtocolError

DIMENSIONS = 32  # of an array
SURROGATE = re.compile("[\ud800-\udfff]")
E = TypeVar("E", bound=StrEnum)


def fields(value: object, *names: str) -> Iterable[Any]:
    """Return the values of an object that has exactly these fields, in this order."""
    if not isinstance(value, dict) or tuple(value) != names:
        raise ProtocolError(_("expected an object of {names}", names=", ".join(names)))
    return value.values()


def items(value: object, length: int | None = None) -> list[Any]:
    """Return a list, of `length` items if that is given."""
    if not isinstance(value, list) or length not in (None, len(value)):
        any_number = _("expected a list of any number of items")
        raise ProtocolError(any_number if length is None else _("expected a list of {n} items", n=length))
    return value


def natural(value: object) -> int:
    """Return a whole number from 0 up, of at most 63 bits."""
    if type(value) is not int or not 0 <= value < 2**63:
        raise ProtocolError(_("expected a non-negative integer"))
    return value


def text(value: object) -> str:
    """Return a text without lone surrogates, which could not be encoded."""
    if not isinstance(value, str) or not (value.isascii() or SURROGATE.search(value) is None):
        raise ProtocolError(_("expected a text"))
    return value


def optional(value: object) -> str | None:
    """Return a text or None."""
    return None if value is None else text(value)


def member(kind: type[E], value: object) -> E:
    """Return the member of an enumeration that has this text."""
    try:
        return kind(text(value))
    except ValueError as error:
        raise unreadable(error) from error


def named(name: object) -> str:
    """Return the name of a field. Names that start with a dollar sign are marks of the packing."""
    if not isinstance(name, str) or name.startswith("$"):
        raise ProtocolError(_("the name {name!r}; a name is a text that does not start with a dollar sign", name=name))
    return text(name)


def dimensions(value: object) -> tuple[int, ...]:
    """Return the shape of an array."""
    sizes = tuple(map(natural, items(value)))
    if len(sizes) > DIMENSIONS:
        raise ProtocolError(_("{n} dimensions; at most {limit} are allowed", n=len(sizes), limit=DIMENSIONS))
    return sizes


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, unless it names a field twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ProtocolError(_("an object with a duplicate field"))
    return found


def unreadable(error: Exception) -> ProtocolError:
    return ProtocolError(_("a header that cannot be read: {error}", error=error))
