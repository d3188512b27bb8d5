"""Tests of a gradebook whose writers are killed, meet a full disk, or are two: nothing that was kept is lost."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from normgrade.classes.gradebook import Gradebook

LOST = "Make room or give the rights, and run the command again: nothing that was kept is lost."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "gradebook.db"


WRITER = f"""
import sys; sys.path[:0] = {sys.path!r}
from pathlib import Path
from kept_results import result
from normgrade.classes.gradebook import Gradebook
with Gradebook.open(Path(sys.argv[1]), make=True) as gradebook:
    for number in range(int(sys.argv[3])):
        gradebook.keep([result(sys.argv[2], f"e{{number}}")])
        print(number, flush=True)
"""


def writer(path: Path, student: str, number: int, limit: int | None = None) -> subprocess.Popen[str]:
    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-c", WRITER, str(path), student, str(number)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limited)


def test_two_processes_write_at_once(path: Path) -> None:
    both = [writer(path, student, 60) for student in ("Anna", "Bob")]
    assert [each.communicate()[1] for each in both] == ["", ""]
    with Gradebook.open(path) as gradebook:
        assert len([*gradebook.results()]) == 120


def test_full_disk_keeps_all_before(path: Path) -> None:
    process = writer(path, "Anna", 2000, limit=300_000)
    out, err = process.communicate()
    assert f'The gradebook "{path}" cannot be read or written (' in err and LOST in err
    with Gradebook.open(path, make=True) as gradebook:
        assert [each.exercise for each in gradebook.results()] == [f"e{number}" for number in map(int, out.split())]
        gradebook.enrol({"Bob": ""})


def test_killed_process_loses_nothing_that_was_kept(path: Path) -> None:
    for lines in range(1, 31):
        process = writer(path, f"S{lines:02}", 10_000)
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        rest = process.stdout.read()  # communicate() would leave out the lines that readline() has read ahead
        process.communicate()
        with Gradebook.open(path) as gradebook:
            kept = len([*gradebook.results(f"S{lines:02}")])
            assert gradebook.database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert len(told) <= len(told) + len(rest.split()) <= kept <= len(told) + len(rest.split()) + 1
