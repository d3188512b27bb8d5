"""A measurement that justifies the tolerance K · (spread + u·|y| + smallest subnormal), K = 64, P = 16 plays in Monte Carlo arithmetic.

    python tests/benchmarks/tolerance.py [--seeds N]

Every number is an error divided by its bound at K = 1, the largest over all places: outputs, gradients of the input and the parameters,
buffers. Layer norm, batch norm (training and evaluation) and RMS norm are built and played as the grader does it. The promises:

1. Right ways to write a layer stay at or below 48, in every regime, so K = 64 never rejects right code.
2. Mistakes, in the regime that reveals them, reach at least 300 in every draw, so K = 64 always catches wrong code. A one-pass variance
   has the right formula, so it is promised to be caught only when the arithmetic fails, from an offset of 100 on.
3. In half precision, for which K is not the whole tolerance, right code stays within the tolerance, and statistics in half precision
   exceed it in the regimes that reveal them.

The right code nearest to K sums hundreds of values one after the other (as Welford does), most of all at a large offset: its rounding
errors grow with √n, while a sum in the reference is a single operation, rounded once. The other part is chance: few plays may happen to
agree, so the worst ratio grows slowly with the number of seeds. The tables show it beside the worst ratio at P = 32, when the spread is
known well.

Then come the alternatives that were considered: perturbing only the inputs, random signs instead of a normal ξ, and other numbers of plays.
For each, the table has the least K that right code needs and the greatest K that mistakes allow.

It prints tables, and exits with 1 if a promise does not hold. It takes about a minute on one core with three seeds.
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import click
import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from normgrade.compare.differences import K, allowed, unsound
from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.language.places import Place
from normgrade.oracle.draws import complete, generator
from normgrade.oracle.expectation import expect, expected
from normgrade.oracle.expected import UNIT_ROUNDOFF, Expectation, Expected
from normgrade.oracle.inputs import changed, perturbed, widened
from normgrade.oracle.loading import module
from normgrade.oracle.monte_carlo import PLAYS
from normgrade.oracle.plays import play_exactly
from normgrade.oracle.rounding import RandomRounding
from normgrade.suite.story import Story, build, evaluate, request, train
from normgrade.worker.untrusted.play import play
from normgrade.worker.wire.observation import Array, Observation, Playable, Request, Value
from normgrade.worker.wire.requests import TypedRequest

RIGHT_AT_MOST = 48.0
MISTAKE_AT_LEAST = 300.0
COUNTS_OF_PLAYS = (2, 4, 8, 16, 32)
UNIT = UNIT_ROUNDOFF["float32"]
GROUPS = 6  # rows or channels, each normalised by itself
console = Console(width=100, highlight=False)


# --- regimes: the numbers to normalise --------------------------------------------------------------------------------------------------

Draw = Callable[[np.random.Generator, int], np.ndarray]  # (GROUPS, n), every row normalised by itself


@dataclass(frozen=True, slots=True)
class Regime:
    """Numbers to normalise, `n` at a time, in `dtype`, by a layer with this `eps`; if it is None, with the layer's default."""

    name: str
    draw: Draw
    n: int = 24
    eps: float | None = None
    dtype: str = "float32"

    @property
    def arguments(self) -> dict[str, float]:
        return {} if self.eps is None else {"eps": self.eps}


def normal(scale: float = 1.0, offset: float = 0.0) -> Draw:
    return lambda random, n: random.standard_normal((GROUPS, n)) * scale + offset


def constant(low: float, high: float) -> Draw:
    return lambda random, n: np.repeat(random.uniform(low, high, (GROUPS, 1)), n, axis=1)


def heteroscedastic(random: np.random.Generator, n: int) -> np.ndarray:
    scale, offset = 10 ** random.uniform(-2, 2, (GROUPS, 1)), random.uniform(-1.5, 1.5, (GROUPS, 1))
    return (random.standard_normal((GROUPS, n)) + offset) * scale


def log_normal(random: np.random.Generator, n: int) -> np.ndarray:
    return np.exp(2 * random.standard_normal((GROUPS, n)))


REGIMES = (
    Regime("randn", normal()),
    Regime("scale 0.001", normal(scale=1e-3)),
    Regime("scale 300", normal(scale=300)),
    *(Regime(f"offset {offset}", normal(offset=offset), n=64) for offset in (1, 10, 100, 1000, 10000)),
    *(Regime(f"offset {offset}, n = 768", normal(offset=offset), n=768) for offset in (100, 10000)),
    Regime("constant", constant(0.5, 2)),
    Regime("constant 10000", constant(5e3, 2e4)),
    Regime("heteroscedastic", heteroscedastic),
    Regime("log-normal", log_normal, n=64),
    Regime("variance near eps", normal(scale=1e-3**0.5), eps=1e-3),
    Regime("eps 0.1", normal(), eps=0.1),
    *(Regime(f"n = {n}", normal(), n=n) for n in (1, 2, 3, 4, 16, 64, 256, 768, 1024, 4096)),
    Regime("n = 1, scale 300", normal(scale=300), n=1),  # the gradient of RMS norm cancels to about eps
    Regime("n = 2, scale 300", normal(scale=300), n=2),  # and so do those of layer norm and batch norm
)

HALF_REGIMES = (
    Regime("float16, scale 300", normal(scale=300), n=64, dtype="float16"),
    Regime("float16, scale 0.001", normal(scale=1e-3), n=64, dtype="float16"),
    Regime("bfloat16, offset 10", normal(offset=10), n=64, dtype="bfloat16"),
    Regime("bfloat16, offset 10, n = 768", normal(offset=10), n=768, dtype="bfloat16"),
)


# --- stories: how a layer is played on them ---------------------------------------------------------------------------------------------


def rows_story(regime: Regime, random: np.random.Generator) -> Story:
    """Return a story for a layer that normalises the last dimension of (2, 3, n)."""
    x = regime.draw(random, regime.n).reshape(2, -1, regime.n)
    return [build(regime.n, **regime.arguments), train(x, dtype=regime.dtype)]


def as_channels(values: np.ndarray) -> np.ndarray:
    """Reshape (C, n) to (n, C), or to (n/4, C, 4) if that leaves several samples."""
    n = values.shape[1]
    return np.ascontiguousarray(values.reshape(GROUPS, n // 4, 4).transpose(1, 0, 2) if n % 4 == 0 and n > 4 else values.T)


def training_story(regime: Regime, random: np.random.Generator) -> Story:
    """Return a story of two training steps, so that the second starts with the buffers of the first."""
    batches = [as_channels(regime.draw(random, regime.n)) for _ in range(2)]
    return [build(GROUPS, momentum=0.3, **regime.arguments), *(train(batch, dtype=regime.dtype) for batch in batches)]


def evaluation_story(regime: Regime, random: np.random.Generator) -> Story:
    """Return a story of an evaluation with running statistics near the batch's own, so that an offset cancels as in a trained layer."""
    values = regime.draw(random, regime.n)
    mean = values.mean(1) + 0.1 * values.std(1) * random.standard_normal(GROUPS)
    layer = build(GROUPS, **regime.arguments).filled(running_mean=mean, running_var=values.var(1) * random.uniform(0.5, 1.5, GROUPS))
    return [layer, evaluate(as_channels(values), dtype=regime.dtype)]


# --- implementations --------------------------------------------------------------------------------------------------------------------

RMS_NORM = '''
import math
import torch
from torch import nn


class Normalise(torch.autograd.Function):
    """With a backward pass derived on paper."""

    @staticmethod
    def forward(ctx, x, eps):
        r = torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
        ctx.save_for_backward(x * r, r)
        return x * r

    @staticmethod
    def backward(ctx, dy):
        normalised, r = ctx.saved_tensors
        return (dy - normalised * (dy * normalised).mean(-1, keepdim=True)) * r, None


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.dim = dim
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        square = wide.square().mean(-1, keepdim=True)
        y = wide / torch.sqrt(square + self.eps) * self.weight
        return y.to(x.dtype)
'''
MEAN_SQUARE, QUOTIENT = "wide.square().mean(-1, keepdim=True)\n        y", "wide / torch.sqrt(square + self.eps)"

RMS_ALTERNATIVES = {
    "rsqrt": [(QUOTIENT, "wide * torch.rsqrt(square + self.eps)")],
    "power −1/2": [(QUOTIENT, "wide * (square + self.eps) ** -0.5")],
    "weight into the factor": [(QUOTIENT + " * self.weight", "wide * (self.weight * torch.rsqrt(square + self.eps))")],
    "norm / sqrt(n)": [
        (MEAN_SQUARE, "(torch.linalg.vector_norm(wide, dim=-1, keepdim=True) / math.sqrt(self.dim)) ** 2\n        y"),
    ],
    "norm and n · eps": [
        (MEAN_SQUARE, "torch.linalg.vector_norm(wide, dim=-1, keepdim=True) ** 2\n        y"),
        (QUOTIENT, "wide * math.sqrt(self.dim) / torch.sqrt(square + self.dim * self.eps)"),
    ],
    "einsum": [(MEAN_SQUARE, 'torch.einsum("...d,...d->...", wide, wide)[..., None] / self.dim\n        y')],
    "matmul with ones": [(MEAN_SQUARE, "wide.square() @ wide.new_ones(self.dim, 1) / self.dim\n        y")],
    "loop over the values": [(MEAN_SQUARE, "sum(value.square() for value in wide.unbind(-1))[..., None] / self.dim\n        y")],
    "eps inside the mean": [
        (MEAN_SQUARE, "(wide.square() + self.eps).mean(-1, keepdim=True)\n        y"),
        ("square + self.eps)", "square)"),
    ],
    "float64 inside": [("torch.promote_types(x.dtype, torch.float32)", "torch.float64")],
    "own backward": [(QUOTIENT, "Normalise.apply(wide, self.eps)")],
    "cast before weight": [(QUOTIENT + " * self.weight", f"({QUOTIENT}).to(x.dtype) * self.weight.to(x.dtype)")],
}

RMS_MISTAKES = {
    "eps outside the root": [(QUOTIENT, "wide / (torch.sqrt(square) + self.eps)")],
    "eps missing": [("square + self.eps)", "square)")],
    "eps ignored": [("self.eps = eps", "self.eps = 1e-6")],
    "eps as a lower bound": [("square + self.eps)", "square.clamp(min=self.eps))")],
    "divided by n − 1": [(MEAN_SQUARE, "wide.square().sum(-1, keepdim=True) / (self.dim - 1)\n        y")],
    "sum, not mean": [(MEAN_SQUARE, "wide.square().sum(-1, keepdim=True)\n        y")],
    "no root": [(QUOTIENT, "wide / (square + self.eps)")],
    "centred": [(QUOTIENT, "(wide - wide.mean(-1, keepdim=True)) / torch.sqrt(square + self.eps)")],
    "variance": [(MEAN_SQUARE, "wide.var(-1, keepdim=True, correction=0)\n        y")],
    "over everything": [("square().mean(-1, keepdim=True)\n        y", "square().mean()\n        y")],
    "statistics detached": [("square + self.eps)", "square.detach() + self.eps)")],
    "computed in half": [("x.to(torch.promote_types(x.dtype, torch.float32))", "x.half()")],
    "no upcast": [("x.to(torch.promote_types(x.dtype, torch.float32))", "x")],
}


def edited(source: str, edits: Iterable[tuple[str, str]]) -> str:
    for old, new in edits:
        if source.count(old) != 1:
            raise ValueError(f"{old!r} occurs {source.count(old)} times in the reference, not once")
        source = source.replace(old, new)
    return source


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer in one mode: its name, class and story, the right sources and the wrong ones, the regimes that reveal each mistake."""

    name: str
    defines: str
    story: Callable[[Regime, np.random.Generator], Story]
    reference: str
    right: Mapping[str, str]
    mistakes: Mapping[str, str]
    reveals: Mapping[str, str] = field(default_factory=dict)  # mistake → regimes, separated by semicolons
    half_mistakes: Mapping[str, str] = field(default_factory=dict)
    least_values: int = 1

    def revealed(self, regime: Regime) -> list[str]:
        """Return the names of the mistakes to play in this regime."""
        table = self.reveals if regime in REGIMES else self.half_mistakes
        return [name for name, regimes in table.items() if regime.name in regimes.split("; ")]


def rms_norm() -> Layer:
    right = {"reference": RMS_NORM} | {name: edited(RMS_NORM, edits) for name, edits in RMS_ALTERNATIVES.items()}
    mistakes = {name: edited(RMS_NORM, edits) for name, edits in RMS_MISTAKES.items()}
    return Layer("RMS norm", "RMSNorm", rows_story, RMS_NORM, right, mistakes, RMS_REVEALS, {"no upcast": "float16, scale 300"})


def of_course(name: str, slug: str, story: Callable[[Regime, np.random.Generator], Story], **rest: object) -> Layer:
    """Return a layer of the course, with its reference, alternatives and mistakes."""
    exercise = Course(Path(__file__).parents[2]).exercise(slug)
    reference = exercise.reference.read_text(encoding="utf-8")
    right = {"reference": reference} | {path.stem: path.read_text(encoding="utf-8") for path in exercise.alternatives}
    mistakes = {mistake.name: mistake.source for mistake in read_mistakes(exercise)}
    return Layer(name, exercise.defines[0].name, story, reference, right, mistakes, **rest)  # type: ignore[arg-type]


LAYER_REVEALS = {
    "unbiased-variance": "n = 2; randn; n = 1024",
    "divided-by-variance": "randn; scale 300",
    "numerator-not-centred": "offset 1",
    "rms-norm": "offset 1",
    "eps-outside-root": "variance near eps; eps 0.1; constant",
    "eps-missing": "variance near eps; constant",
    "eps-ignored": "eps 0.1",
    "eps-clamps-variance": "variance near eps",
    "eps-clamps-deviation": "variance near eps",
    "over-the-batch": "heteroscedastic",
    "over-the-words": "heteroscedastic",
    "over-all-but-the-batch": "heteroscedastic",
    "per-feature": "heteroscedastic",
    "over-everything": "heteroscedastic; randn; n = 4096",
    "shift-before-scale": "randn",
    "one-plus-weight": "randn",
    "statistics-detached": "n = 2; randn; n = 768",
    "variance-detached": "randn; n = 768",
    "mean-detached": "randn; n = 768",
    "computed-in-half": "randn; n = 768",
    "one-pass-variance": "randn; offset 100; offset 100, n = 768; offset 10000",
}

TRAINING_REVEALS = {
    "unbiased-normalisation": "n = 2; randn; n = 1024",
    "biased-running-variance": "n = 2; randn; n = 1024",
    "running-variance-from-channel-count": "randn; n = 1024",
    "running-variance-from-batch-size": "randn; n = 1024",
    "running-deviation": "scale 300",
    "momentum-flipped": "randn; offset 10",
    "momentum-hard-coded": "randn",
    "statistics-per-sample": "heteroscedastic",
    "statistics-per-instance": "heteroscedastic",
    "statistics-over-everything": "heteroscedastic; randn; n = 4096",
    "batch-statistics-detached": "randn; n = 768",
    "batch-mean-detached": "randn; n = 768",
    "batch-variance-detached": "randn; n = 768",
    "mean-not-subtracted": "offset 1",
    "no-root": "scale 300",
    "eps-outside-root": "variance near eps; eps 0.1; constant",
    "eps-missing": "variance near eps; constant",
    "eps-clamps-variance": "variance near eps",
    "eps-hard-coded": "eps 0.1",
    "bias-before-weight": "randn",
    "training-uses-running-statistics": "randn",
    "one-pass-variance": "randn; offset 100; offset 100, n = 768; offset 10000",
}

EVALUATION_REVEALS = {
    "evaluation-uses-batch-statistics": "randn; n = 1024",
    "eps-missing-in-evaluation": "variance near eps; eps 0.1; constant",
    "eps-outside-root-in-evaluation": "variance near eps; eps 0.1",
    "eps-hard-coded": "eps 0.1",
    "update-before-evaluation": "randn",
}

RMS_REVEALS = {
    "eps outside the root": "variance near eps; eps 0.1",
    "eps missing": "variance near eps; eps 0.1",
    "eps ignored": "eps 0.1",
    "eps as a lower bound": "variance near eps",
    "divided by n − 1": "n = 2; randn; n = 1024",
    "sum, not mean": "randn",
    "no root": "scale 300",
    "centred": "offset 1",
    "variance": "offset 1; n = 1024",
    "over everything": "heteroscedastic; randn; n = 4096",
    "statistics detached": "randn; n = 768; n = 1, scale 300",
    "computed in half": "randn; n = 768",
}

NOT_PROMISED = {("one-pass-variance", "randn")}  # the right formula, and well-conditioned numbers


def layers() -> list[Layer]:
    upcast = {"no-upcast": "float16, scale 300; bfloat16, offset 10; bfloat16, offset 10, n = 768"}
    return [
        of_course("layer norm", "layer_norm", rows_story, reveals=LAYER_REVEALS, half_mistakes=upcast),
        of_course("batch norm, training", "batch_norm", training_story, reveals=TRAINING_REVEALS, half_mistakes=upcast, least_values=2),
        of_course("batch norm, evaluation", "batch_norm", evaluation_story, reveals=EVALUATION_REVEALS),
        rms_norm(),
    ]


# --- rules: how far a number may be off -------------------------------------------------------------------------------------------------


class RandomSigns(RandomRounding):  # type: ignore[no-untyped-call]
    """Monte Carlo arithmetic with ξ = ±1."""

    def __init__(self, unit_roundoff: float, seed: int) -> None:
        super().__init__(unit_roundoff, seed)
        self.unit_roundoff = unit_roundoff
        self.generator = torch.Generator().manual_seed(seed)

    def next_factors(self, number: torch.Tensor) -> torch.Tensor:
        signs = torch.randint(0, 2, number.shape, generator=self.generator, dtype=torch.float64).mul_(2).sub_(1)
        return signs.mul_(self.unit_roundoff).add_(1).to(number.dtype)


def signed(wide: Playable, unit: float, seed: int) -> Request:
    """Return the request with every input number multiplied by 1 ± u."""
    random = generator(seed, "signs")
    return changed(wide, lambda values: values * (1 + unit * random.choice([-1.0, 1.0], values.shape)))


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to find the spread: how the inputs are perturbed, the arithmetic of the plays, and the numbers of plays."""

    name: str
    perturb: Callable[[Playable, float, int], Request]
    arithmetic: Callable[[float, int], AbstractContextManager[object]]
    counts_of_plays: tuple[int, ...] = (PLAYS,)

    def called(self, count: int) -> str:
        return f"{self.name}, P = {count}"


SHIPPED = "as shipped"
RULES = (
    Rule("inputs alone", perturbed, lambda unit, seed: nullcontext()),
    Rule("random signs", signed, RandomSigns),
    Rule("normal ξ", perturbed, RandomRounding, COUNTS_OF_PLAYS),
)
LONG_RUN = RULES[-1].called(COUNTS_OF_PLAYS[-1])  # the spread is then known well, so the rest is the variant's own arithmetic
SETTLED = f"at P = {COUNTS_OF_PLAYS[-1]}"


def expectations(layer: Layer, asked: TypedRequest) -> dict[str, Expectation]:
    """Map each rule to its expectation: the one of the grader, and those of the alternatives."""
    implementation = module(layer.reference, "implementation")
    shipped = expect(implementation, asked)
    native, wide = play(implementation, asked), widened(asked)
    true = play_exactly(implementation, wide, None)
    found = {SHIPPED: shipped}
    for rule in RULES:
        moved = []
        for seed in range(max(rule.counts_of_plays)):
            with rule.arithmetic(UNIT, seed):
                moved.append(play_exactly(implementation, rule.perturb(wide, UNIT, seed), None))
        for count in rule.counts_of_plays:
            places = {
                Place.of(place): expected(value, native.values.get(place), place, moved[:count]) for place, value in true.values.items()
            }
            found[rule.called(count)] = Expectation(asked, places)
    return found


# --- measuring --------------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Measurement:
    """The largest error / bound at K = 1 of one implementation on one draw, by one rule, and its place."""

    layer: str
    who: str
    is_right: bool
    regime: str
    rule: str
    ratio: float
    place: str

    @property
    def is_promised(self) -> bool:
        return (self.who, self.regime) not in NOT_PROMISED


def severity(observation: Observation, expectation: Expectation) -> tuple[float, str]:
    """Return the largest error / bound at K = 1, and its place. It is infinite for NaN, an error, or a wrong kind of value."""
    if observation.error is not None:
        return math.inf, observation.error.message
    return max((ratio(observation.values.get(place), wanted), place) for place, wanted in expectation.places.items())


def ratio(actual: Value, wanted: Expected) -> float:
    if not isinstance(wanted.value, Array):
        return 0.0 if actual == wanted.value else math.inf
    if not isinstance(actual, Array) or actual.dtype != wanted.dtype or actual.values.shape != wanted.value.values.shape:
        return math.inf
    with np.errstate(all="ignore"):
        error = np.abs(actual.values.astype(np.float64) - wanted.value.values)
        ratios = np.where(error == 0, 0.0, error / (allowed(wanted) / K))
    return float(np.where(np.isnan(ratios), np.inf, ratios).max())


def measure(layer: Layer, regime: Regime, seed: int) -> list[Measurement]:
    """Play every right source, and the mistakes that this regime reveals, on one draw."""
    key = ("tolerance", layer.name, regime.name, seed)
    asked = complete(module(layer.reference, "implementation"), request(layer.story(regime, generator(*key)), layer.defines, key), None)
    by_rule = expectations(layer, asked) if regime in REGIMES else {SHIPPED: expect(module(layer.reference, "implementation"), asked)}
    for rule, expectation in by_rule.items():
        if (why := unsound(expectation)) is not None:
            raise AssertionError(f"{layer.name}, {regime.name}, {rule}: {why}")
    found = []
    played = [(who, layer.right[who], True) for who in layer.right]
    played += [(who, layer.mistakes[who], False) for who in layer.revealed(regime)]
    for who, source, is_right in played:
        observation = play(module(source, "implementation"), asked)
        for rule, expectation in by_rule.items():
            found.append(Measurement(layer.name, who, is_right, regime.name, rule, *severity(observation, expectation)))
    return found


def measure_all(chosen: Iterable[Layer], regimes: Iterable[Regime], seeds: int) -> list[Measurement]:
    cases = [(layer, regime, seed) for layer in chosen for regime in regimes if regime.n >= layer.least_values for seed in range(seeds)]
    return [measurement for case in cases for measurement in measure(*case)]


def grouped(measurements: Iterable[Measurement], *names: str) -> dict[tuple[str, ...], list[Measurement]]:
    """Group the measurements by the values of these fields, in the order of appearance."""
    groups: dict[tuple[str, ...], list[Measurement]] = {}
    for measurement in measurements:
        groups.setdefault(tuple(getattr(measurement, name) for name in names), []).append(measurement)
    return groups


def greatest(measurements: Iterable[Measurement]) -> Measurement:
    return max(measurements, key=lambda measurement: measurement.ratio)


def least(measurements: Iterable[Measurement]) -> Measurement:
    return min(measurements, key=lambda measurement: measurement.ratio)


# --- printing ---------------------------------------------------------------------------------------------------------------------------


def number(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:.1e}"


def in_short(place: str) -> str:
    return place.removeprefix("step ")


def table(title: str, *columns: str, right: Iterable[str] = ()) -> Table:
    """Return an empty table; the columns named in `right` are for numbers."""
    made = Table(title=title, title_justify="left", box=None, pad_edge=False, show_edge=False, header_style="", title_style="bold")
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", no_wrap=column in right)
    return made


def show(made: Table) -> None:
    console.print(made)
    console.print()


def show_right(measurements: list[Measurement]) -> None:
    right = [one for one in measurements if one.is_right]
    for (layer,), ones in grouped(right, "layer").items():
        title = f"Right ways of writing it: {layer}"
        made = table(title, "variant", "error / bound", SETTLED, "regime", "step · place", right=["error / bound", SETTLED])
        for (who,), all_rules in grouped(ones, "who").items():
            worst, settled = (greatest(one for one in all_rules if one.rule == rule) for rule in (SHIPPED, LONG_RUN))
            made.add_row(who, number(worst.ratio), number(settled.ratio), worst.regime, in_short(worst.place))
        show(made)


def show_regimes(measurements: list[Measurement]) -> None:
    shipped = [one for one in measurements if one.is_right and one.rule == SHIPPED]
    names = [layer for (layer,) in grouped(shipped, "layer")]
    made = table("The same by regime: error / bound, the worst variant", "regime", *names, right=names)
    for regime in REGIMES:
        found = grouped((one for one in shipped if one.regime == regime.name), "layer")
        made.add_row(regime.name, *(number(greatest(found[(name,)]).ratio) if (name,) in found else "–" for name in names))
    show(made)


def show_mistakes(measurements: list[Measurement]) -> None:
    wrong = [one for one in measurements if not one.is_right and one.rule == SHIPPED]
    for (layer,), ones in grouped(wrong, "layer").items():
        title = f"Mistakes where they show, the draw that shows them least: {layer}"
        made = table(title, "mistake", "regime", "error / bound", "step · place", right=["error / bound"])
        for (who, regime), draws in sorted(grouped(ones, "who", "regime").items(), key=lambda group: group[0][0]):
            weakest = least(draws)
            made.add_row(who, regime, number(weakest.ratio) + ("  " if weakest.is_promised else " *"), in_short(weakest.place))
        show(made)
    console.print("* not promised: the formula is right, and so are the numbers as long as they are well conditioned\n")


def show_half(measurements: list[Measurement]) -> None:
    heads = ("layer", "regime", "right ≤", "variant", "no upcast ≥")
    made = table("Half precision: error / allowed, K included", *heads, right=["right ≤", "no upcast ≥"])
    for (layer, regime), ones in grouped(measurements, "layer", "regime").items():
        worst, wrong = greatest(one for one in ones if one.is_right), [one for one in ones if not one.is_right]
        made.add_row(layer, regime, number(worst.ratio / K), worst.who, number(least(wrong).ratio / K) if wrong else "–")
    show(made)


def show_alternatives(measurements: list[Measurement]) -> None:
    found = {rule: extremes(ones) for (rule,), ones in grouped(measurements, "rule").items()}
    made = table("The rules that were weighed: the K that are safe", "rule", "from", "to", "", right=["from", "to"])
    for rule, (needs, allows) in found.items():
        made.add_row(rule, number(needs.ratio), number(allows.ratio), "" if needs.ratio < allows.ratio else "no K is safe")
    show(made)
    for title, which in (("What needs the least K: right code", 0), ("What allows the greatest K: mistakes", 1)):
        made = table(title, "rule", "error / bound", "what", right=["error / bound"])
        for rule, both in found.items():
            made.add_row(rule, number(both[which].ratio), described(both[which]))
        show(made)


def extremes(measurements: list[Measurement]) -> tuple[Measurement, Measurement]:
    """Return the right variant that needs the greatest K, and the mistake that allows the least."""
    right = greatest(one for one in measurements if one.is_right)
    return right, least(one for one in measurements if not one.is_right and one.is_promised)


def described(measurement: Measurement) -> str:
    return f"{measurement.layer}: {measurement.who}; {measurement.regime}"


def promises(measurements: list[Measurement], half: list[Measurement]) -> list[tuple[str, bool]]:
    needs, allows = extremes([one for one in measurements if one.rule == SHIPPED])
    half_needs, half_allows = extremes(half)
    half_right, half_wrong = half_needs.ratio / K, half_allows.ratio / K
    return [
        (f"right ≤ {RIGHT_AT_MOST:g}: the worst is {number(needs.ratio)} ({described(needs)})", needs.ratio <= RIGHT_AT_MOST),
        (f"mistakes ≥ {MISTAKE_AT_LEAST:g}: the least is {number(allows.ratio)} ({described(allows)})", allows.ratio >= MISTAKE_AT_LEAST),
        (f"half precision, right within what is allowed: at most {number(half_right)} ({described(half_needs)})", half_right <= 1),
        (f"half precision, no upcast is caught: at least {number(half_wrong)} times ({described(half_allows)})", half_wrong > 1),
    ]


@click.command(help="Measure what justifies the tolerance of the comparison.")
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(min=1), help="How many draws of every case.")
def main(seeds: int) -> None:
    started = time.perf_counter()
    warnings.simplefilter("ignore")  # mistakes cause warnings, such as those of a variance over one value
    measured = measure_all(layers(), REGIMES, seeds)
    half = measure_all(layers(), HALF_REGIMES, seeds)
    show_right(measured)
    show_regimes(measured)
    show_mistakes(measured)
    show_half(half)
    show_alternatives(measured)
    console.print(f"{len(REGIMES)} regimes, {seeds} seeds, torch {torch.__version__}, {time.perf_counter() - started:.0f} s")
    held = promises(measured, half)
    for promise, holds in held:
        console.print(f"{'held  ' if holds else 'BROKEN'}  {promise}")
    sys.exit(0 if all(holds for _, holds in held) else 1)


if __name__ == "__main__":
    main()
