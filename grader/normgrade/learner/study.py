"""Studies: the networks of an exercise's lab with the learner's layer, with the reference, and without any norm.

The course defines the networks and their runs, in `shared_lab.py` and in the `lab.py` of the exercise. They are played as probes are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from normgrade.course.exercise import Exercise, Limits
from normgrade.course.files import read_text
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import OnProgress, crowding, silent
from normgrade.language import _
from normgrade.language.errors import CourseError
from normgrade.suite.blame import alone
from normgrade.worker.trusted.host import Worker
from normgrade.worker.wire.messages import Load
from normgrade.worker.wire.observation import Array, Cause, Error, Request

LIMITS = Limits(answer_s=300.0, total_s=1800.0, memory_mib=2048)
MOST_BYTES = 2**24  # of one tensor
FEW, MANY = 2, 64  # examples in the small batch and in the large one
SAME = 1e-3  # of the largest output: by so little, outputs differ in rounding only
RUNS = 4  # of one study
SIZES = ("activations", "gradients")
AT = {"outputs": "evaluation", "outputs in training": "training", "outputs after learning": "learning"}  # the places of outputs
ENTRY = """

def lab(impl, what, **asked):
    import shared_lab

    return getattr(shared_lab, what)(impl, LAB, **asked)
"""  # it follows the exercise's lab.py

Seen = Mapping[str, Any]  # what a run saw, by place
Play = Callable[..., Seen | Error]


@dataclass(frozen=True)
class Study:
    """One network of a lab, on all sides. If the learner's code raises an exception, `error` tells it, and there is nothing of it.

    - `kind`, `name`: the kind of the network, and the name of the stack if the exercise has several.
    - `reference`, `bare`, `yours`: what training saw with the reference, without any norm, and with the learner's layer.
    - `few`: the learner's, trained in batches of FEW.
    - `expected`, `compared`: outputs with the reference and with the learner's layer, which begin with the same weights.
    """

    kind: str
    name: str
    reference: Seen
    bare: Seen
    expected: Seen
    yours: Seen | None = None
    few: Seen | None = None
    compared: Seen | None = None
    error: Error | None = None

    @property
    def worst(self) -> tuple[float, float, str]:
        """The largest difference of outputs, the largest of these outputs, and when they differ most: a value of AT."""
        assert self.compared is not None
        places = [place for place in AT if place in self.expected]
        largest = {place: float(np.abs(numbers(self.expected[place])).max()) for place in places}
        off = {place: far(self.compared.get(place), self.expected[place]) for place in places}
        place = max(places, key=lambda each: off[each] / (largest[each] or 1.0))
        return off[place], largest[place], AT[place]

    @property
    def agrees(self) -> bool:
        """True if the learner's network gives the reference's outputs, apart from rounding."""
        if self.compared is None:
            return False
        off, largest, _at = self.worst
        return off <= SAME * largest


@dataclass(frozen=True, slots=True)
class Laboratory:
    """The lab of an exercise, and a learner's file in it. `watched` is told of each step."""

    grader: Grader
    exercise: Exercise
    source: str
    file_name: str
    watched: OnProgress = silent

    def studies(self) -> Iterator[Study]:
        """Yield a study of each bench, as soon as it is played."""
        with self.reference() as play:
            found = certain(play("benches"))
        count = len(found) // 2
        for number in range(count):
            yield self.study(number, count, *(str(found[f"{what} {number}"]) for what in ("kind", "name")))

    def study(self, number: int, count: int, kind: str, name: str) -> Study:
        """Return the study of one bench: first the sides that are known to work, then the learner's."""
        steps = iter(range(RUNS * number, RUNS * count))

        def begin(what: str) -> None:
            self.watched(what, next(steps), RUNS * count)

        with self.reference() as play:
            begin(_("the reference learns"))
            start = certain(play("begun", number=number))
            reference = certain(play("trained", number=number, start=start))
            asked = {"number": number, "start": start, "few": FEW, "many": MANY}
            expected = certain(play("compared", **asked))
            begin(_("a network without a norm learns"))
            known = Study(kind, name, reference, certain(play("trained", number=number, bare=True)), expected)
        with self.player(self.source, self.file_name) as play:
            begin(_("your network learns"))
            if isinstance(compared := play("compared", **asked), Error):
                return replace(known, error=compared)
            if isinstance(yours := play("trained", number=number, start=start), Error):
                return replace(known, error=yours)
            begin(_("your network learns from small batches"))
            if isinstance(few := play("trained", number=number, start=start, batch=FEW), Error):
                return replace(known, error=few)
        if not (fits(compared, expected) and fits(yours, reference) and fits(few, reference)):
            return replace(known, error=Error(Cause.FORGED, _("its answer has another form than the numbers that were asked for")))
        return replace(known, yours=yours, few=few, compared=compared)

    @contextmanager
    def player(self, source: str, file_name: str) -> Iterator[Play]:
        """Yield a function that plays a run of the lab on this source: it returns what the run saw, or the exception that it raised."""
        assert self.exercise.lab is not None and self.exercise.shared_lab is not None
        shared = Load(read_text(self.exercise.shared_lab), "shared_lab.py", "shared_lab")
        own = Load(read_text(self.exercise.lab) + ENTRY, "lab.py", "probes")
        submission, host = Load(source, file_name, "submission"), self.grader.host(self.exercise)
        with Worker(host, submission, (shared, own), LIMITS, self.exercise.ban, crowding()) as worker:

            def play(what: str, **asked: Any) -> Seen | Error:
                seen = worker.play(Request("lab", {"what": what, **asked}), MOST_BYTES)
                return seen.error or {str(place): value for place, value in seen.values.items()}

            yield play

    def reference(self) -> Any:
        """Return the `player` of the reference."""
        return self.player(read_text(self.exercise.reference), self.exercise.reference.name)


def certain(seen: Seen | Error) -> Seen:
    """Return what a run of the reference saw. Raises a CourseError if it raised an exception."""
    if isinstance(seen, Error):
        raise CourseError(_("The lab fails with the reference: {error}", error=alone(seen)))
    return seen


def numbers(value: Any) -> np.ndarray:
    """Return an array, or a number as an array without dimensions."""
    return np.asarray(value.values if isinstance(value, Array) else value)


def fits(seen: Seen, expected: Seen) -> bool:
    """Return True if an answer has numbers wherever the reference's has. Outputs may be anything: they are compared."""
    return all(fits_at(place, numbers(seen.get(place)), numbers(value)) for place, value in expected.items() if place not in AT)


def fits_at(place: str, values: np.ndarray, like: np.ndarray) -> bool:
    """Return True for numbers of the same form. A list of sizes may be of another length than the reference's."""
    same = values.shape == like.shape or (place.startswith(SIZES) and values.ndim == 1)
    return same and values.dtype.kind in "fiu"


def far(some: Any, others: Array) -> float:
    """Return the largest difference; infinity if the shapes differ, or if a number is none."""
    if not isinstance(some, Array) or some.values.shape != others.values.shape:
        return math.inf
    largest = float(np.abs(some.values - others.values).max())
    return math.inf if math.isnan(largest) else largest
