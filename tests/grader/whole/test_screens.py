"""Tests of the screens for typical answers, in every width and language: they stay as a reviewer has read them.

Each golden file holds one answer in one language, at two widths. `NORMGRADE_WRITE_SCREENS=1` writes them anew, for a reviewer to read.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from thorough import all_or

from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.grading.grade import Submission, grade
from normgrade.language import LANGUAGES, speak, spoken
from normgrade.report.render.terminal import HEIGHT, Screen, show
from normgrade.report.report import Report

pytestmark = pytest.mark.usefixtures("expectations")
FIXTURES = Path(__file__).parents[1] / "fixtures"
SCREENS = FIXTURES / "screens"
EVERY = {path.parent.name: path for path in (*sorted(SCREENS.glob("*/*.py")), FIXTURES / "submissions/draft_layer_norm/layer_norm.py")}
REWRITE = bool(os.environ.get("NORMGRADE_WRITE_SCREENS"))
ANSWERS = EVERY if REWRITE else {name: EVERY[name] for name in all_or(5, EVERY)}
WIDTHS = (40, 60, 80, 120)
NARROW_AND_USUAL = (40, 80)
Screens = Mapping[tuple[str, str, int], str]


@pytest.fixture(scope="module")
def screens(expectations: Path) -> Iterator[Screens]:
    """Yield every answer in every language and width. Grading makes the texts, so each answer is graded in each language."""
    course, before = Course(carried()), spoken()
    submissions = [Submission(course.exercise(path.stem), path, path.name) for path in ANSWERS.values()]
    found: dict[tuple[str, str, int], str] = {}
    for language in LANGUAGES:
        speak(language)
        for name, report in zip(ANSWERS, grade(submissions), strict=True):
            found |= {(name, language, width): drawn(report, width) for width in WIDTHS}
    speak(before)
    yield found


def drawn(report: Report, width: int) -> str:
    """Return a report as a terminal of that width shows it, with the same walls on every machine."""
    console = Screen(file=io.StringIO(), width=width, force_terminal=False, color_system=None, legacy_windows=False)
    show([replace(report, sandbox="container", lost=())], console)
    assert isinstance(console.file, io.StringIO)
    return "".join(f"{line.rstrip()}\n" for line in console.file.getvalue().splitlines())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ANSWERS)
def test_screen_equals_its_golden_file(name: str, language: str, screens: Screens) -> None:
    text = "\n".join(f"{width} columns\n{'-' * width}\n{screens[name, language, width]}" for width in NARROW_AND_USUAL)
    golden = SCREENS / f"{name}.{language}.txt"
    if REWRITE:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ANSWERS)
def test_wrong_answer_fits_one_screen_and_right_one_line(name: str, language: str, screens: Screens) -> None:
    lines = screens[name, language, 80].splitlines()
    assert len(lines) <= (1 if name == "right" else HEIGHT)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ANSWERS)
def test_no_line_is_wider_than_the_terminal(name: str, width: int, screens: Screens) -> None:
    assert max(map(len, screens[name, "en", width].splitlines())) <= width
