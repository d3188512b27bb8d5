"""Tests of the list of things that an exercise lacks: files, TODO marks and counts, in the order of an author's work."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.verify.completeness import empty_sections, lacking, missing_files

EditedCourse = Callable[..., Course]
NOTHING = "minimum = { hints = 0, questions = 0, alternatives = 0, mistakes = 0, mistakes_of_level_1 = 0 }\n"


def lacks(course: Course, slug: str = "rms") -> list[str]:
    return list(lacking(course.exercise(slug)))


@pytest.mark.parametrize("slug", Course(carried()).slugs)
def test_every_exercise_of_the_course_is_complete(slug: str) -> None:
    assert lacks(Course(carried()), slug) == []


def test_all_missing_files_are_named_at_once(edited_course: EditedCourse) -> None:
    course = edited_course({"course.toml": 'languages = ["en", "zh"]\n'})
    assert list(missing_files(course.files("new"))) == [
        "exercises/new/exercise.toml is missing.",
        "exercises/new/README.md is missing.",
        "exercises/new/new.py is missing.",
        "solutions/new/reference.py is missing.",
        "solutions/new/mistakes.toml is missing.",
        "tests/hidden/test_new.py is missing.",
        "exercises/new/README.zh.md is missing.",
    ]


def test_todo_marks_are_named_by_file(edited_course: EditedCourse) -> None:
    course = edited_course(
        {
            "exercises/rms/README.md": "# RMS\n\nTODO\n\n## Next\n\nTODO: more\nTODOS are none.\n",
            "solutions/rms/reference.py": "import torch\n\n\ndef rms(x, eps=1e-5):\n    raise NotImplementedError('TODO')\n",
            "solutions/rms/mistakes.toml": "# TODO\n",
            "solutions/rms/alternatives/einsum.py": "'''TODO'''\n",
            "course.toml": NOTHING,
        }
    )
    assert lacks(course) == [
        "exercises/rms/README.md: 2 lines contain TODO, first on line 3.",
        "solutions/rms/reference.py: 1 line contains TODO: line 5.",
        "solutions/rms/reference.py still raises NotImplementedError. Write it first: the proofs need it.",
        "solutions/rms/alternatives/einsum.py: 1 line contains TODO: line 1.",
        "solutions/rms/mistakes.toml: 1 line contains TODO: line 1.",
    ]


def test_a_link_that_leads_nowhere_is_named(edited_course: EditedCourse) -> None:
    prompt = "# RMS\n\n[Centring](../centring/README.md) and [more](../more/README.md).\n"
    course = edited_course({"exercises/rms/README.md": prompt, "course.toml": NOTHING})
    assert lacks(course) == ['exercises/rms/README.md: the link to "../more/README.md" does not lead to a file.']


def test_default_minimums_apply(edited_course: EditedCourse) -> None:
    course = edited_course({"course.toml": ""})
    assert lacks(course) == [
        "exercises/rms/exercise.toml: expected at least 3 hints, found 1.",
        "exercises/rms/README.md: expected at least 3 interview questions, found 1.",
        "solutions/rms/alternatives: expected at least 4 alternatives, found 1.",
        "solutions/rms/mistakes.toml: expected at least 5 mistakes, found 4.",
    ]
    assert "solutions/centring/mistakes.toml: expected at least 12 mistakes, found 5." in lacks(course, "centring")


def test_a_section_without_a_text_is_named(edited_course: EditedCourse) -> None:
    course = edited_course({"exercises/rms/README.md": "# RMS\n\n## Definition\n\n## Rules\n\nBy hand.\n", "course.toml": NOTHING})
    assert lacks(course) == ['exercises/rms/README.md: the section "Definition" is empty.']


@pytest.mark.parametrize(
    ("markdown", "empty"),
    [
        ("# A\n\n## B\n\ntext\n", []),
        ("# A\n## B\n## C\ntext\n# D\n", ["B", "D"]),
        ("# A\n```\n# no heading\n```\n## B\n| a table |\n", []),
        ("## A\n### B\n## C\ntext", ["A", "B"]),
        ("", []),
    ],
)
def test_section_without_text_is_empty(markdown: str, empty: list[str]) -> None:
    assert list(empty_sections(markdown)) == empty
