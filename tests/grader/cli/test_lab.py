"""Tests of the command `lab`, which puts a learner's layer to work in small networks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from studied import FILES, RMS

from normgrade.course.course import Course

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def lab(edited_course: Callable[..., Course], tmp_path: Path) -> str:
    """Return the path of a course whose exercise `rms` has a lab, and put a right answer into the current folder."""
    (tmp_path / "rms.py").write_text(RMS, encoding="utf-8")
    return str(edited_course(FILES).root)


def test_a_layer_is_shown_at_work(run: Run, lab: str) -> None:
    code, out, err = run("lab", "rms", "--course", lab)
    assert (code, err) == (0, "") and out.startswith("rms · rms.py")
    assert "● yours ○ reference · no norm" in out and "✓ With the same weights" in out


def test_a_wrong_layer_is_told_by_the_exit_code(run: Run, lab: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(RMS.replace("mean", "sum"), encoding="utf-8")
    code, out, err = run("lab", "rms", "--course", lab, "--file", "mine.py")
    assert (code, err) == (1, "") and "✗ With the same weights" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("centring",), "centring has no lab. Choose from rms."),
        (("rsm",), 'No exercise named "rsm". Did you mean "rms"?'),
        (("rms", "--file", "gone.py"), "gone.py cannot be played: "),
    ],
)
def test_wrong_arguments_are_explained(arguments: tuple[str, ...], said: str, run: Run, lab: str) -> None:
    code, out, err = run("lab", *arguments, "--course", lab)
    assert (code, out) == (2, "") and err.startswith(f"Error: {said}")


def test_a_course_without_labs_says_so(run: Run) -> None:
    code, out, err = run("lab", "rms")
    assert (code, out, err) == (2, "", "Error: This course has no lab.")


def test_a_lab_needs_the_networks_of_its_course(run: Run, edited_course: Callable[..., Course]) -> None:
    course = edited_course({"exercises/rms/lab.py": FILES["exercises/rms/lab.py"]})
    assert run("lab", "rms", "--course", str(course.root))[2] == "Error: This course has no lab."


def test_a_course_that_keeps_its_numbers_has_no_lab(run: Run, edited_course: Callable[..., Course]) -> None:
    course = edited_course(FILES | {"course.toml": [('title = "A tiny course"\n', 'title = "A tiny course"\nreveal = "claims"\n')]})
    code, _out, err = run("lab", "rms", "--course", str(course.root))
    assert code == 2 and "does not reveal" in err
