"""Pasted text that is not Python: a notebook, a Markdown fence, prompts, typographic characters."""

from __future__ import annotations

import json
import unicodedata

from normgrade.language import _

FENCE, PROMPT = "```", ">>>"
PLAIN = dict(zip("\u201c\u201d\u201e\u2033\u2018\u2019\u2032\u2013\u2014\u2212\u3002\u3001", '""""\'\'\'---.,', strict=True))


def is_notebook(source: str) -> bool:
    """Return True if a text is a Jupyter notebook: a JSON object with cells."""
    if not source.lstrip().startswith("{"):
        return False
    try:
        found = json.loads(source)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "cells" in found and "nbformat" in found


def notebook() -> str:
    """Return the message about a notebook: how its code is graded."""
    return _(
        "This is a notebook, not a Python file: copy the cell that defines your code into a file, or grade it with `%%normgrade` there."
    )


def remedy(lines: list[str], line: int, column: int) -> str:
    """Return a remedy for a line that is not Python because it was pasted, after a space; "" if that is not the cause."""
    text = lines[line - 1].lstrip()
    if text.startswith(FENCE):
        return _(" Remove the lines that begin with ```: they mark code in a text.")
    if text.startswith(PROMPT):
        return _(" Remove the prompts `>>>` and `...`, and the lines of output.")
    sign = lines[line - 1][column - 1 : column]
    plain = PLAIN.get(sign) or unicodedata.normalize("NFKC", sign)
    if sign.isascii() or plain == sign or not plain.isascii() or len(plain) != 1:
        return ""
    return _(" Type a space instead.") if plain == " " else _(" Type `{plain}` instead.", plain=plain)
