"""Plays of a trusted implementation in this process: natively as a worker does, or in another arithmetic on float64 numbers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from types import ModuleType

from normgrade.course.tensor_library import Library
from normgrade.worker.wire.observation import Observation, Playable


def play_natively(
    implementation: ModuleType,
    request: Playable,
    probes: ModuleType | None,
    size_limit_bytes: int | None = None,
    traced: ModuleType | None = None,
    written_with: Library = Library.TORCH,
) -> Observation:
    from normgrade.worker.untrusted.play import play  # only to play

    with quiet():
        return play(implementation, request, probes, size_limit_bytes, trusted=True, traced=traced, written_with=written_with)


def play_exactly(
    implementation: ModuleType,
    request: Playable,
    probes: ModuleType | None,
    arithmetic: AbstractContextManager[object] | None = None,
    traced: ModuleType | None = None,
    written_with: Library = Library.TORCH,
) -> Observation:
    """Play in float64, or in another arithmetic on float64 numbers."""
    from normgrade.worker.untrusted.play import NATIVE, play  # only to play

    with quiet():
        return play(
            implementation, request, probes, None, "float64", arithmetic or NATIVE, trusted=True, traced=traced, written_with=written_with
        )


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress output and warnings: those of a mistake are not the learner's doing."""
    with warnings.catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        warnings.simplefilter("ignore")
        yield
