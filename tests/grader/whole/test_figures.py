"""Tests of the figures in prompts: each is drawn by the script, is complete, and is described in every language."""

from __future__ import annotations

import importlib.util
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from normgrade.course.course import Course

COURSE = Course.find()
WITH_FIGURE = [exercise.slug for exercise in COURSE if exercise.figure is not None]
SCRIPT = Path(__file__).parents[3] / "docs" / "figures" / "draw.py"
IN_PROMPT = re.compile(r"!\[([^\]]{60,})\]\(figure\.svg\)")  # the description is a sentence


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("draw", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["draw"] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    return module


def test_the_script_draws_every_figure(script: Any) -> None:
    assert sorted(WITH_FIGURE) == sorted(script.FIGURES)


@pytest.mark.parametrize("slug", WITH_FIGURE)
def test_a_figure_is_whole_small_and_described(slug: str) -> None:
    exercise = COURSE.exercise(slug)
    assert exercise.figure is not None
    content = exercise.figure.read_text(encoding="utf-8")
    lines = ET.fromstring(content).findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) >= 2 and len(content) < 8192
    for language in ("en", "zh"):
        prompt = exercise.prompt_in(language).read_text(encoding="utf-8")
        assert len(IN_PROMPT.findall(prompt) if language == "en" else re.findall(r"!\[[^\]]{25,}\]\(figure\.svg\)", prompt)) == 1


def test_figure_is_drawn_again_unchanged(script: Any) -> None:
    """Draw the fastest figure again; its numbers come from a run."""
    drawn = script.drawn(script.FIGURES["pre_post_norm"]())
    figure = COURSE.exercise("pre_post_norm").figure
    assert figure is not None
    before, after = (re.findall(r"\d+\.\d", text) for text in (figure.read_text(encoding="utf-8"), drawn))
    assert len(before) == len(after)
    assert all(abs(float(one) - float(other)) < 1 for one, other in zip(before, after, strict=True))
