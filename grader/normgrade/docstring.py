"""What a docstring says first: in English, and in a paragraph "zh: …" of its own in Chinese."""

from __future__ import annotations

import re
from inspect import cleandoc

from normgrade.language import ENGLISH, spoken

SIGN = r"[\u3000-\u9fff\uff00-\uffef]"  # Chinese, which has no spaces where lines break


def told(docstring: str | None) -> str:
    """In the language that is spoken, or else in English."""
    return told_in(docstring, spoken()) or told_in(docstring, ENGLISH)


def told_in(docstring: str | None, language: str) -> str:
    """The first paragraph in one line; in another language the paragraph that begins with its name. Nothing where there is none."""
    first, *others = cleandoc(docstring or "").split("\n\n")
    if language == ENGLISH:
        return joined(first)
    begins = f"{language}: "
    return next((joined(other.removeprefix(begins)) for other in others if other.startswith(begins)), "")


def joined(paragraph: str) -> str:
    return re.sub(rf"(?<={SIGN}) (?={SIGN})", "", " ".join(paragraph.split()))
