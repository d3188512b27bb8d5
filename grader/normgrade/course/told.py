"""The sentences of a page that tell learners what is tested. A comment after each names the checks: `<!-- test_eps, far_eps -->`."""

from __future__ import annotations

import re

MARK = re.compile(r"[ \t]*<!-- *(?P<names>\w+(?:, *\w+)*) *-->")


def told(page: str) -> list[str]:
    """Return the name of every check that a page announces.

    >>> told("- `eps` is added. <!-- test_eps, far_eps -->\\n- Copies go on. <!-- copies -->")
    ['test_eps', 'far_eps', 'copies']
    """
    return [name.strip() for mark in MARK.finditer(page) for name in mark["names"].split(",")]


def without_marks(page: str) -> str:
    """Return a page as learners read it.

    >>> without_marks("- `eps` is added. <!-- test_eps -->")
    '- `eps` is added.'
    """
    return MARK.sub("", page)
