"""Hidden suites for tests: helpers that write their sources and play them in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from normgrade.compare.played import Result
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.grading.reference_run import ReferenceRun
from normgrade.grading.run import Run
from normgrade.oracle.cache import Cache
from normgrade.oracle.loading import module
from normgrade.oracle.oracle import Oracle
from normgrade.report.report import Check
from normgrade.suite.suite import Suite
from normgrade.suite.vocabulary import Player
from normgrade.worker.untrusted.play import load, play
from normgrade.worker.wire.observation import Observation, Playable

KEY = bytes(32)  # of a user


EditedCourse = Callable[..., Course]


Checks = Mapping[str, Check]


RunSuite = Callable[..., Checks]


HEAD = "import pytest\nfrom normgrade.suite import build, call, claim, evaluate, ones, probe, randn, reload, train, uniform, zeros\n"


RIGHT = (Path(__file__).parents[1] / "fixtures/submissions/right_centring/centring.py").read_text(encoding="utf-8")


def changed(old: str, new: str) -> str:
    assert RIGHT.count(old) == 1
    return RIGHT.replace(old, new)


def test_function(body: str, name: str = "test_it", kind: str = "formula", more: str = "", marks: str = "", doc: str = "It holds.") -> str:
    """Return the source of one check. `more` are further arguments of its claim, and `marks` are lines below it."""
    return f'@claim("{kind}", {more})\n{marks}\ndef {name}(agree, refuses, observe):\n    """{doc}"""\n    {body}\n\n'


test_function.__test__ = False  # type: ignore[attr-defined]  # it writes tests and is not one itself


@dataclass
class InThisProcess:
    """A player of a source in this process that remembers all requests. It is fast, and equals a worker if the source is harmless."""

    source: str
    exercise: Exercise
    prints: str = ""
    asked: list[Playable] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.implementation = load(self.source, "mine.py")

    def play(self, request: Playable, size_limit_bytes: int) -> Observation:
        self.asked.append(request)
        probes = None if self.exercise.probes is None else module(read_text(self.exercise.probes), "probes")
        return replace(play(self.implementation, request, probes, size_limit_bytes), stdout=self.prints)


def played(suite: Suite, player: Player, folder: Path, seed: int = 0) -> list[Result]:
    exercise = suite.exercise
    oracle = Oracle.of(exercise, Cache(folder, KEY))
    return list(Run(player, ReferenceRun(oracle, exercise, read_text(exercise.reference), seed)).results(suite))


def one(checks: Checks) -> Check:
    [check] = checks.values()
    return check
