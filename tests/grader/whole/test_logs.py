"""Tests of submissions full of commands for CI systems: the log has no command in any format."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hostile_texts import HOSTILE_TEXTS, commands_in, steering_in
from plain_pytest import pytest_on

from normgrade.cli import check as check_module
from normgrade.course.course import Course
from normgrade.grading.grade import Submission, grade
from normgrade.report.render.dialects import NEEDED

Invoke = Callable[..., subprocess.CompletedProcess[str]]
NAME = "::error::##[group].py"
TEXTS = f"TEXTS = [text.encode('utf-8', 'replace').decode().replace('\\0', '') for text in {[*HOSTILE_TEXTS]!a}]\n"
RAISES = f"""import sys
{TEXTS}
def rms(x, eps=1e-5):
    for text in TEXTS:
        print(text)
        print(text, file=sys.stderr)
    raise type(TEXTS[x.numel()], (ValueError,), {{}})("\\n".join(TEXTS[x.numel():]))  # ##[error]::error::
"""
RETURNS = f"""{TEXTS}
class Odd: pass

def rms(x, eps=1e-5):
    Odd.__name__ = Odd.__qualname__ = Odd.__module__ = TEXTS[x.numel()]
    return TEXTS[x.numel()] if x.numel() % 4 else Odd()
"""
NO_PYTHON = "def rms(x, eps=1e-5):\n    ::error::##[error]##vso[task.complete result=Succeeded;]\n"
SUBMISSIONS = {"raises": RAISES, "returns": RETURNS, "no Python": NO_PYTHON}
DATA = ("json", "gradescope", "prairielearn", "classroom50")
WAYS: tuple[list[str], ...] = ([], ["-v"], ["-q"], *(["--format", format] for format in ("junit", "html", *DATA)))
every_submission = pytest.mark.parametrize("source", SUBMISSIONS.values(), ids=SUBMISSIONS)
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names of files as POSIX has them")


@every_submission
def test_submission_cannot_put_commands_into_a_log(
    source: str, here: Path, tiny: Course, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / NAME).write_text(source, encoding="utf-8")
    reports = grade([Submission(tiny.exercise("rms"), here / NAME, NAME)])
    monkeypatch.setattr(check_module, "grade", lambda submissions, options, on_report: reports)
    for name in (*NEEDED, "OWNER"):
        monkeypatch.setenv(name, "submit/2026-02-02T09-30-00Z")
    said = {" ".join(way): invoke("check", NAME, "--exercise", "rms", *way) for way in WAYS}
    for way, done in said.items():
        assert (done.returncode, done.stderr) == (0 if "classroom50" in way else 1, ""), way
        assert (commands_in(done.stdout), steering_in(done.stdout) - {"\t"}) == ([], set()), way
    for element in ElementTree.fromstring(said["--format junit"].stdout).iter():
        assert [*map(commands_in, (element.text or "", *element.attrib.values()))] == [[]] * (1 + len(element.attrib)), element.tag
    assert json.loads(said["--format json"].stdout)["reports"][0]["submission"] == NAME
    assert said["-q"].stdout.startswith("✗ rms · ::error::·#[group].py · 0 of 8 points")
    assert "·:error" in said["-v"].stdout


@every_submission
def test_github_obeys_annotations_and_no_submission(
    source: str, here: Path, tiny: Course, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A runner that reads the log as GitHub's does finds the annotations of normgrade, and nothing else."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(here / "summary.md"))
    (here / NAME).write_text(source, encoding="utf-8")
    done = invoke("check", NAME, "--exercise", "rms", "--format", "github")
    assert (done.returncode, done.stderr) == (1, "")
    obeyed = obeyed_in(done.stdout)
    assert obeyed and all(line.startswith("::error file=") and "title=" in line for line in obeyed)
    assert steering_in(done.stdout) - {"\t"} == set()
    summary = (here / "summary.md").read_text(encoding="utf-8")
    assert (commands_in(summary), steering_in(summary) - {"\t"}) == ([], set()) and "<script" not in summary


def obeyed_in(log: str) -> list[str]:
    """Return the lines of a log that GitHub's runner obeys, except for those that stop its reading and end that."""
    obeyed, stopped = [], ""
    for line in log.splitlines():
        if stopped:
            stopped = "" if line.strip() == f"::{stopped}::" else stopped
        elif line.strip().startswith("::stop-commands::"):
            stopped = line.strip().removeprefix("::stop-commands::")
        else:
            obeyed += commands_in(line)
    return obeyed


@every_submission
def test_submission_cannot_put_commands_into_pytests_log(source: str, tmp_path: Path, tiny: Course, expectations: Path) -> None:
    path = tmp_path / NAME
    path.write_text(source, encoding="utf-8")
    done = pytest_on(tiny.exercise("rms").suite, path, "-rA", folder=tmp_path)
    assert done.returncode == 1 and "·:error" in done.stdout
    assert (commands_in(done.stdout + done.stderr), steering_in(done.stdout) - {"\t"}) == ([], set())


@pytest.mark.parametrize("words", [("check",), ("show",), ("explain",), ("list", "--course"), ("list", "--lang"), (), ("check", "--seed")])
def test_no_error_repeats_a_command(words: tuple[str, ...], invoke: Invoke) -> None:
    done = invoke(*words, "\n::error::##[error]")
    assert done.returncode in (1, 2) and "error" in done.stdout + done.stderr
    assert (commands_in(done.stdout), commands_in(done.stderr)) == ([], [])


def test_harmless_output_is_unchanged(here: Path, invoke: Invoke) -> None:
    (here / "rms.py").write_text("def rms(x, eps=1e-5):\n    print('hello :: # ## [0] a::b x[::2]')\n    return x\n", encoding="utf-8")
    assert "your code printed:\n  hello :: # ## [0] a::b x[::2]" in invoke("check", "rms").stdout
