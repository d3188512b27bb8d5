"""Tests of tables of exercises by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path

from rich.console import Console

from normgrade.cli.by_group import Column, print_by_group
from normgrade.course.exercise import Exercise

COLUMNS = Column("exercise"), Column("points", number=True), Column("last scores", elastic=True), Column("last")


def exercise(slug: str, group: str) -> Exercise:
    return Exercise(slug, Path("course"), title="", group=group, level=1, order=0, points=0, defines=())


def printed(rows: Mapping[Exercise, Sequence[str]], width: int = 80, columns: Sequence[Column] = COLUMNS) -> list[str]:
    out = StringIO()
    print_by_group(Console(file=out, width=width), columns, rows)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_groups_are_in_the_order_of_first_exercises() -> None:
    rows = {
        exercise("layer_norm", "Layers"): ("layer_norm", "20", "3 5", "now"),
        exercise("softmax", "Functions of one tensor"): ("softmax", "5", "", ""),
        exercise("rms_norm", "Layers"): ("rms_norm", "20", "", ""),
    }
    assert printed(rows) == [
        "  exercise    points  last scores  last",
        "",
        "Layers",
        "  layer_norm      20  3 5          now",
        "  rms_norm        20",
        "",
        "Functions of one tensor",
        "  softmax          5",
    ]


def test_elastic_column_shrinks_in_a_narrow_terminal() -> None:
    rows = {
        exercise("a", "First"): ("a", "1", "1 2 3 4 5 6 7 8 9", "1 day ago"),
        exercise("b", "Second"): ("b", "2", "7", "now"),
    }
    assert printed(rows, width=37) == [
        "  exercise  points  last    last",
        "                    scores",
        "",
        "First",
        "  a              1  1 2 3   1 day ago",
        "                    4 5 6",
        "                    7 8 9",
        "",
        "Second",
        "  b              2  7       now",
    ]


def test_chinese_takes_two_columns_each() -> None:
    rows = {exercise("甲", "组"): ("甲", "1", "", "刚刚"), exercise("a", "组"): ("a", "1", "", "now")}
    assert printed(rows)[3:] == ["  甲             1               刚刚", "  a              1               now"]


def test_course_without_exercises_has_only_headings() -> None:
    assert printed({}) == ["  exercise  points  last scores  last"]


def test_spare_columns_are_dropped_without_room() -> None:
    columns = Column("exercise"), Column("level", number=True, spare=2), Column("scores", elastic=True, spare=1), Column("last", spare=3)
    rows = {exercise("layer_norm", "Layers"): ("layer_norm", "1", "3 → 5", "now")}
    kept = {width: printed(rows, width, columns)[0].split() for width in (33, 32, 27, 26, 20, 19)}
    assert kept == {
        33: ["exercise", "level", "scores", "last"],
        32: ["exercise", "level", "scores"],
        27: ["exercise", "level", "scores"],
        26: ["exercise", "scores"],
        20: ["exercise", "scores"],
        19: ["exercise"],
    }
