"""Tests of the pager: only in a terminal, only for long texts, and as PAGER asks."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

pexpect = pytest.importorskip("pexpect", reason="the terminal is pexpect's")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a terminal as POSIX has it")
LATEST_S = 30.0
SHOWN = """
import sys
from rich.text import Text
from normgrade.cli.pager import page
from normgrade.report.render.terminal import open_console
lines = [Text.assemble((f"line {number}", "bold")) for number in range(1, int(sys.argv[1]) + 1)]
page(open_console(), Text("\\n").join(lines), wanted=sys.argv[2] == "True")
print("the end")
"""
PATIENT = """#!/bin/sh
trap "echo; echo interrupted; exit" INT
echo ready
while :; do sleep 0.1; done
"""


class Shown:
    """Bold lines that are given to `page` in a terminal of 10 lines."""

    def __init__(self, folder: Path, lines: int, wanted: bool = True, **environment: str) -> None:
        script = folder / "shown.py"
        script.write_text(SHOWN, encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if name not in ("LESS", "PAGER", "NO_COLOR", "LINES", "COLUMNS")}
        usual = {"TERM": "xterm", "PYTHONPATH": os.pathsep.join(sys.path)}
        arguments: list[Any] = [str(script), str(lines), str(wanted)]
        self.terminal = pexpect.spawn(
            sys.executable, arguments, env=kept | usual | environment, dimensions=(10, 40), timeout=LATEST_S, encoding="utf-8"
        )

    def all(self) -> str:
        """Return all output when the process has ended, with exit code 0."""
        self.terminal.expect(pexpect.EOF)
        self.terminal.close()
        assert self.terminal.exitstatus == 0
        return str(self.terminal.before).replace("\r", "")

    def lines(self) -> list[str]:
        return self.all().splitlines()


@pytest.fixture
def pager(tmp_path: Path) -> str:
    """Return the command of a pager that prints its name and then all its input."""
    path = tmp_path / "my pager"
    path.write_text('#!/bin/sh\necho "paged by $1"\ncat\n', encoding="utf-8")
    path.chmod(0o755)
    return f"'{path}'"


def test_text_longer_than_the_screen_is_paged(tmp_path: Path, pager: str) -> None:
    lines = Shown(tmp_path, 10, PAGER=f"{pager} PAGER").lines()
    assert lines == ["paged by PAGER", *(f"line {number}" for number in range(1, 11)), "the end"]


def test_text_that_fits_is_printed(tmp_path: Path, pager: str) -> None:
    assert "paged" not in Shown(tmp_path, 9, PAGER=pager).all()


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"PAGER": "cat"}, {"PAGER": "no-such-pager -R", "PATH": "/nowhere"}])
def test_nothing_is_paged_without_a_usable_pager(tmp_path: Path, pager: str, environment: dict[str, str]) -> None:
    shown = Shown(tmp_path, 30, True, **{"PAGER": pager} | environment).all()
    assert "paged" not in shown and "no-such-pager" not in shown and "line 30" in shown


def test_nothing_is_paged_if_unwanted(tmp_path: Path, pager: str) -> None:
    assert "paged" not in Shown(tmp_path, 30, wanted=False, PAGER=pager).all()


def test_a_pager_may_be_left_before_the_end(tmp_path: Path) -> None:
    assert Shown(tmp_path, 100_000, PAGER="head -n 3").lines() == ["line 1", "line 2", "line 3", "the end"]


def test_ctrl_c_is_left_to_the_pager(tmp_path: Path) -> None:
    path = tmp_path / "patient"
    path.write_text(PATIENT, encoding="utf-8")
    path.chmod(0o755)
    shown = Shown(tmp_path, 30, PAGER=str(path))
    shown.terminal.expect("ready")
    shown.terminal.sendintr()
    assert shown.lines()[-2:] == ["interrupted", "the end"]


def test_colours_go_to_less_only(tmp_path: Path, pager: str) -> None:
    (tmp_path / "less").symlink_to(pager.strip("'"))
    assert "\x1b[1m" not in Shown(tmp_path, 30, PAGER=pager).all()
    assert "\x1b[1mline 1\x1b[0m" in Shown(tmp_path, 30, PAGER=str(tmp_path / "less")).all()
