"""Links between prompts. In the course they lead from folder to folder; they are rewritten for a workspace and for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

TO_PROMPT = re.compile(r"\[(?P<text>[^\]\n]+)\]\(\.\./(?P<slug>\w+)/README(?:\.\w+)?\.md\)")
TO_FIGURE = re.compile(r"!\[(?P<text>[^\]\n]+)\]\(figure\.svg\)")
RELATIVE = re.compile(r"\]\((?!\w+:|#)(?P<path>[^)\s#]+)[^)]*\)")  # neither an address with a scheme nor a place in the same file
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)  # brackets in it are no link


def side_by_side(prompt: str, slug: str) -> str:
    """Return the prompt with links for a folder of files named after exercises: `[RMS norm](rms_norm.md)`, `![…](rms_norm.svg)`."""
    return TO_FIGURE.sub(rf"![\g<text>]({slug}.svg)", TO_PROMPT.sub(r"[\g<text>](\g<slug>.md)", prompt))


def by_slug(prompt: str) -> str:
    """Return the prompt for a terminal, which cannot follow links: ``RMS norm `rms_norm` `` instead of one, or a figure's description."""
    return TO_FIGURE.sub(r"*\g<text>*", TO_PROMPT.sub(r"\g<text> `\g<slug>`", prompt))


def dead_links(path: Path, markdown: str) -> Iterator[str]:
    """Yield the relative links of a file that lead to no file."""
    for match in RELATIVE.finditer(CODE.sub("", markdown)):
        if not (path.parent / match["path"]).exists():
            yield match["path"]
