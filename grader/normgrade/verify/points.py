"""The points of a suite, and the tests and situations that they come from."""

from __future__ import annotations

from collections import Counter

from normgrade.language import _
from normgrade.language.errors import listed
from normgrade.suite.situations import PREFIX
from normgrade.suite.suite import Suite


def points_in_words(suite: Suite) -> str:
    """Return the sums of the tests and of the situations with their parts: "tests 14 (test_rows 10, test_eps 4)"."""
    tests, situations = Counter[str](), Counter[str]()
    for test in suite.tests:
        name = test.name.partition("[")[0]
        (situations if name.startswith(PREFIX) else tests)[name.removeprefix(PREFIX)] += test.points
    sums = [told(word, parts) for word, parts in ((_("tests"), tests), (_("situations"), situations)) if parts]
    return listed(sums) if sums else _("there is no test")


def told(word: str, parts: Counter[str]) -> str:
    """Return a sum with its parts, but for those without points."""
    each = _(", ").join(f"{name} {points}" for name, points in parts.items() if points)
    return f"{word} {parts.total()} ({each})" if each else f"{word} {parts.total()}"
