"""Studies: the runs of an exercise's lab with the learner's layer, with the reference, and without any norm."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
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
from normgrade.worker.wire.observation import Array, Cause, Error, Request

LIMITS = Limits(answer_s=300.0, total_s=1800.0, memory_mib=2048)
MOST_BYTES = 2**24  # of one tensor
FEW, MANY = 2, 64  # examples in the small batch and in the large one
SAME = 1e-3  # of the largest output: by so little, outputs differ in rounding only
RUNS = 4  # of one study
SIZES = ("activations", "gradients")
AT = {"outputs": "evaluation", "outputs in training": "training", "outputs after learning": "learning"}  # the places of outputs

# What is added to an exercise's lab.py, to play its benches
ENTRY = """

def lab(impl, what, **asked):
    from normgrade.probes.lab import runs

    return getattr(runs, what)(impl, LAB, **asked)
"""


@dataclass(frozen=True, slots=True)
class Trained:
    """The losses of a run of training, and what the network is like after it.

    - `losses`: the loss of each step.
    - `other_loss`, `right`: the loss, and the share of right answers, on examples that were not learnt from.
    - `learnt`: how many numbers the network learns.
    - `activations`, `gradients`: root mean squares of each sublayer's output and of its gradient, at the "first" and the "last" step.
    """

    losses: np.ndarray
    other_loss: float
    right: float
    learnt: float
    activations: Mapping[str, np.ndarray]
    gradients: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, seen: Mapping[str, Any]) -> Trained:
        sizes = {what: {when: seen[f"{what} {when}"].values for when in ("first", "last")} for what in SIZES}
        other_loss, right, learnt = (float_of(seen[what]) for what in ("loss on others", "right", "numbers"))
        return cls(seen["loss"].values, other_loss, right, learnt, sizes["activations"], sizes["gradients"])


@dataclass(frozen=True, slots=True)
class Company:
    """By how much the outputs for an example change if fewer are in its batch, in evaluation and in training.

    `letters` is the same for the first letter of a sequence, if that is all there is of the sequence; None for pictures.
    """

    evaluation: float
    training: float
    letters: float | None


@dataclass(frozen=True)
class Study:
    """One network of a lab, on all sides. If the learner's code raises an exception, `error` tells it, and there is nothing of it.

    - `kind`, `name`: the kind of the network, and the name of the stack if the exercise has several.
    - `reference`, `bare`, `yours`: the network with the reference, without any norm, and with the learner's layer.
    - `few`: the learner's, trained in batches of FEW.
    - `off`: the largest difference from the reference's outputs, which begins with the same weights; `largest` is the largest of these
      outputs. `at` says which outputs are meant: "evaluation", "training", or those after "learning" a little.
    """

    kind: str
    name: str
    reference: Trained
    bare: Trained
    yours: Trained | None = None
    few: Trained | None = None
    company: Company | None = None
    off: float = 0.0
    largest: float = 1.0
    at: str = "evaluation"
    error: Error | None = None

    @property
    def agrees(self) -> bool:
        """True if the learner's network gives the reference's outputs, apart from rounding."""
        return self.error is None and self.off <= SAME * self.largest


class Player:
    """A player of the lab on one source. Each question is one play."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.error: Error | None = None  # of the last question

    def __call__(self, what: str, **asked: Any) -> Mapping[str, Any] | None:
        """Return what the run saw, by place; None if it raised an exception."""
        seen = self.worker.play(Request("lab", {"what": what, **asked}), MOST_BYTES)
        self.error = seen.error
        return None if seen.error else {str(place): value for place, value in seen.values.items()}

    def certain(self, what: str, **asked: Any) -> Mapping[str, Any]:
        """Return what the run of the reference saw. Raises a CourseError if it raised an exception."""
        seen = self(what, **asked)
        if seen is None:
            assert self.error is not None
            raise CourseError(_("The lab fails with the reference: {error}", error=alone(self.error)))
        return seen

    def __enter__(self) -> Player:
        self.worker.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        self.worker.__exit__(*raised)


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
            found = play.certain("benches")
        count = len(found) // 2
        for number in range(count):
            kind, name = (str(found[f"{what} {number}"]) for what in ("kind", "name"))
            yield self.study(number, count, kind, name)

    def study(self, number: int, count: int, kind: str, name: str) -> Study:
        """Return the study of one bench: first the sides that are known to work, then the learner's."""
        steps = iter(range(RUNS * number, RUNS * count))

        def begin(what: str) -> None:
            self.watched(what, next(steps), RUNS * count)

        with self.reference() as play:
            begin(_("the reference learns"))
            start = play.certain("begun", number=number)
            trained = play.certain("trained", number=number, start=start)
            asked = {"number": number, "start": start, "few": FEW, "many": MANY}
            expected = play.certain("compared", **asked)
            begin(_("a network without a norm learns"))
            bare = Trained.of(play.certain("trained", number=number, bare=True))
        known = Study(kind, name, Trained.of(trained), bare)
        with self.player(self.source, self.file_name) as play:
            begin(_("your network learns"))
            compared = play("compared", **asked)
            yours = play("trained", number=number, start=start) if compared is not None else None
            begin(_("your network learns from small batches"))
            few = play("trained", number=number, start=start, batch=FEW) if yours is not None else None
            if compared is None or yours is None or few is None:
                return replace(known, error=play.error)
        if not (fits(compared, expected) and fits(yours, trained) and fits(few, trained)):
            return replace(known, error=Error(Cause.FORGED, _("its answer has another form than the numbers that were asked for")))
        return replace(
            known,
            yours=Trained.of(yours),
            few=Trained.of(few),
            company=Company(
                float_of(compared["alone in evaluation"]),
                float_of(compared["alone in training"]),
                float_of(compared["one letter"]) if "one letter" in compared else None,
            ),
            **worst(compared, expected),
        )

    def reference(self) -> Player:
        return self.player(read_text(self.exercise.reference), self.exercise.reference.name)

    def player(self, source: str, file_name: str) -> Player:
        """Return a player of the lab on this source."""
        assert self.exercise.lab is not None
        probes = read_text(self.exercise.lab) + ENTRY
        return Player(self.grader.host(self.exercise).worker(source, file_name, probes, LIMITS, self.exercise.ban, None, crowding()))


def worst(compared: Mapping[str, Any], expected: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return by how much outputs differ, for those that differ most: `off`, `largest` and `at` of a study."""
    places = [place for place in AT if place in expected]
    largest = {place: float(np.abs(expected[place].values).max()) for place in places}
    off = {place: far(compared.get(place), expected[place]) for place in places}
    place = max(places, key=lambda each: off[each] / (largest[each] or 1.0))
    return {"off": off[place], "largest": largest[place], "at": AT[place]}


def fits(seen: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    """Return True if an answer has numbers wherever the reference's has. Outputs may be anything: they are compared."""
    return all(fits_at(place, seen.get(place), value) for place, value in expected.items() if place not in AT)


def fits_at(place: str, value: Any, like: Any) -> bool:
    """Return True for numbers of the same form, or for a single number. A list of sizes may be of another length than the reference's."""
    values = np.asarray(value.values if isinstance(value, Array) else value)
    shape = like.values.shape if isinstance(like, Array) else ()
    same = values.shape == shape or (place.startswith(SIZES) and values.ndim == 1)
    return same and values.dtype.kind in "fiu"


def float_of(value: Any) -> float:
    """Return a number, which may come as an array without dimensions."""
    return float(value.values) if isinstance(value, Array) else float(value)


def far(some: Any, others: Array) -> float:
    """Return the largest difference; infinity if the shapes differ, or if a number is none."""
    if not isinstance(some, Array) or some.values.shape != others.values.shape:
        return math.inf
    largest = float(np.abs(some.values - others.values).max())
    return math.inf if math.isnan(largest) else largest
