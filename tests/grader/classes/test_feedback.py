"""Tests of feedback: whose page says what, and how much of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pytest
from html_page import Page
from kept_results import result

from normgrade.classes.feedback import feedback_pages, told
from normgrade.classes.gradebook import Gradebook, Mark, Override
from normgrade.language.errors import UsageError

FOLDER = "Anna Li_7_assignsubmission_file_"


@pytest.fixture
def gradebook(tmp_path: Path) -> Iterator[Gradebook]:
    with Gradebook.open(tmp_path / "gradebook.db", make=True) as opened:
        yield opened


def override(points: float | None = 9) -> Override:
    return Override("Anna", "batch_norm", points, 4, "Ms <Li>", "oral exam", datetime(2026, 11, 28, tzinfo=UTC))


def test_every_student_has_one_page(gradebook: Gradebook) -> None:
    gradebook.enrol({"Anna": "", "Bob": "", "Nobody": ""})
    gradebook.keep([result("Anna"), result("Anna", "rms_norm"), result("Bob")])
    pages = {str(page.path): page.text for page in feedback_pages(gradebook, None, "html")}
    assert list(pages) == ["Anna.html", "Bob.html"]
    assert Page(pages["Anna.html"]).one("h1").text == "Anna"
    assert ["class/" in text for text in pages.values()] == [False, False]


def test_hand_ins_of_moodle_get_their_folder(gradebook: Gradebook) -> None:
    gradebook.enrol({"Anna Li": "7"})
    other = FOLDER.replace("_7_", "_8_")
    gradebook.keep([result("Anna Li", slug, folder=folder) for slug, folder in (("a", FOLDER), ("b", FOLDER), ("c", other), ("d", ""))])
    assert [str(page.path) for page in feedback_pages(gradebook, None, "md")] == [
        "Anna Li_7_assignsubmission_file_/feedback.md",
        "Anna Li_8_assignsubmission_file_/feedback.md",
        "Anna Li.md",
    ]


def test_folder_inside_a_hand_in_is_not_of_moodle(gradebook: Gradebook) -> None:
    gradebook.enrol({"Eve": ""})
    gradebook.keep([result("Eve", origin=f"class/Eve/{FOLDER}/layer_norm.py")])
    assert [str(page.path) for page in feedback_pages(gradebook, None, "md")] == ["Eve.md"]


def test_two_pages_of_one_path_are_refused(gradebook: Gradebook) -> None:
    gradebook.enrol({"Eve": "", "Mal": ""})
    gradebook.keep([result("Eve", folder=FOLDER), result("Mal", folder=FOLDER)])
    with pytest.raises(
        UsageError, match=f'The pages of Eve and Mal would both be "{FOLDER}/feedback.md"\\. Grade them with another --layout'
    ):
        next(feedback_pages(gradebook, None, "md"))


@pytest.mark.parametrize(("level", "numbers", "claims"), [("full", True, True), ("claims", False, True), ("score", False, False)])
def test_a_page_says_what_the_course_reveals(
    level: Literal["full", "claims", "score"], numbers: bool, claims: bool, gradebook: Gradebook
) -> None:
    gradebook.enrol({"Anna": ""})
    gradebook.keep([result("Anna")])
    [page] = feedback_pages(gradebook, {"batch_norm": level}, "html")
    assert ("1.0677" in page.text, "follow the batches" in page.text) == (numbers, claims)
    assert "4 of 14 points" in page.text


def test_mark_of_a_person_is_told_with_its_reason(gradebook: Gradebook) -> None:
    gradebook.enrol({"Anna": ""})
    gradebook.keep([result("Anna", earned=4)])
    gradebook.override(override())
    [page] = feedback_pages(gradebook, None, "html")
    said = "batch_norm: 9 points count, not 4. Ms <Li> set them on 2026-11-28: oral exam"
    assert said in [node.text for node in Page(page.text).every("p")]


def test_mark_without_a_hand_in_is_told() -> None:
    said = told("Anna", [Mark("Anna", "batch_norm", None, override())], None)
    assert (said.reports, said.sentences) == ((), ("batch_norm: 9 points count, not none. Ms <Li> set them on 2026-11-28: oral exam",))


def test_pages_of_one_student_tell_of_no_other(gradebook: Gradebook) -> None:
    gradebook.enrol({"Anna": "", "Bob": ""})
    gradebook.keep([result("Anna"), result("Bob")])
    for page in feedback_pages(gradebook, None, "html"):
        assert len(re.findall("Anna|Bob", page.text)) == page.text.count(page.path.stem) > 0
