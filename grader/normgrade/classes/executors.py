"""The executors of a class: processes on the cores of this machine, an executor of the user's own, or a cluster."""

from __future__ import annotations

import os
import pkgutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from normgrade.classes.cluster import compared, open_cluster
from normgrade.classes.pool import WAITING, Setup, grade_on_cores, grade_over
from normgrade.classes.session import Grading
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.worker.walls import TIERS


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
