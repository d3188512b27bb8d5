"""Tests of the command line from the outside: exit codes, errors of wrong usage, and output to a terminal, a file or a pipe."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import normgrade
from normgrade.cli import check as check_module
from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.language.errors import GraderError

Invoke = Callable[..., subprocess.CompletedProcess[str]]
Put = Callable[..., None]
Run = Callable[..., tuple[int, str, str]]
WRONG = "def rms(x, eps=1e-5):\n    return 0.5 * x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5\n"
NEXT = "Next is {0} (level {1}, {2}). Run `normgrade show {0}` to see the task, and write your code in {0}.py."
GONE = "Error: The current folder no longer exists. Go to another folder, then try again.\n"
HOSTILE = "raise SystemExit('a file of the current folder was imported')\n"


# Wrong usage


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("check rmss", 'No exercise named "rmss". Did you mean "rms"? `normgrade list` shows them all.'),
        ("check xyz", 'No exercise named "xyz". `normgrade list` shows them all.'),
        ("show centering", 'No exercise named "centering". Did you mean "centring"? `normgrade list` shows them all.'),
        ("verify rms rmss", 'No exercise named "rmss". Did you mean "rms"? `normgrade list` shows them all.'),
        ("check rms --exercise rmss", 'No exercise named "rmss". Did you mean "rms"? `normgrade list` shows them all.'),
        ("chek rms", 'No command named "chek". Did you mean "check"? Run `normgrade --help` to see all commands.'),
        ("xyz", 'No command named "xyz". Run `normgrade --help` to see all commands.'),
        ("check mine.py", "mine.py does not exist: check the name, or create the file with `normgrade show --stub SLUG > mine.py`."),
        ("check a/rmss.py", "a/rmss.py does not exist: check the name, or create the file with `normgrade show --stub SLUG > rmss.py`."),
        ("check .", ". is a directory, not a file: pass the path of a Python file."),
        ("check -", '"-" is not a file, and standard input is not read. Save your code in a file, and pass the name of the file.'),
        (
            "check - --exercise rms",
            '"-" is not a file, and standard input is not read. Save your code in a file, and pass the name of the file.',
        ),
        ("check --seed x", '"x" is not a valid seed. --seed must be a whole number from 0 to 4294967295, or "random".'),
        ("check --seed -1", '"-1" is not a valid seed. --seed must be a whole number from 0 to 4294967295, or "random".'),
        ("check --seed 4294967296", '"4294967296" is not a valid seed. --seed must be a whole number from 0 to 4294967295, or "random".'),
        ("check --timeout soon", '"soon" is not a valid time limit. --timeout must be a number of seconds above 0 and up to 3600.'),
        ("check --timeout 0", '"0" is not a valid time limit. --timeout must be a number of seconds above 0 and up to 3600.'),
        ("check --timeout nan", '"nan" is not a valid time limit. --timeout must be a number of seconds above 0 and up to 3600.'),
        ("check --timeout 1e9", '"1e9" is not a valid time limit. --timeout must be a number of seconds above 0 and up to 3600.'),
        ("check rms --output .", 'Nothing can be written to "." (it is a folder). Use --output PATH to choose another place.'),
        ("verify --output .", 'Nothing can be written to "." (it is a folder). Use --output PATH to choose another place.'),
        (
            "check rms --output no/r.txt",
            'Nothing can be written to "no/r.txt" (the folder "no" does not exist). Use --output PATH to choose another place.',
        ),
        ("check", "Nothing to check: no file in this folder is named after an exercise. Run `normgrade list` to see all exercises."),
        ("check rms --course no", "No course at "),
        ("list --course no", "No course at "),
        (
            "check --require-isolation linx",
            'No isolation named "linx". '
            'Did you mean "linux"? --require-isolation and NORMGRADE_REQUIRE_ISOLATION must be process, namespaces, '
            "linux or container.",
        ),
        (
            "verify --require-isolation moat",
            'No isolation named "moat". --require-isolation and NORMGRADE_REQUIRE_ISOLATION must be process, ',
        ),
        ("check --xyz", "No such option: --xyz.\n"),
        ("check --formt x", 'No such option: --formt. Did you mean "--format"?\n'),
        ("check --sed 3", 'No such option: --sed. Did you mean "--seed"?\n'),
        ("hint", "Missing argument: SLUG.\n"),
        ("show rms rms", "Got unexpected extra argument (rms)\n"),
        ("check --format", "Option '--format' requires an argument.\n"),
        ("verify --seeds 0", '--seeds must be a whole number from 1 to 1000, not "0".'),
        ("verify --cores two", '--cores must be a whole number from 1 to 256, not "two".'),
        ("hint rms first", 'NUMBER must be a whole number from 1 to 99, not "first".'),
        ("chek --lang zh", "没有名为“chek”的命令。你是指“check”吗？运行 `normgrade --help` 可列出所有命令。\n"),
        ("check --lang zh --formt", "没有选项 --formt。你是指“--format”吗？\n"),
        ("check --lang zh --sed 3", "没有选项 --sed。你是指“--seed”吗？\n"),
        ("check --lang zh --xyz", "没有选项 --xyz。\n"),
        ("hint --lang zh", "缺少参数 SLUG。\n"),
        ("show --lang zh rms rms", "多余的参数（rms）\n"),
        ("check --lang zh --quiet=3", "选项 '--quiet' 不接受值。\n"),
        ("check --lang zh --format", "选项 '--format' 需要 1 个实参。\n"),
        ("verify --lang zh --seeds 0", "--seeds 必须是 1 到 1000 之间的整数，不能是“0”。\n"),
    ],
)
def test_wrong_usage_is_explained_and_nothing_is_graded(
    arguments: str, sentence: str, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_module, "grade", None)
    said = invoke(*arguments.split())
    assert (said.returncode, said.stdout) == (2, "")
    error = next(each for each in ("Error: ", "错误：") if each in said.stderr)
    assert f"{error}{sentence}" in said.stderr


@pytest.mark.parametrize("command", ["check", "verify"])
@pytest.mark.parametrize(("name", "guess"), [("jsn", ' Did you mean "json"?'), ("unheard-of", "")])
def test_an_unknown_format_is_explained(command: str, name: str, guess: str, invoke: Invoke) -> None:
    said = invoke(command, "--format", name)
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith(f'Error: "{name}" is not a valid format.{guess} Use one of: terminal, json, junit')


def test_missing_course_is_named_with_its_folder(invoke: Invoke, here: Path) -> None:
    no_course = f'No course at "{here / "no"}": it has no folder "exercises".'
    assert invoke("list", "--course", "no").stderr == f"Error: {no_course} Use --course DIR or NORMGRADE_COURSE to choose a course.\n"


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["check", "--help"]])
def test_help_works_after_another_command(arguments: list[str], invoke: Invoke) -> None:
    assert invoke("list").returncode == 0
    said = invoke(*arguments)
    assert "Usage: normgrade" in said.stdout + said.stderr
    assert said.returncode == 0


# The grader's own fault


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (GraderError("The machine is on fire. Leave the room."), 3, "Error: The machine is on fire. Leave the room.\n"),
        (KeyError("x"), 3, "Error: The grader crashed, not your code: KeyError: 'x'. Please report the output above.\n"),
        (SystemExit(0), 3, "Error: The grader crashed, not your code: SystemExit: 0. Please report the output above.\n"),
        (KeyboardInterrupt(), 130, "Error: Interrupted before it was done.\n"),
    ],
)
def test_bugs_of_the_grader_are_exit_code_3(
    error: BaseException, code: int, sentence: str, invoke: Invoke, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch, put: Put
) -> None:
    def broken(*_: object) -> None:
        raise error

    put("rms")
    monkeypatch.setattr(check_module, "grade", broken)
    said = invoke("check")
    assert said.returncode == code and said.stderr.endswith(sentence)
    assert ("Traceback" in said.stderr) == isinstance(error, KeyError | SystemExit)


# In its own process


@pytest.fixture
def hostile(here: Path, put: Put) -> Path:
    """Return a folder of right answers, and of files that must not be read."""
    put("rms", "centring")
    for name in ("numpy", "torch", "click", "rich", "pytest", "grader", "conftest", "sitecustomize", "random", "test_rms"):
        (here / f"{name}.py").write_text(HOSTILE, encoding="utf-8")
    (here / "pytest.ini").write_text("[pytest]\naddopts = --nonsense\n", encoding="utf-8")
    (here / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--nonsense'\n", encoding="utf-8")
    return here


@pytest.mark.parametrize("command", [(), (str(Path(sys.executable).with_name("normgrade")),)], ids=["module", "script"])
def test_files_in_the_current_folder_are_not_imported(
    command: tuple[str, ...], hostile: Path, tiny: Course, expectations: Path, in_a_process: Invoke
) -> None:
    before = sorted(hostile.iterdir())
    said = in_a_process("check", course=tiny, program=command)
    assert (said.returncode, said.stderr) == (0, "")
    assert "8 of 8 points · passed" in said.stdout and "10 of 10 points · passed" in said.stdout and "2 of 2 passed" in said.stdout
    assert "\x1b" not in said.stdout
    assert sorted(hostile.iterdir()) == before


def test_the_version_is_said(here: Path, in_a_process: Invoke) -> None:
    said = in_a_process("--version")
    assert (said.returncode, said.stdout, said.stderr) == (0, f"normgrade {normgrade.__version__}\n", "")


def test_wrong_usage_in_a_process_of_its_own(here: Path, tiny: Course, in_a_process: Invoke) -> None:
    said = in_a_process("check", "rmss", course=tiny)
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == 'Error: No exercise named "rmss". Did you mean "rms"? `normgrade list` shows them all.\n'


@pytest.mark.skipif(sys.platform == "win32", reason="no folder is deleted there while a process is in it")
@pytest.mark.parametrize(
    "arguments", ["", "list", "check", "check {0}", "verify rms", "init", "init {1}", "show rms", "--help", "check --output {0}.x"]
)
def test_a_current_folder_that_was_deleted_is_named(
    arguments: str, here: Path, tiny: Course, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.rmdir()
    done = invoke(*arguments.format(tiny.exercise("rms").reference, here.parent / "new").split())
    assert (done.returncode, done.stdout, done.stderr) == (2, "", GONE)
    monkeypatch.setenv("NORMGRADE_LANG", "zh")
    assert invoke("list").stderr.startswith("错误：")
    assert list(here.parent.iterdir()) == []


def test_process_in_a_deleted_folder_is_an_error(here: Path, tiny: Course) -> None:
    environment = {**os.environ, "NORMGRADE_COURSE": str(tiny.root), "NORMGRADE_LANG": "en"}
    program = 'import os, sys; os.rmdir(os.getcwd()); os.execv(sys.executable, [sys.executable, "-m", "normgrade", "check", "rms"])'
    done = subprocess.run([sys.executable, "-c", program], cwd=here, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", GONE)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("sys.modules['click'] = None", "ModuleNotFoundError: import of click halted; None in sys.modules\n"),
        ("sys.modules['gettext'] = None", "ModuleNotFoundError: import of gettext halted; None in sys.modules\n"),
    ],
)
def test_incomplete_installation_is_exit_code_3(broken: str, said: str, here: Path) -> None:
    program = f"import sys; {broken}; from normgrade.__main__ import main; main()"
    environment = os.environ | {"PYTHONPATH": str(Path(normgrade.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program, "list"], cwd=here, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (3, "") and said in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="locks as POSIX has them")
@pytest.mark.parametrize(("source", "code"), [("right", 0), (WRONG, 1)], ids=["right", "wrong"])
def test_an_attempt_that_cannot_be_kept_changes_no_verdict(
    source: str, code: int, here: Path, tiny: Course, put: Put, in_a_process: Invoke, invoke: Invoke
) -> None:
    from fcntl import LOCK_EX, flock

    assert invoke("init", ".").returncode == 0
    put("rms")
    if source == WRONG:
        (here / "rms.py").write_text(source, encoding="utf-8")
    (here / ".normgrade").mkdir()
    with open(here / ".normgrade" / "lock", "wb") as locked:
        flock(locked, LOCK_EX)
        said = in_a_process("check", "rms", "-q", course=tiny)
    kept = f'Note: The attempts in "{here / ".normgrade" / "progress.db"}" cannot be read or written '
    assert said.returncode == code and "rms · rms.py" in said.stdout
    assert (
        said.stderr == f'{kept}("{here / ".normgrade" / "lock"}" is locked). Unlock or repair the file, or move it away to start again.\n'
    )


def test_the_carried_course_is_found_from_anywhere(here: Path, in_a_process: Invoke) -> None:
    said = in_a_process("list")
    listed = {line.split()[0] for line in said.stdout.splitlines() if line.strip()}
    assert said.returncode == 0 and set(Course(carried()).slugs) <= listed


# A learner's way through a workspace


def test_without_a_command_it_says_how_to_begin(run: Run) -> None:
    code, out, err = run()
    assert (code, err) == (0, "") and out.startswith("Run `normgrade init my-norms` to create a folder")


def test_a_day(run: Run, tmp_path: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = run("init", "norms")
    assert code == 0 and out.startswith(f"4 files added to {tmp_path / 'norms'}.") and "prompts/rms.md" in out
    assert out.endswith(NEXT.format("rms", 1, "Functions"))
    monkeypatch.chdir(tmp_path / "norms" / "prompts")
    assert "not started" in run("list")[1]
    assert run("check")[0] == 1 and not (tmp_path / "norms/.normgrade").exists()  # an untouched stub is no attempt

    (tmp_path / "norms" / "rms.py").write_text(WRONG, encoding="utf-8")
    code, out, err = run("check", "rms")
    assert code == 1 and "../rms.py 1 of 8 points, not passed" in out, out + err
    assert "Continue with rms (level 1, Functions): " in run()[1]
    assert run("hint", "rms")[1] == "About the first failure of your last check: Average over the last dimension. (1 more hint)"
    assert run("hint", "rms")[1] == "Square, average, take the root. (This was the last hint.)"
    assert run("hint", "rms")[1] == "There are no more hints for rms. Run `normgrade solution rms --spoil` to see the answer."
    code, _, err = run("solution", "rms")
    assert code == 2 and err.startswith("Error: No passed attempt at rms is recorded here. Run `normgrade hint rms` for a hint,")
    assert "x / √(mean(x²) + eps), row by row" in run("solution", "rms", "--spoil")[1]

    (tmp_path / "norms" / "rms.py").write_bytes((tiny.root / "solutions/rms/alternatives/einsum.py").read_bytes())
    assert run("check", "rms")[0] == 0
    assert run("solution", "rms")[1].startswith('"""Root mean square.""" import torch')
    assert "torch.einsum(" in run("solution", "rms", "einsum")[1]
    assert run("solution", "rms", "einsom")[2] == 'Error: rms has no right way named "einsom". Did you mean "einsum"? Known ways: einsum.'

    out = run("progress")[1]
    assert "rms 1 ✓ passed 2 1 → 8 just now" in out and "1 of 2 passed, 2 attempts" in out and "Passed after 2 attempts." in out
    assert out.endswith("Next is centring (level 2, Layers). Run `normgrade show centring` to see the task.")
    assert "passed" in run("list")[1]

    out = run("reset", "rms")[1]
    assert re.fullmatch(r"rms\.py is the stub again\. Your file is kept as \.normgrade/backups/rms-[\d-]+\.py\.", out)
    assert run("reset", "rms")[1] == "rms.py is the stub again. It contained no code of yours."
    assert run("init", "..")[1].startswith("Nothing to add: all files already exist in ")
