"""Reports as text, for people."""

from __future__ import annotations

import io
from dataclasses import replace
from textwrap import dedent
from typing import Any

import pytest
from rich.console import Console
from sample_reports import (
    ASKED,
    BIASED,
    BROKEN,
    EVERY_KIND,
    FAILED,
    NOT_STARTED,
    PASSED,
    hostile,
)

from normgrade.report.render.detail import QUIET, VERBOSE
from normgrade.report.render.terminal import open_console, render_text, show
from normgrade.report.report import Outcome


def test_an_untouched_stub_has_advice() -> None:
    assert render_text([NOT_STARTED]) == dedent("""\
        rms_norm is not started. Run `normgrade show rms_norm` to read the task, and
        write your code in rms_norm.py.
        """)


def test_only_one_of_many_untouched_stubs_is_named() -> None:
    text = render_text([NOT_STARTED] * 37)
    assert text.count("\n") == 3 and text.endswith("36 more exercises are not started. Run `normgrade list` to see them.\n")


def test_several_reports_end_with_a_table() -> None:
    table = """
rms_norm is not started. Run `normgrade show rms_norm` to read the task, and
write your code in rms_norm.py.

  outcome    exercise        submission      points
 ───────────────────────────────────────────────────
  ✓ passed   layer_norm      layer_norm.py      4/4
  ✗ failed   batch_norm      batch_norm.py     4/14

             1 of 2 passed                     8/18

"""
    text = render_text([PASSED, NOT_STARTED, FAILED])
    assert text.startswith("✓ layer_norm · layer_norm.py · 4 of 4 points · passed · sandbox: linux\nbatch_norm.py  4 of 14 points")
    assert text.endswith(table)


def test_the_absence_of_reports_is_told() -> None:
    assert render_text([]) == "Nothing was graded. Run `normgrade list` to see the exercises.\n"


def test_an_error_is_no_fault_of_the_learner() -> None:
    text = render_text([BROKEN])
    assert "0 of 2 points, error: the grader failed, not your code\n" in text
    step = "Show this report to the maintainer of the course. Run `normgrade verify batch_norm` to see what is broken."
    assert step in " ".join(text.split())


LOST = ("files: [b]all[/b] of them", "network: your code can use it")


OPEN = """process: this code ran with your permissions. These were not protected:
  files: [b]all[/b] of them
  network: your code can use it
Run `normgrade doctor` to see why stronger walls are not available here.
"""


@pytest.mark.parametrize("sandbox, said", [("process", 1), ("linux", 0), ("container", 0)])
def test_open_permissions_of_a_process_are_listed_once(sandbox: str, said: int) -> None:
    text = render_text([replace(FAILED, sandbox=sandbox, lost=LOST), replace(PASSED, sandbox=sandbox, lost=LOST)])
    assert text.count(OPEN) == said and text.count("network") == said


def test_open_permissions_can_be_left_out() -> None:
    assert "network" not in render_text([replace(PASSED, sandbox="process", lost=LOST)], with_losses=False)


@pytest.mark.parametrize("colour", [None, "truecolor"])
def test_a_submission_cannot_steer_the_terminal(colour: Any) -> None:
    console = Console(
        file=io.StringIO(), width=200, color_system=colour, force_terminal=False, markup=True, highlight=True, legacy_windows=False
    )
    show([hostile(), replace(hostile(), sandbox="process"), replace(hostile(), outcome=Outcome.NOT_STARTED)], console)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert not set(shown) & set("\x00\x07\x9b\u202e\ud800\ufffe")
    assert "31mX" not in shown and "title" not in shown
    assert "[red]X[/red] [link=a]" in shown


@pytest.mark.parametrize(("columns", "width"), [(None, 80), ("120", 100), ("60", 60), ("wide", 80)])
def test_a_pipe_gets_plain_text_in_columns(columns: str | None, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", columns) if columns else monkeypatch.delenv("COLUMNS", raising=False)
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    long = replace(FAILED, diagnoses=(replace(BIASED, says="word " * 60),))
    show([long], open_console(pipe))
    pipe.flush()
    lines = pipe.buffer.getvalue().decode().splitlines()
    assert width - 6 < max(len(line.rstrip()) for line in lines) <= width


def test_missing_signs_of_an_encoding_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="\n")
    show([FAILED], open_console(pipe), VERBOSE)
    pipe.flush()
    text = pipe.buffer.getvalue().decode("ascii")
    assert "+ passed    The output is normalised." in text
    assert "x failed    The running statistics" in text
    assert ">  [2]    1.0677  1.001" in text
    assert "\n+- Diagnosis ---" in text
    assert "every value x 15/16" in text


def test_colour_is_never_the_only_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    console = Console(file=io.StringIO(), width=80, force_terminal=True, legacy_windows=False)
    show([FAILED], console)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    codes = {code for part in shown.split("\x1b[")[1:] for code in part.partition("m")[0].split(";")}
    assert codes <= {"0", "1", "2"}  # reset, bold, dim
    assert "✗" in shown and "not passed" in shown


def test_a_terminal_gets_colour() -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="standard", legacy_windows=False, _environ={})
    show([FAILED], console)
    assert "\x1b[1;31m4 of 14 points, not passed" in console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [20, 40])
def test_a_narrow_terminal_is_not_exceeded(width: int) -> None:
    console = Console(file=io.StringIO(), width=width, legacy_windows=False)
    show([*EVERY_KIND, hostile()], console)
    assert max(map(len, console.file.getvalue().splitlines())) <= width  # type: ignore[attr-defined]


def test_one_line_includes_a_failed_courtesy() -> None:
    assert "passed; not required to pass: Other ranks are ValueErrors. ·" in render_text([ASKED], QUIET)
