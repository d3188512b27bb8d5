"""The opening of a grader: a zygote starts first, and everything else is loaded while it imports its library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from normgrade.course.ban import Ban
from normgrade.course.exercise import Exercise
from normgrade.course.folders import user_cache, user_config
from normgrade.course.tensor_library import Library
from normgrade.grading.grading_options import Options
from normgrade.language import _
from normgrade.oracle.cache import Cache
from normgrade.oracle.seal import Seal
from normgrade.worker.trusted.host import Host

if TYPE_CHECKING:
    from normgrade.grading.grader import Grader
    from normgrade.suite.suite import Suite

Collect = Callable[[Iterable[Exercise]], "Mapping[str, Suite]"]


def starting(*libraries: Library) -> str:
    """Return the text that these libraries are being imported."""
    return _("starting {library}", library=", ".join(each.called for each in libraries))


@contextmanager
def open_grader(exercises: Sequence[Exercise], options: Options, collect: Collect | None = None) -> Iterator[Grader]:
    """Start a zygote for each library. While it imports the library, collect the suites, by default in a pytest run of our own."""

    bans: dict[Library, list[Ban]] = {}
    for exercise in exercises:
        bans.setdefault(exercise.written_with, []).append(exercise.ban)
    with Seal(user_config()) as seal, ExitStack() as opened:
        hosts = {
            library: opened.enter_context(Host(options.tier, options.required, None, seal.before_worker, banned, library))
            for library, banned in bans.items()
        }
        options.progress(starting(*hosts), 0, 0)
        from normgrade.grading.course_worker import with_exact_plays  # loads pytest
        from normgrade.grading.grader import Grader  # loads pytest
        from normgrade.oracle.oracle import Oracle  # loads NumPy
        from normgrade.suite import collection  # loads pytest

        kept = Cache(user_cache(), seal.key)
        distinct = {exercise.slug: exercise for exercise in exercises}
        oracles = {slug: with_exact_plays(Oracle.of(each, kept), each, hosts[each.written_with]) for slug, each in distinct.items()}
        try:
            yield Grader(hosts, (collect or collection.collect)(distinct.values()), oracles, options)
        finally:
            kept.sweep()
