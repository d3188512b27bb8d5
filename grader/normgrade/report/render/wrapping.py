"""Lines of Chinese, which may break between any two characters except before a comma or after an opening bracket.

rich and click break lines only at spaces, click counts every character as one column, and neither has an option for this. So text with
Chinese in it is broken before rich sees it, and click's function that wraps help is replaced. Text without Chinese stays as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import ConsoleOptions  # not at run time: click's help does without rich
    from rich.text import Text

SIGN = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"  # Chinese, and the wide forms of punctuation
CHINESE = re.compile(f"[{SIGN}]")
OPENING, CLOSING = r"（《“‘【「", r"，。；：！？）》、”’】」…"
WORD = rf"\s*[{OPENING}]*(?:(?![{OPENING}{CLOSING}])[{SIGN}]|[^\s{SIGN}]+|[{CLOSING}])[{CLOSING}]*\s*|\s*\S\s*"
FILLER = "\u2060"  # follows a wide sign while columns are counted


def broken(text: Text, options: ConsoleOptions) -> Text:
    """Return the text with its long lines of Chinese broken. It is unchanged if it has no Chinese or if rich would not break it."""
    no_wrap = options.no_wrap if text.no_wrap is None else text.no_wrap
    overflow = text.overflow or options.overflow or "fold"
    if no_wrap or overflow == "ignore" or not CHINESE.search(text.plain):
        return text
    width, fold = options.max_width, overflow == "fold"
    parts = [part for line in text.split(allow_blank=True) for part in line.divide(breaks(line.plain, width, fold))]
    return text.blank_copy("\n").join(parts)


def breaks(line: str, width: int, fold: bool = True) -> list[int]:
    """Return the indices at which new lines begin, so that each holds as many words as fit.

    A word that is wider than a line is folded if `fold` is true; otherwise it stays whole.
    """
    from rich.cells import cell_len, chop_cells  # loads rich

    found, column = [], 0
    for word in re.finditer(WORD, line):
        start, needed = word.start(), cell_len(word[0].rstrip())
        if column and column + needed > width:
            found.append(start)
            column = 0
        *full, rest = chop_cells(word[0], width) if fold and needed > width else [word[0]]
        found += [start + len("".join(full[: number + 1])) for number in range(len(full))]
        column += cell_len(rest)
    return found


def break_chinese_help() -> None:
    """Have click break lines of Chinese at the last column from now on."""
    from click import formatting  # loads click

    wrap = getattr(formatting.wrap_text, "plain", formatting.wrap_text)

    def wrap_text(text: str, *arguments: Any, **options: Any) -> str:
        wide = re.sub(rf"[{SIGN}{CLOSING}{OPENING}]", lambda match: match[0] + FILLER, text) if re.search(f"[{SIGN}]", text) else text
        return str(wrap(wide, *arguments, **options)).replace(FILLER, "")

    wrap_text.plain = wrap  # type: ignore[attr-defined]
    formatting.wrap_text = wrap_text
