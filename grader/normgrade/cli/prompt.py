"""Prompts for a terminal, which cannot fold parts or follow links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from normgrade.course.links import by_slug
from normgrade.course.questions import ANSWERS, FOLDED
from normgrade.language import _

if TYPE_CHECKING:
    from rich.markdown import Markdown  # not at run time: a pipe does without rich


def folded(prompt: str, slug: str) -> str:
    """Return the prompt without its folded parts, and with the command that shows them."""
    shown, count = FOLDED.subn(lambda match: title(match[1]), by_slug(prompt))
    if not count:
        return shown
    how = _("Run `normgrade show {slug} --answers` to see the answers too.", slug=slug)
    return f"{shown.rstrip()}\n\n{how}\n"


def unfolded(prompt: str) -> str:
    """Return the prompt with its folded parts as plain paragraphs."""
    return FOLDED.sub(lambda match: f"{title(match[1])}{match[2].strip()}\n\n", by_slug(prompt))


def title(summary: str) -> str:
    """Return the heading of a folded part: its question, or "" if the question stands before it."""
    return "" if summary.strip() in ANSWERS else f"**{summary.strip()}**\n\n"


def rendered(markdown: str) -> Markdown:
    """Return Markdown of a course for a terminal. The address of a link stands beside its words, not hidden under them."""
    from rich.markdown import Markdown  # loads rich

    return Markdown(markdown, hyperlinks=False)
