"""Ctrl-C at any moment of a cold grading: it ends the command, and what is kept is what an undisturbed grading keeps."""

from __future__ import annotations

import os
import random
import shutil
import signal
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
from typing import NamedTuple

import pytest
from thorough import THOROUGH

import normgrade
from normgrade.course.course import Course

if sys.platform == "win32":
    pytest.skip("signals as POSIX has them", allow_module_level=True)

MOMENTS = {"check": 14, "verify": 13, "watch": 13} if THOROUGH else {"check": 6, "verify": 5, "watch": 5}  # each on an empty cache
AT_ONCE = 3
ROW_S = 60  # for one command, whatever happens to it
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
from normgrade.oracle.expectation import Oracle

compute, progress = Oracle.compute, open("progress", "wb", 0)
def telling(*arguments):
    progress.write(b".")
    return compute(*arguments)

Oracle.compute = telling
progress.write(b".")
cli.main(arguments)
"""


class Moment(NamedTuple):
    """Some time after the command began, or began to compute its n-th expectation."""

    computed: int
    later_s: float


def moments(command: str, computed: int) -> list[Moment]:
    """A third of them at any time before the first expectation, the others while the command computes so many."""
    chance, number = random.Random(command), MOMENTS[command]
    early = [Moment(0, chance.uniform(0, 1.5)) for _ in range(number // 3)]
    return early + [Moment(chance.randint(1, computed - 1), chance.uniform(0, 0.06)) for _ in range(number - len(early))]


class Ended(NamedTuple):
    """How a command ended that was interrupted at some moment; whether it had told its result by then."""

    moment: Moment
    code: int | None
    told: bool
    err: str


@pytest.fixture(scope="module")
def forked() -> BaseContext:
    """Processes that hold PyTorch already, since to import it takes longer than all the rest."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["torch", "normgrade.cli.check", "normgrade.oracle.expectation", "normgrade.suite.run"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(normgrade.__file__).parents[1]))  # the one under test, and no other
        forkserver.ensure_running()
    return context


@dataclass
class Running:
    """A command on right answers, in a process of its own, and what it has written up to now."""

    process: BaseProcess
    home: Path

    def written(self, name: str) -> str:
        path = self.home / name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def wait_for(self, name: str, size: int, timeout_s: float = ROW_S) -> bool:
        """Whether so much is written, within this time."""
        deadline = time.monotonic() + timeout_s
        while len(self.written(name)) < size and time.monotonic() < deadline:
            time.sleep(0.002)
        return len(self.written(name)) >= size

    def ended(self) -> int | None:
        self.process.join(ROW_S)
        return self.process.exitcode


@contextmanager
def started(forked: BaseContext, command: str, course: Course, home: Path) -> Iterator[Running]:
    """The command, on its way; killed in the end, with all that it started."""
    for slug in course.slugs:
        shutil.copy(course.exercise(slug).reference, home / f"{slug}.py")
    places = {"NORMGRADE_COURSE": course.root, "NORMGRADE_CACHE": home / "cache", "NORMGRADE_CONFIG": home / "config"}
    environment = {name: str(path) for name, path in places.items()} | {"NORMGRADE_LANG": "en"}
    names = {"home": str(home), "environment": environment, "arguments": COMMANDS[command]}
    process = forked.Process(target=exec, args=(COMMAND, names))  # type: ignore[attr-defined]
    process.start()
    running = Running(process, home)
    try:
        assert running.wait_for("progress", 1)
        yield running
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.join()


def undisturbed(forked: BaseContext, command: str, course: Course, home: Path) -> int:
    """The command on an empty cache, `watch` until it has told its first result: how many expectations it computes."""
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
    """What is kept in a cache, by key, without the seal that every cache sets with a key of its own."""
    found = [path for path in (home / "cache").rglob("*") if path.is_file() and len(path.name) == 64]
    return {path.name: path.read_bytes()[32:] for path in found}


class Struck(NamedTuple):
    """What came of the interrupts of one command: how each ended, what each kept, and what an undisturbed one keeps."""

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
def test_an_interrupt_is_told_in_one_sentence(command: str, strike: Callable[[str], Struck]) -> None:
    """Of `watch`, Ctrl-C is the ordinary end: once it watches, there is nothing to tell."""
    said = {each.err for each in strike(command).ended if each.code == 130}
    sentence = "Error: Interrupted: nothing was graded."
    assert said <= {"", sentence} if command == "watch" else said == {sentence}
    assert {each.err for each in strike(command).ended if each.code == 130 and each.moment.computed} == (
        {""} if command == "watch" else {sentence}
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_what_an_interrupted_command_keeps_is_right(command: str, strike: Callable[[str], Struck]) -> None:
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
