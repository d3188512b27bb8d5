"""Studies: the networks of an exercise's lab with the learner's layer, with the reference, and without any norm, in the terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from normgrade.course.exercise import Exercise, Limits
from normgrade.course.files import read_text
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import OnProgress, crowding, silent
from normgrade.inspection.program import program_of
from normgrade.language import N_, _, n_
from normgrade.language.errors import CourseError
from normgrade.remarks.crash import raised
from normgrade.report.render.whole import raised_lines
from normgrade.suite.blame import alone
from normgrade.worker.trusted.host import Worker
from normgrade.worker.wire.messages import Load
from normgrade.worker.wire.observation import Array, Cause, Error, Request

LIMITS = Limits(answer_s=300.0, total_s=1800.0, memory_mib=2048)
MOST_BYTES = 2**24  # of one tensor
FEW, MANY = 2, 64  # examples in the small batch and in the large one
SAME = 1e-3  # of the largest output: by so little, outputs differ in rounding only
RUNS = (  # of one study, in their order
    N_("the reference learns"),
    N_("a network without a norm learns"),
    N_("your network learns"),
    N_("your network learns from small batches"),
)
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

        def begin(run: int) -> None:
            self.watched(_(RUNS[run]), number * len(RUNS) + run, count * len(RUNS))

        with self.reference() as play:
            begin(0)
            start = certain(play("begun", number=number))
            reference = certain(play("trained", number=number, start=start))
            asked = {"number": number, "start": start, "few": FEW, "many": MANY}
            expected = certain(play("compared", **asked))
            begin(1)
            known = Study(kind, name, reference, certain(play("trained", number=number, bare=True)), expected)
        with self.player(self.source, self.file_name) as play:
            begin(2)
            if isinstance(compared := play("compared", **asked), Error):
                return replace(known, error=compared)
            if isinstance(yours := play("trained", number=number, start=start), Error):
                return replace(known, error=yours)
            begin(3)
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


# The screen: curves, numbers, and sentences about them


HEIGHT, COLUMNS = 10, 50  # of the chart
ABOVE = 1.25  # times the first loss: a chart is no higher, however far a curve rises
SHOWN = 6  # sublayers
TINY = 1e-5  # differences below it come from rounding


class Side(NamedTuple):
    """One side of a study: its name, the character and the colour of its curve, and what its training saw."""

    name: str
    mark: str
    colour: str
    seen: Seen


def sides(study: Study) -> list[Side]:
    """Return the sides in the order in which they are told. The learner's is missing if it raised an exception."""
    yours = [Side(_("yours"), "●", "green", study.yours)] if study.yours is not None else []
    return [*yours, Side(_("reference"), "○", "blue", study.reference), Side(_("no norm"), "·", "red", study.bare)]


def parts(study: Study, exercise: Exercise, source: str) -> Iterator[RenderableType]:
    """Yield the parts of a study. `source` is the learner's."""
    yield Text(headline(study), style="bold")
    yield Text()
    yield from drawn(study)
    yield Text()
    yield losses(study)
    yield Text()
    for what, title in (
        ("activations", _("root mean square of the output of each sublayer, at the first step")),
        ("gradients", _("root mean square of its gradient")),
    ):
        yield Text(title, style="dim")
        yield layers(study, f"{what} first")
    yield Text()
    if study.error is not None:
        yield from error_lines(study.error, exercise, source)
    else:
        yield Text(judged(study), style="green" if study.agrees else "bold red")
    for sentence in company(study.compared) if study.compared is not None else ():
        yield Text(sentence)


def headline(study: Study) -> str:
    """Return the name of the network, how large it is, and how it learns."""
    kind = _("small language model") if study.kind == "language model" else _("small classifier of pictures")
    seen = study.reference
    said = {
        "kind": kind + (f" ({study.name})" if study.name else ""),
        "layers": n_("{n} sublayer", "{n} sublayers", len(numbers(seen["activations first"]))),
        "numbers": f"{float(numbers(seen['numbers'])):,.0f}",
        "steps": len(numbers(seen["loss"])),
    }
    return _("{kind}: {layers}, {numbers} numbers that are learnt, {steps} steps of Adam", **said)


# Curves


def drawn(study: Study) -> Iterator[Text]:
    """Yield the lines of the chart: no norm first, so that the other curves are drawn over it, and the learner's over the reference's."""
    found = {side.mark: side for side in reversed(sides(study))}
    for line in chart({mark: numbers(side.seen["loss"]) for mark, side in found.items()}):
        text = Text("  ")
        for character in line.rstrip():
            text.append(character, style=found[character].colour if character in found else "dim")
        yield text
    legend = Text("  " + _("loss") + "  ", style="dim")
    for side in sides(study):
        legend.append(f"{side.mark} {side.name}   ", style=side.colour)
    yield legend


def chart(curves: Mapping[str, np.ndarray]) -> list[str]:
    """Return the lines of a chart of some curves, each drawn with its own character. The later ones are drawn over the earlier ones.

    A loss above the chart is in its highest line; one that is no number is nowhere.

    >>> print(chart({"·": np.array([3.0, 3.0, 3.0]), "●": np.array([3.0, 1.5, 0.0])})[0].rstrip())
    3.00 │●··
    """
    top = top_of([*curves.values()])
    rows = [[" "] * COLUMNS for _ in range(HEIGHT)]
    for mark, curve in curves.items():
        for column, loss in enumerate(thinned(curve)):
            if math.isfinite(loss):
                height = min(max(loss / top, 0.0), 1.0) if top > 0 else 0.0
                rows[round((1 - height) * (HEIGHT - 1))][column] = mark
    labels = [f"{top:.2f}", *[""] * (HEIGHT - 2), "0.00"]
    return [f"{label:>{len(labels[0])}} │{''.join(row)}" for label, row in zip(labels, rows, strict=True)]


def top_of(curves: Sequence[np.ndarray]) -> float:
    """Return the highest loss that a chart shows: the largest one, but not far above the first losses."""
    finite = [loss for curve in curves for loss in curve.tolist() if math.isfinite(loss)]
    first = [curve[0] for curve in curves if math.isfinite(curve[0])]
    return min(max(finite, default=1.0), ABOVE * float(np.median(first)) if first else math.inf)


def thinned(curve: np.ndarray) -> list[float]:
    """Return the mean loss of every few steps, for at most COLUMNS columns. One of steps that end in no number is none, too."""
    each = -(-len(curve) // COLUMNS)
    return [float(np.mean(curve[begin : begin + each])) for begin in range(0, len(curve), each)]


# Numbers


def losses(study: Study) -> RenderableType:
    """Return a table with the losses of each side, and the share of its right answers."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim")
    table.add_column("")
    for heading in (_("first loss"), _("last loss"), _("on others"), _("right")):
        table.add_column(heading, justify="right")
    for side in sides(study):
        table.add_row(side.name, *row(side.seen))
    if study.few is not None:
        table.add_row(_("{side}, batches of {n}", side=_("yours"), n=FEW), *row(study.few))
    return Padding(table, (0, 0, 0, 2))


def row(seen: Seen) -> tuple[str, ...]:
    """Return the first loss, the last ones, the loss on other examples, and the share that is right."""
    curve, others, right = (numbers(seen[place]) for place in ("loss", "loss on others", "right"))
    return f"{curve[0]:.2f}", loss_in_words(float(np.mean(curve[-5:]))), loss_in_words(float(others)), f"{float(right):.0%}"


def loss_in_words(loss: float) -> str:
    """Return a loss with two decimals, or NaN."""
    return "NaN" if np.isnan(loss) else f"{loss:.2f}" if loss < 1000 else f"{loss:.1e}"


def layers(study: Study, place: str) -> RenderableType:
    """Return a table with the sizes of some sublayers: the first, the last, and some between them."""
    table = Table(box=None, show_header=True, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("")
    found = {side.name: numbers(side.seen[place]).tolist() for side in sides(study)}
    count = min(map(len, found.values()))
    chosen = sorted({round(number * (count - 1) / (SHOWN - 1)) for number in range(SHOWN)}) if count else []
    for number in chosen:
        table.add_column(str(number + 1), justify="right")
    for name, sizes in found.items():
        table.add_row(name, *(f"{sizes[number]:.1e}" for number in chosen))
    return Padding(table, (0, 0, 0, 2))


# Sentences


def error_lines(error: Error, exercise: Exercise, source: str) -> Iterator[RenderableType]:
    """Yield the lines about an exception, with the learner's line."""
    said = _("✗ Your code raises an exception:") if error.types else _("✗ Your code returns no result:")
    yield Text(said, style="bold red")
    program = program_of(source)
    yield from [Text(alone(error))] if program is None else raised_lines(raised(error, exercise, program))


def judged(study: Study) -> str:
    """Return a sentence about the outputs of the learner's network and of the reference's, with the same weights."""
    off, largest, at = study.worst
    said = {"off": f"{off:.0e}", "largest": f"{largest:.2g}"}
    if study.agrees:
        return _("✓ With the same weights, the outputs are those of the reference: the largest difference is {off}.", **said)
    messages = {
        "evaluation": _("✗ With the same weights, outputs of up to {largest} differ from the reference's by up to {off}.", **said),
        "training": _(
            "✗ With the same weights, outputs of up to {largest} in training differ from the reference's by up to {off}.", **said
        ),
        "learning": _(
            "✗ After a few steps from the same weights, outputs of up to {largest} differ from the reference's by up to {off}.", **said
        ),
    }
    return messages[at]


def company(seen: Seen) -> Iterator[str]:
    """Yield sentences about the examples beside an example, and the letters beside a letter: how much they matter to its outputs."""
    training, evaluation = (float(numbers(seen[f"alone in {mode}"])) for mode in ("training", "evaluation"))
    said = {"few": FEW, "many": MANY, "training": f"{training:.2g}", "evaluation": f"{evaluation:.2g}"}
    if max(training, evaluation) <= TINY:
        yield _("An example gives the same output in a batch of {few} and of {many}.", **said)
    else:
        yield _(
            "An example in a batch of {few} and of {many}: its outputs differ by {training} in training, by {evaluation} otherwise.", **said
        )
    if "one letter" in seen:
        letters = float(numbers(seen["one letter"]))
        same = _("A letter gives the same output in a sequence of 1 and of many.")
        yield same if letters <= TINY else _("A letter in a sequence of 1 and of many: outputs differ by {off}.", off=f"{letters:.2g}")
