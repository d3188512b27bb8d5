"""The executors of a class: the cores of this machine, an executor of the user's own, or a cluster; and `normgrade.grade_many`.

Submissions are handed out one by one to processes, each of which keeps a grader open.
"""

from __future__ import annotations

import json
import math
import os
import pkgutil
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

from normgrade.classes.hand_ins import Origin, origin_of
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.grading.grade import Submission, report_of_inspection
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import PUBLIC_SEED, Options, available
from normgrade.grading.opening import open_grader
from normgrade.grading.parallel import hand_out, open_here, processes
from normgrade.grading.reporting import report_on
from normgrade.inspection.inspection import inspect_content
from normgrade.language import _
from normgrade.language.errors import GraderError, UsageError
from normgrade.report.render.json import report_as_json
from normgrade.worker.trusted.host import Host
from normgrade.worker.walls import TIERS

WAITING = 2  # submissions for each process that are handed out: one that it grades, and one that waits


@dataclass(frozen=True, slots=True)
class Work:
    """A submission to grade: its exercise, its bytes, and the name that its report gives it."""

    slug: str
    content: bytes
    name: str


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that a process needs to know before it grades: the course, the exercises that may come, and the options."""

    course: Path
    slugs: tuple[str, ...]
    seed: int = PUBLIC_SEED
    timeout_s: float | None = None
    required: str = "process"

    @property
    def options(self) -> Options:
        return Options(self.seed, self.timeout_s, required=self.required)


@dataclass(frozen=True)
class Graded:
    """A graded submission: the `text` of its report, an object in the `reports` of JSON.

    If the grader broke, there is no text, and `error` tells why. That is never the fault of the submission.
    """

    work: Work
    text: str
    error: str = ""

    @cached_property
    def report(self) -> Mapping[str, Any]:
        """The fields of the report."""
        found: Mapping[str, Any] = json.loads(self.text)
        return found


Grading = Callable[[Iterable[Work]], Iterator[Graded]]  # yields the graded submissions as they come


def grade_on_cores(works: Iterable[Work], setup: Setup, cores: int) -> Iterator[Graded]:
    """Yield the graded submissions as they come, from one process on each core.

    If a process dies, the others' results are not lost: the submissions that were being graded are graded once more, each of them alone.
    """
    rest, lost = iter(works), list[Work]()
    while True:
        with processes(cores) as executor:
            yield from graded(rest, setup, executor, WAITING * cores, lost.append)
        if not lost:
            return
        while lost:
            with processes(1) as executor:
                yield from grade_over(executor, [lost.pop()], setup=setup, ahead=1)


def grade_over(executor: Executor, works: Iterable[Work], *, setup: Setup, ahead: int) -> Iterator[Graded]:
    """Yield the graded submissions as they come from an executor, to which at most `ahead` are handed out at a time."""
    lost: list[Work] = []
    yield from graded(works, setup, executor, ahead, lost.append)
    yield from (Graded(work, "", _("the process that graded it was ended from outside.")) for work in lost)


def graded(works: Iterable[Work], setup: Setup, executor: Executor, ahead: int, on_lost: Callable[[Work], None]) -> Iterator[Graded]:
    """Yield the graded submissions as they come. At most `ahead` of them are handed out to the executor at a time.

    If the executor breaks, `on_lost` is called with each submission that it had, and the rest stays in the iterator.
    """
    rest, broken = iter(works), False
    running: dict[Future[str], Work] = {}
    while True:
        for work in islice(rest, 0 if broken else ahead - len(running)):
            running[hand_out(executor, report_text, setup, work)] = work
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            work = running.pop(future)
            try:
                yield Graded(work, future.result())
            except BrokenExecutor:
                broken = True
                on_lost(work)
            except (GraderError, UsageError) as error:
                yield Graded(work, "", str(error))


# In a process of the executor

LOCK = Lock()  # held while a process grades: it may have several threads, such as a worker of a cluster


def report_text(setup: Setup, work: Work) -> str:
    """Grade a submission, with the grader that this process keeps open. Return its report as JSON."""
    with LOCK:
        seat = seat_for(setup)
    exercise = seat.exercises[work.slug]
    submission = Submission(exercise, Path(exercise.file_name), work.name)
    inspection = inspect_content(work.content, submission.path, exercise)
    if inspection.playable:
        with LOCK:
            report = report_on(seat.grader_for(work.slug), submission, inspection)
    else:
        report = report_of_inspection(submission, inspection, setup.seed)
    return json.dumps(report_as_json(report), allow_nan=False)


class Seat:
    """The grader of this process, which is opened at the first submission that has to be played, and closed when the process ends."""

    def __init__(self, setup: Setup) -> None:
        course = Course.find(setup.course)
        self.exercises: dict[str, Exercise] = {slug: course.exercise(slug) for slug in setup.slugs}
        self.options, self.slug = setup.options, ""
        self.grader: Grader | None = None

    def grader_for(self, slug: str) -> Grader:
        """Return the grader. If the exercise is another than before, all that was read for the one before is forgotten."""
        if self.grader is None:
            self.grader = open_here(open_grader([*self.exercises.values()], self.options))
        if slug != self.slug:
            self.grader.forget()
            self.slug = slug
        return self.grader


@cache
def seat_for(setup: Setup) -> Seat:
    """Return the seat of this process. It has one for each setup that comes."""
    return Seat(setup)


# The choice of a user


SHARE = 0.05  # of the submissions are graded on this machine, too


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice of a user: the address of a cluster, the name of a function that returns an executor, or neither."""

    cores: int
    executor: str = ""
    cluster: str = ""


@contextmanager
def opened(choice: Choice, setup: Setup, say: Callable[[str], None]) -> Iterator[Grading]:
    """Open the chosen executor, and yield the function that grades with it. `say` is called with a sentence on each refused worker."""
    if choice.cluster:
        shut = replace(setup, required=without_network(setup.required))
        with open_cluster(choice.cluster, shut, say) as grade:
            yield partial(compared, grade, setup=shut)
    elif choice.executor:
        with executor_named(choice.executor)() as executor:
            yield partial(grade_over, executor, setup=setup, ahead=WAITING * choice.cores)
    else:
        yield partial(grade_on_cores, setup=setup, cores=choice.cores)


def without_network(required: str) -> str:
    """Return the tier, or the weakest one without a network: behind weaker walls, a submission could join the cluster as a worker."""
    return required if required != TIERS[0] else TIERS[1]


def executor_named(name: str) -> Callable[[], Executor]:
    """Return the function "package.module:function", which is also looked for in this folder. Raise UsageError if there is none."""
    sys.path.append(os.getcwd())
    try:
        found = pkgutil.resolve_name(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(
            _(
                'There is no executor "{name}" ({error}). Name a function that returns one, as in "my_cluster:executor".',
                name=name,
                error=error,
            )
        ) from error
    finally:
        sys.path.pop()
    if not callable(found):
        raise UsageError(_('"{name}" is not a function that returns an executor. Name one, as in "my_cluster:executor".', name=name))
    function: Callable[[], Executor] = found
    return function


# From Python


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to an exercise.

    exercise: the slug, "layer_norm".
    source: its code.
    name: the name that its report gives it.

    >>> Answer("rms_norm", "import torch", name="run 7").name
    'run 7'
    """

    exercise: str
    source: str
    name: str = "answer"


def grade_many(
    answers: Iterable[Answer],
    *,
    course: str | Path | None = None,
    seed: int = PUBLIC_SEED,
    timeout_s: float | None = None,
    require_isolation: str = "process",
    cores: int | None = None,
    executor: Executor | None = None,
) -> Iterator[Mapping[str, Any]]:
    """Yield the report on each answer as soon as it is known, as an object in the `reports` of JSON.

    The answers may come from a generator: only a few are taken ahead of time. They are graded on all cores, or on so many `cores`, or by
    an `executor` of any kind whose processes have normgrade and the course. A script that calls this begins with
    `if __name__ == "__main__":`, because it is imported by the processes.

    Raise UsageError if an exercise does not exist or is broken, and GraderError if an answer could not be graded.
    """
    found = Course.find(None if course is None else Path(course))
    setup = Setup(found.root, tuple(found.slugs), seed, timeout_s, require_isolation)
    works = (work_of(answer, found) for answer in answers)
    number = cores or available()
    if executor is None:
        return map(report_of, grade_on_cores(works, setup, number))
    return map(report_of, grade_over(executor, works, setup=setup, ahead=WAITING * number))


def work_of(answer: Answer, course: Course) -> Work:
    """Return the work to grade an answer. Raise UsageError if there is no such exercise."""
    course.exercise(answer.exercise)
    return Work(answer.exercise, answer.source.encode(errors="surrogateescape"), answer.name)


def report_of(graded: Graded) -> Mapping[str, Any]:
    """Return the report of a graded answer. Raise GraderError if it could not be graded."""
    if graded.error:
        raise GraderError(f"{graded.work.name}: {graded.error}")
    return graded.report


# A cluster of Dask, whose workers have to grade exactly as this machine does


@contextmanager
def open_cluster(address: str, setup: Setup, say: Callable[[str], None]) -> Iterator[Grading]:
    """Connect to the scheduler at an address such as "tcp://10.0.0.1:8786", and yield the function that grades on its workers.

    Raise UsageError if no worker can be used.
    """
    try:
        from distributed import Client  # only for a cluster
    except ImportError:
        raise UsageError(_("A cluster needs Dask. Run `pip install 'normgrade[cluster]'` here and on its machines.")) from None
    try:
        client: Any = Client(address, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        said = _('There is no scheduler of Dask at "{address}" ({error}). Start one with `dask scheduler`.', address=address, error=error)
        raise UsageError(said) from error
    with client:
        refusals: Mapping[str, str] = client.run(refusal, setup, origins_of(setup))
        usable = [worker for worker, why in refusals.items() if not why]
        refused = [_("Worker {worker} is refused: {why}", worker=worker, why=why) for worker, why in refusals.items() if why]
        if not usable:
            none = _('No worker of the cluster at "{address}" can be used.', address=address)
            raise UsageError("\n".join([none, *refused]))
        for sentence in refused:
            say(sentence)
        ahead = WAITING * sum(client.nthreads(usable).values())
        yield partial(grade_over, client.get_executor(workers=usable, pure=False), setup=setup, ahead=ahead)


def compared(grade: Callable[[Sequence[Work]], Iterator[Graded]], works: Iterable[Work], setup: Setup) -> Iterator[Graded]:
    """Yield the submissions that a cluster graded, as they come. Raise UsageError if this machine grades one of a random share otherwise.

    Whoever reaches a scheduler can add a worker that gives any report.
    """
    every = [*works]
    chosen = {*secrets.SystemRandom().sample(every, math.ceil(SHARE * len(every)))}
    with processes(1) as here:
        for graded in grade(every):
            if graded.work in chosen and not graded.error:
                [own] = grade_over(here, [graded.work], setup=setup, ahead=1)
                ours, theirs = (
                    "" if each.error else f"{each.report['score']['earned']} {each.report['outcome']}" for each in (own, graded)
                )
                if ours and ours != theirs:
                    said = {"submission": graded.work.name, "ours": ours, "theirs": theirs}
                    raise UsageError(
                        _("{submission} is {ours} here, and {theirs} on the cluster: look for a strange worker, and use --again.", **said)
                    )
            yield graded


def origins_of(setup: Setup) -> dict[str, Origin]:
    """Return the origin of the results that this machine makes, by slug."""
    course = Course.find(setup.course)
    return {slug: origin_of(course.exercise(slug), setup.seed) for slug in setup.slugs}


# On a worker of a cluster


def refusal(setup: Setup, wanted: Mapping[str, Origin]) -> str:
    """Return why this worker would not grade as the machine that asks; "" if it does."""
    try:
        own = origins_of(setup)
    except (GraderError, UsageError, OSError) as error:
        return str(error)
    for slug, origin in wanted.items():
        if own[slug].program != origin.program or own[slug].versions != origin.versions:
            theirs, ours = (", ".join(f"{name} {each}" for name, each in made.versions.items()) for made in (own[slug], origin))
            return _("it has {theirs}, with other sources or versions than {ours} here. Install the same there.", theirs=theirs, ours=ours)
        if own[slug].course != origin.course:
            return _('its course in "{folder}" has another "{slug}". Copy the course there.', folder=setup.course, slug=slug)
    try:
        with Host(required=setup.required) as host:
            host.protection  # noqa: B018  (raises if the walls are weaker)
    except GraderError as error:
        return str(error)
    return ""
