"""The numbers of a submission, put into known mistakes."""

from __future__ import annotations

import pytest

from normgrade.course.mistakes import Edit, Mistake, applied
from normgrade.course.own_numbers import called, numbers_in, with_numbers_of

REFERENCE = "def norm(x, eps=1e-5):\n    return x / (x.var() + eps) ** 0.5\n"


def mistake(name: str, says: str, *pairs: tuple[str, str]) -> Mistake:
    edits = tuple(Edit(REFERENCE.index(old), REFERENCE.index(old) + len(old), new) for old, new in pairs)
    return Mistake(name, says, applied(REFERENCE, edits) or "", edits)


DEFAULT = mistake("eps-default-1e-6", "eps defaults to 1e-6. The contract has 1e-5.", ("eps=1e-5", "eps=1e-6"))
ADDED = mistake("eps-added", "1e-6 is added to the deviation.", ("(x.var() + eps) ** 0.5", "(x.var() ** 0.5 + 1e-6)"))
UNBIASED = mistake("unbiased", "Divided by n - 1.", (".var()", ".var(correction=1)"))


def test_a_mistake_takes_each_number_of_the_submission() -> None:
    found = with_numbers_of("EPS = 1e-8\nother = 0.25 + 1e-5\n", [DEFAULT, UNBIASED], REFERENCE)
    assert [(base.name, other.name) for base, other in found] == [(DEFAULT.name, "eps-default-1e-8"), (DEFAULT.name, "eps-default-0.25")]
    assert "eps=1e-8" in found[0][1].source and found[0][1].says == "eps defaults to 1e-8. The contract has 1e-5."


def test_a_name_without_a_number_stays() -> None:
    [(_base, other)] = with_numbers_of("x + 1e-8", [ADDED], REFERENCE)
    assert (other.name, other.says) == ("eps-added", "1e-8 is added to the deviation.") and "+ 1e-8)" in other.source


def test_a_known_number_makes_no_new_mistake() -> None:
    assert with_numbers_of("eps = 1e-6", [DEFAULT], REFERENCE) == []


@pytest.mark.parametrize(("source", "numbers"), [("a = 1e-7 + 0.5 + 2.0 + 3", [1e-7]), ("a = -0.25", [0.25]), ("a = (", [])])
def test_numbers_that_may_be_factors_are_ignored(source: str, numbers: list[float]) -> None:
    assert numbers_in(source) == numbers


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("eps-default-1e-6", "eps defaults to 1e-6. The contract has 1e-5."),
        ("eps-default-1e-9", "eps defaults to 1e-9. The contract has 1e-5."),
        ("eps-default-0.25", "eps defaults to 0.25. The contract has 1e-5."),
        ("eps-default-", None),
        ("eps-default-x", None),
        ("other-default-1e-6", None),
    ],
)
def test_a_mistake_is_found_by_any_number_in_it(name: str, says: str | None) -> None:
    found = called(name, [UNBIASED, DEFAULT], REFERENCE)
    assert (found and found.says) == says


def test_a_number_in_a_name_hides_no_mistake() -> None:
    in_name = mistake("eps-default-1e-3", "eps is left out.", (" + eps", ""))
    found = called("eps-default-1e-9", [in_name, DEFAULT], REFERENCE)
    assert found is not None and found.says == "eps defaults to 1e-9. The contract has 1e-5."
