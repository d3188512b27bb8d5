"""The origin of a factor: only counts and numbers of the setting."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normgrade.remarks.context import Setting
from normgrade.remarks.factors import LARGEST_COUNT, named

LAYER = Setting(numbers={"momentum": 0.3, "alpha": 2.213}, counts=(6, 7, 42))


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (7 / 6, "7/6, which is n / (n − 1) for n = 7"),
        (math.sqrt(41 / 42), "√(41/42), which is √((n − 1) / n) for n = 42"),
        (42.0, "42, which is n for n = 42"),
        (1 / 42, "1/42, which is 1 / n for n = 42"),
        (math.sqrt(7), "√7, which is √n for n = 7"),
        (1 / math.sqrt(7), "1/√7, which is 1 / √n for n = 7"),
        (0.3, "0.3, which is momentum"),
        (0.7, "0.7, which is 1 − momentum"),
        (2.213, "2.213, which is alpha"),
        (1 / 2.213, "0.451875, which is 1 / alpha"),
        (math.sqrt(2.213), "1.48762, which is √alpha"),
        (1 / math.sqrt(0.3), "1.82574, which is 1 / √momentum"),
        (0.09, "0.09, which is momentum²"),
        (-0.3, "−0.3, which is momentum"),
        (-42.0, "−42, which is n for n = 42"),
        (2.0, "2"),
        (0.5, "1/2"),
        (-2.0, "-2"),
    ],
)
def test_a_factor_is_named_after_the_setting(factor: float, words: str) -> None:
    assert named(factor, LAYER) == words


@pytest.mark.parametrize("factor", [0.3, 0.7, 2.213, 42.0, math.sqrt(7), 1 / 42])
def test_without_a_setting_a_factor_has_no_origin(factor: float) -> None:
    assert named(factor) == f"{factor:.6g}"


@given(st.integers(3, LARGEST_COUNT), st.booleans(), st.booleans())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_bessels_correction_is_recognised_for_any_count(n: int, inverse: bool, rooted: bool) -> None:
    factor = (n / (n - 1)) ** (0.5 if rooted else 1.0)
    words = named(1 / factor if inverse else factor)
    assert words.endswith(f" for n = {n}") and words.startswith("√" if rooted else str(n - 1 if inverse else n))


@pytest.mark.parametrize("factor", [0.0, -1.07, 1.0, 1.00001, 1e-200, 1e200, math.pi])
def test_other_factors_have_no_origin(factor: float) -> None:
    assert named(factor, LAYER) == f"{factor:.6g}"
