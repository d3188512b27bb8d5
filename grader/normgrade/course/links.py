"""Links between the pages of a course. There they lead from folder to folder; they are rewritten for a workspace and for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from normgrade.course.told import without_marks

TO_PROMPT = re.compile(r"\[(?P<text>[^\]\n]+)\]\(\.\./(?P<slug>\w+)/README(?:\.\w+)?\.md\)")
TO_RULES = re.compile(r"\[(?P<text>[^\]\n]+)\]\(\.\./rules(?:\.\w+)?\.md(?:#[\w-]+)?\)")
TO_FIGURE = re.compile(r"!\[(?P<text>[^\]\n]+)\]\((?P<figure>\w+)\.svg\)")
RELATIVE = re.compile(r"\]\((?!\w+:|#)(?P<path>[^)\s#]+)[^)]*\)")  # neither an address with a scheme nor a place in the same file
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)  # brackets in it are no link


def side_by_side(page: str, slug: str = "") -> str:
    """Return a page with links for a folder of files named after exercises: `[RMS norm](rms_norm.md)`, `![…](rms_norm-axes.svg)`."""
    return rewritten(page, rf"![\g<text>]({slug}-\g<figure>.svg)", r"[\g<text>](\g<slug>.md)", r"[\g<text>](rules.md)")


def by_slug(page: str) -> str:
    """Return a page for a terminal, which cannot follow links: ``RMS norm `rms_norm` `` instead of one, or a figure's description."""
    return rewritten(page, r"*\g<text>*", r"\g<text> `\g<slug>`", r"\g<text> (`normgrade show rules`)")


def rewritten(page: str, figure: str, prompt: str, rules: str) -> str:
    """Return a page as learners read it, with other links to its figure, to prompts and to the rules."""
    return TO_FIGURE.sub(figure, TO_PROMPT.sub(prompt, TO_RULES.sub(rules, without_marks(page))))


def dead_links(path: Path, markdown: str) -> Iterator[str]:
    """Yield the relative links of a file that lead to no file."""
    for match in RELATIVE.finditer(CODE.sub("", markdown)):
        if not (path.parent / match["path"]).exists():
            yield match["path"]
