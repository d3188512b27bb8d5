"""Tests of the places where a report may be written, the files that it may overwrite, the format that its name means, and runner files."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sample_reports import EVERY_KIND, FAILED, PASSED

from normgrade.cli import check as check_module
from normgrade.cli.output import SUFFIX_OF, SUFFIXES, refuse_unless_writable, tell_runner, write_report
from normgrade.course.course import Course
from normgrade.language.errors import UsageError
from normgrade.report.render import FORMATS, QUIET, VERBOSE, Detail, render
from normgrade.report.render.dialects import NEEDED
from normgrade.report.render.github import step_summary
from normgrade.report.render.workflow_commands import MOST_BYTES
from normgrade.report.report import Report

Invoke = Callable[..., subprocess.CompletedProcess[str]]
REFUSED = 'Error: Nothing can be written to "{}" ({}). Use --output PATH to choose another place.\n'
NO_REPORT, CODE = "the existing file is not a report of normgrade", "a file that ends in .py holds code"
OWN = "normgrade uses this file itself"


@pytest.fixture
def workspace(invoke: Invoke, here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the current folder a workspace in which nothing may be graded, and return it."""
    assert invoke("init", ".").returncode == 0
    monkeypatch.setattr(check_module, "grade", None)
    return here


# Overwriting


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("rms.py", CODE),
        ("new.py", CODE),
        ("NEW.PY", CODE),
        ("normgrade.toml", OWN),
        (".normgrade/progress.db", OWN),
        (".normgrade/new.json", OWN),
        (".normgrade/backups/new", OWN),
        ("prompts/rms.md", NO_REPORT),
        ("answer", NO_REPORT),
        ("data.json", NO_REPORT),
        ("notes.txt", NO_REPORT),
    ],
)
def test_other_file_is_not_overwritten(name: str, why: str, workspace: Path, invoke: Invoke, tiny: Course) -> None:
    (workspace / ".normgrade" / "backups").mkdir(parents=True)
    (workspace / ".normgrade" / "progress.db").write_bytes(b"SQLite format 3\0")
    shutil.copy(tiny.exercise("rms").reference, workspace / "answer")
    (workspace / "data.json").write_text('{"version": 1}', encoding="utf-8")
    (workspace / "notes.txt").write_text("normgrade 1 is what I use\n", encoding="utf-8")
    before = contents(workspace)
    said = invoke("check", "answer", "--exercise", "rms", "--output", name)
    assert (said.returncode, said.stdout, said.stderr) == (2, "", REFUSED.format(name, why))
    assert contents(workspace) == before


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_hard_link_to_the_submission_is_not_overwritten(workspace: Path, invoke: Invoke, tiny: Course) -> None:
    shutil.copy(tiny.exercise("rms").reference, workspace / "rms.py")
    os.link(workspace / "rms.py", workspace / "report.json")
    said = invoke("check", "rms", "--output", "report.json")
    assert (said.returncode, said.stderr) == (2, REFUSED.format("report.json", NO_REPORT))


@pytest.mark.parametrize("command", ["verify rms", "verify rms --only test_rms"])
def test_no_command_overwrites_another_file(command: str, invoke: Invoke, here: Path) -> None:
    (here / "data").write_text("1, 2, 3\n", encoding="utf-8")
    said = invoke(*command.split(), "--output", "data")
    assert (said.returncode, said.stdout, said.stderr) == (2, "", REFUSED.format("data", NO_REPORT))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("detail", [QUIET, VERBOSE])
def test_a_report_is_overwritten_by_a_report(format: str, detail: Detail, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*NEEDED, "OWNER"):
        monkeypatch.setenv(name, "submit/2026-02-02T09-30-00Z")
    path = tmp_path / "report"
    for number in range(2):
        write_report(path, format, render(EVERY_KIND[number:], format, detail))
        assert path.read_text(encoding="utf-8").endswith(render(EVERY_KIND[number:], format, detail))


def test_an_empty_file_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "tmp.aQ3").touch()
    refuse_unless_writable(tmp_path / "tmp.aQ3")


def test_file_written_during_grading_is_not_overwritten(invoke: Invoke, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def save_meanwhile(submissions: object, reports: object) -> object:
        (here / "report.json").write_text("mine", encoding="utf-8")
        return reports

    (here / "rms.py").write_text("def rms(x:", encoding="utf-8")  # nothing is run
    monkeypatch.setattr(check_module, "revealed", save_meanwhile)
    said = invoke("check", "rms", "--output", "report.json")
    assert (said.returncode, said.stderr) == (2, REFUSED.format("report.json", NO_REPORT))
    assert (here / "report.json").read_text(encoding="utf-8") == "mine"


# Links, modes, devices


def test_a_report_is_never_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "report.txt").symlink_to(tmp_path / "elsewhere.txt")
    with pytest.raises(UsageError, match=r'Nothing can be written to ".*report\.txt" \(it is a symbolic link, not a file\)'):
        refuse_unless_writable(tmp_path / "report.txt")
    refuse_unless_writable(tmp_path / "new.txt")
    assert not (tmp_path / "elsewhere.txt").exists()


@pytest.mark.parametrize("inside", [True, False], ids=["from inside", "from outside"])
def test_no_link_in_a_workspace_is_followed(
    inside: bool, workspace: Path, invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere" / "deeper").mkdir(parents=True)
    (workspace / "out").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(workspace if inside else tmp_path)
    for below in ("out", "out/deeper"):
        output = os.path.relpath(workspace / below / "report.json")
        said = invoke("check", "rms", "--output", output)
        assert (said.returncode, said.stdout) == (2, "")
        assert said.stderr == (
            f'Error: The folder "{workspace / "out"}" is a link to "{tmp_path / "elsewhere"}", and links in a workspace are not followed. '
            "Use the real path of the file.\n"
        )
    assert list((tmp_path / "elsewhere").rglob("*.json")) == []


def test_link_outside_of_workspaces_is_followed(here: Path, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (here / "out").symlink_to(tmp_path / "disk")
    write_report(here / "out" / "report.json", "json", render([], "json"))
    assert (tmp_path / "disk" / "report.json").exists()


@pytest.fixture
def umask() -> Iterator[int]:
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


@pytest.mark.skipif(os.name != "posix", reason="modes as POSIX has them")
@pytest.mark.parametrize("mode", [None, 0o600, 0o777, 0o4777])
def test_the_mode_is_always_that_of_a_new_file(mode: int | None, umask: int, tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    if mode is not None:
        path.touch()
        path.chmod(mode)
    write_report(path, "terminal", "told\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
def test_a_pipe_takes_a_report_as_it_is_printed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reading = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_report(tmp_path / "pipe", "terminal", "told\n")
    assert os.read(reading, 100) == b"told\n"
    os.close(reading)


# Formats


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        ("--output r.txt", "normgrade "),
        ("--output r", "normgrade "),
        ("--output r.md", "normgrade "),
        ("--output r.json", '{\n  "version": 1'),
        ("--output r.JSON", '{\n  "version": 1'),
        ("--output r.xml", '<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="normgrade"'),
        ("--output r.html", '<!DOCTYPE html><html lang="en"><head><meta name="generator" content="normgrade">'),
        ("--output r --format json", '{\n  "version": 1'),
        ("--output r.xml --format junit", "<?xml "),
        ("--output results.json --format prairielearn", '{\n  "normgrade": "'),
        ("--output log.txt --format github", "normgrade "),
        ("--output results.json --format gradescope", '{\n  "extra_data": {\n    "normgrade": "'),
    ],
)
def test_file_name_chooses_the_format_unless_given(arguments: str, start: str, invoke: Invoke, here: Path) -> None:
    (here / "rms.py").write_text("def rms(x:", encoding="utf-8")  # nothing is run
    said, name = invoke("check", "rms", *arguments.split()), arguments.split()[1]
    for_people = "--format" not in arguments and not start.startswith(("{", "<?xml"))
    assert (said.returncode, said.stdout) == (1, "")
    told = ["✗ rms · rms.py", f"The report is in {name}."] if for_people else []
    assert [line.partition(" · 0 of 8 points")[0] for line in said.stderr.splitlines()] == told
    assert (here / name).read_text(encoding="utf-8").startswith(start)


@pytest.mark.parametrize("command", ["check", "verify"])
@pytest.mark.parametrize(
    ("format", "path", "meant", "suffix"),
    [
        ("json", "r.html", "html", ".json"),
        ("terminal", "r.json", "json", ".txt"),
        ("junit", "r.txt", "terminal", ".xml"),
        ("gradescope", "r.html", "html", ".json"),
    ],
)
def test_a_name_that_contradicts_the_format_is_refused(
    command: str, format: str, path: str, meant: str, suffix: str, invoke: Invoke, here: Path
) -> None:
    said = invoke(command, "--format", format, "--output", path)
    assert (said.returncode, said.stdout, list(here.iterdir())) == (2, "", [])
    assert said.stderr == (
        f'Error: --format is {format}, but the file name "{path}" means {meant}. Omit --format, or use a file name that ends in {suffix}.\n'
    )


def test_every_format_has_a_suffix() -> None:
    assert SUFFIX_OF.keys() == FORMATS.keys()
    assert {SUFFIX_OF[format] for format in FORMATS} == SUFFIXES.keys()
    assert [SUFFIX_OF[format] for format in SUFFIXES.values()] == [*SUFFIXES]


def test_facts_that_a_format_needs_are_asked_before_grading(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*NEEDED, "OWNER", "USERNAME", "GITHUB_ACTOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(check_module, "grade", None)
    said = invoke("check", "rms", "--format", "classroom50")
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == (
        "Error: The format classroom50 needs CLASSROOM, ASSIGNMENT, SUBMISSION_TAG, COMMIT_URL, RELEASE_URL and OWNER in the environment, "
        "as a runner of Classroom 50 sets them. Use --format json elsewhere.\n"
    )


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name both files in the environment, and return their folder."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    return tmp_path


def test_the_summary_is_appended(files: Path) -> None:
    (files / "summary.md").write_text("# before\n", encoding="utf-8")
    tell_runner("github", [FAILED])
    assert (files / "summary.md").read_text(encoding="utf-8") == "# before\n" + "".join(step_summary([FAILED]))
    assert not (files / "output").exists()


def test_summary_that_is_nearly_full_gets_less(files: Path) -> None:
    (files / "summary.md").write_text("x" * (MOST_BYTES - 1200), encoding="utf-8")
    tell_runner("github", [FAILED] * 100)
    text = (files / "summary.md").read_text(encoding="utf-8")
    assert "x| exercise " in text and text.endswith("\n\nThe rest is left out&#58; the summary would be too long&#46;\n\n")
    assert len(text.encode()) <= MOST_BYTES


@pytest.mark.parametrize(
    ("reports", "lines"),
    [
        ([FAILED, PASSED], "status=failure\nsummary=8 of 18 points, 1 of 2 passed\n"),
        ([PASSED], "status=success\nsummary=4 of 4 points, 1 of 1 passed\n"),
    ],
)
def test_classroom50_learns_the_state_of_the_commit(reports: list[Report], lines: str, files: Path) -> None:
    tell_runner("classroom50", reports)
    assert (files / "output").read_text(encoding="utf-8") == lines
    assert not (files / "summary.md").exists()


@pytest.mark.parametrize("format", ["terminal", "json", "gradescope"])
def test_other_formats_write_nothing(format: str, files: Path) -> None:
    tell_runner(format, [FAILED])
    assert [*files.iterdir()] == []


def test_without_a_runner_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for format, variable in (("github", "GITHUB_STEP_SUMMARY"), ("classroom50", "GITHUB_OUTPUT")):
        monkeypatch.delenv(variable, raising=False)
        tell_runner(format, [FAILED])
    assert [*tmp_path.iterdir()] == []


def test_file_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path))
    with pytest.raises(UsageError) as refused:
        tell_runner("classroom50", [FAILED])
    assert str(refused.value) == (
        f'The file "{tmp_path}" in GITHUB_OUTPUT cannot be written (Is a directory). Unset GITHUB_OUTPUT to do without it.'
    )
