"""Tests of the command `solution`: a file that passes, in one language, after passing or with --spoil."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade import cli
from normgrade.course.course import Course
from normgrade.course.package import carried

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return the folder that commands run in."""
    return tmp_path


def test_piped_solution_is_a_file_that_passes(
    run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for way, path in ((), tiny.exercise("rms").reference), (("einsum",), tiny.exercise("rms").alternatives[0]):
        assert cli.run(["solution", "rms", *way, "--spoil"]) == 0
        printed = capsys.readouterr().out
        assert printed == path.read_text(encoding="utf-8")
        (here / "rms.py").write_text(printed, encoding="utf-8")
        assert run("check", "rms.py")[0] == 0


@pytest.mark.parametrize(("language", "begins"), [("en", "The sums are contractions: "), ("zh", "求和写成缩并：")])
def test_a_solution_speaks_one_language(language: str, begins: str, run: Run) -> None:
    out = run("solution", "layer_norm", "einsum_statistics", "--spoil", "--course", str(carried()), "--lang", language)[1]
    assert out.startswith(f'"""{begins}') and '""" import math from' in out and "zh:" not in out


@pytest.mark.parametrize("level", ["claims", "score"])
def test_a_course_that_reveals_less_keeps_its_solutions(level: str, run: Run, edited_course: Callable[..., Course]) -> None:
    course = edited_course({"course.toml": f'reveal = "{level}"\n'})
    code, out, err = run("solution", "rms", "--spoil", "--course", str(course.root))
    assert (code, out) == (2, "")
    assert err == f'Error: The course does not reveal the solution of rms: its setting `reveal` is "{level}", not "full".'
