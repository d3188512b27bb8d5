"""Tests of folders of pages: only files of normgrade are replaced, no link leads elsewhere, and names are safe and never shared."""

from __future__ import annotations

import unicodedata
from pathlib import Path, PurePosixPath

import pytest
from hostile_texts import HOSTILE_TEXTS
from hypothesis import given
from hypothesis import strategies as st

from normgrade.classes.page_files import Page, moodle_folder, page_names, write_pages
from normgrade.language.errors import UsageError
from normgrade.report.render.html import render_html
from normgrade.report.render.markdown import render_markdown

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
