"""Separate processes of a notebook: their language, their output, their end when they are interrupted, and what they grade."""

from __future__ import annotations

import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.language import speak
from normgrade.language.errors import GraderError, Interrupted, UsageError
from normgrade.learner.interviews import Interview, interviews_of
from normgrade.learner.workspace import Workspace, new_workspace
from normgrade.notebook import apart
from normgrade.notebook.apart import Graded, Order, ShownEarly, as_file, grade_apart, run_apart
from normgrade.report.render.terminal import render_text
from normgrade.report.report import Check, Kind, Outcome, Report

INTERRUPTS = "import os, signal, time; time.sleep(1); os.kill(os.getppid(), signal.SIGINT); time.sleep(600)"


def test_a_process_speaks_the_current_language() -> None:
    speak("zh")
    done = run_apart("cli", ["show", "--help"])
    assert done.returncode == 0 and "选项" in done.stdout.decode() and done.stderr == b""


def test_without_capturing_the_output_is_inherited(capfd: pytest.CaptureFixture[str]) -> None:
    speak("en")
    done = run_apart("cli", ["--version"], captured=False)
    assert done.stdout is None and capfd.readouterr().out.startswith("normgrade ")


@pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
def test_an_interrupt_ends_it_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "command", lambda module, *arguments: [sys.executable, "-c", INTERRUPTS])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # the process that runs the tests may ignore the signal
    try:
        with pytest.raises(KeyboardInterrupt) as raised:
            run_apart("notebook.apart")
    finally:
        signal.signal(signal.SIGINT, before)
    assert isinstance(raised.value, Interrupted)
    assert raised.value._render_traceback_() == ["Interrupted: Run the cell again for a result."]


# The file of a source

SOURCE = "def rms(x):\n    return '\ud800'\n"  # half a character, as a frontend may send it


def test_outside_a_workspace_the_file_is_temporary(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with as_file(tiny.exercise("rms"), SOURCE) as path:
        assert path.name == "rms.py" and path.read_bytes() == SOURCE.encode(errors="surrogatepass")
    assert not path.exists() and list(tmp_path.iterdir()) == []


def test_in_a_workspace_it_stays_beside_the_attempts(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "normgrade.toml").touch()
    monkeypatch.chdir(tmp_path)
    for source in ("x = 1\n", SOURCE):
        with as_file(tiny.exercise("rms"), source) as path:
            pass
        assert path == tmp_path / ".normgrade" / "notebook" / "rms.py"
        assert path.read_bytes() == source.encode(errors="surrogatepass")


def test_an_unwritable_place_is_reported(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "normgrade.toml").touch()
    (tmp_path / ".normgrade").touch()
    monkeypatch.chdir(tmp_path)
    with (
        pytest.raises(
            UsageError, match=r'^The source code cannot be written to ".*rms\.py" \(.+\)\. Make sure that this path is writable\.$'
        ),
        as_file(tiny.exercise("rms"), ""),
    ):
        raise AssertionError("it was written")


# Grading

RIGHT = "import torch\ndef rms(x, eps=1e-5):\n    print('printed')\n    return (x.square().mean(-1, keepdim=True) + eps).sqrt() * 0 + x\n"


@pytest.fixture
def path(tmp_path: Path, expectations: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of a submission, in a folder outside any workspace."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "rms.py"
    path.write_text(RIGHT)
    return path


def test_reports_return_whole_and_nothing_is_loaded_here(tiny: Course, path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = set(sys.modules)
    [report] = grade_apart(Order("rms", 3, 60.0, "process", str(tiny.root)), path, "mine").reports
    assert (report.exercise, report.submission, report.seed, report.source) == ("rms", "mine", 3, RIGHT)
    assert report.outcome is Outcome.FAILED and report.checks
    assert capfd.readouterr().out == ""
    assert not [name for name in set(sys.modules) - before if name.startswith("normgrade.oracle")]


def test_the_verdict_comes_before_the_name_of_the_mistake(tiny: Course, path: Path) -> None:
    path.write_text(read_mistakes(tiny.exercise("rms"))[0].source)
    early: list[Graded] = []
    graded = grade_apart(Order("rms", 0, None, "process", str(tiny.root)), path, "rms", early.append)
    [[before]], [after] = [each.reports for each in early], graded.reports
    assert before.searching and not before.diagnoses and not after.searching and after.diagnoses
    assert [check.outcome for check in before.checks] == [check.outcome for check in after.checks]


def test_a_usage_error_is_passed_on(tiny: Course, path: Path) -> None:
    with pytest.raises(UsageError, match=r'^No exercise named "rmss"\. Did you mean "rms"\?'):
        grade_apart(Order("rmss", 0, None, "process", str(tiny.root)), path, "rms")


def test_the_language_is_passed_on(tiny: Course, path: Path) -> None:
    speak("zh")
    with pytest.raises(UsageError) as raised:
        grade_apart(Order("rmss", 0, None, "process", str(tiny.root)), path, "rms")
    assert "rmss" in str(raised.value) and "No exercise" not in str(raised.value)


def test_a_broken_process_is_the_graders_fault(tiny: Course, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = [sys.executable, "-c", "raise SystemExit('no memory left')"]
    monkeypatch.setattr(apart, "command", lambda module, *arguments: broken)
    with pytest.raises(GraderError, match=r"no memory left$"):
        grade_apart(Order("rms", 0, None, "process", str(tiny.root)), path, "rms")


@pytest.fixture
def workspace(path: Path) -> Workspace:
    """Make the folder of the submission a workspace."""
    return new_workspace(path.parent)


def test_in_a_workspace_a_pass_tells_the_next_exercise(tiny: Course, path: Path, workspace: Workspace) -> None:
    order = Order("rms", 0, None, "process", str(tiny.root))
    assert grade_apart(order, path, "rms").below == ()
    path.write_bytes(tiny.exercise("rms").reference.read_bytes())
    below = grade_apart(order, path, "rms").below
    assert below[0].startswith("Passed after 2 attempts") and below[-1].startswith("Next is centring ")


def test_in_an_interview_only_claims_are_told(tiny: Course, path: Path, workspace: Workspace) -> None:
    interviews_of(workspace).begin(Interview(datetime.now(UTC), 30, "2026-03-01-1", ("rms",), ()))
    order = Order("rms", 0, None, "process", str(tiny.root))
    graded = grade_apart(order, path, "rms")
    assert graded.below[0] == "Failures of rms are not explained during this interview."
    assert graded.below[1].startswith("Interview 2026-03-01-1: 30 of 30 minutes are left, until ")
    [report] = graded.reports
    assert not report.diagnoses and not any(check.differences or check.message for check in report.checks)
    path.write_bytes(tiny.exercise("rms").reference.read_bytes())
    graded = grade_apart(order, path, "rms")
    assert graded.passed and len(graded.below) == 1


def test_an_interview_only_restricts_its_own_exercises(tiny: Course, path: Path, workspace: Workspace) -> None:
    interviews_of(workspace).begin(Interview(datetime.now(UTC), 30, "2026-03-01-1", ("centring",), ()))
    graded = grade_apart(Order("rms", 0, None, "process", str(tiny.root)), path, "rms")
    [report] = graded.reports
    assert len(graded.below) == 1 and any(check.differences for check in report.checks)


# Reports that display themselves, as a picture and as text; and the early output


FAILED = Check("test_a", "The claim.", Kind.FORMULA, Outcome.FAILED, 1, message="It does not hold.")


def report(outcome: Outcome) -> Report:
    checks = () if outcome is Outcome.PASSED else (FAILED,)
    return Report("rms", "cell", outcome, 3, "linux", 0, 0.0, checks=checks, source="x = 1")


def test_as_text_it_omits_the_options_for_more() -> None:
    in_terminal, here = render_text([report(Outcome.FAILED)]), repr(Graded((report(Outcome.FAILED),)))
    assert "-v" in in_terminal and "-v" not in here
    assert in_terminal.startswith(here) and "not passed" in here


def test_the_lines_after_a_pass_are_at_the_bottom() -> None:
    graded = Graded((report(Outcome.PASSED),), ("Passed at the first attempt.", "`normgrade show <b>` is next."))
    below = "<p>Passed at the first attempt.<br><code>normgrade show &lt;b&gt;</code> is next.</p></div>"
    assert graded._repr_html_().endswith(below)
    assert repr(graded).endswith("\nPassed at the first attempt.\n`normgrade show <b>` is next.")


# Early output

WRONG = Check("test_rows", "Every row is divided.", Kind.FORMULA, Outcome.FAILED, 8)
SEARCHED = Graded((Report("rms", "cell", Outcome.FAILED, 8, "linux", 0, 0.1, checks=(WRONG,), searching=True),))


class Handle:
    """A display that records everything it has shown."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    def update(self, data: dict[str, str], raw: bool) -> None:
        assert raw
        self.shown.append(data)


def in_ipython(monkeypatch: pytest.MonkeyPatch, **shell: object) -> Handle:
    """Return the display that IPython gives."""
    handle = Handle()

    def display(data: dict[str, str], raw: bool, display_id: bool) -> Handle:
        assert display_id
        handle.update(data, raw)
        return handle

    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(**shell)))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    return handle


def test_the_result_replaces_the_early_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    handle = in_ipython(monkeypatch, kernel=object())
    early = ShownEarly()
    early.show(SEARCHED)
    [data] = handle.shown
    assert "Looking for the mistake …" in data["text/html"] and "at least 0 of 8 points" in data["text/html"]
    assert data["text/plain"] == "✗ rms · cell · at least 0 of 8 points · not passed · Looking for the mistake … · sandbox: linux"
    early.clear()
    assert set(handle.shown[-1].values()) == {""}


def test_in_a_terminal_the_line_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    handle = in_ipython(monkeypatch)
    early = ShownEarly()
    early.show(SEARCHED)
    early.clear()
    assert len(handle.shown) == 1


def test_nothing_is_shown_in_plain_python(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    early: Any = ShownEarly()
    early.show(SEARCHED)
    early.clear()
    assert early.handle is None and capsys.readouterr() == ("", "")
