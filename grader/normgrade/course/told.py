"""The sentences of a page that tell learners what is tested. A comment after each names the checks: `<!-- test_eps, far_eps -->`."""

from __future__ import annotations

import re
from collections.abc import Iterator

MARK = re.compile(r"[ \t]*<!-- *(?P<names>\w+(?:, *\w+)*) *-->")
BEGINNING = re.compile(r"^\s*(?:[-*|] *|\d+\. *)?")  # of an item of a list, or of the row of a table
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*[-*|] |\s*\d+\. )")


def told(page: str) -> Iterator[tuple[str, str]]:
    """Yield the name of every check that a page announces, with the sentences that do.

    >>> [*told("- `eps` is added. <!-- test_eps, far_eps -->\\n- Copies go on. <!-- copies -->")]
    [('test_eps', '`eps` is added.'), ('far_eps', '`eps` is added.'), ('copies', 'Copies go on.')]
    """
    for block in PARAGRAPH.split(page):
        start = 0
        for mark in MARK.finditer(block):
            said = " ".join(BEGINNING.sub("", block[start : mark.start()]).split())
            yield from ((name.strip(), said) for name in mark["names"].split(","))
            start = mark.end()


def without_marks(page: str) -> str:
    """Return a page as learners read it.

    >>> without_marks("- `eps` is added. <!-- test_eps -->")
    '- `eps` is added.'
    """
    return MARK.sub("", page)
