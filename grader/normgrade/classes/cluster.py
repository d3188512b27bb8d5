"""Grading on the machines of a cluster of Dask, whose workers have to grade exactly as this machine does."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from normgrade.classes.gradebook import Origin
from normgrade.classes.origins import origin_of
from normgrade.classes.pool import WAITING, Graded, Setup, Work, grade_over, processes
from normgrade.course.course import Course
from normgrade.language import _
from normgrade.language.errors import GraderError, UsageError
from normgrade.worker.trusted.host import Host

PATIENCE_S = 30  # for the scheduler to answer
SHARE = 0.05  # of the submissions are graded on this machine, too


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


# On a worker


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
