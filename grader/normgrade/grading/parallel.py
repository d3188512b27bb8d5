"""Long work on several cores: jobs in separate processes, and one count of the units that are done."""

from __future__ import annotations

import gc
import os
import signal
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.queues import SimpleQueue
from multiprocessing.util import Finalize
from threading import Thread
from typing import Any, Generic, TypeVar

from normgrade.diagnosis.deadline import NEVER, Deadline
from normgrade.grading.grading_options import OnProgress
from normgrade.language import speak, spoken
from normgrade.worker import interrupts

T = TypeVar("T")
Tick = Callable[[str], None]  # reports that one unit of work is done; the text names the work
Opened = Callable[[], AbstractContextManager[Any]]
PAUSE_S = 0.1  # between two looks at the reports
SPAWN = get_context("spawn")  # a fork would copy all that other threads hold at that moment


@dataclass(frozen=True, slots=True)
class Job(Generic[T]):
    """Work that calls its `Tick` once per unit. The tick is its last argument, after the shared resource that was opened for it, if any.

    If it runs in another process, `work` and its return value are pickled.
    """

    units: int
    work: Callable[..., T]


def over_cores(
    jobs: Sequence[Job[T]], cores: int, progress: OnProgress, opened: Opened | None = None, deadline: Deadline = NEVER, first: str = ""
) -> list[T]:
    """Run the jobs, the largest first, and return their results in the order of the jobs.

    With one core, or one job, they run in this process. `progress` is called after each unit; if there is a `first` text, also before the
    first unit and at every look at the processes. Each process calls `opened` once, at its first job, shares the result among its jobs,
    and closes it after the last. Raises OutOfTime when the deadline has passed; in this process, after a unit.
    """
    total, done = sum(job.units for job in jobs), 0

    def tick(what: str) -> None:
        nonlocal done
        done += 1
        progress(what, done, total)
        deadline.keep()

    if first:
        progress(first, done, total)
    number_of_processes = min(cores, len(jobs))
    if number_of_processes < 2:
        with ExitStack() as stack:
            shared = () if opened is None or not jobs else (stack.enter_context(opened()),)
            return [job.work(*shared, tick) for job in jobs]
    ticks: SimpleQueue[str] = SPAWN.SimpleQueue()
    with processes(number_of_processes, take_over, ticks, opened) as pool:
        largest_first = sorted(range(len(jobs)), key=lambda number: -jobs[number].units)
        futures = {number: hand_out(pool, run_job, jobs[number]) for number in largest_first}
        what = first
        for said in ticks_until_done(ticks, futures.values(), deadline):
            if said:
                tick(what := said)
            elif first:
                progress(what, done, total)
        return [futures[number].result() for number in range(len(jobs))]


def ticks_until_done(ticks: SimpleQueue[str], futures: Collection[Future[Any]], deadline: Deadline) -> Iterator[str]:
    """Yield the text of every unit that is done, and "" at every look, until all jobs have ended or one has failed.

    Raises OutOfTime at the deadline.
    """
    while True:
        ended, running = wait(futures, PAUSE_S)
        if running:
            deadline.keep()
            yield ""
        while not ticks.empty():
            yield ticks.get()
        if not running or any(future.exception() for future in ended):
            return


@contextmanager
def processes(number: int, prepare: Callable[..., None] | None = None, *given: Any) -> Iterator[ProcessPoolExecutor]:
    """Start a pool of quiet processes, each of which calls `prepare` with what is given, and end it with the block.

    After an error or Ctrl-C, or if the block is left early, the processes are ended where they are.
    """
    prepared = spoken(), gc.get_threshold(), prepare, given
    with ProcessPoolExecutor(number, SPAWN, initializer=be_quiet_child, initargs=prepared) as pool:
        try:
            yield pool
        except BaseException:  # also if nobody needs further results
            for process in active_children():
                process.terminate()
            raise  # the pool waits for its thread, which gives semaphores back; if this process ended meanwhile, they would leak


def hand_out(pool: Executor, work: Callable[..., T], *arguments: Any) -> Future[T]:
    """Submit work to an executor. A process that it starts is not interrupted before it is prepared: it would write a traceback."""
    with interrupts.blocked():
        return pool.submit(work, *arguments)


# In a process of the pool

TICKS: ContextVar[SimpleQueue[str]] = ContextVar("the queue to which a process of the pool reports the units that it has done")
OPENED: ContextVar[Opened | None] = ContextVar("what a process of the pool opens for its jobs")


def take_over(ticks: SimpleQueue[str], opened: Opened | None) -> None:
    """Give a process the queue for its reports, and what it opens for its jobs."""
    TICKS.set(ticks)
    OPENED.set(opened)


def be_quiet_child(language: str, garbage: tuple[int, int, int], prepare: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
    """Prepare a process that works for its parent: give it the language and the `garbage` thresholds of its parent, and call `prepare`.

    Ctrl-C reaches all processes at once. This one ignores it, and its parent ends it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    interrupts.unblock()
    speak(language)
    gc.set_threshold(*garbage)
    warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's, as on the command line
    Thread(target=end_with_parent, daemon=True).start()
    if prepare is not None:
        prepare(*given)


def end_with_parent() -> None:
    """End this process when its parent ends, even if the parent was killed: nobody wants the work any more."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def run_job(job: Job[T]) -> T:
    return job.work(*shared_here(), TICKS.get().put)


@cache
def shared_here() -> tuple[Any, ...]:
    """Return the resource that the jobs of this process share, if any. It is opened by the first call, and closed when the process ends."""
    opened = OPENED.get()
    return () if opened is None else (open_here(opened()),)


def open_here(context: AbstractContextManager[T]) -> T:
    """Enter a context that is left when this process ends, and return what it yields."""
    stack = ExitStack()
    Finalize(None, stack.close, exitpriority=0)
    return stack.enter_context(context)
