"""Tests of feedback: whose page says what, how much of it, and that files and names of pages are safe."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Literal

import pytest
from hostile_texts import HOSTILE_TEXTS
from html_page import Page as Shown
from hypothesis import given
from hypothesis import strategies as st
from kept_results import result

from normgrade.classes.feedback import Page, feedback_pages, moodle_folder, page_names, told, write_pages
from normgrade.classes.gradebook import Gradebook
from normgrade.classes.hand_ins import Mark, Override
from normgrade.language.errors import UsageError
from normgrade.report.render.html import render_html
from normgrade.report.render.plain import render_markdown

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
    assert Shown(pages["Anna.html"]).one("h1").text == "Anna"
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
    assert said in [node.text for node in Shown(page.text).every("p")]


def test_mark_without_a_hand_in_is_told() -> None:
    sentence = "batch_norm: 9 points count, not none. Ms <Li> set them on 2026-11-28: oral exam"
    assert told([Mark("Anna", "batch_norm", None, override())], None) == ([], [sentence])


def test_pages_of_one_student_tell_of_no_other(gradebook: Gradebook) -> None:
    gradebook.enrol({"Anna": "", "Bob": ""})
    gradebook.keep([result("Anna"), result("Bob")])
    for page in feedback_pages(gradebook, None, "html"):
        assert len(re.findall("Anna|Bob", page.text)) == page.text.count(page.path.stem) > 0


# Folders of pages


PAGE = Page(PurePosixPath("students", "Anna.html"), render_html([]))


def refused(folder: Path, page: Page) -> str:
    with pytest.raises(UsageError) as error:
        write_pages(folder, [page])
    return str(error.value)


@pytest.mark.parametrize("text", [render_html([]), render_markdown([]), ""])
def test_own_files_are_replaced(text: str, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "pages"
    assert write_pages(folder, [Page(PAGE.path, text)]) == 1
    assert write_pages(folder, [PAGE]) == 1
    assert (folder / PAGE.path).read_text(encoding="utf-8") == PAGE.text
    assert [path.name for path in folder.rglob("*")] == ["students", "Anna.html"]


def test_nobody_else_may_read_a_page(tmp_path: Path) -> None:
    write_pages(tmp_path, [PAGE])
    assert (tmp_path / PAGE.path).stat().st_mode & 0o777 == 0o600


def test_other_files_are_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "students").mkdir()
    (tmp_path / PAGE.path).write_text("<!DOCTYPE html><html>mine</html>", encoding="utf-8")
    said = refused(tmp_path, PAGE)
    assert said == (
        f'The pages cannot be written to "{tmp_path}" ("{tmp_path}/students/Anna.html" is there already, and normgrade did not write it). '
        "Choose another folder."
    )
    assert (tmp_path / PAGE.path).read_text(encoding="utf-8") == "<!DOCTYPE html><html>mine</html>"


def test_links_are_not_followed(tmp_path: Path) -> None:
    target, folder = tmp_path / "target", tmp_path / "pages"
    target.mkdir()
    (target / "own.html").write_text(PAGE.text, encoding="utf-8")
    (folder / "students").mkdir(parents=True)
    (folder / PAGE.path).symlink_to(target / "own.html")
    assert "it is a symbolic link, not a file" in refused(folder, PAGE)
    (folder / PAGE.path).unlink()
    (folder / "students").rmdir()
    (folder / "students").symlink_to(target)
    assert f'"{folder}/students" is a symbolic link, not a folder' in refused(folder, PAGE)
    assert [path.name for path in target.iterdir()] == ["own.html"]


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "pages").write_text("", encoding="utf-8")
    assert refused(tmp_path / "pages", PAGE) == f'The pages cannot be written to "{tmp_path}/pages" (File exists). Choose another folder.'


# Names


@pytest.mark.parametrize("name", ["Anna Li", "李 小龙", "O'Brien, Siobhán (7)", "مح مد", "a.b_c-d", "हिन्दी"])
def test_an_ordinary_name_stays(name: str) -> None:
    assert page_names([name]) == {name: name}


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "a\\b", "CON", "nul.txt", "index", " x", "x.", "a:b", "-rf", "a" * 91, "é" * 46]
)
def test_another_name_has_a_hash(name: str) -> None:
    [made] = page_names([name]).values()
    assert made != name and made[-11] == "-" and set(made[-10:]) <= set("0123456789abcdef")


@given(st.lists(st.text(max_size=120) | st.sampled_from(HOSTILE_TEXTS), unique=True, max_size=8))
def test_every_name_becomes_a_safe_one(names: list[str]) -> None:
    made = page_names(names)
    for name in made.values():
        assert PurePosixPath(name).name == name and len(f"{name}.html".encode()) <= 100
        assert name.isprintable() and not set(name) & set('/\\:*?"<>|%#') and name[0] not in ".-" and name[-1] not in " ."
    assert len({unicodedata.normalize("NFKC", name).casefold() for name in made.values()}) == len(names)


def test_names_alike_both_have_a_hash() -> None:
    made = page_names(["Zoë", "Zoe\u0308", "zoë", "Zoe"])
    assert made["Zoe"] == "Zoe"
    assert len({name.casefold() for name in made.values()}) == 4 and "Zoë" not in made.values()


@pytest.mark.parametrize(
    ("given", "folder"),
    [
        ("Anna Li_7_assignsubmission_file_", "Anna Li_7_assignsubmission_file_"),
        ("A_B_7_assignsubmission_file_", "A B_7_assignsubmission_file_"),
        ("<b>: \\x_7_assignsubmission_file_", "b-- -x_7_assignsubmission_file_"),
        ("", ""),
    ],
)
def test_folder_of_moodle_is_a_safe_name(given: str, folder: str) -> None:
    assert moodle_folder(given) == folder
