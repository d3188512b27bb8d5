"""Tests of Ctrl-C at any moment of a cold command: the command ends, and its cache holds only right entries."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import forkserver, get_context
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import pytest
from thorough import THOROUGH

import normgrade
from normgrade.course.course import Course

if sys.platform == "win32":
    pytest.skip("signals as POSIX has them", allow_module_level=True)

MOMENTS = {"check": 14, "verify": 13, "watch": 13} if THOROUGH else {"check": 6, "verify": 5, "watch": 5}  # each on an empty cache
COLD = {"check": 20, "verify": 12, "watch": 8} if THOROUGH else {"check": 5, "verify": 2, "watch": 1}  # in fresh processes
COLD_S = 4.0  # about the duration of such a command
AT_ONCE = 3
POLLED = Lock()  # held while a thread polls the processes
ROW_S = 60  # the most for one command
COMMANDS = {
    "check": ["check", "rms", "centring", "--format", "json"],
    "verify": ["verify", "rms", "--format", "json"],
    "watch": ["watch", "rms"],
}
COMMAND = """
import os, signal, sys
os.setsid()
os.chdir(home)
for fd, name in ((0, os.devnull), (1, "out"), (2, "err")):
    os.dup2(os.open(name, os.O_RDWR | os.O_CREAT), fd)
os.environ.update(environment)
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in what was started in the background

from normgrade import cli
from normgrade.oracle.oracle import Oracle

compute, progress = Oracle.compute, open("progress", "wb", 0)
def telling(*arguments):
    progress.write(b".")
    return compute(*arguments)

os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])  # on several cores, other processes compute
Oracle.compute = telling
progress.write(b".")
cli.main(arguments)
"""

SENTENCE = "Error: Interrupted before it was done."


class Moment(NamedTuple):
    """A moment `later_s` seconds after the command began, or began to compute its n-th expectation."""

    computed: int
    later_s: float


def moments(command: str, computed: int) -> list[Moment]:
    """Return random moments: a third in the first 1.5 s of the command, the others while it computes expectations."""
    chance, number = random.Random(command), MOMENTS[command]
    early = [Moment(0, chance.uniform(0, 1.5)) for _ in range(number // 3)]
    return early + [Moment(chance.randint(1, computed - 1), chance.uniform(0, 0.06)) for _ in range(number - len(early))]


class Ended(NamedTuple):
    """The end of a command that was interrupted at some moment. `told` is true if it had printed its result before."""

    moment: Moment
    code: int | None
    told: bool
    err: str


@pytest.fixture(scope="module")
def forked() -> BaseContext:
    """Return a context whose processes have imported PyTorch already, since the import takes longer than everything else."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["torch", "normgrade.cli.check", "normgrade.oracle.oracle", "normgrade.grading.run"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(normgrade.__file__).parents[1]))  # only the normgrade under test
        forkserver.ensure_running()
    return context


@dataclass
class Running:
    """A command on right answers, in its own process, and its output up to now."""

    process: BaseProcess
    home: Path

    def written(self, name: str) -> str:
        path = self.home / name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def wait_for(self, name: str, size: int, timeout_s: float = ROW_S) -> bool:
        """Return True if so many characters are written within this time."""
        return becomes_true(lambda: len(self.written(name)) >= size, timeout_s)

    def ended(self) -> int | None:
        """Wait for the exit code and return it; None if the process does not end in time."""
        return self.exit_code() if becomes_true(lambda: self.exit_code() is not None, ROW_S) else None

    def exit_code(self) -> int | None:
        """Poll the process. A start of a process polls all others too, and the second of two simultaneous polls finds no code."""
        with POLLED:
            return self.process.exitcode


def becomes_true(holds: Callable[[], bool], timeout_s: float) -> bool:
    """Return True if it holds within this time."""
    deadline = time.monotonic() + timeout_s
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.002)
    return holds()


@contextmanager
def started(forked: BaseContext, command: str, course: Course, home: Path) -> Iterator[Running]:
    """Start the command and yield it. Afterwards kill it with all its processes."""
    for slug in course.slugs:
        shutil.copy(course.exercise(slug).reference, home / f"{slug}.py")
    places = {"NORMGRADE_COURSE": course.root, "NORMGRADE_CACHE": home / "cache", "NORMGRADE_CONFIG": home / "config"}
    environment = {name: str(path) for name, path in places.items()} | {"NORMGRADE_LANG": "en"}
    names = {"home": str(home), "environment": environment, "arguments": COMMANDS[command]}
    process = forked.Process(target=exec, args=(COMMAND, names))  # type: ignore[attr-defined]
    with POLLED:
        process.start()
    running = Running(process, home)
    try:
        assert running.wait_for("progress", 1)
        yield running
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        running.ended()


def undisturbed(forked: BaseContext, command: str, course: Course, home: Path) -> int:
    """Run the command on an empty cache, `watch` until its first result. Return how many expectations it computes."""
    with started(forked, command, course, home) as running:
        assert running.wait_for("out", 1) if command == "watch" else running.ended() == 0
        return len(running.written("progress")) - 1


def interrupted(forked: BaseContext, command: str, course: Course, home: Path, moment: Moment) -> Ended:
    with started(forked, command, course, home) as running:
        assert running.wait_for("progress", 1 + moment.computed)
        is_told = running.wait_for("out", 1, moment.later_s)
        os.kill(running.process.pid, signal.SIGINT)  # type: ignore[arg-type]
        return Ended(moment, running.ended(), is_told, running.written("err").strip())


def kept(home: Path) -> dict[str, bytes]:
    """Return the contents of a cache by key, without the seals, which differ in every cache."""
    found = [path for path in (home / "cache").rglob("*") if path.is_file() and len(path.name) == 64]
    return {path.name: path.read_bytes()[32:] for path in found}


class Struck(NamedTuple):
    """The interrupts of one command: each end, the cache that each left, and the right cache of an uninterrupted command."""

    ended: list[Ended]
    kept: list[Mapping[str, bytes]]
    right: Mapping[str, bytes]
    homes: list[Path]


@pytest.fixture(scope="module")
def strike(forked: BaseContext, tiny: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Struck]]:
    known: dict[str, Struck] = {}

    def struck(command: str) -> Struck:
        if command not in known:
            known[command] = strike_all(forked, command, tiny, lambda: tmp_path_factory.mktemp(command))
        return known[command]

    yield struck


def strike_all(forked: BaseContext, command: str, course: Course, home: Callable[[], Path]) -> Struck:
    first = home()
    when = moments(command, undisturbed(forked, command, course, first))
    homes = [home() for _ in when]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        ended = list(pool.map(lambda moment, home: interrupted(forked, command, course, home, moment), when, homes))
    return Struck(ended, [kept(home) for home in homes], kept(first), homes)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_interrupt_is_never_swallowed(command: str, strike: Callable[[str], Struck]) -> None:
    swallowed = [each for each in strike(command).ended if each.code != 130 and not (each.told and each.code == 0)]
    assert swallowed == []
    assert any(each.code == 130 for each in strike(command).ended)


@pytest.mark.parametrize("command", COMMANDS)
def test_interrupt_is_reported_in_one_sentence(command: str, strike: Callable[[str], Struck]) -> None:
    """Print nothing when `watch` already watches, since Ctrl-C is its ordinary end."""
    said = {each.err for each in strike(command).ended if each.code == 130}
    assert said <= {"", SENTENCE} if command == "watch" else said == {SENTENCE}
    assert {each.err for each in strike(command).ended if each.code == 130 and each.moment.computed} == (
        {""} if command == "watch" else {SENTENCE}
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_cache_of_an_interrupted_command_is_right(command: str, strike: Callable[[str], Struck]) -> None:
    found = strike(command)
    assert len(found.right) >= 5
    wrong = [name for each in found.kept for name, content in each.items() if found.right.get(name) != content]
    assert wrong == []
    assert any(len(each) > 0 for each in found.kept), "no interrupt came while expectations were computed"


@pytest.mark.parametrize("command", COMMANDS)
def test_afterwards_the_right_answer_passes(command: str, strike: Callable[[str], Struck], forked: BaseContext, tiny: Course) -> None:
    found = strike(command)
    home = max(zip(found.homes, found.kept, strict=True), key=lambda each: len(each[1]))[0]
    for name in ("out", "err", "progress"):
        (home / name).unlink()
    with started(forked, "check", tiny, home) as running:
        assert (running.ended(), running.written("err")) == (0, "")


# Commands interrupted from their first line on, also while they import PyTorch

FIRST_LINE = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in what was started in the background
from normgrade import __main__ as program
first, told = program.open_closed_streams, int(sys.argv.pop(1))
program.open_closed_streams = lambda: (os.write(told, b"."), first())
program.main()
"""


class Cut(NamedTuple):
    """The end of a command interrupted `later_s` seconds after its first line, and the temporary files that it left."""

    command: str
    later_s: float
    code: int
    out: str
    err: str
    left: list[str]


def cut(command: str, later_s: float, course: Course, home: Path, times: int = 1) -> Cut:
    """Run a command on an empty cache, and interrupt it."""
    for slug in course.slugs:
        shutil.copy(course.exercise(slug).reference, home / f"{slug}.py")
    (home / "tmp").mkdir()
    places = {"COURSE": course.root, "CACHE": home / "cache", "CONFIG": home / "config"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON", "NORMGRADE"))}
    ours = {f"NORMGRADE_{name}": str(place) for name, place in places.items()} | {"NORMGRADE_LANG": "en", "TMPDIR": str(home / "tmp")}
    reading, writing = os.pipe()
    program = [sys.executable, "-c", FIRST_LINE, str(writing), *COMMANDS[command], *(["centring"] if command == "verify" else [])]
    process = subprocess.Popen(
        program, cwd=home, env=kept | ours | {"PYTHONPATH": str(Path(normgrade.__file__).parents[1])}, pass_fds=[writing], text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        os.close(writing)
        assert os.read(reading, 1) == b"."
        time.sleep(later_s)
        for _ in range(times):
            os.killpg(process.pid, signal.SIGINT)  # to all processes, as a terminal does
            time.sleep(0.05)
        out, err = process.communicate(timeout=ROW_S)
        return Cut(command, later_s, process.returncode, out, err.strip(), os.listdir(home / "tmp"))
    finally:
        os.close(reading)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_cold_command_ends_cleanly_at_any_moment(tiny: Course, tmp_path_factory: pytest.TempPathFactory) -> None:
    when = [(command, COLD_S * number / total) for command, total in COLD.items() for number in range(total)]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda each: cut(each[0], each[1], tiny, tmp_path_factory.mktemp("cold")), when))
    ended = [each for each in found if not (each.out and each.code == 0)]
    assert len(ended) >= len(found) / 2
    wrong = [
        each
        for each in ended
        if (each.code, each.left) != (130, []) or each.err not in {SENTENCE, "" if each.command == "watch" else SENTENCE}
    ]
    assert wrong == []


def test_several_interrupts_act_as_one(tiny: Course, tmp_path: Path) -> None:
    found = cut("check", 0.9, tiny, tmp_path, times=4)
    assert (found.code, found.out, found.err, found.left) == (130, "", SENTENCE, [])


# The handler

INTERRUPTED = """
import os, signal, subprocess, sys, time
sys.path[:0] = ["."]
signal.signal(signal.SIGINT, signal.default_int_handler)
from normgrade.worker import interrupts
interrupts.remember()
def press():
    os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.fixture
def interrupted_python(tmp_path: Path) -> Callable[[str], tuple[int, str, str]]:
    """Return a function that runs a script in which `press()` is a Ctrl-C, and returns its exit code and its output."""

    def ran(script: str) -> tuple[int, str, str]:
        environment = os.environ | {"PYTHONPATH": str(Path(normgrade.__file__).parents[1])}
        program = [sys.executable, "-c", INTERRUPTED + script]
        done = subprocess.run(program, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=ROW_S)
        return done.returncode, done.stdout, done.stderr

    return ran


Interrupted = Callable[[str], tuple[int, str, str]]


def test_an_import_ends_before_it_is_interrupted(interrupted_python: Interrupted, tmp_path: Path) -> None:
    (tmp_path / "inner.py").write_text("import __main__\n__main__.press()\nnames = [number for number in range(9)]\n", encoding="utf-8")
    (tmp_path / "outer.py").write_text("import inner\nfrom time import sleep\nsleep(0.1)\ndone = True\n", encoding="utf-8")
    script = "try:\n    import outer\n    time.sleep(30)\nexcept KeyboardInterrupt:\n    print(outer.done, len(outer.inner.names))"
    assert interrupted_python(script) == (0, "True 9\n", "")


def test_an_import_without_end_ends_with_the_process(interrupted_python: Interrupted, tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text("import __main__\n__main__.press()\nwhile True:\n    pass\n", encoding="utf-8")
    script = "interrupts.PATIENCE_S = 0.1\ntry:\n    import endless\nexcept KeyboardInterrupt:\n    print('ended')"
    assert interrupted_python(script) == (130, "", "Error: Interrupted before it was done.\n")


def test_a_temporary_file_is_gone_after_an_interrupt(interrupted_python: Interrupted, tmp_path: Path) -> None:
    script = f"""
import tempfile
os.environ["TMPDIR"] = {str(tmp_path)!r}
opened = os.open
def open_then_press(*arguments):
    fd = opened(*arguments)
    press()
    return fd
try:
    os.open = open_then_press
    tempfile.TemporaryFile()
    os.open = opened
    time.sleep(30)
except KeyboardInterrupt:
    print(os.listdir({str(tmp_path)!r}))
"""
    assert interrupted_python(script) == (0, "[]\n", "")


def test_cleanup_is_not_interrupted_again(interrupted_python: Interrupted) -> None:
    script = """
try:
    try:
        press()
    finally:
        try:
            raise OSError
        except OSError:
            press()
            print("clean")
except KeyboardInterrupt:
    press()
    print("over")
"""
    assert interrupted_python(script) == (0, "clean\nover\n", "")


def test_swallowed_interrupt_is_raised_again(interrupted_python: Interrupted) -> None:
    script = """
for _ in range(2):
    try:
        press()
    except KeyboardInterrupt:
        print("swallowed", interrupts.is_remembered())
interrupts.raise_again()
"""
    code, out, err = interrupted_python(script)
    assert (code, out) == (-signal.SIGINT, "swallowed True\nswallowed True\n") and err.endswith("KeyboardInterrupt\n")


def test_a_process_that_ends_is_not_interrupted(interrupted_python: Interrupted, tmp_path: Path) -> None:
    (tmp_path / "pressed.py").write_text("import __main__\n__main__.press()\n__main__.interrupts.ignore()\n", encoding="utf-8")
    assert interrupted_python("import pressed\npress()\ntime.sleep(0.1)\nprint('ended')") == (0, "ended\n", "")


def test_blocked_interrupt_arrives_after_the_block(interrupted_python: Interrupted) -> None:
    script = """
child = "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('kept', signal.SIGINT in signal.sigpending(), flush=True)"
try:
    with interrupts.blocked():
        subprocess.run([sys.executable, "-c", child])
        press()
        print("blocked", flush=True)
    time.sleep(30)
except KeyboardInterrupt:
    print("arrived")
with interrupts.blocked():
    interrupts.unblock()
    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""
    assert interrupted_python(script) == (0, "kept True\nblocked\narrived\nFalse\n", "")


def test_interrupt_of_another_thread_is_blocked(interrupted_python: Interrupted) -> None:
    script = """
from threading import Event, Thread
Thread(target=Event().wait, daemon=True).start()
try:
    with interrupts.blocked():
        press()
        time.sleep(0.1)
        print("blocked", interrupts.is_remembered(), flush=True)
    time.sleep(30)
except KeyboardInterrupt:
    print("arrived")
"""
    assert interrupted_python(script) == (0, "blocked True\narrived\n", "")


def test_ignored_interrupt_stays_ignored(interrupted_python: Interrupted) -> None:
    script = "signal.signal(signal.SIGINT, signal.SIG_IGN)\ninterrupts.remember()\npress()\nprint(interrupts.is_remembered())"
    assert interrupted_python(script) == (0, "False\n", "")


def test_interrupt_hidden_by_another_error_is_reported_once(interrupted_python: Interrupted, tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text("import __main__\n__main__.press()\nraise OSError\n", encoding="utf-8")
    script = """
from normgrade import __main__ as program, cli
def fail():
    import failing
complain = cli.complain
def tell(*arguments):
    code = complain(*arguments)
    time.sleep(0.1)  # the import is over: now the interrupt may be raised
    return code
cli.refuse_deleted_folder, cli.complain = fail, tell
program.main()
"""
    assert interrupted_python(script) == (130, "", SENTENCE + "\n")
