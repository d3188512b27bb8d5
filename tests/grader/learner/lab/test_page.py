"""Tests of the page of a lab."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
from studied import KNOWN, RIGHT, run

from normgrade.learner.lab.page import Scale, figures, page_of, points
from normgrade.worker.wire.observation import Cause, Error


def test_a_page_has_all_curves_and_loads_nothing() -> None:
    page = page_of("layer_norm · layer_norm.py", [RIGHT])
    assert page.startswith("<!DOCTYPE html>") and "default-src &#39;none&#39;" in page
    assert page.count("<figure>") == 5 and page.count("<polyline") == 15
    assert not re.search(r"https?://(?!www\.w3\.org)", page) and "<script" not in page
    assert "✓ With the same weights" in page and "yours, batches of 2" in page


def test_pictures_are_well_formed() -> None:
    page = page_of("x", [RIGHT, replace(RIGHT, name="Post-LN")])
    pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(pictures) == 16  # five figures and three lines of the legend, twice
    for picture in pictures:
        assert ElementTree.fromstring(picture).tag == "svg"


def test_every_picture_has_a_name_and_numbers_beside_it() -> None:
    found = [*figures(RIGHT)]
    assert [figure.title for figure in found][:2] == ["Loss", "Root mean square of each sublayer's output: first step"]
    for figure in found:
        assert figure.across[0].said in ("0", "1") and len(figure.down) >= 2


def test_numbers_that_are_none_are_left_out() -> None:
    scale = Scale(0.0, 10.0, 0.0, 100.0)
    assert points(range(3), np.array([1.0, np.nan, 30.0]), scale, scale) == "0.0,10.0 20.0,100.0"
    assert scale.at(-5.0) == 0.0 and Scale(2.0, 2.0, 7.0, 9.0).at(2.0) == 7.0
    nothing = replace(RIGHT, yours=replace(run(3, 1), gradients={when: np.zeros(8) for when in ("first", "last")}))
    assert page_of("x", [nothing]).count("<polyline") == 15


def test_text_of_a_submission_is_escaped() -> None:
    error = Error(Cause.RAISED, "<script>alert(1)</script>", ("ValueError",))
    page = page_of("x", [replace(KNOWN, error=error)])
    assert "<script>" not in page and "ValueError: &lt;script&gt;" in page


def test_sides_may_have_different_numbers_of_sublayers() -> None:
    for number in (0, 3, 12):
        assert page_of("x", [replace(RIGHT, yours=run(3.3, 1.0, sublayers=number))]).count("<figure>") == 5
