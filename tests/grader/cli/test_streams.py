"""Tests of standard streams that never raise, and of commands with closed, full or unread streams."""

from __future__ import annotations

import errno
import io
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from thorough import all_or

from normgrade.cli.streams import Sink, end_of, into_sink, never_raise, why_dropped
from normgrade.course.course import Course

Put = Callable[..., None]
WRONG = "def rms(x, eps=1e-5):\n    return x\n"
FULL = "Error: The output cannot be written (No space left on device). Free some space, or redirect the output to another place.\n"


class Failing(io.RawIOBase):
    """A stream that takes some bytes, then fails."""

    def __init__(self, room: int) -> None:
        self.taken, self.room = b"", room

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        taken = bytes(content[: self.room - len(self.taken)])
        if not taken:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.taken += taken
        return len(taken)


def test_full_sink_drops_the_rest() -> None:
    end: Any = Failing(5)
    sink: Any = Sink(io.TextIOWrapper(end))
    with io.BufferedWriter(sink, 2) as buffered:
        for part in (b"abc", b"defg", b"h"):
            buffered.write(part)
    assert end.taken == b"abcde" and sink.error.errno == errno.ENOSPC


@pytest.mark.parametrize("unbuffered", [False, True])
def test_reason_for_dropped_output_is_known(unbuffered: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, room in (("stdout", 3), ("stderr", 0)):
        end: Any = Failing(room)
        buffer = end if unbuffered else io.BufferedWriter(end)
        monkeypatch.setattr(sys, name, io.TextIOWrapper(buffer, "utf-8", line_buffering=True, write_through=unbuffered))
    end = end_of(sys.stdout)
    assert why_dropped() is None
    never_raise()
    print("four")
    print("five")
    print("more", file=sys.stderr)
    error = why_dropped()
    assert end.taken == b"fou" and error is not None and error.errno == errno.ENOSPC


@pytest.mark.parametrize("unbuffered", [False, True])
def test_sink_keeps_how_a_stream_is_buffered(unbuffered: bool, tmp_path: Path) -> None:
    with open(tmp_path / "out", "wb", buffering=0) as raw:
        before = io.TextIOWrapper(raw if unbuffered else io.BufferedWriter(raw), "latin-1", "replace", write_through=unbuffered)
        after = into_sink(before)
        for name in ("encoding", "line_buffering", "write_through", "fileno", "isatty"):
            was, now = getattr(before, name), getattr(after, name)
            assert (now() if callable(now) else now) == (was() if callable(was) else was)
        after.write("é→中")
        assert ((tmp_path / "out").read_bytes() == b"\xe9>?") == unbuffered
        after.flush()
        assert (tmp_path / "out").read_bytes() == b"\xe9>?"


# From the outside


class Ended(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def shell(here: Path, tiny: Course, expectations: Path) -> Callable[[str], Ended]:
    """Return a function that runs a line of shell, in which `normgrade` is the program under test, on the tiny course."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON"))}
    environment |= {"NORMGRADE_COURSE": str(tiny.root), "NORMGRADE_LANG": "en", "PYTHON": sys.executable}

    def ran(line: str) -> Ended:
        script = line.replace("normgrade ", '"$PYTHON" -m normgrade ')
        done = subprocess.run(["sh", "-c", script], env=environment, capture_output=True, text=True, timeout=300)
        return Ended(done.returncode, done.stdout, done.stderr)

    return ran


Shell = Callable[[str], Ended]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="file descriptors as POSIX has them")
CLOSED = [" ".join(closed) for number in (1, 2, 3) for closed in itertools.combinations(("0<&-", "1>&-", "2>&-"), number)]


@pytest.mark.parametrize("closed", all_or(3, CLOSED))
def test_closed_streams_change_no_verdict_and_no_file(closed: str, shell: Shell, put: Put, here: Path) -> None:
    put("rms")
    said = shell(f"normgrade check rms --output report.json {closed}")
    assert said == (0, "", "")
    [report] = json.loads((here / "report.json").read_text(encoding="utf-8"))["reports"]
    assert report["outcome"] == "passed"


@pytest.mark.parametrize("closed", [CLOSED[1], CLOSED[2], CLOSED[-1]])
def test_with_closed_streams_exit_codes_are_as_always(closed: str, shell: Shell, here: Path) -> None:
    (here / "rms.py").write_text("def rms(x:", encoding="utf-8")  # nothing is run
    assert shell(f"normgrade check rms --output report.json {closed}") == (1, "", "")
    said = shell(f"normgrade check rmss {closed}")
    assert said.code == 2 and ("2>&-" in closed or said.err.startswith('Error: No exercise named "rmss".'))
    said = shell(f"normgrade list {closed}")
    assert (said.code, said.err) == (0, "") and ("1>&-" in closed or "centring" in said.out)


@pytest.mark.parametrize(("source", "code"), [("right", 0), (WRONG, 1)], ids=["right", "wrong"])
def test_a_pipe_that_nobody_reads_changes_no_verdict(source: str, code: int, shell: Shell, put: Put, here: Path) -> None:
    put("rms")
    if source == WRONG:
        (here / "rms.py").write_text(source, encoding="utf-8")
    assert shell("(normgrade check rms; echo $? > code) | true").err == ""
    assert (here / "code").read_text() == f"{code}\n"
    assert shell("(normgrade check rms -v 2>&1; echo $? > code) | true").err == ""
    assert (here / "code").read_text() == f"{code}\n"


@pytest.mark.parametrize("command", ["list", "check --help", "watch rms"])
def test_a_pipe_that_nobody_reads_is_no_failure(command: str, shell: Shell, put: Put, here: Path) -> None:
    put("rms")
    assert shell(f"(sleep 0.2; normgrade {command}; echo $? > code) | true").err == ""
    assert (here / "code").read_text() == "0\n"


full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")


@full
@pytest.mark.parametrize("command", ["list", "--version", "check rms --format json"])
def test_full_disk_for_output_is_an_error(command: str, shell: Shell, put: Put) -> None:
    put("rms")
    assert shell(f"normgrade {command} > /dev/full") == (2, "", FULL)


@full
@pytest.mark.parametrize(("arguments", "code"), [("rms", 0), ("centring", 1), ("rmss", 2)])
def test_a_full_disk_for_errors_changes_no_exit_code(arguments: str, code: int, shell: Shell, put: Put, here: Path) -> None:
    put("rms")
    (here / "centring.py").write_text("class Centring:", encoding="utf-8")  # nothing is run
    assert shell(f"normgrade check {arguments} --output report.json 2> /dev/full") == (code, "", "")
    assert shell(f"normgrade check {arguments} > /dev/full 2> /dev/full").code == 2
