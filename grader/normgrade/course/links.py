"""Links between prompts: in the course they lead from folder to folder; elsewhere prompts lie, or are shown, in other ways."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

TO_PROMPT = re.compile(r"\[(?P<text>[^\]\n]+)\]\(\.\./(?P<slug>\w+)/README(?:\.\w+)?\.md\)")
TO_FIGURE = re.compile(r"!\[(?P<text>[^\]\n]+)\]\(figure\.svg\)")
RELATIVE = re.compile(r"\]\((?!\w+:|#)(?P<path>[^)\s#]+)[^)]*\)")  # no address with a scheme, no place in the same file
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)  # where brackets are no link


def side_by_side(prompt: str, slug: str) -> str:
    """The prompt with links for a folder in which all is called after its exercise: `[RMS norm](rms_norm.md)`, `![…](rms_norm.svg)`."""
    return TO_FIGURE.sub(rf"![\g<text>]({slug}.svg)", TO_PROMPT.sub(r"[\g<text>](\g<slug>.md)", prompt))


def by_slug(prompt: str) -> str:
    """The prompt for a terminal, which can follow no link: ``RMS norm `rms_norm` `` in its place, and for a figure what it shows."""
    return TO_FIGURE.sub(r"*\g<text>*", TO_PROMPT.sub(r"\g<text> `\g<slug>`", prompt))


def dead_links(path: Path, markdown: str) -> Iterator[str]:
    """The relative links of a file that lead to no file."""
    for match in RELATIVE.finditer(CODE.sub("", markdown)):
        if not (path.parent / match["path"]).exists():
            yield match["path"]
