"""Tests of the figures and the numbers in prompts: scripts compute them, and the prompts in every language show what the scripts give."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from thorough import all_or

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise

COURSE = Course.find()
SCRIPTS = Path(__file__).parents[3] / "docs" / "figures"
DRAWN = [exercise.slug for exercise in COURSE if (exercise.folder / "figure.svg").exists()]
AT_WORK = [exercise.slug for exercise in COURSE if exercise.lab is not None]
CUBES = [exercise.slug for exercise in COURSE if (exercise.folder / "axes.svg").exists()]
WORKED = sorted(path.stem for path in SCRIPTS.glob("of_prompts/*.py") if path.stem in COURSE.slugs)
LEAST = {"en": 60, "zh": 25}  # characters of a description: it is a sentence


@pytest.fixture(scope="module")
def scripts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(SCRIPTS), *sys.path])
        yield


def script(name: str) -> Any:
    return import_module(name)


def prompt_of(exercise: Exercise, language: str) -> str:
    return exercise.prompt_in(language).read_text(encoding="utf-8")


def descriptions(exercise: Exercise, language: str, figure: str) -> list[str]:
    return re.findall(rf"!\[([^\]]*)\]\({figure}\.svg\)", prompt_of(exercise, language))


def test_the_scripts_draw_every_figure(scripts: None) -> None:
    assert sorted(DRAWN) == sorted(script("draw").FIGURES)
    assert sorted(CUBES) == sorted(script("axes").CUBES)
    assert {path.name for exercise in COURSE for path in exercise.figures} == {"figure.svg", "axes.svg", "lab.svg"}


@pytest.mark.parametrize("slug", DRAWN)
def test_a_figure_of_a_run_is_whole_and_small(slug: str) -> None:
    content = (COURSE.exercise(slug).folder / "figure.svg").read_text(encoding="utf-8")
    lines = ET.fromstring(content).findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) >= 2 and len(content) < 8192


@pytest.mark.parametrize("slug", CUBES)
def test_cubes_are_drawn_again_unchanged(slug: str, scripts: None) -> None:
    axes = script("axes")
    content = (COURSE.exercise(slug).folder / "axes.svg").read_text(encoding="utf-8")
    assert content == axes.drawn(axes.CUBES[slug], axes.OWN.get(slug))
    assert len(content) < 16384 and "prefers-color-scheme: dark" in content and ET.fromstring(content) is not None


@pytest.mark.parametrize("slug", AT_WORK)
def test_the_curves_of_a_lab_are_drawn(slug: str) -> None:
    content = (COURSE.exercise(slug).folder / "lab.svg").read_text(encoding="utf-8")
    lines = ET.fromstring(content).findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) >= 2 and len(content) < 8192


@pytest.mark.parametrize("slug", all_or(1, AT_WORK))
def test_prompts_tell_the_curves_of_labs(slug: str, scripts: None) -> None:
    at_work, exercise = script("at_work"), COURSE.exercise(slug)
    found = at_work.ran(exercise, seeds=[0])
    for language in LEAST:
        assert at_work.says(at_work.section_of(prompt_of(exercise, language), language), at_work.section(exercise, found, language))


@pytest.mark.parametrize(
    ("slug", "figure"), [(slug, "figure") for slug in DRAWN] + [(slug, "axes") for slug in CUBES] + [(slug, "lab") for slug in AT_WORK]
)
def test_figures_are_described_in_every_language(slug: str, figure: str) -> None:
    for language, least in LEAST.items():
        [described] = descriptions(COURSE.exercise(slug), language, figure)
        assert len(described) >= least


def test_figure_of_a_run_is_drawn_again_unchanged(scripts: None) -> None:
    """Draw the fastest figure again; its numbers come from a run."""
    draw = script("draw")
    drawn = draw.drawn(draw.FIGURES["pre_post_norm"]())
    figure = COURSE.exercise("pre_post_norm").folder / "figure.svg"
    before, after = (re.findall(r"\d+\.\d", text) for text in (figure.read_text(encoding="utf-8"), drawn))
    assert len(before) == len(after)
    assert all(abs(float(one) - float(other)) < 1 for one, other in zip(before, after, strict=True))


@pytest.mark.parametrize("slug", WORKED)
def test_numbers_of_a_prompt_are_those_of_the_reference(slug: str, scripts: None) -> None:
    work_out = script("work_out")
    [(exercise, module)] = work_out.modules([slug])
    for language in work_out.TITLES:
        prompt = prompt_of(exercise, language)
        assert work_out.section(module, language) in prompt
        assert work_out.missing(module, prompt, language) == []
