"""Known mistakes that a source rules out."""

from __future__ import annotations

import pytest

from normgrade.course.mistakes import Mistake
from normgrade.diagnosis.ruled_out import without_ruled_out

REFERENCE = """
class Norm:
    def __init__(self, size, eps=1e-5, momentum=0.1):
        self.eps = eps

    def forward(self, x):
        return x / (x.var() + self.eps) ** 0.5
"""
NO_EPS = Mistake("eps-missing", "", REFERENCE.replace(" + self.eps", ""))
DEFAULT = Mistake("eps-default-1e-6", "", REFERENCE.replace("1e-5", "1e-6"))
CONSTANT = Mistake("eps-ignored", "", REFERENCE.replace("self.eps = eps", "self.eps = 1e-5"))
EVERY = [NO_EPS, DEFAULT, CONSTANT]


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("", "", [CONSTANT]),
        (" + self.eps", "", [NO_EPS, CONSTANT]),
        ("+ self.eps) ** 0.5", ") ** 0.5 + self.eps", [CONSTANT]),
        ("+ self.eps", "+ 1e-8", [CONSTANT]),
        ("eps=1e-5", "eps=1e-6", [DEFAULT, CONSTANT]),
        ("eps=1e-5", "eps=1e-3", [CONSTANT]),
        ("eps=1e-5", "eps", [DEFAULT, CONSTANT]),
        ("return", "return (", EVERY),
    ],
)
def test_a_right_default_or_present_eps_is_not_blamed(old: str, new: str, left: list[Mistake]) -> None:
    assert without_ruled_out(EVERY, REFERENCE, REFERENCE.replace(old, new)) == left


def test_an_eps_under_another_name_is_present() -> None:
    renamed = REFERENCE.replace("self.eps", "self.small")
    assert without_ruled_out([NO_EPS], REFERENCE, renamed) == []


def test_an_eps_rules_out_only_mistakes_about_eps() -> None:
    centred = Mistake("only-centred", "", NO_EPS.source)
    assert without_ruled_out([centred], REFERENCE, REFERENCE) == [centred]
