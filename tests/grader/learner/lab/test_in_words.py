"""Tests of studies in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from studied import KNOWN, RIGHT, WRONG

from normgrade.learner.lab.in_words import company_in_words, headline, judged, number, rows, sides, sizes
from normgrade.learner.lab.study import Company


def test_the_headline_says_how_large_the_network_is() -> None:
    assert headline(RIGHT) == "small language model (Pre-LN): 8 sublayers, 53,212 numbers that are learnt, 40 steps of Adam"
    assert headline(replace(RIGHT, kind="classifier", name="")).startswith("small classifier of pictures: 8 sublayers")


def test_sides_have_rows_and_small_batches_come_last() -> None:
    assert [name for name, _cells in rows(RIGHT)] == ["yours", "reference", "no norm", "yours, batches of 2"]
    found = dict(rows(RIGHT))
    assert found["yours"] == ("3.30", "1.12", "1.10", "50%") and found["no norm"][1] == "NaN"
    assert [name for name, _cells in rows(KNOWN)] == ["reference", "no norm"]
    assert len({named.mark for named in sides(RIGHT)}) == len({named.colour for named in sides(RIGHT)}) == 3


@pytest.mark.parametrize(("loss", "said"), [(1.005, "1.00"), (999.0, "999.00"), (12345.0, "1.2e+04"), (float("nan"), "NaN")])
def test_losses_are_short(loss: float, said: str) -> None:
    assert number(loss) == said


def test_sizes_are_those_of_a_step() -> None:
    assert sizes(RIGHT, "gradients", "first")["yours"][0] == "1.0e-04" and len(sizes(RIGHT, "activations", "last")["reference"]) == 8


def test_outputs_are_judged_by_their_difference() -> None:
    assert judged(RIGHT) == "✓ With the same weights, the outputs are those of the reference: the largest difference is 1e-07."
    assert judged(WRONG) == "✗ With the same weights, outputs of up to 0.4 differ from the reference's by up to 3e-01."
    assert judged(replace(WRONG, at="training")).startswith("✗ With the same weights, outputs of up to 0.4 in training differ")
    assert judged(replace(WRONG, at="learning")).startswith("✗ After a few steps from the same weights, outputs")


@pytest.mark.parametrize(
    ("company", "said"),
    [
        (Company(0.0, 0.0, 0.0),
         ["An example gives the same output in a batch of 2 and of 64.", "A letter gives the same output in a sequence of 1 and of many."]),
        (Company(0.0, 0.25, None), ["An example in a batch of 2 and of 64: its outputs differ by 0.25 in training, by 0 otherwise."]),
        (Company(0.0, 0.0, 0.5),
         ["An example gives the same output in a batch of 2 and of 64.",
          "A letter in a sequence of 1 and of many: outputs differ by 0.5."]),
    ],
)  # fmt: skip
def test_company_is_told(company: Company, said: list[str]) -> None:
    assert [*company_in_words(company)] == said
