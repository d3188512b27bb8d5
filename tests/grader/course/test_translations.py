"""Translations of a course's texts: the file beside them, then the one above, and the messages about a wrong file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from chinese import in_chinese

from normgrade.course.course import Course
from normgrade.course.translations import file_in, table_of, translated, translations
from normgrade.language import speak
from normgrade.language.errors import CourseError

Write = Callable[..., Path]
LAYERS = in_chinese("exercise", {"Layers": "层"})


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes the translations of an exercise and those above, and returns the exercise's folder."""

    def written(own: str = "", shared: str = "") -> Path:
        folder = tmp_path / "exercises" / "rms"
        folder.mkdir(parents=True, exist_ok=True)
        for place, content in ((folder, own), (folder.parent, shared)):
            file_in(place, "zh").write_text(content, encoding="utf-8")
        return folder

    return written


def test_a_text_is_said_in_the_current_language(write: Write) -> None:
    folder = write(LAYERS)
    assert translated("Layers", folder) == "Layers"
    speak("zh")
    assert translated("Layers", folder) == "层"
    assert translated("Functions", folder) == "Functions"


def test_own_translation_comes_before_the_shared_one(write: Write) -> None:
    words = translations(write(LAYERS, in_chinese("exercise", {"Layers": "各层", "Functions": "函数"})), "zh")
    assert (words["Layers"], words["Functions"], words.get("Rows"), len(words)) == ("层", "函数", None, 2)


def test_english_needs_no_translations(write: Write) -> None:
    assert len(translations(write(LAYERS), "en")) == 0


def test_both_files_may_be_missing(tmp_path: Path) -> None:
    assert len(translations(tmp_path, "zh")) == 0 == len(table_of(tmp_path / "zh.toml"))


def test_a_file_that_changes_is_read_again(write: Write) -> None:
    assert translations(write(LAYERS), "zh")["Layers"] == "层"
    assert translations(write(LAYERS.replace("层", "各层")), "zh")["Layers"] == "各层"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("exercise = 1", "exercise: must be a table, not 1."),
        ("hints.a1 = 1", "hints.a1: must be a text that is not empty, not 1."),
        ('"two words".a1 = ""', "\"two words\".a1: must be a text that is not empty, not ''."),
        ('a.a1 = "甲"\na.a1 = "乙"\n', "not valid TOML: Cannot overwrite a value (at line 2, column 11)."),
    ],
)
def test_a_wrong_translation_is_named(line: str, why: str, write: Write) -> None:
    folder = write(line)
    with pytest.raises(CourseError) as caught:
        translations(folder, "zh")
    assert str(caught.value) == f"{folder / 'zh.toml'}: {why}"


@pytest.mark.parametrize("said", ["第 {m} 行", "第 { 行"])
def test_a_translation_with_other_names_is_named(said: str, write: Write) -> None:
    folder = write(in_chinese("places", {"row {n}": said}))
    with pytest.raises(CourseError) as caught:
        translations(folder, "zh").get("row {n}")
    assert str(caught.value) == f"{folder / 'zh.toml'}: {said!r} has other names in braces than its English."


def test_a_translation_may_leave_a_name_out(write: Write) -> None:
    words = translations(write(in_chinese("places", {"row {n} of {m}": "第 {n} 行"})), "zh")
    assert words["row {n} of {m}"] == "第 {n} 行"


def test_translation_of_an_older_text_is_not_used(write: Write) -> None:
    assert translations(write(LAYERS), "zh").get("Layer") is None


def test_an_exercise_speaks_the_language(edited_course: Callable[..., Course]) -> None:
    course = edited_course(
        {
            "exercises/rms/zh.toml": in_chinese("places", {"row {number}": "第 {number} 行"}),
            "exercises/zh.toml": in_chinese("exercise", {"Functions": "函数"}),
        }
    )
    speak("zh")
    exercise = course.exercise("rms")
    assert (exercise.group, exercise.title, exercise.places["row {number}"]) == ("函数", "Root mean square", "第 {number} 行")
