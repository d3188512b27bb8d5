"""Tests of loss curves as text."""

from __future__ import annotations

import numpy as np

from normgrade.learner.lab.curves import COLUMNS, HEIGHT, chart, thinned, top_of


def test_a_chart_has_its_range_beside_it() -> None:
    lines = chart({"●": np.linspace(2.0, 0.0, 80)})
    assert len(lines) == HEIGHT and lines[0].startswith("2.00 │") and lines[-1].startswith("0.00 │")
    assert lines[0].rstrip().endswith("│●●●") or "●" in lines[0]
    heights = [next(number for number, line in enumerate(lines) if line[6 + column] == "●") for column in range(40)]
    assert heights == sorted(heights)


def test_later_curves_are_drawn_over_earlier_ones() -> None:
    same = np.array([2.0, 1.0, 0.0])
    drawn = "".join(chart({"·": same, "●": same}))
    assert "●" in drawn and "·" not in drawn


def test_a_curve_that_explodes_does_not_flatten_the_others() -> None:
    lines = chart({"·": np.array([4.0, 1e6, np.inf]), "●": np.array([4.0, 2.0, 1.0])})
    assert lines[0].startswith("5.00 │") and lines[0].count("·") == 1  # at most a quarter above the first losses; infinity is nowhere


def test_losses_that_are_no_numbers_are_nowhere() -> None:
    assert "·" not in "".join(chart({"·": np.full(5, np.nan)}))
    assert top_of([np.full(5, np.nan)]) == 1.0


def test_many_steps_are_thinned_to_means() -> None:
    assert len(thinned(np.arange(80.0))) <= COLUMNS and thinned(np.arange(80.0))[:2] == [0.5, 2.5]
    assert np.isnan(thinned(np.array([1.0, np.nan]).repeat(40))[-1])
