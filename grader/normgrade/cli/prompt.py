"""A prompt as a terminal can show it: nothing there folds."""

from __future__ import annotations

import re

from normgrade.language import _

ANSWERS = ("Answer", "答案")  # summaries that say no more than that something is folded away
FOLDED = re.compile(r"<details>\s*<summary>(.*?)</summary>(.*?)</details>\s*", re.DOTALL)


def folded(prompt: str, slug: str) -> str:
    """The prompt without what is folded away, for a terminal has nothing to click on, and how to see that."""
    shown, count = FOLDED.subn(lambda match: title(match[1]), prompt)
    if not count:
        return prompt
    told = _("`normgrade show {slug} --answers` shows the answers too.", slug=slug)
    return f"{shown.rstrip()}\n\n{told}\n"


def unfolded(prompt: str) -> str:
    return FOLDED.sub(lambda match: f"{title(match[1])}{match[2].strip()}\n\n", prompt)


def title(summary: str) -> str:
    """What stands where something is folded away: the question, or nothing where that stands before it."""
    return "" if summary.strip() in ANSWERS else f"**{summary.strip()}**\n\n"
