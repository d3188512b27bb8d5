"""Tests of a study in the terminal."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console
from studied import KNOWN, RIGHT, WRONG, run

from normgrade.course.course import Course
from normgrade.learner.lab.in_terminal import parts
from normgrade.learner.lab.study import Study
from normgrade.worker.wire.observation import Cause, Error, Frame

SOURCE = "def rms(x, eps=1e-5):\n    return x.reshape(5, 3)\n"


def printed(study: Study, tiny: Course) -> str:
    console = Console(file=io.StringIO(), width=80, color_system=None, markup=False, highlight=False)
    for part in parts(study, tiny.exercise("rms"), SOURCE):
        console.print(part)
    written = console.file
    assert isinstance(written, io.StringIO)
    return written.getvalue()


def test_a_study_fits_on_a_screen(tiny: Course) -> None:
    text = printed(RIGHT, tiny)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) <= 45
    assert "● yours   ○ reference   · no norm" in text and "✓ With the same weights" in text
    assert "yours, batches of 2" in text and "A letter gives the same output" in text


def test_a_difference_is_told(tiny: Course) -> None:
    text = printed(WRONG, tiny)
    assert "✗ With the same weights" in text and "differ by 0.12 in training" in text


@pytest.mark.parametrize("count", [1, 2, 5, 6, 7, 40])
def test_few_of_many_sublayers_are_shown(count: int, tiny: Course) -> None:
    shown = run(3, 1, sublayers=count)
    text = printed(replace(RIGHT, yours=shown, reference=shown, bare=shown), tiny)
    heads = [line.split() for line in text.splitlines() if line.split() and all(each.isdigit() for each in line.split())]
    assert all(head[0] == "1" and head[-1] == str(count) and len(head) == min(count, 6) for head in heads) and len(heads) == 2


def test_an_exception_is_shown_at_its_line(tiny: Course) -> None:
    error = Error(
        Cause.RAISED,
        "shape '[5, 3]' is invalid for input of size 16384",
        ("RuntimeError",),
        (Frame(2, "rms", "return x.reshape(5, 3)", 8, 15),),
    )
    text = printed(replace(KNOWN, error=error), tiny)
    assert "✗ Your code raises an exception:" in text and "2 │ return x.reshape(5, 3)" in text and "✓" not in text
