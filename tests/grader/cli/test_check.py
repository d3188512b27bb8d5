"""Tests of `normgrade check`: its arguments, its output, and verdicts that are shown early."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import xmlschema
from rich.console import Console
from sample_reports import BIASED, VARIANCE

import normgrade
from normgrade.cli import check as check_module
from normgrade.cli.bar import Bar
from normgrade.cli.check import BELOW, AboveBar, early, ignore
from normgrade.course.course import Course
from normgrade.grading.grade import Submission, grade
from normgrade.report.render import QUIET, USUAL, Detail
from normgrade.report.report import Check, Kind, Outcome, Report

EditedCourse = Callable[..., Course]
Invoke = Callable[..., subprocess.CompletedProcess[str]]
Put = Callable[..., None]
XUNIT2 = xmlschema.XMLSchema(Path(__file__).parents[1] / "fixtures" / "xunit2.xsd")
HOSTILE = "raise SystemExit('a file of the current folder was imported')\n"


WRONG_RMS = """def rms(x, eps=1e-5):
    print('half of it')
    return (0.5 * x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5).to(x.dtype)
"""


@pytest.fixture
def graded_before(wrong_report: Report, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a wrong rms.py into this folder, and let `grade` return its prepared report: only the steps after grading are tested."""
    (here / "rms.py").write_text(WRONG_RMS, encoding="utf-8")
    monkeypatch.setattr(check_module, "grade", lambda submissions, options, on_report: [wrong_report for _ in submissions])


@pytest.fixture(scope="module")
def wrong_report(tiny: Course, expectations: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    path = tmp_path_factory.mktemp("wrong") / "rms.py"
    path.write_text(WRONG_RMS, encoding="utf-8")
    [report] = grade([Submission(tiny.exercise("rms"), path, path.name)])
    return report


@pytest.mark.parametrize(
    ("content", "target", "line"),
    [
        ("def rms(x, eps=1e-5)\n    return x\n", "rms", "syntax: The file is not valid Python: expected ':'."),
        (None, "rms", "file: rms.py does not exist: check the name"),
        (None, "rms.py", "file: rms.py does not exist: check the name"),
        (None, "folder/rms.py", "file: folder/rms.py does not exist"),
        ("", "rms.py", "file: The file has no code: write it"),
        ("x = 1\n", "rms", "contract: The file does not define `rms`, only `x`. Add the function `rms(x, eps=1e-5)`."),
    ],
)
def test_a_file_that_cannot_be_graded_has_not_passed(content: str | None, target: str, line: str, invoke: Invoke, here: Path) -> None:
    if content is not None:
        (here / "rms.py").write_text(content, encoding="utf-8")
    said = invoke("check", target)
    text = " ".join(said.stdout.split())
    assert (said.returncode, said.stderr) == (1, "") and line in text
    assert "0 of 8 points" in text


def test_a_file_of_another_name_asks_for_its_exercise(invoke: Invoke, here: Path) -> None:
    (here / "mine.py").touch()
    said = invoke("check", "mine.py")
    asks = 'Error: No exercise matches the file name "mine.py". Use --exercise SLUG. Run `normgrade list` to see all exercises.\n'
    assert (said.returncode, said.stdout, said.stderr) == (2, "", asks)


def test_missing_file_suggests_the_stub_of_its_exercise(invoke: Invoke) -> None:
    said = invoke("check", "nope.py", "--exercise", "centring", "--format", "json")
    [finding] = json.loads(said.stdout)["reports"][0]["findings"]
    begin = "nope.py does not exist: check the name, or create the file with `normgrade show --stub centring > nope.py`."
    assert (said.returncode, finding["text"]) == (1, begin)


def test_a_folder_is_no_submission(invoke: Invoke, here: Path) -> None:
    (here / "rms.py").mkdir()
    said = invoke("check", "rms", "--format", "json")
    [finding] = json.loads(said.stdout)["reports"][0]["findings"]
    assert said.returncode == 1 and finding["rule"] == "file" and finding["text"].startswith("rms.py is a directory, not a file")


def test_invalid_byte_of_a_file_is_named(invoke: Invoke, here: Path) -> None:
    (here / "rms.py").write_bytes(b"# caf\xe9\ndef rms(x, eps=1e-5): return x\n")
    said = invoke("check", "--format", "json")
    [finding] = json.loads(said.stdout)["reports"][0]["findings"]
    assert said.returncode == 1 and (finding["line"], finding["column"]) == (1, 6) and "0xe9" in finding["text"]


@pytest.mark.parametrize("name", ["report.html", "report.txt"])
def test_a_report_for_people_in_a_file_is_announced(name: str, invoke: Invoke, here: Path, tiny: Course) -> None:
    shutil.copy(tiny.exercise("rms").reference, here / "rms.py")
    said = invoke("check", "rms", "--output", name)
    verdict, where = said.stderr.splitlines()
    assert (said.returncode, said.stdout, where) == (0, "", f"The report is in {name}.")
    assert "8 of 8 points" in (here / name).read_text(encoding="utf-8")
    assert verdict.startswith("✓ rms · rms.py · 8 of 8 points · passed")
    assert invoke("check", "rms", "--output", name, "-q").stderr == ""


def test_an_untouched_stub_is_not_started(invoke: Invoke, here: Path, tiny: Course) -> None:
    shutil.copy(tiny.exercise("rms").stub, here)
    for arguments in (["check"], ["check", "rms"]):
        said = invoke(*arguments)
        assert said.returncode == 1
        started = "rms is not started. Run `normgrade show rms` to read the task, and write your code in rms.py."
        assert " ".join(said.stdout.split()).startswith(started)


REPORT = {
    "exercise", "submission", "outcome", "score", "granted", "withheld", "digest", "sandbox", "lost", "seed", "course", "duration_s",
    "findings", "diagnoses", "unexplained", "first_wrong_step", "limits", "stopped_after_s", "deaths", "cells",
    "checks",
}  # fmt: skip


CHECK = {
    "name", "claim", "kind", "outcome", "points", "earned", "duration_s", "message", "hint", "stdout", "lines", "call", "raised",
    "differences",
}  # fmt: skip


DIFFERENCE = {
    "place", "called", "dtype", "shape", "mismatched", "total", "max_abs", "max_rel", "allowed", "at", "expected", "actual", "looks_like",
}  # fmt: skip


def test_the_json_has_the_documented_shape(invoke: Invoke, here: Path, tiny: Course, put: Put) -> None:
    put("centring")
    (here / "rms.py").write_text(WRONG_RMS, encoding="utf-8")
    said = invoke("check", "rms", "./centring.py", "--format", "json", "--seed", "3")
    whole = json.loads(said.stdout)
    wrong, right = whole["reports"]
    assert (said.returncode, said.stderr) == (1, "")
    assert whole.keys() == {"version", "normgrade", "reports"}
    assert (whole["version"], whole["normgrade"]) == (1, normgrade.__version__)
    assert wrong.keys() == right.keys() == REPORT
    assert {key for report in whole["reports"] for check in report["checks"] for key in check} == CHECK
    differences = [difference for check in wrong["checks"] for difference in check["differences"]]
    assert differences and all(difference.keys() == DIFFERENCE for difference in differences)
    assert (wrong["exercise"], wrong["submission"], wrong["outcome"], wrong["seed"]) == ("rms", "rms.py", "failed", 3)
    assert wrong["course"] == right["course"] == str(tiny.root)
    assert (right["submission"], right["outcome"], right["score"]) == ("./centring.py", "passed", {"earned": 10, "possible": 10})
    assert wrong["score"]["earned"] == sum(check["earned"] for check in wrong["checks"]) < wrong["score"]["possible"] == 8


def test_without_arguments_everything_that_is_started_is_graded(invoke: Invoke, here: Path, tiny: Course, put: Put) -> None:
    put("centring")
    shutil.copy(tiny.exercise("rms").stub, here)
    (here / "notes.py").write_text(HOSTILE, encoding="utf-8")
    said = invoke("check", "--format", "json")
    assert said.returncode == 0 and [report["submission"] for report in json.loads(said.stdout)["reports"]] == ["centring.py"]


def test_file_of_any_name_is_graded_with_exercise(invoke: Invoke, here: Path, tiny: Course, put: Put) -> None:
    put("rms")
    (here / "rms.py").rename(here / "my answer.txt")
    said = invoke("check", "my answer.txt", "--exercise", "rms", "--format", "json")
    assert said.returncode == 0 and json.loads(said.stdout)["reports"][0]["submission"] == "my answer.txt"


def test_the_report_is_written_to_a_file(invoke: Invoke, here: Path, tiny: Course, put: Put) -> None:
    put("rms")
    (here / "centring.py").write_text("class Centring:", encoding="utf-8")  # nothing is run
    for slug, format, output in (("rms", "json", "passed.json"), ("centring", "json", "r.json"), ("centring", "junit", "r.xml")):
        said = invoke("check", slug, "--format", format, "--output", output)
        assert (said.returncode, said.stdout, said.stderr) == (int(slug == "centring"), "", "")
    assert json.loads((here / "r.json").read_text(encoding="utf-8"))["reports"][0]["outcome"] == "failed"
    XUNIT2.validate(here / "r.xml")


@pytest.mark.usefixtures("graded_before")
def test_the_junit_report_is_valid(invoke: Invoke) -> None:
    said = invoke("check", "--format", "junit")
    assert said.returncode == 1 and "<failure" in said.stdout
    XUNIT2.validate(said.stdout)


@pytest.mark.usefixtures("graded_before")
def test_failure_shows_difference_output_and_hint(invoke: Invoke) -> None:
    said = invoke("check")
    text = " ".join(said.stdout.split())
    assert "✗ Every row is divided by its own root mean square." in text
    assert "12 of 12 numbers differ every value × 1/2" in text
    assert "your code printed: half of it" in text
    assert "Hint: Average over the last dimension." in text
    assert "rms.py 1 of 8 points, not passed" in text and text.endswith(
        "Next: normgrade hint rms · normgrade repro rms test_rows · -v: all claims"
    )


def test_random_seed_is_reported_and_reusable(invoke: Invoke, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("normgrade.cli.check.secrets.randbelow", lambda most: most - 5)
    (here / "rms.py").write_text("def rms(x, eps):", encoding="utf-8")  # nothing is run
    said = invoke("check", "--seed", "random", "--format", "json")
    assert json.loads(said.stdout)["reports"][0]["seed"] == 2**32 - 5
    assert json.loads(invoke("check", "--seed", str(2**32 - 5), "--format", "json").stdout)["reports"] == json.loads(said.stdout)["reports"]


def test_the_time_limit_is_taken(invoke: Invoke, here: Path) -> None:
    (here / "rms.py").write_text("def rms(x, eps=1e-5):\n    while True: pass\n", encoding="utf-8")
    said = invoke("check", "--timeout", "1.25", "--format", "json")
    assert (
        said.returncode == 1
        and json.loads(said.stdout)["reports"][0]["checks"][0]["message"]
        == "the time for all checks (1.25 s) is used up\n  line 2, in rms: while True: pass"
    )


@pytest.mark.usefixtures("graded_before")
@pytest.mark.parametrize("level", ["claims", "score"])
def test_course_can_reveal_less(level: str, invoke: Invoke, edited_course: EditedCourse) -> None:
    course = edited_course({"course.toml": [("banned", f'reveal = "{level}"\nbanned')]})
    [report] = json.loads(invoke("check", "rms", "--course", course.root, "--format", "json").stdout)["reports"]
    assert report["outcome"] == "failed" and report["score"] == {"earned": 1, "possible": 8}
    assert bool(report["checks"]) == (level == "claims")
    assert all(check["claim"] and check["outcome"] for check in report["checks"])
    assert not any(check[key] for check in report["checks"] for key in ("message", "hint", "stdout", "differences"))


def test_an_exercise_reveals_less_than_its_course(invoke: Invoke, here: Path, tiny: Course, edited_course: EditedCourse, put: Put) -> None:
    course = edited_course({"exercises/rms/exercise.toml": [("points", 'reveal = "score"\npoints')]})
    put("rms", "centring")
    rms, centring = json.loads(invoke("check", "rms", "centring", "--course", course.root, "--format", "json").stdout)["reports"]
    assert (rms["checks"], rms["score"]["earned"]) == ([], 8) and centring["checks"]


def test_a_broken_suite_is_exit_code_3(invoke: Invoke, here: Path, tiny: Course, edited_course: EditedCourse, put: Put) -> None:
    course = edited_course({"tests/hidden/test_rms.py": [('agree(probe("row', 'agree(1 + probe("row')]})
    put("rms")
    said = invoke("check", "--course", course.root)
    text = " ".join(said.stdout.split())
    assert said.returncode == 3 and "the suite is broken, not your code: TypeError: " in text
    assert "error: the grader failed, not your code" in text


def test_broken_course_is_exit_code_2(invoke: Invoke, here: Path, tiny: Course, edited_course: EditedCourse, put: Put) -> None:
    course = edited_course({"exercises/rms/exercise.toml": [("level = 1", "level = 9")]})
    put("rms")
    said = invoke("check", "rms", "--course", course.root)
    path = course.root / "exercises/rms/exercise.toml"
    assert (said.returncode, said.stdout, said.stderr) == (2, "", f"Error: {path}: level: must be a whole number from 1 to 4, not 9.\n")


BROKEN: dict[str, dict[str, str]] = {
    "exercises/rms/exercise.toml: not valid TOML: ": {"exercises/rms/exercise.toml": "level = "},
    "tests/hidden/test_rms.py, line 1: the hidden suite cannot be collected: SyntaxError: ": {
        "tests/hidden/test_rms.py": "def test_it(:\n"
    },
    "solutions/rms/mistakes.toml: it.says: is missing.": {"solutions/rms/mistakes.toml": "[it]\n"},
}


@pytest.mark.parametrize("why", BROKEN)
def test_a_broken_exercise_does_not_stop_the_others(
    why: str, invoke: Invoke, here: Path, tiny: Course, edited_course: EditedCourse, put: Put
) -> None:
    course = edited_course(BROKEN[why])
    put("centring")
    (here / "rms.py").write_text("def rms(x, eps=1e-5):\n    return 2 * x + 1\n", encoding="utf-8")  # so that the mistakes are read
    said = invoke("check", "--course", course.root, "--format", "json")
    [report] = json.loads(said.stdout)["reports"]
    assert (said.returncode, report["exercise"], report["outcome"]) == (0, "centring", "passed")
    [warning] = said.stderr.splitlines()
    assert warning.startswith(f'Warning: "rms" is skipped. {course.root}/{why}')
    assert warning.endswith(f"Run `normgrade verify rms --course {course.root}` to see what is missing.")
    named = invoke("check", "rms", "--course", course.root)
    assert (named.returncode, named.stdout) == (2, "") and named.stderr.startswith(f"Error: {course.root}/{why}")


def test_first_error_is_told_if_nothing_is_gradable(invoke: Invoke, edited_course: EditedCourse, put: Put) -> None:
    course = edited_course({"tests/hidden/test_rms.py": "def test_it(:\n"})
    put("rms")
    said = invoke("check", "--course", course.root)
    assert said.returncode == 2 and "Error: " in said.stderr and "the hidden suite cannot be collected: SyntaxError: " in said.stderr


@pytest.mark.parametrize("way", ["here/../course", "link", "../here/course"])
def test_a_course_is_found_on_any_path(way: str, invoke: Invoke, here: Path, tiny: Course, put: Put) -> None:
    """pytest writes the folder of a suite in its own way."""
    (here / "here").mkdir()
    shutil.copytree(tiny.root, here / "course")
    (here / "link").symlink_to(here / "course", target_is_directory=True)
    put("rms")
    said = invoke("check", "rms", "--course", way)
    assert (said.returncode, said.stderr) == (0, "") and "8 of 8 points" in said.stdout
    (here / "normgrade.toml").write_text(f'course = "{way}"\n', encoding="utf-8")
    said = invoke("init", ".", "--course", way)
    assert (said.returncode, said.stderr) == (0, "")


def test_next_exercise_is_named_after_passing(invoke: Invoke, put: Put) -> None:
    put("rms")
    following = "Next is centring (level 2, Layers). Run `normgrade show centring` to see the task."
    assert "Next is" not in invoke("check", "rms").stdout  # there is no workspace
    invoke("init", ".")
    said = " ".join(invoke("check", "rms").stdout.split())
    assert "Passed at the first attempt. Another right way:" in said and said.endswith(following)
    assert "Next is" not in invoke("check", "rms", "-q").stdout
    assert json.loads(invoke("check", "rms", "--format", "json").stdout)


def test_message_of_the_suite_is_reported_unchanged(here: Path, tiny: Course, expectations: Path, in_a_process: Invoke) -> None:
    (here / "rms.py").write_text("def rms(x, eps=1e-5):\n    return x.double()\n", encoding="utf-8")
    said = in_a_process("check", "--format", "json", course=tiny)
    assert (
        said.returncode == 1
        and json.loads(said.stdout)["reports"][0]["checks"][0]["message"] == "the result should be of dtype float32, but is of float64"
    )


def test_warnings_of_numpy_do_not_reach_a_learner(here: Path, edited_course: EditedCourse, in_a_process: Invoke) -> None:
    """The submission returns numbers that are not finite, and the suite divides by zero and averages an empty array."""
    body = "    np.mean(np.zeros(0))\n    x = np.ones(3, np.float32) / np.zeros(3, np.float32)\n"
    body += '    agree(call("rms", np.where(x < 0, x, randn(3))))\n'
    suite = [("import pytest\n", "import numpy as np\nimport pytest\n"), ('    agree(probe("row_by_row", x=randn(3, 4)))\n', body)]
    course = edited_course({"tests/hidden/test_rms.py": suite})
    (here / "rms.py").write_text("def rms(x, eps=1e-5):\n    return (x / 0 * 0).half().to(x.dtype)\n", encoding="utf-8")
    program = (sys.executable, "-m", "normgrade")
    said = in_a_process("check", "rms", course=course, program=program)
    assert (said.returncode, said.stderr) == (1, "")
    assert "Warning" not in said.stdout


RIGHT = Check("test_alone", "It can be called.", Kind.INTERFACE, Outcome.PASSED, 3)
WRONG = Check("test_rows", "Every row is divided.", Kind.FORMULA, Outcome.FAILED, 5, differences=(VARIANCE,))
SEARCHED = Report("rms", "rms.py", Outcome.FAILED, 8, "linux", 0, 0.1, checks=(RIGHT, WRONG), searching=True)
FOUND = replace(SEARCHED, searching=False, diagnoses=(replace(BIASED, checks=("test_rows",)),), granted=6)
Shown = Callable[..., tuple[AboveBar, Callable[[], str]]]


def submissions(tiny: Course, number: int = 1) -> list[Submission]:
    return [Submission(tiny.exercise("rms"), Path("rms.py"), "rms.py")] * number


@pytest.fixture
def shown(tiny: Course) -> Shown:
    """Return a function that makes an `AboveBar` and a function that returns its lines."""

    def above(number: int = 1, detail: Detail = USUAL, height: int = 24) -> tuple[AboveBar, Callable[[], str]]:
        bar = Bar()
        bar.console = Console(file=io.StringIO(), width=80, height=height)

        def text() -> str:
            with bar.console.capture() as captured:
                bar.console.print(*bar.above, end="")
            return captured.get()

        return AboveBar(bar, submissions(tiny, number), detail), text

    return above


def test_the_screen_is_shown_as_it_is_known(shown: Shown) -> None:
    on_report, text = shown()
    on_report(SEARCHED)
    first, *rest = text().splitlines()
    assert first == "rms.py  at least 3 of 8 points, not passed  (sandbox: linux)"
    assert "Looking for the mistake …" in rest and "✗ Every row is divided." in rest and "interface ✓  formula ✗" in rest
    on_report.bar.stop()


def test_the_last_report_is_left_to_the_command(shown: Shown) -> None:
    on_report, text = shown()
    on_report(SEARCHED)
    before = text()
    on_report(FOUND)
    assert text() == before
    on_report.bar.stop()


def test_a_report_that_follows_nothing_is_not_shown(shown: Shown) -> None:
    on_report, _text = shown()
    on_report(replace(SEARCHED, outcome=Outcome.PASSED, searching=False, checks=(RIGHT,)))
    assert on_report.bar.live is None


def test_complete_reports_are_lines_above(shown: Shown) -> None:
    on_report, text = shown(number=3)
    on_report(SEARCHED)
    on_report(FOUND)
    assert " ".join(text().split()) == "✗ rms · rms.py · 6 of 8 points · not passed · biased-running-variance · sandbox: linux"
    on_report(replace(SEARCHED, submission="other.py"))
    assert text().splitlines()[2].startswith("rms · other.py  at least 3 of 8 points")
    on_report.bar.stop()


@pytest.mark.parametrize(("detail", "height"), [(QUIET, 24), (USUAL, 8)])
def test_a_line_is_shown_if_quiet_or_without_room(shown: Shown, detail: Detail, height: int) -> None:
    on_report, text = shown(detail=detail, height=height)
    on_report(SEARCHED)
    assert " ".join(text().split()) == "✗ rms · rms.py · at least 3 of 8 points · not passed · Looking for the mistake … · sandbox: linux"
    assert len(text().splitlines()) <= height - BELOW
    on_report.bar.stop()


@pytest.mark.parametrize(("format", "output"), [("terminal", None), ("json", None), ("html", None), ("terminal", Path("report.txt"))])
def test_nothing_is_shown_elsewhere(tiny: Course, format: str, output: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert early(Bar(), submissions(tiny), format, output, USUAL) is ignore
