"""Lines of Chinese: they may break between any two signs, but not before a comma nor after an opening bracket.

rich breaks lines at spaces alone, in texts, tables and Markdown alike, and has no option for it: what it takes for a word is replaced.
Where there is no Chinese, its words stay what they were.
"""

from __future__ import annotations

import re

import rich._wrap

SIGN = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"  # Chinese, and the wide forms of punctuation
OPENING, CLOSING = r"（《“‘【「", r"，。；：！？）》、”’】」…"
WORD = re.compile(rf"\s*[{OPENING}]*(?:(?![{OPENING}{CLOSING}])[{SIGN}]|[^\s{SIGN}]+|[{CLOSING}])[{CLOSING}]*\s*|\s*\S\s*")


def break_chinese() -> None:
    """From now on, rich breaks lines of Chinese as it should."""
    rich._wrap.re_word = WORD
