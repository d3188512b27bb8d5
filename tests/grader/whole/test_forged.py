"""Tests of forged observations: a hidden suite blames them on the submission and never calls itself broken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from normgrade.course.course import Course
from normgrade.course.files import read_text, read_where_there
from normgrade.course.package import carried
from normgrade.grading.reference_run import ReferenceRun
from normgrade.grading.run import Run
from normgrade.language.places import Absent
from normgrade.oracle.cache import Cache
from normgrade.oracle.expected import Expectation
from normgrade.oracle.oracle import Oracle
from normgrade.report.report import Outcome
from normgrade.suite.collection import collect
from normgrade.suite.vocabulary import observe
from normgrade.worker.untrusted.play import load, play
from normgrade.worker.wire.observation import Array, Foreign, Observation, Playable, Reason, Value
from normgrade.worker.wire.requests import TypedRequest

EXERCISES = tuple(Course(carried()))
HUGE = 10**400


def array(values: object, dtype: str = "float32") -> Array:
    return Array(np.array(values), dtype)


FORGERIES: dict[str, Callable[[Value], Value]] = {
    "no dimension": lambda value: array(1.0),
    "nothing in it": lambda value: array(np.zeros((0, 3), np.float32)),
    "too many dimensions": lambda value: array(np.ones((2,) * 9, np.float32)),
    "another dtype": lambda value: changed(value, np.int64),
    "truths": lambda value: changed(value, np.bool_),
    "not finite": lambda value: filled(value, np.nan),
    "infinite": lambda value: filled(value, -np.inf),
    "huge": lambda value: filled(value, 3e38),
    "none": lambda value: None,
    "a truth": lambda value: True,
    "a huge number": lambda value: HUGE,
    "nan": lambda value: float("nan"),
    "text": lambda value: "\0" * 99,
    "foreign": lambda value: Foreign(Reason.TYPE, "list"),
    "foreign, with a negative size": lambda value: Foreign(Reason.SIZE, "Tensor", "float32", (-1,), "torch.strided", "cpu"),
    "foreign, with nothing said of it": lambda value: Foreign(Reason.FORM, ""),
    "absent": lambda value: Absent("weight"),
}


def changed(value: Value, dtype: type) -> Value:
    return array(np.ones(value.values.shape if isinstance(value, Array) else (), dtype), np.dtype(dtype).name)


def filled(value: Value, number: float) -> Value:
    return array(np.full(value.values.shape if isinstance(value, Array) else (), number, np.float32))


@dataclass(frozen=True)
class Forger(Oracle):
    """An oracle that remembers its expectations and, as a player, observes them forged."""

    told: dict[int, Expectation] = field(default_factory=dict)
    forge: Callable[[Mapping[str, Value]], Mapping[str, Value]] = dict

    def expectation(self, source: str, request: TypedRequest, keep: bool = True, anew: bool = False) -> Expectation:
        known = super().expectation(source, request, keep, anew)
        self.told[id(known.request)] = known
        return known

    def play(self, request: Playable, size_limit_bytes: int) -> Observation:
        places = self.told[id(request)].places
        return Observation(self.forge({name: place.value for name, place in places.items()}))


def forged(by: Callable[[Value], Value]) -> Callable[[Mapping[str, Value]], Mapping[str, Value]]:
    return lambda values: {name: by(value) for name, value in values.items()}


def test_no_forged_observation_breaks_a_suite(expectations: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only checks that assert on values themselves are played; test_fuzz forges values for checks that compare them."""
    # Probes set flags of PyTorch, which its own testing module, once anything has imported it into this process, refuses.
    monkeypatch.setitem(torch.backends.disable_global_flags.__globals__, "flags_frozen", lambda: False)
    forgeries = {name: forged(by) for name, by in FORGERIES.items()} | {"no places": lambda values: {}}
    suites, broken, played = collect(EXERCISES), {}, 0
    for exercise in EXERCISES:
        probes, shared = map(read_where_there, (exercise.probes, exercise.shared_probes))
        tests = [test for test in suites[exercise.slug].tests if observe in test.arguments.values()]
        for name, forge in forgeries.items():
            forger = Forger(Cache(expectations, bytes(32)), probes, None, (), shared, exercise.written_with, forge=forge)
            for test in tests:
                check = Run(forger, ReferenceRun(forger, exercise, read_text(exercise.reference))).result_of(test).check
                played += 1
                if check.outcome is Outcome.ERROR:
                    broken[exercise.slug, name, check.name] = check.message
    assert broken == {} and played >= 8 * len(forgeries)


@dataclass(frozen=True)
class Here:
    """A player of a source in this process."""

    implementation: ModuleType
    probes: ModuleType | None

    def play(self, request: Playable, size_limit_bytes: int) -> Observation:
        return play(self.implementation, request, self.probes, size_limit_bytes)


SEVEN = """
import torch

class DeepNorm(torch.nn.Module):
    def __init__(self, dim, alpha, sublayer):
        super().__init__()

    def forward(self, x):
        return torch.full_like(x, 7)
"""


def test_half_precision_is_judged_by_the_grader(expectations: Path) -> None:
    """A block with a constant output agrees only with itself."""
    exercise = Course(carried()).exercise("deep_norm")
    oracle, reference = Oracle.of(exercise, Cache(expectations, bytes(32))), read_text(exercise.reference)
    [half] = [test for test in collect([exercise])["deep_norm"].tests if test.name == "test_half_precision"]
    players = [Here(load(source, "deep_norm.py"), oracle.modules(source)[1]) for source in (SEVEN, reference)]
    outcomes = [Run(player, ReferenceRun(oracle, exercise, reference)).result_of(half).check.outcome for player in players]
    assert outcomes == [Outcome.FAILED, Outcome.PASSED]
