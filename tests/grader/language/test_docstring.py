"""Docstrings in two languages: the paragraph that is spoken, and sources that keep that paragraph alone."""

from __future__ import annotations

from normgrade.course.course import Course
from normgrade.language import LANGUAGES, speak
from normgrade.language.docstring import as_spoken


def without_docstring(source: str) -> str:
    return source.partition('"""')[2].partition('"""')[2]


ALTERNATIVES = [path for exercise in Course.find() for path in (exercise.reference, *exercise.alternatives)]


def test_every_solution_speaks_each_language_and_its_code_stays() -> None:
    texts = [path.read_text(encoding="utf-8") for path in ALTERNATIVES]
    for language in LANGUAGES:
        speak(language)
        told = list(map(as_spoken, texts))
        speak("en")
        assert list(map(without_docstring, told)) == list(map(without_docstring, texts))
        assert not any("zh:" in each.partition("import")[0] for each in told)
        assert list(map(as_spoken, told)) == told
