"""Lines of Chinese: they may break between any two signs, but not before a comma nor after an opening bracket.

rich and click break lines at spaces alone, click counts every sign as one column, and neither has an option for it: what rich takes for a
word, and how click wraps its help, are replaced. Where there is no Chinese, both stay what they were.
"""

from __future__ import annotations

import re
from typing import Any

SIGN = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"  # Chinese, and the wide forms of punctuation
OPENING, CLOSING = r"（《“‘【「", r"，。；：！？）》、”’】」…"
WORD = re.compile(rf"\s*[{OPENING}]*(?:(?![{OPENING}{CLOSING}])[{SIGN}]|[^\s{SIGN}]+|[{CLOSING}])[{CLOSING}]*\s*|\s*\S\s*")
FILLER = "\u2060"  # stands behind a wide sign while columns are counted


def break_chinese() -> None:
    """From now on, rich breaks lines of Chinese as it should."""
    import rich._wrap

    rich._wrap.re_word = WORD


def break_chinese_help() -> None:
    """From now on, click breaks lines of Chinese where their columns end."""
    from click import formatting

    wrap = getattr(formatting.wrap_text, "plain", formatting.wrap_text)

    def wrap_text(text: str, *arguments: Any, **options: Any) -> str:
        wide = re.sub(rf"[{SIGN}{CLOSING}{OPENING}]", lambda match: match[0] + FILLER, text) if re.search(f"[{SIGN}]", text) else text
        return str(wrap(wide, *arguments, **options)).replace(FILLER, "")

    wrap_text.plain = wrap  # type: ignore[attr-defined]
    formatting.wrap_text = wrap_text
