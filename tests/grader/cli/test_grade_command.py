"""Tests of `normgrade grade`: from folders to marks, grading again, and refusals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_class import BROKEN, RIGHT, source_of, write_class

from normgrade.classes.gradebook import Gradebook
from normgrade.course.course import Course

Run = Callable[..., tuple[int, str, str]]
CLASS = {
    "Anna": {"centring": RIGHT, "rms": "no-upcast"},
    "Bob": {"centring": "momentum-flipped"},
    "李": {"rms": RIGHT, "centring": BROKEN},
}
MARKS = {("Anna", "centring"): 10, ("Anna", "rms"): 7, ("Bob", "centring"): 6, ("李", "rms"): 8, ("李", "centring"): 0}


@pytest.fixture
def hand_ins(tmp_path: Path, tiny: Course) -> Path:
    write_class(tmp_path / "hw", tiny, CLASS)
    return tmp_path / "hw"


def marks(path: Path) -> dict[tuple[str, str], float]:
    with Gradebook.open(path) as gradebook:
        return {key: mark.points for key, mark in gradebook.marks().items()}


def test_class_gets_its_marks(run: Run, hand_ins: Path, tmp_path: Path) -> None:
    code, out, err = run("grade", "hw", "--cores", "1")
    assert (code, err) == (0, "")
    assert out.startswith("hw: read as folders 5 hand-ins: 3 students × 2 exercises centring 3 · rms 2 5 of 5 graded, ")
    assert "centring: 1 of 3 passed, 6 of 10 points in the median momentum-flipped 1" in out
    assert out.endswith('The marks are in "gradebook.db". `normgrade gradebook export` writes them as CSV.')
    assert marks(tmp_path / "gradebook.db") == MARKS


def test_only_new_and_changed_files_are_graded_again(run: Run, hand_ins: Path, tiny: Course, tmp_path: Path) -> None:
    run("grade", "hw", "--cores", "1")
    assert "5 results are in the gradebook already, 0 are to be graded. Use --again to grade all." in run("grade", "hw")[1]
    (hand_ins / "Bob" / "centring.py").write_text(source_of(tiny, "centring", RIGHT), encoding="utf-8")
    out = run("grade", "hw", "--cores", "1")[1]
    assert "4 results are in the gradebook already, 1 are to be graded." in out and "1 of 1 graded" in out
    assert marks(tmp_path / "gradebook.db")["Bob", "centring"] == 10
    assert "5 of 5 graded" in run("grade", "hw", "--again", "--cores", "1")[1]


def test_group_is_graded_once_and_marked_each(run: Run, tiny: Course, tmp_path: Path) -> None:
    for student in ("Anna", "Bob", "Cem"):
        (tmp_path / "hw" / student).mkdir(parents=True)
        (tmp_path / "hw" / student / "rms.py").write_text(source_of(tiny, "rms", RIGHT), encoding="utf-8")
    out = run("grade", "hw", "--cores", "1", "--format", "jsonl")[1]
    assert sorted(json.loads(line)["student"] for line in out.replace("} {", "}\n{").splitlines()) == ["Anna", "Bob", "Cem"]
    assert len(marks(tmp_path / "gradebook.db")) == 3


FAILING_CELLS = {
    "bash": "%%bash\nfor i in 1 2; do\n    echo $i\ndone",
    "own": "assert rms(torch.ones(3)).sum() == 7, 'mine'",
    "shell": "get_ipython().run_line_magic('matplotlib', 'inline')",
    "await": "import asyncio\nawait asyncio.sleep(0)",
    "colab": "from google.colab import drive\ndrive.mount('/content')\nimport torch",
    "syntax": "print 'x'",
    "exit": "raise SystemExit",
}


def test_cells_that_define_nothing_asked_for_decide_nothing(run: Run, tiny: Course, tmp_path: Path) -> None:
    right, wrong = source_of(tiny, "rms", RIGHT), source_of(tiny, "rms", "no-upcast")
    notebooks = {name: [cell, right, cell] for name, cell in FAILING_CELLS.items()}
    notebooks |= {
        "redefined": [wrong, "assert False", right],
        "wrong": [wrong, "assert False"],
        "unclosed": [right.replace("rms(", "rms((", 1)],
    }
    for student, cells in notebooks.items():
        (tmp_path / "hw" / student).mkdir(parents=True)
        content = {"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code", "source": cell} for cell in cells]}
        (tmp_path / "hw" / student / "rms.ipynb").write_text(json.dumps(content), encoding="utf-8")
    out = run("grade", "hw", "--cores", "1", "--format", "jsonl")[1]
    reports = {report["student"]: report for report in map(json.loads, out.replace("} {", "}\n{").splitlines())}
    assert {name: report["score"]["earned"] for name, report in reports.items()} == {
        **dict.fromkeys(notebooks, 8),
        "wrong": 7,
        "unclosed": 0,
    }
    assert reports["bash"]["cells"] == reports["shell"]["cells"] == []
    before, after = reports["own"]["cells"]
    assert before.startswith("Cell 1 did not run as a whole: line 2, `assert rms(torch.ones(3)).sum() == 7, 'mine'`: NameError")
    assert after.startswith("Cell 3 did not run as a whole: line ") and after.endswith("AssertionError: mine")
    assert "def rms" in reports["unclosed"]["findings"][0]["text"]


def test_dry_run_grades_nothing(run: Run, hand_ins: Path, tmp_path: Path) -> None:
    code, out, _err = run("grade", "hw", "--dry-run")
    assert (code, out) == (0, "hw: read as folders 5 hand-ins: 3 students × 2 exercises centring 3 · rms 2")
    assert not (tmp_path / "gradebook.db").exists()


def test_absent_students_and_strangers_are_told(run: Run, hand_ins: Path, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("name,email\nAnna,a@b\nDora,d@b\nBob,b@b\n", encoding="utf-8")
    out = run("grade", "hw", "--dry-run", "--roster", "roster.csv")[1]
    assert "1 student of the roster handed in nothing to grade: Dora" in out
    assert "1 student is not on the roster, and is graded all the same: 李" in out


def test_lines_of_json_stand_alone_on_stdout(run: Run, hand_ins: Path) -> None:
    code, out, err = run("grade", "hw", "--format", "jsonl", "--cores", "1")
    lines = [json.loads(line) for line in out.replace("} {", "}\n{").splitlines()]
    assert code == 0 and "The marks are in" in err
    assert {(each["student"], each["exercise"]) for each in lines} == {*MARKS}
    assert {each["submission"] for each in lines if each["student"] == "Bob"} == {"hw/Bob/centring.py"}


@pytest.mark.parametrize("format", ["junit", "json", "gradescope", "html"])
def test_reports_are_written_in_every_format(format: str, run: Run, hand_ins: Path, tmp_path: Path) -> None:
    run("grade", "hw", "--cores", "1")
    code, out, err = run("grade", "hw", "--format", format)
    assert code == 0 and "momentum-flipped" in out and "The marks are in" in err


def test_marks_of_another_seed_are_graded_anew(run: Run, hand_ins: Path) -> None:
    run("grade", "hw", "--cores", "1", "--exercise", "centring", "--layout", "{student}/centring.py")
    out = run("grade", "hw", "--cores", "1", "--exercise", "centring", "--layout", "{student}/centring.py", "--seed", "1")[1]
    assert "3 of 3 graded" in out


def test_exercise_that_is_broken_stops_no_other(run: Run, hand_ins: Path, tmp_path: Path, edited_course: Callable[..., Course]) -> None:
    broken = edited_course({"solutions/rms/mistakes.toml": "["})
    code, out, err = run("grade", "hw", "--cores", "1", "--course", str(broken.root))
    assert code == 0 and "3 of 3 graded" in out
    assert 'Warning: "rms" is skipped.' in err


def test_killed_command_goes_on_where_it_was(tiny: Course, here: Path, expectations: Path) -> None:
    write_class(here / "hw", tiny, {f"S{number:02}": {"centring": RIGHT} for number in range(12)})
    command = [sys.executable, "-m", "normgrade", "grade", "hw", "--cores", "1", "--course", str(tiny.root), "--format", "jsonl"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    assert running.stdout is not None
    told = [json.loads(running.stdout.readline())["student"] for _ in range(3)]
    os.kill(running.pid, signal.SIGKILL)
    told += [json.loads(line)["student"] for line in running.stdout if line.endswith("\n")]
    running.communicate()
    kept = {student for student, _slug in marks(here / "gradebook.db")}
    assert {*told} <= kept and len(kept) <= len(told) + 1
    again = subprocess.run(command, capture_output=True, text=True)
    graded = {json.loads(line)["student"] for line in again.stdout.splitlines()}
    assert graded == {f"S{number:02}" for number in range(12)} - kept
    wait_until_nobody_works(running.pid)


def wait_until_nobody_works(group: int) -> None:
    """Wait until no process of a group is left."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError("processes are left over")


@pytest.mark.parametrize(
    "arguments, said",
    [
        ((), "Nothing to grade: pass the folder or the zip file with the hand-ins, as in `normgrade grade class.zip`."),
        (("hw", "--executor", "a:b", "--cluster", "tcp://a"), "--executor and --cluster exclude each other. Pass one of them."),
        (
            ("hw", "--format", "jsonl", "--output", "a.json"),
            "--format jsonl writes to stdout. Omit --output, and redirect the output to a file.",
        ),
        (("hw", "--exercise", "centrin"), 'No exercise named "centrin". Did you mean "centring"? `normgrade list` shows them all.'),
        (
            ("hw", "--gradebook", "hw"),
            'The gradebook "hw" cannot be read or written (Is a directory). Make room or give the rights, and run the command again: '
            "nothing that was kept is lost.",
        ),
        (("hw", "--cores", "0"), '--cores must be a whole number from 1 to 256, not "0".'),
    ],
)
def test_wrong_use_is_told(arguments: tuple[str, ...], said: str, run: Run, hand_ins: Path) -> None:
    assert run("grade", *arguments)[::2] == (2, f"Error: {said}")


def test_dry_run_names_everything_that_is_left_out(run: Run, hand_ins: Path, tmp_path: Path) -> None:
    for number in range(5):
        (hand_ins / f"Li, {number}").mkdir()
        (hand_ins / f"Li, {number}" / "q1.py").write_text("x = 1\n", encoding="utf-8")
    out = run("grade", "hw", "--dry-run")[1]
    for number in range(5):
        assert f"hw/Li, {number}/q1.py" in out and f'"Li, {number}"' in out
    assert "5 students handed in nothing to grade: " in out


def test_what_a_file_defines_tells_its_exercise(run: Run, tiny: Course, tmp_path: Path) -> None:
    (tmp_path / "hw" / "Anna").mkdir(parents=True)
    (tmp_path / "hw" / "Anna" / "solution.py").write_text(source_of(tiny, "centring", RIGHT), encoding="utf-8")
    assert "centring 1" in run("grade", "hw", "--dry-run")[1]


def test_dry_run_writes_no_reports(run: Run, hand_ins: Path) -> None:
    code, _out, err = run("grade", "hw", "--dry-run", "--format", "json")
    assert code == 2 and "--dry-run grades nothing, so there are no reports to write: omit --format and --output." in err


def test_late_hand_ins_are_named(run: Run, tiny: Course, tmp_path: Path) -> None:
    (tmp_path / "hw").mkdir()
    for name in ("lianna_LATE_1_20_centring.py", "raybob_2_21_centring.py"):
        (tmp_path / "hw" / name).write_text(source_of(tiny, "centring", RIGHT), encoding="utf-8")
    assert "1 came late: lianna (centring)" in run("grade", "hw", "--dry-run")[1]
