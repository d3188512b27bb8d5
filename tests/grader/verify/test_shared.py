"""Tests of the files that exercises share: each part that none uses is named."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from chinese import in_chinese

from normgrade.course.course import Course
from normgrade.course.translations import hash_of
from normgrade.verify.shared import unused

EditedCourse = Callable[..., Course]
FALSE = '[wrong.rank]\nwhat = "The rank is never refused"\nedit = [["x.dim() != 2", "False"]]\n'


def named(course: Course) -> list[str]:
    return list(unused([*course]))


def test_course_without_shared_files_has_nothing_unused(tiny: Course) -> None:
    assert named(tiny) == []


@pytest.mark.parametrize(
    ("shared", "said"),
    [
        ('[no-upcast]\nremedy = "widen it"\n', []),
        ('[upcast]\nremedy = "widen it"\n', ["solutions/mistakes.toml: no exercise uses upcast. Remove it."]),
        ('["no-1.0"]\nremedy = "widen it"\n', ['solutions/mistakes.toml: no exercise uses "no-1.0". Remove it.']),
        (
            '[no-upcast]\nsays = "It is not widened."\nremedy = "widen it"\n',
            ["solutions/mistakes.toml: no exercise uses no-upcast.says. Remove it."],
        ),
    ],
)
def test_what_no_mistake_takes_is_named(shared: str, said: list[str], edited_course: EditedCourse) -> None:
    assert named(edited_course({"solutions/mistakes.toml": shared})) == said


def test_text_that_one_of_two_overrides_is_used(edited_course: EditedCourse) -> None:
    shared = '[no-upcast]\nsays = "It is not widened."\n'
    other = '[no-upcast]\nedit = [["x.dim() != 2", "False"]]\n'
    assert named(edited_course({"solutions/mistakes.toml": shared, "solutions/centring/mistakes.toml": other})) == []


def test_what_no_wrong_answer_takes_is_named(edited_course: EditedCourse) -> None:
    course = edited_course({"solutions/mistakes.toml": FALSE, "solutions/centring/mistakes.toml": "[wrong.rank]\n"})
    assert named(course) == []
    course = edited_course({"solutions/mistakes.toml": FALSE, "solutions/centring/mistakes.toml": FALSE})
    assert named(course) == [f"solutions/mistakes.toml: no exercise uses wrong.rank.{key}. Remove it." for key in ("what", "edit")]


def test_shared_translation_of_a_gone_text_is_named(edited_course: EditedCourse) -> None:
    course = edited_course(
        {
            "course.toml": 'languages = ["en", "zh"]\n',
            "exercises/zh.toml": in_chinese("exercise", {"Layers": "层", "Old": "旧"}) + in_chinese("places", {"row {number}": "行"}),
            "solutions/zh.toml": in_chinese("sum-for-mean", {"The squares are added up. Average them.": "应取平均。", "Old.": "旧。"}),
        }
    )
    assert named(course) == [
        f"exercises/zh.toml translates exercise.{hash_of('Old')}, a text that is gone or has changed. Remove it.",
        f"solutions/zh.toml translates sum-for-mean.{hash_of('Old.')}, a text that is gone or has changed. Remove it.",
    ]


def test_all_of_the_shared_files_is_used() -> None:
    assert named(Course.find()) == []
