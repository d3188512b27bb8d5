"""The executors of a class: the cores of this machine, an executor of the user's own, or a cluster; and `normgrade.grade_many`."""

from __future__ import annotations

import math
import os
import pkgutil
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from normgrade.classes.pool import WAITING, Graded, Setup, Work, grade_on_cores, grade_over
from normgrade.classes.results import Origin
from normgrade.classes.session import Grading, origin_of
from normgrade.course.course import Course
from normgrade.grading.grading_options import PUBLIC_SEED, available
from normgrade.grading.parallel import processes
from normgrade.language import _
from normgrade.language.errors import GraderError, UsageError
from normgrade.worker.trusted.host import Host
from normgrade.worker.walls import TIERS

PATIENCE_S = 30  # for the scheduler to answer
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
        with open_cluster(choice.cluster, shut) as cluster:
            for sentence in cluster.refused:
                say(sentence)
            yield partial(compared, partial(grade_over, cluster.executor, setup=shut, ahead=cluster.ahead), setup=shut)
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


@dataclass(frozen=True, slots=True)
class Cluster:
    """The workers that grade: an executor over them, how many submissions they hold, and why other workers are refused."""

    executor: Executor
    ahead: int
    refused: tuple[str, ...]


@contextmanager
def open_cluster(address: str, setup: Setup) -> Iterator[Cluster]:
    """Connect to the scheduler at an address such as "tcp://10.0.0.1:8786". Raise UsageError if no worker can be used."""
    try:
        from distributed import Client  # only for a cluster
    except ImportError:
        raise UsageError(_("A cluster needs Dask. Run `pip install 'normgrade[cluster]'` here and on its machines.")) from None
    try:
        client: Any = Client(address, timeout=PATIENCE_S, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        said = _('There is no scheduler of Dask at "{address}" ({error}). Start one with `dask scheduler`.', address=address, error=error)
        raise UsageError(said) from error
    with client:
        refusals: Mapping[str, str] = client.run(refusal, setup, origins_of(setup))
        usable = [worker for worker, why in refusals.items() if not why]
        refused = tuple(_("Worker {worker} is refused: {why}", worker=worker, why=why) for worker, why in refusals.items() if why)
        if not usable:
            none = _('No worker of the cluster at "{address}" can be used.', address=address)
            raise UsageError("\n".join([none, *refused]))
        threads = sum(client.nthreads(usable).values())
        yield Cluster(client.get_executor(workers=usable, pure=False), WAITING * threads, refused)


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
