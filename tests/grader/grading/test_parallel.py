"""Tests of work over several cores: results stay in order, every unit is counted, and errors are raised."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

import normgrade
from normgrade.diagnosis.deadline import Deadline, OutOfTime
from normgrade.grading.grading_options import available
from normgrade.grading.parallel import Job, Tick, over_cores
from normgrade.language.errors import CourseError


def work(number: int, units: int, tick: Tick) -> tuple[int, int]:
    for _ in range(units):
        tick(f"job {number}")
    return number, os.getpid()


def broken(tick: Tick) -> Any:
    raise CourseError("this course is broken.")


def jobs(*sizes: int) -> list[Job[tuple[int, int]]]:
    return [Job(units, partial(work, number, units)) for number, units in enumerate(sizes)]


@pytest.mark.parametrize("cores", [1, 2])
def test_results_are_in_order_and_units_counted(cores: int) -> None:
    told: list[tuple[str, int, int]] = []
    results = over_cores(jobs(1, 3, 2), cores, lambda *what: told.append(what))
    assert [number for number, _ in results] == [0, 1, 2]
    assert [(done, total) for _, done, total in told] == [(number, 6) for number in range(1, 7)]
    assert sorted(what for what, _, _ in told) == ["job 0", "job 1", "job 1", "job 1", "job 2", "job 2"]
    assert all((process == os.getpid()) == (cores == 1) for _, process in results)


@pytest.mark.parametrize("cores", [1, 2])
def test_first_text_is_reported_before_any_unit(cores: int) -> None:
    told: list[tuple[str, int, int]] = []
    with pytest.raises(OutOfTime):
        over_cores([Job(600, slow), Job(600, slow)], cores, lambda *what: told.append(what), deadline=Deadline.after(0.3), first="begun")
    assert told[0] == ("begun", 0, 1200)
    assert cores == 1 or told.count(told[0]) > 1


def slow(tick: Tick) -> None:
    for _ in range(6000):
        time.sleep(0.1)
        tick("slow")


@pytest.mark.parametrize("cores", [1, 2])
def test_nothing_goes_on_after_the_deadline(cores: int) -> None:
    started = time.monotonic()
    with pytest.raises(OutOfTime):
        over_cores([Job(6000, slow), Job(6000, slow)], cores, lambda *what: None, deadline=Deadline.after(0.3))
    assert time.monotonic() - started < 30
    until = time.monotonic() + 120  # on a busy machine a process may still be starting, and the pool waits for it too
    while active_children() and time.monotonic() < until:
        time.sleep(0.05)
    assert not active_children()


def thresholds(tick: Tick) -> tuple[int, int, int]:
    return gc.get_threshold()


def test_other_processes_have_the_same_gc_thresholds() -> None:
    usual = gc.get_threshold()
    gc.set_threshold(usual[0] + 1000, *usual[1:])
    try:
        mine = gc.get_threshold()
        assert over_cores([Job(1, thresholds), Job(1, thresholds)], 2, lambda *what: None) == [mine, mine]
    finally:
        gc.set_threshold(*usual)


def test_a_single_job_stays_in_this_process() -> None:
    [(_, process)] = over_cores(jobs(1), 4, lambda *what: None)
    assert process == os.getpid()


@pytest.mark.parametrize("cores", [1, 2])
def test_an_error_of_a_job_is_raised(cores: int) -> None:
    with pytest.raises(CourseError, match=r"^this course is broken\.$"):
        over_cores([*jobs(1), Job(1, broken), *jobs(1)], cores, lambda *what: None)


@contextmanager
def opened_in(folder: Path) -> Iterator[str]:
    """Yield the number of this process. Afterwards, touch a file in the folder that names it."""
    yield f"{os.getpid()}"
    (folder / f"closed by {os.getpid()}").touch()


def with_opened(shared: str, tick: Tick) -> tuple[str, int]:
    return shared, os.getpid()


@pytest.mark.parametrize("cores", [1, 2])
def test_shared_context_is_opened_once_per_process(cores: int, tmp_path: Path) -> None:
    results = over_cores([Job(1, with_opened)] * 5, cores, lambda *what: None, partial(opened_in, tmp_path))
    assert all(shared == str(process) for shared, process in results)
    assert {path.name for path in tmp_path.iterdir()} == {f"closed by {process}" for _, process in results}


@pytest.mark.parametrize("cores", [1, 2])
def test_failing_shared_context_raises(cores: int) -> None:
    with pytest.raises(CourseError, match=r"^this course is broken\.$"):
        over_cores([Job(1, with_opened)] * 2, cores, lambda *what: None, partial(broken, print))


def test_no_jobs_give_no_results() -> None:
    assert over_cores([], 4, lambda *what: None, partial(broken, print)) == []


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="a process can be bound to cores on Linux")
def test_available_cores_are_those_of_the_affinity() -> None:
    all_cores = os.sched_getaffinity(0)
    try:
        for some in ({min(all_cores)}, all_cores):
            os.sched_setaffinity(0, some)
            assert available() == len(some)
    finally:
        os.sched_setaffinity(0, all_cores)


@pytest.mark.parametrize(("counted", "cores"), [(7, 7), (None, 1)])
def test_without_affinity_all_cores_are_available(counted: int | None, cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: counted)
    assert available() == cores


PRESSED = """
import os, signal, sys, time
from pathlib import Path
from normgrade.grading import parallel
from normgrade.grading.parallel import Job, over_cores

if __name__ == "__mp_main__":  # in a process that is not prepared yet
    Path(sys.argv[1], f"{os.getpid()}.pid").touch()
    time.sleep(1)

def work(tick):
    return None

def press(ticks, futures, deadline):
    while len(list(Path(sys.argv[1]).glob("*.pid"))) < 2:
        time.sleep(0.01)
    os.killpg(0, signal.SIGINT)  # all get it, as from a terminal
    signal.pause()

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    parallel.ticks_until_done = press
    try:
        over_cores([Job(1, work), Job(1, work)], 2, lambda *what: None)
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
def test_processes_interrupted_at_start_are_silent(tmp_path: Path) -> None:
    (tmp_path / "pressed.py").write_text(PRESSED, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(Path(normgrade.__file__).parents[1])}
    program = [sys.executable, str(tmp_path / "pressed.py"), str(tmp_path)]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=60, start_new_session=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_work_ends_with_its_parent(number: signal.Signals, tmp_path: Path) -> None:
    program = tmp_path / "endless.py"
    program.write_text(ENDLESS, encoding="utf-8")
    started = subprocess.Popen([sys.executable, program, tmp_path], env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    files = [tmp_path / f"{number}.pid" for number in range(2)]
    try:
        wait_until(lambda: all(file.exists() and file.read_text() for file in files))
        started.send_signal(number)
        wait_until(lambda: not any(alive(int(file.read_text())) for file in files))
    finally:
        started.kill()
        started.wait()


ENDLESS = """
import os, signal, sys, time
from functools import partial
from pathlib import Path
from normgrade.grading.parallel import Job, over_cores

def endless(number, folder, tick):
    Path(folder, f"{number}.pid").write_text(str(os.getpid()))
    time.sleep(600)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    over_cores([Job(1, partial(endless, number, sys.argv[1])) for number in range(2)], 2, lambda *what: None)
"""


def alive(process: int) -> bool:
    """Return True if a process still runs. A zombie does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until(holds: Callable[[], bool], timeout_s: float = 60.0) -> None:
    end = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < end, f"it did not come to this in {timeout_s:.0f} s"
        time.sleep(0.05)
