"""Names from file systems and archives as text that any file can hold. Two names never become one."""

from __future__ import annotations

import re

from normgrade.language.visible import visible_name

SURROGATE = re.compile(r"[\ud800-\udfff]")
FIRST, LAST = 0xDC80, 0xDCFF  # the surrogates by which Python writes the bytes of a name that is not UTF-8


def printable_name(name: str) -> str:
    """Return the name as text in UTF-8: itself, or with escapes if it holds a byte that is not UTF-8 or a backslash.

    >>> printable_name("Zo\\udceb")
    'Zo\\\\xeb'
    """
    return SURROGATE.sub(escaped, name.replace("\\", r"\\"))


def escaped(match: re.Match[str]) -> str:
    sign = ord(match[0])
    return f"\\x{sign - 0xDC00:02x}" if FIRST <= sign <= LAST else f"\\u{sign:04x}"


def shown(name: str) -> str:
    """Return the name as it stands in a message: printable, and on a single line."""
    return visible_name(printable_name(name))
