"""Long work over all cores: jobs in processes of their own, and one count of what is done."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.queues import SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

from normgrade.language import speak, spoken
from normgrade.suite.options import OnProgress

T = TypeVar("T")
Tick = Callable[[str], None]  # one unit of work is done; the text says of what
PAUSE_S = 0.1  # between two looks at what is done


@dataclass(frozen=True, slots=True)
class Job(Generic[T]):
    """Work of so many units. Where it runs in another process, `work` and what it returns are pickled."""

    units: int
    work: Callable[[Tick], T]


def available() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def over_cores(jobs: Sequence[Job[T]], cores: int, progress: OnProgress) -> list[T]:
    """What the jobs return, in their order; the largest begin. With one core, or one job, they run here."""
    total, done = sum(job.units for job in jobs), 0

    def tick(what: str) -> None:
        nonlocal done
        done += 1
        progress(what, done, total)

    if min(cores, len(jobs)) < 2:
        return [job.work(tick) for job in jobs]
    context = get_context("spawn")  # a fork would copy whatever threads hold at that moment
    ticks: SimpleQueue[str] = context.SimpleQueue()
    with ProcessPoolExecutor(min(cores, len(jobs)), context, initializer=begin, initargs=(ticks, spoken())) as pool:
        order = sorted(jobs, key=lambda job: -job.units)
        begun = {id(job): pool.submit(at_work, job) for job in order}
        futures = [begun[id(job)] for job in jobs]
        try:
            for what in told(ticks, futures):
                tick(what)
            return [future.result() for future in futures]
        except BaseException:  # Ctrl-C, too
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():
                process.terminate()
            raise


def told(ticks: SimpleQueue[str], futures: Sequence[Future[Any]]) -> Iterator[str]:
    """What the jobs say, until all are done or one has failed."""
    while True:
        ended, running = wait(futures, PAUSE_S)
        while not ticks.empty():
            yield ticks.get()
        if not running or any(future.exception() for future in ended):
            return


reporting: list[SimpleQueue[str]] = []  # in a process of the pool: where its units are counted


def begin(ticks: SimpleQueue[str], language: str) -> None:
    """Be a process of the pool. A terminal interrupts all processes at once; the first one ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    speak(language)
    reporting.append(ticks)
    Thread(target=die_with_parent, daemon=True).start()


def die_with_parent() -> None:
    """Nobody wants the work of a process whose parent was killed."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def at_work(job: Job[T]) -> T:
    return job.work(reporting[-1].put)
