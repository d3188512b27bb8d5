"""The decorator `claim`, which says of a test in a hidden suite what it is about and what it is worth."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from normgrade.language import _
from normgrade.language.errors import CourseError, did_you_mean
from normgrade.report.report import Kind

__all__ = ["claim"]

KINDS = tuple(kind for kind in Kind if kind is not Kind.PROOF)  # of hidden tests
Test = TypeVar("Test", bound=Callable[..., None])


class Claim(NamedTuple):
    """The facts about a test that its code does not tell. Its docstring is what learners read."""

    kind: Kind
    points: int
    hint: str  # in English
    courtesy: bool


def claim(kind: str, *, points: int = 1, hint: str = "", courtesy: bool = False) -> Callable[[Test], Test]:
    """Say of a test what its claim is about and what it is worth. The first paragraph of its docstring is the claim.

    - `kind`: "interface", "formula", "state", "gradient", "edge", "stability" or "precision".
    - `points`: a whole number.
    - `hint`: a text for a learner whose submission fails the test.
    - `courtesy`: if true, the test is asked as well: it costs its points if it fails, and does not decide whether a submission passes.

    Raises CourseError if there is no such kind, or if the points are no whole number.

    An example::

        @claim("formula", points=2, hint="Average over the last dimension.")
        def test_rows(agree):
            '''Every row is divided by its own root mean square.'''
            agree(build(3), train(randn(4, 3)))
    """

    def decorated(test: Test) -> Test:
        vars(test)["claim"] = Claim(known_kind(kind, test.__name__), whole(points, test.__name__), hint, courtesy)
        return test

    return decorated


def known_kind(kind: str, test: str) -> Kind:
    """Return a kind by its name. Raises CourseError if there is none."""
    if kind not in KINDS:
        meant, kinds = did_you_mean(str(kind), KINDS), ", ".join(KINDS)
        raise CourseError(_("{test}: there is no kind {kind!r}.{meant} There is {kinds}.", test=test, kind=kind, meant=meant, kinds=kinds))
    return Kind(kind)


def whole(points: int, test: str) -> int:
    """Return the points of a test. Raises CourseError if they are no whole number."""
    if not isinstance(points, int) or points < 0:
        raise CourseError(_("{test}: points={points!r} must be a whole number of points.", test=test, points=points))
    return points
