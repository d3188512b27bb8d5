"""Tests of the gaps in an exercise: files, TODO marks and counts, points, checks that no page announces, and bans of nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.oracle.cache import Cache
from normgrade.report.report import Outcome
from normgrade.suite.collection import collect
from normgrade.verify import completeness
from normgrade.verify.completeness import (
    empty_sections,
    lacking,
    literal,
    matches_something,
    matching_nothing,
    missing_files,
    points_in_words,
    unannounced,
)
from normgrade.verify.verification import verify

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


# Points


def suite(**points: int) -> Any:
    return SimpleNamespace(
        tests=[SimpleNamespace(name=name.replace("__", "[") + "]" * ("__" in name), points=each) for name, each in points.items()]
    )


@pytest.mark.parametrize(
    ("points", "says"),
    [
        (
            {"test_rows__a": 3, "test_rows__b": 4, "test_eps": 5, "test_free": 0, "situation_called": 1, "situation_views": 0},
            "tests 12 (test_rows 7, test_eps 5) and situations 1 (called 1)",
        ),
        ({"test_free": 0}, "tests 0"),
        ({"situation_called": 1}, "situations 1 (called 1)"),
        ({}, "there is no test"),
    ],
)
def test_points_are_told_with_their_parts(points: dict[str, int], says: str) -> None:
    assert points_in_words(suite(**points)) == says


def test_cases_of_a_real_suite_are_summed(tiny: Course) -> None:
    found = collect([tiny.exercise("rms")])["rms"]
    assert points_in_words(found) == "tests 8 (test_call 1, test_rows 4, test_alone 2, test_half_precision 1)"


# Sentences that announce checks

PROMPT, RULES = "exercises/rms/README.md", "exercises/rules.md"
MARKS = [("(mean(x²) + eps)`.", "(mean(x²) + eps)`. <!-- test_call, test_rows -->")]
THE_REST = "# Rules\n\n- A row may be alone. <!-- test_alone -->\n- float16 stays float16. <!-- test_half_precision, far_eps -->\n"


def problems(course: Course, *languages: str) -> list[str]:
    exercise = course.exercise("rms")
    return [*unannounced(exercise, collect([exercise])["rms"], languages or ("en",))]


def test_prompt_and_rules_together_announce_every_check(edited_course: EditedCourse) -> None:
    course = edited_course({PROMPT: MARKS, RULES: THE_REST})
    assert problems(course) == []


def test_a_check_that_nothing_announces_is_named(edited_course: EditedCourse, expectations: Path) -> None:
    wrong = [("(mean(x²) + eps)`.", "(mean(x²) + eps)`. <!-- test_call, test_row -->")]
    course = edited_course({PROMPT: wrong, RULES: THE_REST})
    assert problems(course) == [
        f"{PROMPT}: no sentence announces test_rows. Write `<!-- test_rows -->` after the one that does.",
        f"{PROMPT}: it announces test_row, which is no check of the suite.",
    ]
    [report] = verify([course.exercise("rms")])
    [proof] = [check for check in report.checks if check.name == "told"]
    assert proof.outcome is Outcome.FAILED and proof.message.splitlines() == problems(course)


def test_each_language_has_to_announce_it(edited_course: EditedCourse) -> None:
    other = "exercises/rms/README.zh.md"
    course = edited_course({PROMPT: MARKS, RULES: THE_REST, other: "# 均方根\n\n除以均方根。 <!-- test_call, test_rows, test_alone -->\n"})
    assert problems(course, "en", "zh") == [
        f"{other}: no sentence announces test_half_precision. Write `<!-- test_half_precision -->` after the one that does."
    ]


def test_a_course_without_marks_need_not_announce_anything(tiny: Course, expectations: Path) -> None:
    [report] = verify([tiny.exercise("rms")])
    assert "told" not in {check.name for check in report.checks}


# Bans

KEY = bytes(32)


@pytest.mark.parametrize(
    "pattern",
    [
        *("torch", "torch.rms_norm", "torch.nn.*Norm*", "torch.nn.functional.*_norm", "torch.ops.*layer_norm*", "torch.Tensor.norm"),
        *("torch._refs.*", "torch._C._VariableFunctions.*_norm*", "torch._C._*_to_static_module", "torch.masked.*normalize", "*norm*"),
        *("numpy", "numpy.linalg.norm", "torch.testing._internal.*", "torch.[kl]ayer_norm"),
    ],
)
def test_existing_names_are_matched(pattern: str) -> None:
    assert matches_something(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *("torch.rms_nrom", "torch.nn.functional.*_nrom", "torch.nn.LayerNorms", "torch.ops.aten.*layer_nrom*", "torch.Tensor.nrom"),
        *("numpy.linalg.nrm", "torch.nn.nothing.*", "nunpy", "torhc.*", "torch.pi.real.nothing"),
    ],
)
def test_misspelt_pattern_matches_nothing(pattern: str) -> None:
    assert not matches_something(pattern)


def test_pattern_of_a_missing_library_is_accepted() -> None:
    assert matches_something("qwzxqwzx.layers.*")


def test_literal_parts_of_a_pattern_are_found() -> None:
    assert [literal(pattern) for pattern in ("torch.nn.*Norm*", "a.b", "*norm", "a.[bc].d")] == [("torch", "nn"), ("a", "b"), (), ("a",)]


def test_sound_bans_are_remembered(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise, known = tiny.exercise("rms"), Cache(tmp_path, KEY)
    slip = replace(exercise, banned=(*exercise.banned, "torch.rms_nrom"), allowed=("torch.nn.LayerNrom",))
    assert matching_nothing(slip, known) == ("torch.rms_nrom", "torch.nn.LayerNrom")
    assert matching_nothing(exercise, known) == ()
    monkeypatch.setattr(completeness, "matches_something", lambda pattern: False)
    assert matching_nothing(exercise, Cache(tmp_path, KEY)) == ()
    assert matching_nothing(slip, Cache(tmp_path, KEY)) == (*exercise.banned, "torch.rms_nrom", "torch.nn.LayerNrom")
