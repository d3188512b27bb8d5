"""Tests of killed processes, full disks and interrupts at every step of a grading: no hang, no orphan, no half-written file."""

from __future__ import annotations

import errno
import hashlib
import hmac
import io
import json
import os
import pkgutil
import select
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from thorough import THOROUGH

import normgrade
from normgrade import cli
from normgrade.cli.options import exit_code
from normgrade.course.course import Course
from normgrade.grading.grade import Submission
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.grading.reporting import report_on
from normgrade.inspection.inspection import inspect_file
from normgrade.oracle.cache import SEAL_BYTES, Cache
from normgrade.oracle.kept import decode, encode
from normgrade.oracle.oracle import Oracle
from normgrade.oracle.seal import Seal
from normgrade.report.render.json import render_json
from normgrade.report.report import Report
from normgrade.worker.trusted.launch import Zygote
from normgrade.worker.walls.kernel import prctl

if sys.platform != "linux":
    pytest.skip("only Linux tells the descendants of a process, in /proc", allow_module_level=True)

GONE_S = 10.0  # for processes to end after a kill
ROW_S = 120  # for one grading, with any fault, on a busy machine
AT_ONCE = 3  # graders in their own processes


# Processes, read from /proc


class Process(NamedTuple):
    """A process. Its number may be used again, but not with the same start."""

    pid: int
    started: int
    parent: int
    alive: bool


def running() -> dict[int, Process]:
    """Return every process by its number."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                state, parent, *rest = (folder / "stat").read_text().rpartition(")")[2].split()
                found[int(folder.name)] = Process(int(folder.name), int(rest[17]), int(parent), state not in "ZX")
    return found


def descendants(pid: int) -> list[Process]:
    """Return the living descendants of a process, generation by generation: the last one is among the deepest."""
    everything, parents, found = running(), {pid}, list[Process]()
    while children := [process for process in everything.values() if process.parent in parents and process.alive]:
        found += children
        parents = {child.pid for child in children}
    return found


def started_since(others: Collection[Process]) -> list[Process]:
    """Return the descendants of this process, without those others."""
    known = {(other.pid, other.started) for other in others}
    return [process for process in descendants(os.getpid()) if (process.pid, process.started) not in known]


def left_of(processes: Collection[Process], timeout_s: float = GONE_S) -> list[Process]:
    """Return the processes that are still alive after `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while True:
        now = running()
        left = [old for old in processes if (same := now.get(old.pid)) and same.started == old.started and same.alive]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.01)


@contextmanager
def stopped_if_it_hangs(seconds: int = ROW_S) -> Iterator[None]:
    def stop(number: int, frame: object) -> None:
        raise TimeoutError(f"a grading hung for {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# Submissions

RMS = "import time\n\ndef rms(x, eps=1e-5):\n    {0}\n    return (x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5).type_as(x)\n"
RIGHT = RMS.format("pass")
SLOW_TO_LOAD = "import time\ntime.sleep(1.5)\n" + RIGHT
SLOW_AT_FIRST = RMS.format("time.sleep(1.5 if x.shape == (2, 3) else 0)")
SLOW_LATER = RMS.format("time.sleep(0.8 if x.shape == (2, 5, 3) else 0)")
ASLEEP = RMS.format("time.sleep(60)")
WRONG = RIGHT.replace("mean(-1, keepdim=True)", "mean()")


def folder_with(parent: Path, source: str) -> Path:
    folder = parent / "here"
    folder.mkdir()
    (folder / "rms.py").write_text(source, encoding="utf-8")
    return folder


# A kill in a grading of this process


class Point(NamedTuple):
    """A point in a grading: before the n-th call of a function, after a pause of `later` seconds in which the worker starts its work."""

    function: str
    nth: int = 1
    later: float = 0.0


FIRST = 4  # the number of the first question that is a request: the exercise's probes, its bans and the source come before it
BEFORE_THE_WORKER = Point("normgrade.worker.trusted.host.Host.connect")
BEFORE_THE_PROBES = Point("normgrade.worker.trusted.channel.Channel.send")
BEFORE_THE_SOURCE = Point("normgrade.worker.trusted.channel.Channel.send", FIRST - 1)
LOADING = Point("normgrade.worker.trusted.channel.Channel.receive", FIRST - 1, later=0.2)
PLAYING_FIRST = Point("normgrade.worker.trusted.channel.Channel.receive", FIRST, later=0.2)
PLAYING_LATER = Point("normgrade.worker.trusted.channel.Channel.receive", FIRST + 2, later=0.2)
BETWEEN_REQUESTS = Point("normgrade.worker.trusted.channel.Channel.send", FIRST + 2)
AT_THE_END = Point("normgrade.worker.trusted.channel.Channel.end")
DIAGNOSING = Point("normgrade.grading.grader.Grader.diagnose")
WITHOUT_WORKER = (BEFORE_THE_WORKER, DIAGNOSING)


@contextmanager
def before(point: Point, act: Callable[[], None]) -> Iterator[None]:
    """Act once at a point of the grading."""
    original, calls = pkgutil.resolve_name(point.function), 0

    def patched(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == point.nth:
            time.sleep(point.later)
            act()
        return original(*arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(point.function, patched)
        yield
    assert calls >= point.nth, f"{point.function} was called {calls} times only"


class Fault(NamedTuple):
    """A process that is killed at a point of the grading of a submission, and the expected outcome and exit code.

    A right submission passes if its process is killed only once, at any point.
    """

    victim: str
    point: Point
    source: str
    outcome: str
    code: int


FAULTS: Mapping[str, Fault] = {
    "zygote, ready, before the first worker": Fault("zygote", BEFORE_THE_WORKER, RIGHT, "passed", 0),
    "zygote, between start and first question": Fault("zygote", BEFORE_THE_PROBES, RIGHT, "passed", 0),
    "zygote, before the submission is sent": Fault("zygote", BEFORE_THE_SOURCE, RIGHT, "passed", 0),
    "zygote, while the submission loads": Fault("zygote", LOADING, SLOW_TO_LOAD, "passed", 0),
    "zygote, while the first request is played": Fault("zygote", PLAYING_FIRST, SLOW_AT_FIRST, "passed", 0),
    "zygote, while a later request is played": Fault("zygote", PLAYING_LATER, SLOW_LATER, "passed", 0),
    "zygote, between two requests": Fault("zygote", BETWEEN_REQUESTS, RIGHT, "passed", 0),
    "zygote, at the end of a submission": Fault("zygote", AT_THE_END, RIGHT, "passed", 0),
    "zygote, while the mistake is looked for": Fault("zygote", DIAGNOSING, WRONG, "failed", 1),
    "worker, between start and first question": Fault("worker", BEFORE_THE_PROBES, RIGHT, "passed", 0),
    "worker, before the submission is sent": Fault("worker", BEFORE_THE_SOURCE, RIGHT, "passed", 0),
    "worker, while the submission loads": Fault("worker", LOADING, SLOW_TO_LOAD, "passed", 0),
    "worker, while the first request is played": Fault("worker", PLAYING_FIRST, SLOW_AT_FIRST, "passed", 0),
    "worker, while a later request is played": Fault("worker", PLAYING_LATER, SLOW_LATER, "passed", 0),
    "worker, between two requests": Fault("worker", BETWEEN_REQUESTS, RIGHT, "passed", 0),
    "worker, at the end of a submission": Fault("worker", AT_THE_END, RIGHT, "passed", 0),
}


@dataclass
class Bench:
    """A grader in this process, and the folder of its submissions."""

    grader: Grader
    folder: Path
    course: Course
    others: Collection[Process]  # processes started before

    def grade(self, source: str) -> Report:
        exercise, path = self.course.exercise("rms"), self.folder / "rms.py"
        path.write_text(source, encoding="utf-8")
        return report_on(self.grader, Submission(exercise, path, path.name), inspect_file(path, exercise))

    def kill(self, fault: Fault) -> list[Process]:
        """Kill a process, wait until it and its worker have ended, and return all processes that must end after it."""
        tree = started_since(self.others)
        worker = tree[-1]  # the deepest, or the zygote if there is no worker
        target = worker.pid if fault.victim == "worker" or fault.point in WITHOUT_WORKER else worker.parent
        os.kill(target, signal.SIGKILL)
        assert left_of([process for process in tree if process.pid in (target, worker.pid)]) == []
        return [worker] if fault.victim == "worker" else tree


class Seen(NamedTuple):
    """The result of one fault: the report and exit code or an error, the processes left, and the outcome of a right submission after it."""

    report: Report | None
    code: int
    error: str
    left: Sequence[Process]
    after: str


def suffer(bench: Bench, fault: Fault) -> Seen:
    """Grade with a fault, and once more without one."""
    doomed: list[Process] = []

    def strike() -> None:
        doomed.extend(bench.kill(fault))

    report, error = None, ""
    try:
        with stopped_if_it_hangs(), before(fault.point, strike):
            report = bench.grade(fault.source)
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}"
    with stopped_if_it_hangs():
        after = bench.grade(RIGHT).outcome
    return Seen(report, exit_code([report]) if report else 3, error, left_of(doomed), after)


def on_cache(bench: Bench, cache: Path, *sources: str) -> list[Report]:
    """Grade the sources with this cache, and return the reports."""
    oracle = Oracle(Cache(cache, KEY), bench.grader.oracles["rms"].probes)
    grader = replace(bench.grader, oracles={"rms": oracle}, reference_runs={}, tracked={}, records={})
    with stopped_if_it_hangs():
        return [replace(bench, grader=grader).grade(source) for source in sources]


def with_cache(bench: Bench, cache: str, folder: Path) -> list[Report]:
    """Grade a right and a wrong submission with a cache that can keep nothing."""
    (folder / "file").touch()
    with pytest.MonkeyPatch.context() as patch:
        if "full" in cache:
            patch.setattr("normgrade.course.files.open", on_a_full_disk, raising=False)
        return on_cache(bench, Path(cache.format(folder)), RIGHT, WRONG)


def with_spoilt_cache(bench: Bench, spoil: Callable[[Path], None], folder: Path) -> list[Report]:
    """Grade a right and a wrong submission with a cache in which every file was spoilt."""
    on_cache(bench, folder, RIGHT)
    kept = files(folder)
    assert len(kept) >= 5
    for path in kept:
        spoil(path)
    return on_cache(bench, folder, RIGHT, WRONG)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def take_another(path: Path) -> None:
    """Replace a file's content by that of another file."""
    other = next(each for each in files(path.parents[1]) if each != path)
    path.write_bytes(other.read_bytes())


def forge(key: bytes | None) -> Callable[[Path], None]:
    """Return a function that forges an expectation with huge tolerances, sealed with this key, or with a plain hash if there is none."""

    def forged(path: Path) -> None:
        known = decode(path.read_bytes()[SEAL_BYTES:])
        wide = {
            name: replace(place, spread=np.full_like(place.spread, 1e30))
            for name, place in known.places.items()
            if place.spread is not None
        }
        content = encode(replace(known, places={**known.places, **wide}))
        sealed = path.name.encode() + b"\0" + content
        seal = hashlib.sha256(sealed).digest() if key is None else hmac.digest(key, sealed, "sha256")
        path.write_bytes(seal + content)

    return forged


def put_in_its_place(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def replaced(path: Path) -> None:
        path.unlink()
        make(path)

    return replaced


SPOILT: Mapping[str, Callable[[Path], None]] = {
    "cut in half": truncate,
    "empty": empty,
    "changed by one bit": flip_a_bit,
    "another one": take_another,
    "forged without a key": forge(None),
    "forged with another key": forge(b"another"),
    "gone": Path.unlink,
    "a pipe": put_in_its_place(os.mkfifo),
    "a folder": put_in_its_place(Path.mkdir),
    "a link to an endless device": put_in_its_place(lambda path: path.symlink_to("/dev/zero")),
    "a link to itself": put_in_its_place(lambda path: path.symlink_to(path)),
}


class OnAFullDisk(io.FileIO):
    def write(self, content: Any) -> int:
        super().write(content[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def on_a_full_disk(file: int | str, mode: str) -> io.FileIO:
    return OnAFullDisk(file, mode)


KEY = bytes(32)
NO_CACHE = {"below a file": "{}/file/cache", "where no folder can be made": "/proc/none", "on a full disk": "{}/full"}


class Suffered(NamedTuple):
    """The results of all faults in this process, and the processes left at the end."""

    faults: Mapping[str, Seen]
    caches: Mapping[str, Sequence[Report]]
    spoilt: Mapping[str, Sequence[Report]]
    left: Sequence[Process]


@pytest.fixture(scope="module")
def suffered(tiny: Course, expectations: Path, tmp_path_factory: pytest.TempPathFactory) -> Suffered:
    """Play all faults, one after the other, with one grader."""
    folder, others = tmp_path_factory.mktemp("faults"), descendants(os.getpid())

    with open_grader([tiny.exercise("rms")], Options()) as grader:
        bench = Bench(grader, folder, tiny, others)
        bench.grade(RIGHT)
        faults = {name: suffer(bench, fault) for name, fault in FAULTS.items()}
        caches = {name: with_cache(bench, cache, folder) for name, cache in NO_CACHE.items()}
        spoilt = {name: with_spoilt_cache(bench, spoil, folder / name) for name, spoil in SPOILT.items()}
    return Suffered(faults, caches, spoilt, left_of(started_since(others)))


@pytest.mark.parametrize("name", FAULTS)
def test_a_grading_survives_a_kill_of(name: str, suffered: Suffered) -> None:
    fault, found = FAULTS[name], suffered.faults[name]
    assert found.error == "" and found.report is not None
    assert (found.report.outcome, found.code) == (fault.outcome, fault.code)
    assert [diagnosis.mistakes for diagnosis in found.report.diagnoses] == ([("one-for-all-rows",)] if fault.source is WRONG else [])
    assert found.left == [] and found.after == "passed"


@pytest.mark.parametrize("name", NO_CACHE)
def test_a_cache_is_not_needed(name: str, suffered: Suffered) -> None:
    right, wrong = suffered.caches[name]
    assert (right.outcome, exit_code([right])) == ("passed", 0) and (wrong.outcome, exit_code([wrong])) == ("failed", 1)
    assert [diagnosis.mistakes for diagnosis in wrong.diagnoses] == [("one-for-all-rows",)]


@pytest.mark.parametrize("name", SPOILT)
def test_cache_is_not_trusted_if_its_files_are(name: str, suffered: Suffered) -> None:
    right, wrong = suffered.spoilt[name]
    assert (right.outcome, exit_code([right])) == ("passed", 0) and (wrong.outcome, exit_code([wrong])) == ("failed", 1)
    assert [diagnosis.mistakes for diagnosis in wrong.diagnoses] == [("one-for-all-rows",)]


def test_faults_leave_no_processes(suffered: Suffered) -> None:
    assert suffered.left == []


# A zygote that is killed before it is ready


def libtorch_is_there(pid: int) -> bool:
    """Return True if a process or a descendant has loaded libtorch."""
    for process in (pid, *(below.pid for below in descendants(pid))):
        with suppress(OSError):
            if "libtorch" in Path(f"/proc/{process}/maps").read_text():
                return True
    return False


@pytest.mark.parametrize("importing", [False, True], ids=["as it starts", "while it imports torch"])
def test_zygote_killed_before_it_is_ready_is_an_error(
    importing: bool, tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    launch, others, doomed = Zygote.launch, descendants(os.getpid()), list[Process]()

    def launch_and_kill(self: Zygote, around: list[str]) -> None:
        launch(self, around)
        deadline = time.monotonic() + GONE_S
        while importing and not libtorch_is_there(self.process.pid) and time.monotonic() < deadline:
            time.sleep(0.005)
        doomed.extend(started_since(others))
        for process in started_since(others):
            os.kill(process.pid, signal.SIGKILL)

    monkeypatch.setattr(Zygote, "launch", launch_and_kill)
    monkeypatch.setenv("NORMGRADE_COURSE", str(tiny.root))
    monkeypatch.setenv("NORMGRADE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "rms.py").write_text(RIGHT, encoding="utf-8")
    with stopped_if_it_hangs():
        code = cli.run(["check", str(tmp_path / "rms.py")])
    said = capsys.readouterr()
    assert (code, said.out) == (3, "") and said.err.startswith("Error: The process that runs submissions did not start.")
    assert "Traceback" not in said.err and doomed != [] and left_of(doomed) == []


# Graders in their own processes

DRIVER = """
import functools, os, pkgutil, resource, signal, sys, time

function, count, then, told, *arguments = sys.argv[1:]
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process that was started in the background ignores it

from normgrade import cli

if "alone" in then:  # on one core, so that this process computes everything itself
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
owner, _, name = function.rpartition(".")
owner, original, calls = pkgutil.resolve_name(owner), pkgutil.resolve_name(function), 0

@functools.wraps(original)
def patched(*given, **named):
    global calls
    calls += 1
    if calls == int(count):
        os.write(int(told), b"here")
        for _ in range(6000 if "wait" in then else 0):
            time.sleep(0.01)  # not once for all: a signal just before the system call does not end it
        if "quota" in then:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
        if "death" in then:
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    return original(*given, **named)

setattr(owner, name, patched)
cli.main(arguments)
"""


class Ended(NamedTuple):
    """The end of a grader in its own process: seconds after the signal, its processes left, and the number that it had started."""

    code: int
    out: str
    err: str
    seconds: float
    left: Sequence[Process]
    started: int

    @property
    def outcomes(self) -> list[str]:
        return [report["outcome"] for report in json.loads(self.out)["reports"]]


def environment(course: Course, cache: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON", "NORMGRADE"))}
    ours = {"NORMGRADE_COURSE": course.root, "NORMGRADE_CACHE": cache, "NORMGRADE_CONFIG": configuration(cache)}
    return kept | {name: str(path) for name, path in ours.items()} | {"PYTHONPATH": str(Path(normgrade.__file__).parents[1])}


def configuration(cache: Path) -> Path:
    """Return the folder of a cache's key."""
    return cache.with_name(f"{cache.name}-configuration")


NEVER = Point("os.replace", 0)


def check(
    folder: Path,
    course: Course,
    cache: Path,
    point: Point = NEVER,
    number: int = 0,
    then: str = "",
    arguments: Sequence[str] = (),
    wrap: Sequence[str] = (),
) -> Ended:
    """Run `normgrade check` on the files in this folder. With a `number`, send it this signal at a point; `then` can make it wait there."""
    reading, writing = os.pipe()
    slugs = sorted(path.stem for path in folder.glob("*.py"))
    driver = [sys.executable, "-c", DRIVER, point.function, str(point.nth), then, str(writing), "check", *slugs, "--format", "json"]
    process = subprocess.Popen(
        [*wrap, *driver, *arguments],
        cwd=folder, env=environment(course, cache), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        pass_fds=[writing], start_new_session=True,
    )  # fmt: skip
    os.close(writing)
    try:
        return ended(process, reading, number, point.later)
    finally:
        os.close(reading)
        process.kill()
        process.wait()


def ended(process: subprocess.Popen[str], reading: int, number: int, later: float) -> Ended:
    doomed: list[Process] = []
    if number and select.select([reading], [], [], ROW_S)[0] and os.read(reading, 4):
        time.sleep(later)
        doomed = descendants(process.pid)
        os.killpg(process.pid, number)
    started = time.monotonic()
    out, err = process.communicate(timeout=ROW_S)
    return Ended(process.returncode, out, err, time.monotonic() - started, left_of(doomed), len(doomed))


class Blow(NamedTuple):
    """A signal at a point of a grading, and the exit code that follows."""

    number: signal.Signals
    point: Point
    source: str
    code: int


STARTING = Point("normgrade.suite.collection.collect")  # the zygote has started and imports torch
COLLECTING = Point("_pytest.python.Module.collect")
WAITING = Point("normgrade.worker.trusted.launch.Zygote.receive")
WRITING_EXPECTATION = Point("os.replace", 3)  # after the key of the cache and a first expectation
SEARCHING = Point("normgrade.diagnosis.diagnose.best")
HANDING_OVER = Point("normgrade.cli.check.hand_over")
KILL, INT, TERM, HUP = signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP
SLEEPS_AT_LOAD = "import time\ntime.sleep(60)\n" + RIGHT

BLOWS: Mapping[str, Blow] = {
    "killed, as the zygote starts": Blow(KILL, STARTING, RIGHT, -9),
    "killed, while it waits for the zygote": Blow(KILL, WAITING, ASLEEP, -9),
    "killed, while the submission loads": Blow(KILL, LOADING, SLEEPS_AT_LOAD, -9),
    "killed, while a request is played": Blow(KILL, PLAYING_FIRST, ASLEEP, -9),
    "killed, while an expectation is written": Blow(KILL, WRITING_EXPECTATION, RIGHT, -9),
    "killed, while it looks for the mistake": Blow(KILL, SEARCHING, WRONG, -9),
    "killed, before it hands over": Blow(KILL, HANDING_OVER, RIGHT, -9),
    "interrupted, as the zygote starts": Blow(INT, STARTING, RIGHT, 130),
    "interrupted, while suites are collected": Blow(INT, COLLECTING, RIGHT, 130),
    "interrupted, while it waits for the zygote": Blow(INT, WAITING, ASLEEP, 130),
    "interrupted, while the submission loads": Blow(INT, LOADING, SLEEPS_AT_LOAD, 130),
    "interrupted, while a request is played": Blow(INT, PLAYING_FIRST, ASLEEP, 130),
    "interrupted, while an expectation is written": Blow(INT, WRITING_EXPECTATION, RIGHT, 130),
    "interrupted, while it looks for the mistake": Blow(INT, SEARCHING, WRONG, 130),
    "terminated, while it waits for the zygote": Blow(TERM, WAITING, ASLEEP, -15),
    "terminated, while a request is played": Blow(TERM, PLAYING_FIRST, ASLEEP, -15),
    "hung up on, while it waits for the zygote": Blow(HUP, WAITING, ASLEEP, -1),
    "hung up on, while a request is played": Blow(HUP, PLAYING_FIRST, ASLEEP, -1),
}


class Struck(NamedTuple):
    """The end of the grader after every blow, the folder of its cache, and the processes left by all of them together."""

    ended: Mapping[str, Ended]
    caches: Mapping[str, Path]
    left: Sequence[Process]


@pytest.fixture(scope="module")
def adopting() -> Iterator[None]:
    """Make this process the parent of orphans, so that they can be found."""
    prctl("PR_SET_CHILD_SUBREAPER", 1)
    yield
    prctl("PR_SET_CHILD_SUBREAPER", 0)


@pytest.fixture(scope="module")
def struck(adopting: None, tiny: Course, tmp_path_factory: pytest.TempPathFactory) -> Struck:
    """Play all blows, some at the same time."""
    others, filled = descendants(os.getpid()), tmp_path_factory.mktemp("cache")
    check(folder_with(tmp_path_factory.mktemp("first"), RIGHT), tiny, filled)
    caches = {name: tmp_path_factory.mktemp("cache") if BLOWS[name].point is WRITING_EXPECTATION else filled for name in BLOWS}

    def strike(name: str) -> Ended:
        blow = BLOWS[name]
        folder = folder_with(tmp_path_factory.mktemp("struck"), blow.source)
        goes_on = blow.point is WAITING or blow.point.later
        then = "wait alone" if blow.point is WRITING_EXPECTATION else "" if goes_on else "wait"
        return check(folder, tiny, caches[name], blow.point, blow.number, then)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = dict(zip(BLOWS, pool.map(strike, BLOWS), strict=True))
    left = left_of(started_since(others))
    reap(others)
    return Struck(found, caches, left)


def reap(others: Collection[Process]) -> None:
    """Wait for adopted processes that have ended."""
    known = {other.pid for other in others}
    for process in running().values():
        if process.parent == os.getpid() and not process.alive and process.pid not in known:
            with suppress(ChildProcessError):
                os.waitpid(process.pid, os.WNOHANG)


@pytest.mark.parametrize("name", BLOWS)
def test_no_process_outlives_a_grader_that_is(name: str, struck: Struck) -> None:
    blow, found = BLOWS[name], struck.ended[name]
    assert found.code == blow.code, found.err
    assert (found.out, found.err.strip()) == ("", "Error: Interrupted before it was done." if blow.number is INT else "")
    assert found.started > 0 or blow.point is HANDING_OVER
    assert found.left == [] and found.seconds < GONE_S


def test_blows_leave_no_processes(struck: Struck) -> None:
    assert struck.left == []


def files(cache: Path) -> list[Path]:
    return [path for path in cache.rglob("*") if path.is_file()]


def complete(cache: Path, copied_from: Path | None = None) -> list[Path]:
    """Return the expectations in a cache, all of which must be complete."""
    kept = [path for path in files(cache) if not path.name.startswith(".writing-")]
    key = Seal(configuration(copied_from or cache)).key
    assert [path.name for path in kept if Cache(cache, key).get(path.name) is None] == []
    return kept


@pytest.mark.parametrize("name", BLOWS)
def test_no_partial_expectation_is_left_if_the_grader_is(name: str, struck: Struck) -> None:
    writing, cache = BLOWS[name].point is WRITING_EXPECTATION, struck.caches[name]
    kept = complete(cache)
    assert len(kept) == 1 if writing else len(kept) >= 5
    assert len(files(cache)) - len(kept) <= (1 if writing else 0)


def test_cache_of_a_killed_grader_is_usable(struck: Struck, tiny: Course, tmp_path: Path) -> None:
    cache = struck.caches["killed, while an expectation is written"]
    again = check(folder_with(tmp_path, RIGHT), tiny, cache)
    assert (again.code, again.outcomes, again.err) == (0, ["passed"], "")
    assert len(complete(cache)) >= 5


# Shared caches, and caches that cannot be used


@pytest.mark.parametrize("repetition", range(4 if THOROUGH else 1))
def test_two_graders_share_an_empty_cache(repetition: int, tiny: Course, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    folders = []
    for name, source in (("right", RIGHT), ("wrong", WRONG)):
        (tmp_path / name).mkdir()
        folders.append(folder_with(tmp_path / name, source))
    with ThreadPoolExecutor(2) as pool:
        right, wrong = pool.map(lambda folder: check(folder, tiny, cache), folders)
    assert (right.code, right.outcomes, right.err) == (0, ["passed"], "")
    assert (wrong.code, wrong.outcomes, wrong.err) == (1, ["failed"], "") and '"one-for-all-rows"' in wrong.out
    assert len(complete(cache)) == len(files(cache)) >= 5


def test_nearly_full_disk_costs_no_result(tiny: Course, tmp_path: Path) -> None:
    """The disk has 16 KiB, and only this grader and its processes can see it. Its files are copied at the end."""
    disk, copy = tmp_path / "disk", tmp_path / "copy"
    disk.mkdir()
    mount = f'mount -t tmpfs -o size=16k,mode=700 none "{disk}"'
    tried = subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True, text=True) if shutil.which("unshare") else None
    if tried is None or tried.returncode:
        pytest.skip(f"no disk can be mounted: {tried.stderr.strip() if tried else 'there is no unshare'}")
    script = f'{mount} && "$@"; code=$?; cp -r "{disk}" "{copy}"; exit $code'
    found = check(folder_with(tmp_path, WRONG), tiny, disk, wrap=["unshare", "-m", "sh", "-c", script, "sh"])
    assert (found.code, found.outcomes, found.err) == (1, ["failed"], "") and '"one-for-all-rows"' in found.out
    assert 1 <= len(complete(copy, disk)) == len(files(copy)) < 5


def test_read_only_cache_costs_no_result(tiny: Course, tmp_path: Path) -> None:
    wrap: Sequence[str] = ()
    if os.geteuid() == 0:  # root may write everywhere unless setpriv forbids it
        if not shutil.which("setpriv"):
            pytest.skip("root may write everywhere, and there is no setpriv to forbid it")
        wrap = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o555)
    found = check(folder_with(tmp_path, RIGHT), tiny, cache, wrap=wrap)
    assert (found.code, found.outcomes, found.err) == (0, ["passed"], "")
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("place", ["os.mkdir", "normgrade.course.files.open", "os.replace"])
def test_a_full_disk_keeps_an_expectation_for_this_run(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    cache = Cache(tmp_path / "cache", KEY)
    with monkeypatch.context() as patch:
        patch.setattr(place, on_a_full_disk if place.endswith("open") else full, raising=False)
        cache.put("abcd", b"content")
    assert cache.get("abcd") == b"content" and Cache(cache.folder, KEY).get("abcd") is None
    assert files(tmp_path) == []


# Reports that cannot be written

OLD = render_json([])


@pytest.fixture
def untouched(tiny: Course, tmp_path: Path) -> Path:
    """Return a folder with an untouched stub, whose report needs no run."""
    return folder_with(tmp_path, tiny.exercise("rms").stub.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("then", "code"), [("quota", 2), ("quota, death", -signal.SIGXFSZ)], ids=["full", "full, and kills the writer"])
def test_old_report_is_kept_if_the_disk_is(then: str, code: int, untouched: Path, tiny: Course, tmp_path: Path) -> None:
    output = tmp_path / "report.json"
    output.write_text(OLD, encoding="utf-8")
    found = check(untouched, tiny, tmp_path / "cache", HANDING_OVER, then=then, arguments=["--output", str(output)])
    assert (found.code, found.out) == (code, "")
    if code == 2:
        assert found.err == f'Error: Nothing can be written to "{output}" (File too large). Use --output PATH to choose another place.\n'
    assert output.read_text(encoding="utf-8") == OLD


def test_a_device_that_is_full_is_named(
    untouched: Path, tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    device = full_device(tmp_path)
    monkeypatch.setenv("NORMGRADE_COURSE", str(tiny.root))
    code = cli.run(["check", str(untouched / "rms.py"), "--output", str(device)])
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert (
        said.err == f'Error: Nothing can be written to "{device}" (No space left on device). Use --output PATH to choose another place.\n'
    )
    assert stat.S_ISCHR(device.stat().st_mode)


def full_device(tmp_path: Path) -> Path:
    """Return /dev/full, or a copy of it if the test could replace the system's device by mistake."""
    if os.geteuid():
        return Path("/dev/full")
    own = tmp_path / "full"
    try:
        os.mknod(own, stat.S_IFCHR | 0o600, os.makedev(1, 7))
        open(own, "wb").close()
    except OSError as error:
        pytest.skip(f"no device can be made here: {error}")
    return own
