"""Dataclasses as data of JSON and back, by the annotations of their fields, and the checks of data that came from another process.

A check returns the data in its type, or raises `ProtocolError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import Field, field, fields
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from normgrade.language import _
from normgrade.worker.wire.framing import ProtocolError

DEPTH = 32  # of nested values, and the most dimensions of an array
SURROGATE = re.compile("[\ud800-\udfff]")
STAYS = "stays"  # marks a field that does not travel
E = TypeVar("E", bound=StrEnum)


# The codec


class Codec(NamedTuple):
    """The form of one annotation as data: `write` returns a value as data, `read` returns data as a value or raises ProtocolError."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def staying(**options: Any) -> Any:
    """Return the field of a dataclass that does not travel; the reader leaves it at its default."""
    return field(metadata={STAYS: True}, **options)


def codec(kind: Any) -> Codec:
    """Return the codec of an annotation: one that `CODECS` names, a dataclass, an enumeration, a tuple, or a value that may be None.

    A dataclass is written as an object with exactly its fields in their order, and a tuple as a list.
    """
    return CODECS.get(kind) or made(kind)


@cache
def made(kind: Any) -> Codec:
    """Make the codec of an annotation from those of its parts."""
    given = [codec(each) for each in get_args(kind) if each not in (NoneType, ...)]
    if get_origin(kind) is tuple:
        return Codec(lambda value: [given[0].write(each) for each in value], lambda data: tuple(map(given[0].read, items(data))))
    if get_origin(kind) is UnionType and len(given) == 1:
        [one] = given
        return Codec(
            lambda value: None if value is None else one.write(value),
            lambda data: None if data is None else one.read(data),
        )
    if issubclass(kind, StrEnum):
        return Codec(str, lambda data: member(kind, data))
    hints = get_type_hints(kind)
    parts = {each.name: codec(hints[each.name]) for each in fields(kind) if travels(each)}
    return Codec(
        lambda value: {name: part.write(getattr(value, name)) for name, part in parts.items()},
        lambda data: kind(**{name: parts[name].read(each) for name, each in an_object(data, *parts).items()}),
    )


def travels(one: Field[Any]) -> bool:
    return STAYS not in one.metadata


def same(value: Any) -> Any:
    return value


# The checks


def an_object(value: object, *names: str) -> dict[str, Any]:
    """Return an object that has exactly these fields, in this order."""
    if not isinstance(value, dict) or tuple(value) != names:
        raise ProtocolError(_("expected an object of {names}", names=", ".join(names)))
    return value


def any_object(value: object) -> dict[str, Any]:
    """Return an object."""
    if not isinstance(value, dict):
        raise ProtocolError(_("expected an object"))
    return value


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


def boolean(value: object) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise ProtocolError(_("expected true or false"))
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
    if len(sizes) > DEPTH:
        raise ProtocolError(_("{n} dimensions; at most {limit} are allowed", n=len(sizes), limit=DEPTH))
    return sizes


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, unless it names a field twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ProtocolError(_("an object with a duplicate field"))
    return found


def unreadable(error: Exception) -> ProtocolError:
    return ProtocolError(_("a header that cannot be read: {error}", error=error))


def step_or_word(value: object) -> int | str | None:
    """Return the number of a step, or a word for one, or None."""
    return natural(value) if isinstance(value, int) else optional(value)


CODECS: dict[Any, Codec] = {
    str: Codec(same, text),
    int: Codec(same, natural),
    bool: Codec(same, boolean),
    int | str | None: Codec(same, step_or_word),
    Mapping[str, Any]: Codec(same, any_object),
}  # of the annotations that are not made of others; those of a message may be added
