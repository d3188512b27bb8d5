"""Tests of the options that commands share, and of their exit codes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from normgrade import __version__
from normgrade.cli.options import exit_code, whole_number
from normgrade.course.course import Course
from normgrade.language.errors import UsageError
from normgrade.report.render.json import render_json
from normgrade.report.report import Outcome, Report
from normgrade.worker.trusted.host import Host
from normgrade.worker.trusted.launch import Zygote

Invoke = Callable[..., subprocess.CompletedProcess[str]]
Put = Callable[..., None]


@pytest.mark.parametrize("named", ["option", "variable"])
@pytest.mark.parametrize("command", ["check rms.py", "verify rms --cores 1"])
def test_nothing_is_graded_with_weaker_walls_than_required(
    command: str, named: str, invoke: Invoke, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch, put: Put
) -> None:
    put("rms")
    monkeypatch.setattr(Host, "new_starter", lambda host: Zygote("process"))
    if named == "variable":
        monkeypatch.setenv("NORMGRADE_REQUIRE_ISOLATION", "linux")
    said = invoke(*command.split(), *(["--require-isolation", "linux"] if named == "option" else []))
    assert (said.returncode, said.stdout) == (3, "")
    assert 'Error: Nothing was graded: the tier "linux" is required, but this machine offers only "process".' in said.stderr


@pytest.mark.parametrize(("flags", "lines"), [(["-q"], "1"), (["--quiet"], "1"), ([], "many"), (["-v"], "more"), (["--verbose"], "more")])
def test_flags_choose_the_length_of_a_report(invoke: Invoke, here: Path, flags: list[str], lines: str) -> None:
    source = "def rms(x, eps=1e-5):\n    return x / (x ** 2).sum(-1, keepdim=True).add(eps) ** 0.5\n"
    (here / "rms.py").write_text(source, encoding="utf-8")
    said = invoke("check", "rms", *flags, "--output", "report.txt")
    text = (here / "report.txt").read_text(encoding="utf-8")
    assert said.returncode == 1
    assert said.stderr == "" if lines == "1" else said.stderr.endswith("The report is in report.txt.\n")
    assert {"1": len(text.splitlines()) == 3, "many": "Next: " in text and "seed 0" not in text, "more": "seed 0 · " in text}[lines]
    assert text.startswith(f"normgrade {__version__}\n\n")


def test_no_report_is_json_too() -> None:
    assert json.loads(render_json([]))["reports"] == []


@pytest.mark.parametrize(("value", "number"), [(None, None), ("1", 1), ("9", 9)])
def test_a_whole_number_is_read(value: str | None, number: int | None) -> None:
    assert whole_number(1, 9)(click.Context(click.Command("x")), click.Option(["--count"]), value) == number


@pytest.mark.parametrize("value", ["0", "10", "-1", "1.5", "", "two", "²"])
def test_other_values_are_no_whole_numbers(value: str) -> None:
    with pytest.raises(UsageError, match=r"^--count must be a whole number from 1 to 9, not "):
        whole_number(1, 9)(click.Context(click.Command("x")), click.Option(["--count"]), value)


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ((), 0),
        ((Outcome.PASSED, Outcome.PASSED), 0),
        ((Outcome.PASSED, Outcome.FAILED), 1),
        ((Outcome.NOT_STARTED,), 1),
        ((Outcome.FAILED, Outcome.ERROR), 3),
    ],
)
def test_the_worst_outcome_decides_the_exit_code(outcomes: tuple[Outcome, ...], code: int) -> None:
    assert exit_code([Report("rms", "rms.py", outcome, 8, "linux", 0, 0.1) for outcome in outcomes]) == code


@pytest.mark.parametrize(("outcome", "code"), [(Outcome.PASSED, 0), (Outcome.FAILED, 0), (Outcome.NOT_STARTED, 0), (Outcome.ERROR, 3)])
def test_for_classroom50_only_a_fault_of_the_grader_counts(outcome: Outcome, code: int) -> None:
    assert exit_code([Report("rms", "rms.py", outcome, 8, "linux", 0, 0.1)], "classroom50") == code
