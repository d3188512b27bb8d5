"""Tests of the decorator `claim`: it keeps what a test says of itself, and refuses wrong kinds and points."""

from __future__ import annotations

from typing import Any

import pytest

from normgrade.language.errors import CourseError
from normgrade.report.report import Kind
from normgrade.suite.claims import KINDS, Claim, claim


def rows() -> None:
    """Every row is divided by its own length."""


def test_a_claim_is_kept_with_its_test() -> None:
    decorated = claim("edge", points=2, hint="Look again.", courtesy=True)(rows)
    assert decorated is rows and vars(rows)["claim"] == Claim(Kind.EDGE, 2, "Look again.", True)


def test_one_point_is_the_default() -> None:
    assert vars(claim("state")(rows))["claim"] == Claim(Kind.STATE, 1, "", False)


@pytest.mark.parametrize(
    ("kind", "more", "says"),
    [
        ("formla", {}, f"rows: there is no kind 'formla'. Did you mean \"formula\"? There is {', '.join(KINDS)}."),
        ("proof", {}, f"rows: there is no kind 'proof'. There is {', '.join(KINDS)}."),
        ("state", {"points": -1}, "rows: points=-1 must be a whole number of points."),
        ("state", {"points": 1.5}, "rows: points=1.5 must be a whole number of points."),
    ],
)
def test_wrong_claims_are_refused_at_once(kind: str, more: dict[str, Any], says: str) -> None:
    with pytest.raises(CourseError) as caught:
        claim(kind, **more)(rows)
    assert str(caught.value) == says
