"""Tests of the command `reset`: the stub is back, and nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.course.course import Course

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return the folder that commands run in."""
    return tmp_path


@pytest.mark.parametrize("command", ["reset rms", "progress"])
def test_command_asks_for_a_workspace(command: str, run: Run, here: Path) -> None:
    code, out, err = run(*command.split())
    assert (code, out) == (
        2,
        "",
    ) and err == f'Error: "{here}" is not in a workspace. Run `normgrade init` to create one, or go to your workspace.'


def test_the_old_file_is_kept_with_its_date(run: Run, here: Path, tiny: Course) -> None:
    run("init", ".")
    (here / "rms.py").write_text("# mine\n", encoding="utf-8")
    code, out, err = run("reset", "rms")
    found = re.fullmatch(r"rms\.py is the stub again\. Your file is kept as (\.normgrade/backups/rms-[\d-]+\.py)\.", out)
    assert (code, err) == (0, "") and found is not None
    assert (here / found[1]).read_text(encoding="utf-8") == "# mine\n"
    assert (here / "rms.py").read_bytes() == tiny.exercise("rms").stub.read_bytes()


def test_a_file_that_cannot_be_reset_stays(run: Run, here: Path) -> None:
    run("init", ".")
    (here / "rms.py").write_text("# mine\n", encoding="utf-8")
    (here / ".normgrade").write_text("in the way", encoding="utf-8")
    code, out, err = run("reset", "rms")
    assert (code, out) == (2, "") and err.startswith('Error: "rms.py" cannot be reset (')
    assert (here / "rms.py").read_text(encoding="utf-8") == "# mine\n"
