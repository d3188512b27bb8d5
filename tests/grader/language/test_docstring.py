"""Docstrings in two languages: the paragraph of the current language, or English if it has none, and sources with only that paragraph."""

from __future__ import annotations

import pytest

from normgrade.course.course import Course
from normgrade.language import LANGUAGES, speak
from normgrade.language.docstring import as_spoken, first_paragraph, first_paragraph_in

BOTH = """Two lines
    of English.

    More of it.

    zh: 两行
    中文。
    """


def test_the_first_paragraph_is_in_the_current_language() -> None:
    assert first_paragraph(BOTH) == first_paragraph_in(BOTH, "en") == "Two lines of English."
    speak("zh")
    assert first_paragraph(BOTH) == first_paragraph_in(BOTH, "zh") == "两行中文。"


def test_a_missing_translation_falls_back_to_english() -> None:
    speak("zh")
    assert first_paragraph("One.") == "One." and first_paragraph_in("One.", "zh") == ""
    assert first_paragraph(None) == ""


@pytest.mark.parametrize("source", ["x = 1\n", "", "'''One.\n\nzh: 一。'''\n", '"""One."""\nx = 1\n'])
def test_a_source_without_translations_is_unchanged(source: str) -> None:
    assert as_spoken(source) == source


@pytest.mark.parametrize(("language", "text"), [("en", "One."), ("zh", "一。")])
def test_paragraphs_without_a_language_stay(language: str, text: str) -> None:
    speak(language)
    assert as_spoken('"""One.\n\nCode.\n\nzh: 一。\n"""\nx = 1\n') == f'"""{text}\n\nCode.\n"""\nx = 1\n'


def without_docstring(source: str) -> str:
    return source.partition('"""')[2].partition('"""')[2]


ALTERNATIVES = [path for exercise in Course.find() for path in (exercise.reference, *exercise.alternatives)]


def test_every_solution_is_translated_with_unchanged_code() -> None:
    texts = [path.read_text(encoding="utf-8") for path in ALTERNATIVES]
    for language in LANGUAGES:
        speak(language)
        told = list(map(as_spoken, texts))
        speak("en")
        assert list(map(without_docstring, told)) == list(map(without_docstring, texts))
        assert not any("zh:" in each.partition("import")[0] for each in told)
        assert list(map(as_spoken, told)) == told
