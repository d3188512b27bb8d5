"""A folder from a stranger: none of its code runs in the grader, no link leads out of it, and none of its files makes the grader wait."""

from __future__ import annotations

import io
import os
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from rich.console import Console

from normgrade import cli
from normgrade.cli import check as check_module
from normgrade.cli.screen import screens
from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.course.trust import record_of
from normgrade.grading.grade import OnReport, Submission, grade
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options
from normgrade.language.errors import UsageError
from normgrade.learner.standing import VERSION, Attempt, Attempts
from normgrade.learner.watching import Watching
from normgrade.learner.workspace import MARK
from normgrade.notebook.apart import as_file
from normgrade.report.report import Outcome, Report
from normgrade.suite.collection import collect

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes as POSIX has them")
SECRET = "opensesame = = 1\n"  # not valid Python, so that a message would show the line
BROKEN = "def rms(x, eps=1e-5) return x\n"  # inspection refuses it, so nothing is played
FOLLOWED = "and links are not followed: replace the link with the file, or pass the file itself."
COMMANDS = [
    "", "list", "show rms", "check", "check rms", "check rms.py --format html", "watch rms", "hint rms", "solution rms --spoil",
    "reset rms", "progress", "explain one-for-all-rows", "repro rms", "try rms rms() [1]", "explain", "verify rms",
    "init", "init .",
]  # fmt: skip
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def impatience() -> Iterator[None]:
    """Fail after two minutes instead of waiting for a pipe forever."""

    def ended(*_: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, ended)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a folder that belongs to the user who grades."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.py").write_text(SECRET, encoding="utf-8")
    (folder / "secret.py").chmod(0o600)
    return folder


@pytest.fixture
def here(tmp_path: Path, outside: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the stranger's folder, after making it the current one."""
    folder = tmp_path / "stranger"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("NORMGRADE_CONFIG", str(tmp_path / "config"))
    monkeypatch.delenv("NORMGRADE_COURSE", raising=False)
    return folder


@pytest.fixture
def run(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command in that folder and returns its exit code and both streams, unwrapped."""
    monkeypatch.setenv("NORMGRADE_LANG", "en")

    def ran(*arguments: str) -> tuple[int, str, str]:
        code = cli.run([*arguments])
        out, err = capsys.readouterr()
        return code, " ".join(out.split()), " ".join(err.split())

    return ran


@pytest.fixture
def own(tiny: Course, monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    """Name the course by the user's variable, so that the folder has only submissions."""
    monkeypatch.setenv("NORMGRADE_COURSE", str(tiny.root))
    (here / MARK).touch()


def files(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def hostile_course(folder: Path, tiny: Course) -> Path:
    """Return a course that writes a file if any of its code runs."""
    shutil.copytree(tiny.root, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in folder.rglob("*.py"):
        path.write_text(f"open({str(folder / 'RAN')!r}, 'a').close()\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    return folder


def refusal(workspace: Path, course: Path) -> str:
    return (
        f'Error: The workspace "{workspace}" names the course "{course}", which you do not trust yet: its code would run with '
        f"your permissions. If you trust it, run `normgrade init {workspace} --course {course}`. "
        "Use --course DIR to choose a course for one command only."
    )


# The course of the folder


@pytest.mark.parametrize("command", COMMANDS)
def test_a_course_named_by_a_folder_is_refused(command: str, run: Run, here: Path, tiny: Course) -> None:
    course = hostile_course(here / "course", tiny)
    (here / MARK).write_text('course = "course"\n', encoding="utf-8")
    (here / "rms.py").write_text("def rms(x, eps=1e-5):\n    return x * 3 + 1\n", encoding="utf-8")
    before = files(here)
    assert run(*command.split()) == (2, "", refusal(here, course))
    assert files(here) == before


def test_it_is_refused_from_a_subfolder(run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    course = hostile_course(here / "course", tiny)
    (here / MARK).write_text('course = "course"\n', encoding="utf-8")
    (here / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(here / "a" / "b")
    assert run("check") == (2, "", refusal(here, course))


def test_a_refused_course_completes_nothing(here: Path, tiny: Course) -> None:
    course = hostile_course(here / "course", tiny)
    (here / MARK).write_text('course = "course"\n', encoding="utf-8")
    asked = {"_NORMGRADE_COMPLETE": "bash_complete", "COMP_WORDS": "normgrade show ", "COMP_CWORD": "2"}
    found = []
    for named in ({}, {"NORMGRADE_COURSE": str(tiny.root)}):
        environment = os.environ | asked | named
        found.append(subprocess.run([sys.executable, "-m", "normgrade"], env=environment, capture_output=True, text=True, timeout=120))
    assert [(done.stdout.split(), done.stderr) for done in found] == [([], ""), (["plain,centring", "plain,rms"], "")]
    assert not (course / "RAN").exists()


def test_a_course_may_be_named_once(run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / MARK).write_text('course = "elsewhere"\n', encoding="utf-8")
    assert run("list", "--course", str(tiny.root))[0] == 0
    assert run("list")[0] == 2
    monkeypatch.setenv("NORMGRADE_COURSE", str(tiny.root))
    assert run("list")[0] == 0


@pytest.mark.parametrize("by", ["option", "variable"])
def test_init_with_a_course_names_it_and_trusts_it(by: str, run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tiny.root.parent)
    if by == "variable":
        monkeypatch.setenv("NORMGRADE_COURSE", "tiny")
    assert run("init", str(here / "norms"), *(["--course", "./tiny/"] if by == "option" else []))[0] == 0
    monkeypatch.delenv("NORMGRADE_COURSE", raising=False)
    monkeypatch.chdir(here / "norms")
    assert f'\ncourse = "{tiny.root}"\n' in (here / "norms" / MARK).read_text(encoding="utf-8")
    code, out, err = run("list")
    assert (code, err) == (0, "") and "centring" in out
    record = record_of(here / "norms")
    assert record.read_text(encoding="utf-8") == f"{here / 'norms'}\n{tiny.root}\n"
    assert stat.S_IMODE(record.stat().st_mode) == 0o600


def test_init_trusts_the_course_of_a_workspace(run: Run, here: Path, tiny: Course) -> None:
    mark = f'# mine\ncourse = "{tiny.root}"\n'
    (here / MARK).write_text(mark, encoding="utf-8")
    assert run("list")[0] == 2
    assert run("init", "--course", str(tiny.root))[0] == 0
    assert run("list")[0] == 0 and (here / MARK).read_text(encoding="utf-8") == mark


def test_init_only_trusts_the_course_of_the_workspace(run: Run, here: Path, tiny: Course) -> None:
    (here / MARK).write_text('lang = "en"\n', encoding="utf-8")
    asks = f'Add `course = "{tiny.root}"` to it, then run this command again.'
    there = f'Error: "{here / MARK}" already exists, and does not name the course "{tiny.root}". {asks}'
    assert run("init", "--course", str(tiny.root)) == (2, "", there)
    assert os.listdir(here) == [MARK] and not record_of(here).exists()


def test_a_copy_of_a_trusted_folder_is_not_trusted(run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    run("init", "norms", "--course", str(tiny.root))
    shutil.copytree(here / "norms", here / "copy")
    monkeypatch.chdir(here / "copy")
    assert run("list") == (2, "", refusal(here / "copy", tiny.root))


def test_a_changed_link_to_a_course_is_not_trusted(run: Run, here: Path, tiny: Course) -> None:
    link, theirs = here / "link", hostile_course(here / "theirs", tiny)
    link.symlink_to(tiny.root)
    (here / MARK).write_text('course = "link"\n', encoding="utf-8")
    assert run("init", "--course", "link")[0] == 0 and run("list")[0] == 0
    link.unlink()
    link.symlink_to(theirs)
    assert run("list") == (2, "", refusal(here, theirs))
    assert not (theirs / "RAN").exists()


@pytest.mark.parametrize("damage", ["text", "empty", "pipe", "link", "folder"])
def test_a_damaged_record_is_ignored_and_rewritten(damage: str, run: Run, here: Path, tiny: Course) -> None:
    run("init", ".", "--course", str(tiny.root))
    record = record_of(here)
    kept = record.read_bytes()
    record.unlink()
    match damage:
        case "text" | "empty":
            record.write_text("[" if damage == "text" else "", encoding="utf-8")
        case "pipe":
            os.mkfifo(record)
        case "link":
            record.symlink_to(here / MARK)
        case _:
            record.mkdir()
    assert run("list") == (2, "", refusal(here, tiny.root))
    if damage != "folder":
        assert run("init", ".", "--course", str(tiny.root))[0] == 0 and record.read_bytes() == kept


@pytest.mark.parametrize("which", ["config", "config/trusted"])
def test_records_that_others_may_write_are_not_trusted(which: str, run: Run, here: Path, tiny: Course) -> None:
    run("init", ".", "--course", str(tiny.root))
    (here.parent / which).chmod(0o777)
    forbid = f"Run `chmod -R go-w {here.parent / 'config'}` to prevent that, or set NORMGRADE_CONFIG to another folder."
    said = f'Error: The folder "{here.parent / which}" is not used: others may write to it. {forbid}'
    assert run("list") == (2, "", said) == run("init", ".", "--course", str(tiny.root))
    (here.parent / which).chmod(0o755)
    assert run("list")[0] == 0


def test_a_failure_to_record_trust_is_reported(run: Run, here: Path, tiny: Course) -> None:
    (here.parent / "config").write_text("in the way", encoding="utf-8")
    code, out, err = run("init", "norms", "--course", str(tiny.root))
    assert (code, out) == (2, "")
    ways = "Make this place writable, or set NORMGRADE_CONFIG to another one."
    where = record_of(here / "norms")
    assert err == f'Error: Your trust in the course "{tiny.root}" cannot be saved in "{where}" (Not a directory). {ways}'


# Paths to a course


@pytest.fixture
def ways(here: Path, tiny: Course) -> Sequence[str]:
    """Return several paths to one course, relative to the current folder."""
    shutil.copytree(tiny.root, here.parent / "course", ignore=shutil.ignore_patterns("__pycache__"))
    (here / "link").symlink_to("../course")
    (here / "far").symlink_to(here.parent / "course" / "exercises")
    return "../course", "../course/", "./../stranger/../course", "link", "link/", "far/.."


def test_a_course_is_found_by_any_path(ways: Sequence[str], here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    courses = [Course.find(Path(way)) for way in ways]
    for way in ways:
        monkeypatch.setenv("NORMGRADE_COURSE", way)
        courses.append(Course.find())
    assert {course.root for course in courses} == {here.parent / "course"}


@pytest.mark.parametrize("number", range(6))
def test_a_suite_is_collected_by_any_path(ways: Sequence[str], here: Path, number: int) -> None:
    for course in (Course.find(Path(ways[number])), Course(here / ways[3])):
        assert len(collect([course.exercise("rms")])["rms"].tests) > 1


def test_a_workspace_names_its_course_by_any_path(ways: Sequence[str], run: Run, here: Path) -> None:
    for way in ways:
        (here / MARK).write_text(f'course = "{way}"\n', encoding="utf-8")
        assert run("init", "--course", way)[0] == 0 and run("list")[0] == 0


# Every report names the course


@pytest.mark.parametrize("source", [BROKEN, None], ids=["failed", "not started"])
@pytest.mark.parametrize("format", ["terminal", "terminal -q", "html", "json", "junit"])
def test_every_report_names_the_course(source: str | None, format: str, own: None, run: Run, here: Path, tiny: Course) -> None:
    (here / "rms.py").write_text(source or tiny.exercise("rms").stub.read_text(encoding="utf-8"), encoding="utf-8")
    code, out, _ = run("check", "rms", "--format", *format.split())
    said = {"json": f'"course": "{tiny.root}"', "junit": f'<property name="course" value="{tiny.root}" />'}
    assert code == 1 and said.get(format, f"course: {tiny.root}").replace(" ", "") in out.replace(" ", "")


@pytest.mark.parametrize("format", ["terminal", "terminal -q", "html", "json", "junit"])
def test_no_report_names_the_carried_course(format: str, run: Run, here: Path) -> None:
    (here / "layer_norm.py").write_text("def f(:", encoding="utf-8")
    code, out, _ = run("check", "--format", *format.split())
    assert code == 1 and str(carried()) not in out and ("course" in out) == (format == "json") and '"course": "/' not in out


# Other things than files


@pytest.mark.parametrize("with_writer", [False, True], ids=["nobody writes", "somebody writes"])
def test_a_pipe_is_not_waited_for(with_writer: bool, own: None, run: Run, here: Path) -> None:
    os.mkfifo(here / "rms.py")
    writer = os.open(here / "rms.py", os.O_RDWR) if with_writer else None
    said = "rms.py is a named pipe, not a file: pass the path of a Python file."
    for target in ("rms", "rms.py"):
        code, out, err = run("check", target)
        assert (code, err) == (1, "") and said in out
    assert run("check", "rms.py", "--exercise", "centring")[0] == 1
    if writer is not None:
        os.close(writer)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.mkdir(), "is a directory, not a file: pass the path of a Python file."),
        (lambda path: path.symlink_to("/dev/zero"), f"is a symbolic link to /dev/zero, {FOLLOWED}"),
        (lambda path: path.symlink_to("gone.py"), f"is a symbolic link to gone.py, {FOLLOWED}"),
        (lambda path: path.symlink_to(path.name), f"is a symbolic link to {{name}}, {FOLLOWED}"),
        (lambda path: path.symlink_to("/proc/self/environ"), f"is a symbolic link to /proc/self/environ, {FOLLOWED}"),
        (lambda path: sparse(path, 2**30), "is larger than 64 KiB (65536 bytes): submit only the code of this"),
        (lambda path: bound(path), "is a socket, not a file: pass the path of a Python file."),
        (lambda path: None, "does not exist: check the name, or create the file with `normgrade show --stub {slug} > {name}`."),
    ],
    ids=["directory", "link to a device", "dangling link", "loop", "link to the environment", "1 GiB", "socket", "nothing"],
)
def test_other_things_than_files_are_reported(make: Callable[[Path], object], said: str, own: None, run: Run, here: Path) -> None:
    for name, arguments, slug, code in (("rms.py", [], "rms", 1), ("any.py", ["--exercise", "rms"], "rms", 1), ("other.py", [], "SLUG", 2)):
        make(here / name)
        found, out, err = run("check", name, *arguments)
        assert found == code and f"{name} {said.format(name=name, slug=slug)}" in (out if code == 1 else err)
        assert (out if code == 2 else err) == ""


def sparse(path: Path, size: int) -> None:
    path.touch()
    os.truncate(path, size)


def bound(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path.name)  # the full path may be too long


def test_devices_and_long_names_are_reported(own: None, run: Run) -> None:
    assert "/dev/zero is a device, not a file: pass the path of a Python file." in run("check", "/dev/zero", "--exercise", "rms")[1]
    assert run("check", "/dev/zero") == (2, "", "Error: /dev/zero is a device, not a file: pass the path of a Python file.")
    name = "x" * 300 + ".py"
    long = f"Error: {name} cannot be read (File name too long): check the path, or pass another file."
    assert run("check", name) == (2, "", long)


def test_a_file_without_permission_is_reported(own: None, here: Path) -> None:
    (here / "rms.py").write_text(BROKEN, encoding="utf-8")
    (here / "rms.py").chmod(0)
    wrap = []
    if os.geteuid() == 0:  # root may read everything without these options
        if not shutil.which("setpriv"):
            pytest.skip("root may read everything, and there is no setpriv to forbid it")
        wrap = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    command = [*wrap, sys.executable, "-m", "normgrade", "check", "rms", "--lang", "en"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    said = f"rms.py cannot be read because of its permissions: run `chmod u+r {here}/rms.py`."
    assert (done.returncode, done.stderr) == (1, "") and said.replace(" ", "") in "".join(done.stdout.split())


def test_a_file_may_be_inside_a_linked_folder(run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMGRADE_COURSE", str(tiny.root))
    (here / "norms").mkdir()
    (here / "norms" / "rms.py").write_text(BROKEN, encoding="utf-8")
    (here / "link").symlink_to("norms")
    assert "The file is not valid Python" in run("check", "link/rms.py")[1]
    assert run("init", "link")[0] == 0  # a workspace may be such a folder, too
    monkeypatch.chdir(here / "link")
    assert "The file is not valid Python" in run("check", "rms")[1]


def test_a_linked_folder_of_the_workspace_is_not_followed(own: None, run: Run, here: Path, outside: Path) -> None:
    (here / "sub").symlink_to(outside)
    way = "and links in a workspace are not followed. Use the real path of the file."
    said = f'Error: The folder "{here / "sub"}" is a link to "{outside}", {way}'
    assert run("check", "sub/secret.py", "--exercise", "rms") == (2, "", said)
    assert run("check", str(here / "sub" / "secret.py"), "--exercise", "rms") == (2, "", said)


# A folder full of links and pipes


@pytest.fixture
def trap(own: None, here: Path, outside: Path, tiny: Course) -> Path:
    """Fill the folder with links that lead elsewhere and pipes that block."""
    (here / "rms.py").symlink_to(outside / "secret.py")
    os.mkfifo(here / "centring.py")
    for name in (".normgrade", "prompts"):
        (here / name).symlink_to(outside)
    (here / "repro_rms.py").symlink_to(outside / "new.py")
    (here / "report.html").symlink_to(outside / "secret.py")
    os.mkfifo(here / "repro_centring.py")
    os.mkfifo(here / "report.json")
    os.mkfifo(outside / "progress.db")
    return here


@pytest.mark.parametrize("slug", ["rms", "centring"])
@pytest.mark.parametrize(
    "command",
    [
        "", "list", "progress", "hint SLUG", "reset SLUG", "repro SLUG", "solution SLUG --spoil", "init", "check", "check SLUG",
        "check SLUG.py", "check SLUG --format html", "check SLUG --format html --output report.html",
        "check SLUG --format json --output report.json",
        "repro SLUG --output report.json", "repro SLUG --output report.html",
    ],
)  # fmt: skip
def test_no_command_follows_a_link_or_waits(slug: str, command: str, trap: Path, run: Run, outside: Path) -> None:
    before = sorted(os.listdir(outside)), (outside / "secret.py").read_text(encoding="utf-8"), sorted(os.listdir(trap))
    code, out, err = run(*command.replace("SLUG", slug).split())
    assert code in (0, 1, 2) and "Traceback" not in err and "opensesame" not in out + err
    assert (sorted(os.listdir(outside)), (outside / "secret.py").read_text(encoding="utf-8"), sorted(os.listdir(trap))) == before


def test_links_and_pipes_are_reported(trap: Path, run: Run, outside: Path) -> None:
    assert run("reset", "rms")[2] == 'Error: "rms.py" cannot be reset (it is a symbolic link, not a file). Your files are unchanged.'
    assert run("reset", "centring")[2] == 'Error: "centring.py" cannot be reset (it is a named pipe, not a file). Your files are unchanged.'
    taken = 'Nothing can be written to "repro_rms.py" (it is a symbolic link, not a file). Use --output PATH to choose another place.'
    assert run("repro", "rms")[2] == f"Error: {taken}"
    prompts = (
        f'The workspace cannot be created in "." ("{trap / "prompts"}" is a symbolic link, not a folder). '
        "Choose a folder that you can write to."
    )
    assert run("init")[2] == f"Error: {prompts}"
    kept = f'The attempts in "{trap / ".normgrade/progress.db"}" cannot be read or written'
    free = "Unlock or repair the file, or move it away to start again."
    assert run("progress")[2] == f'Error: {kept} ("{trap / ".normgrade"}" is a symbolic link, not a folder). {free}'
    assert run("check", "rms")[2] == f'Note: {kept} ("{trap / ".normgrade"}" is a symbolic link, not a folder). {free}'
    written = (
        'Error: Nothing can be written to "report.html" (it is a symbolic link, not a file). Use --output PATH to choose another place.'
    )
    assert run("check", "rms", "--output", "report.html") == (2, "", written)  # before anything is graded


def test_watching_waits_for_no_pipe(trap: Path, tiny: Course) -> None:
    for slug, what in (("rms", "is a symbolic link to "), ("centring", "is a named pipe, not a file")):
        grader = Grader(None, {}, {}, Options())  # type: ignore[arg-type]  # it is not used
        watching = Watching(grader, tiny, tiny.exercise(slug))
        assert watching.begin_if_saved()
        watching.grade()
        assert watching.report is not None and not watching.begin_if_saved()
        [finding] = watching.report.findings
        assert finding.text.startswith(f"{trap / slug}.py {what}")
        console = Console(file=io.StringIO(), width=300)
        console.print(screens(watching, console.size)[0])
        assert isinstance(console.file, io.StringIO) and f"course: {tiny.root}\n" in console.file.getvalue().replace(" \n", "\n")


def test_a_notebook_writes_nothing_through_a_link(trap: Path, outside: Path, tiny: Course) -> None:
    before = sorted(os.listdir(outside))
    with pytest.raises(UsageError) as refused, as_file(tiny.exercise("rms"), SECRET):
        raise AssertionError("it was written")
    where = f'"{trap / ".normgrade"}" is a symbolic link, not a folder'
    path = trap / ".normgrade" / "notebook" / "rms.py"
    assert str(refused.value) == f'The source code cannot be written to "{path}" ({where}). Make sure that this path is writable.'
    assert sorted(os.listdir(outside)) == before


# normgrade.toml itself


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (os.mkfifo, "it is a named pipe, not a file"),
        (os.mkdir, "it is a directory, not a file"),
        (lambda path: os.symlink("/dev/zero", path), "it is a symbolic link, not a file"),
        (lambda path: os.symlink("gone", path), "it is a symbolic link, not a file"),
    ],
    ids=["pipe", "directory", "device", "dangling link"],
)
def test_a_mark_that_is_no_plain_file_is_reported(make: Callable[[Path], object], why: str, run: Run, here: Path) -> None:
    make(here / MARK)
    said = f'Error: "{here / MARK}" cannot be read ({why}). Replace it with a regular file, or remove it.'
    assert run("list") == run("init") == (2, "", said)


def test_a_mark_that_is_too_large_is_refused(run: Run, here: Path) -> None:
    (here / MARK).write_text("a." * 30000 + "a = 1\n", encoding="utf-8")
    before = time.process_time()
    assert run("list") == (2, "", f'Error: "{here / MARK}" is larger than 4096 bytes. Shorten it, or remove it.')
    assert run("init")[0] == run("check")[0] == 2
    assert time.process_time() - before < 2  # if it were parsed, each time would take 13 seconds


def test_a_mark_is_parsed_again_only_after_a_change(run: Run, here: Path, own: None, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed, loads = list[str](), tomllib.loads

    def counted(source: str) -> dict[str, object]:
        parsed.append(source)
        return loads(source)

    monkeypatch.setattr(tomllib, "loads", counted)
    monkeypatch.delenv("NORMGRADE_LANG")
    for mark in ('lang = "en" # 1', 'lang = "zh" # 2', "lang = 7"):
        before = (here / MARK).stat()
        (here / MARK).write_text(mark, encoding="utf-8")
        os.utime(here / MARK, ns=(before.st_atime_ns, before.st_mtime_ns))
        parsed.clear()
        assert run("list")[0] == (2 if mark.endswith("7") else 0)
        assert parsed.count(mark) == 1


@pytest.mark.parametrize("content", [b"x = " + b"[" * 4000, b"x = " + b"1" * 4090, b"\xff", b'course = "\\u0000"', b"="])
def test_an_invalid_mark_is_reported(content: bytes, run: Run, here: Path) -> None:
    (here / MARK).write_bytes(content)
    code, out, err = run("list")
    assert (code, out) == (2, "") and err.startswith("Error: ") and str(here / MARK) in err and "Traceback" not in err


# The database of attempts


def endless(path: Path) -> None:
    """Make a database whose query never ends."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            """
            CREATE VIEW attempts AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                SELECT i AS number, '' AS at, 'rms' AS exercise, 'failed' AS outcome, 1 AS earned, 1 AS possible, '[]' AS diagnoses,
                       '[]' AS hints, '' AS digest FROM n;
            CREATE TABLE hints (exercise, hint, at);
            PRAGMA user_version = 1;
            """
        )


FOREIGN = "CREATE TABLE bookmarks (url);"


def executed(path: Path, script: str) -> None:
    """Make the database of this script."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)


def truncated(path: Path) -> None:
    """Make a database of ours, cut in half."""
    Attempts(path).add([Attempt(datetime.now(UTC), "rms", Outcome.FAILED, 1, 8)])
    os.truncate(path, path.stat().st_size // 2)


def nonsense(path: Path) -> None:
    """Make a database of ours whose rows have invalid content."""
    now = datetime.now(UTC)
    Attempts(path).add([Attempt(now, "rms", Outcome.FAILED, 1, 8)])
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE attempts SET at = 'never', diagnoses = '['")
        database.commit()


DATABASES: dict[str, tuple[Callable[[Path], object], str]] = {
    "pipe": (os.mkfifo, "it is a named pipe, not a file"),
    "link": (lambda path: os.symlink("../../outside/secret.py", path), "it is a symbolic link, not a file"),
    "dangling link": (lambda path: os.symlink("../../outside/new.db", path), "it is a symbolic link, not a file"),
    "directory": (os.mkdir, "it is a directory, not a file"),
    "garbage": (lambda path: path.write_bytes(b"garbage" * 1000), "file is not a database"),
    "text": (lambda path: path.write_text("what I tried\n"), "file is not a database"),
    "foreign": (lambda path: executed(path, FOREIGN), "its tables are not those of normgrade"),
    "foreign, of our version": (
        lambda path: executed(path, f"{FOREIGN} PRAGMA user_version = {VERSION}"),
        "its tables are not those of normgrade",
    ),
    "truncated": (lambda path: truncated(path), "database disk image is malformed"),
    "with a log": (
        lambda path: executed(path, f"PRAGMA journal_mode = WAL; {FOREIGN}"),
        "another program set it to WAL mode; use PRAGMA journal_mode = DELETE to end this mode",
    ),
    "endless": (endless, "its tables are not those of normgrade"),
    "nonsense": (nonsense, "Expecting value: line 1 column 2 (char 1)"),
    "huge": (lambda path: sparse(path, 2**40), "it is larger than 67108864 bytes"),
}


@pytest.mark.parametrize("kind", DATABASES)
def test_a_hostile_database_is_reported_and_changes_no_verdict(kind: str, own: None, run: Run, here: Path, outside: Path) -> None:
    make, why = DATABASES[kind]
    (here / ".normgrade").mkdir()
    make(here / ".normgrade" / "progress.db")
    (here / "rms.py").write_text(BROKEN, encoding="utf-8")
    before = files(outside)
    said = (
        f'The attempts in "{here / ".normgrade/progress.db"}" cannot be read or written ({why}). '
        "Unlock or repair the file, or move it away to start again."
    )
    for command in ("progress", "list"):
        assert run(command) == (2, "", f"Error: {said}")
    code, out, err = run("check", "rms")
    assert code == 1 and "not valid Python" in out and err == ("" if kind == "nonsense" else f"Note: {said}")
    assert files(outside) == before


def test_an_empty_database_is_a_new_one(own: None, run: Run, here: Path) -> None:
    (here / ".normgrade").mkdir()
    (here / ".normgrade" / "progress.db").touch()
    (here / "rms.py").write_text(BROKEN, encoding="utf-8")
    assert run("progress")[::2] == (0, "") == run("list")[::2]
    code, _, err = run("check", "rms")
    assert (code, err) == (1, "") and len(Attempts(here / ".normgrade" / "progress.db").attempts()) == 1


@pytest.mark.parametrize("name", ["progress.db-journal", "progress.db-wal", "progress.db-shm", "lock"])
def test_a_pipe_beside_the_database_is_not_waited_for(name: str, own: None, run: Run, here: Path) -> None:
    (here / "rms.py").write_text(BROKEN, encoding="utf-8")
    run("check", "rms")
    (here / ".normgrade" / name).unlink(missing_ok=True)
    os.mkfifo(here / ".normgrade" / name)
    (here / "rms.py").write_text(f"{BROKEN}\n", encoding="utf-8")  # a second attempt
    code, _, err = run("check", "rms")
    assert code == 1 and (err == "") == (name != "lock")
    assert len(Attempts(here / ".normgrade" / "progress.db").attempts()) == (1 if name == "lock" else 2)


# The graded content is the recorded one


@pytest.mark.parametrize("swap", ["pipe", "other file", "nothing"])
def test_the_hash_is_that_of_the_graded_content(swap: str, own: None, run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, content = here / "rms.py", b"\xef\xbb\xbf" + BROKEN.replace("\n", "\r\n").encode()
    path.write_bytes(content)

    def graded_and_swapped(submissions: Sequence[Submission], options: Options, on_report: OnReport) -> list[Report]:
        reports = grade(submissions, options)
        path.unlink()
        if swap == "pipe":
            os.mkfifo(path)
        elif swap == "other file":
            path.write_text("# another\n", encoding="utf-8")
        return reports

    monkeypatch.setattr(check_module, "grade", graded_and_swapped)
    code, out, err = run("check", "rms", "--format", "html")
    assert (code, err) == (1, "") and "another" not in out and "def rms(x, eps=1e-5) return x" in out
    [kept] = Attempts(here / ".normgrade" / "progress.db").attempts()
    assert kept.digest == sha256(content).hexdigest()
