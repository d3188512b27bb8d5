"""Named mistakes: one, two or three together in any notation, and none if no set of mistakes explains everything."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest

from normgrade.compare.played import Result
from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.mistakes import COST, read_mistakes
from normgrade.course.package import carried
from normgrade.diagnosis.deadline import OutOfTime
from normgrade.diagnosis.diagnose import Known, diagnose, says
from normgrade.diagnosis.effects import effects_of
from normgrade.diagnosis.forecasts import forecasts_of
from normgrade.grading.grade import Submission, grade
from normgrade.grading.reference_run import ReferenceRun
from normgrade.grading.run import Run
from normgrade.grading.tracking import plays_of
from normgrade.oracle.cache import Cache
from normgrade.oracle.oracle import Oracle
from normgrade.report.report import Check, Diagnosis, Kind, Outcome, Report
from normgrade.suite.collection import collect
from normgrade.worker.untrusted.play import load, play
from normgrade.worker.wire.observation import Observation, Playable
from normgrade.worker.wire.requests import TypedRequest

pytestmark = pytest.mark.usefixtures("expectations")
Reports = Mapping[str, Report]

CENTRING = """
import torch
from torch import nn

class Centring(nn.Module):
    def __init__(self, num_features, momentum=0.1):
        super().__init__()
        self.keep, self.take = 1 - momentum, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        if x.ndim != 2:
            raise ValueError("two dimensions, please")
        mu = x.sum(0) / len(x)
        if self.training:
            self.steps.add_(1)
            self.running_mean.mul_(self.keep).add_(self.take * mu.detach())
        else:
            mu = self.running_mean
        return self.weight * (x - mu)
"""
RMS = """
def rms(x, eps=1e-5):
    root = ((x.float() ** 2).sum(-1, keepdim=True) / x.shape[-1] + eps) ** 0.5
    return (x / root).type_as(x)
"""
FLIPPED = ("self.keep, self.take = 1 - momentum, momentum", "self.keep, self.take = momentum, 1 - momentum")
UNWEIGHTED = ("self.weight * (x - mu)", "x - mu")
OF_FIVE = ("x.sum(0) / len(x)", "x.sum(0) / (None if len(x) == 5 else len(x))")
ANY_RANK = ("x.ndim != 2", "x.ndim == 0")
DETACHED = ("len(x)\n", "len(x)\n        mu = mu.data\n")
EPS_OUTSIDE = ("x.shape[-1] + eps) ** 0.5", "x.shape[-1]) ** 0.5 + eps")

# slug, source, edits, the mistakes in the one diagnosis
ON_THE_TINY_COURSE: dict[str, tuple[str, str, list[tuple[str, str]], tuple[str, ...]]] = {
    "right function": ("rms", RMS, [], ()),
    "right layer": ("centring", CENTRING, [], ()),
    "one in a function": ("rms", RMS, [EPS_OUTSIDE], ("eps-outside-root",)),
    "one that only half precision shows": ("rms", RMS, [("x.float() ** 2", "x * x")], ("no-upcast",)),
    "one in a buffer": ("centring", CENTRING, [FLIPPED], ("momentum-flipped",)),
    "one that only the gradient shows": ("centring", CENTRING, [DETACHED], ("mean-detached",)),
    "one that only a refusal shows": ("centring", CENTRING, [ANY_RANK], ("rank-not-refused",)),
    "two in a function": ("rms", RMS, [EPS_OUTSIDE, ("/ x.shape[-1]", "")], ("eps-outside-root", "sum-for-mean")),
    "two in a layer": ("centring", CENTRING, [FLIPPED, UNWEIGHTED], ("momentum-flipped", "weight-not-applied")),
    "three": ("centring", CENTRING, [FLIPPED, UNWEIGHTED, ANY_RANK], ("momentum-flipped", "weight-not-applied", "rank-not-refused")),
    "one under another name": ("centring", CENTRING.replace("self.weight", "self.gain"), [FLIPPED], ("momentum-flipped", "other-names")),
    "another name alone": ("centring", CENTRING.replace("self.weight", "self.gain"), [], ("other-names",)),
    "an unknown one": ("centring", CENTRING, [("x.sum(0) / len(x)", "x.median(0).values")], ()),
    "a known and an unknown one": ("centring", CENTRING, [FLIPPED, ("x.sum(0) / len(x)", "x.median(0).values")], ()),
    "a crash": ("centring", CENTRING, [("x.sum(0) / len(x)", "x.sum(7)")], ("crash",)),
    "a known one, and a crash elsewhere": (
        "centring",
        CENTRING,
        [FLIPPED, ("mu = self.running_mean", "mu = None")],
        ("momentum-flipped", "crash"),
    ),
    "a known one, and a crash whatever the input": ("centring", CENTRING, [UNWEIGHTED, OF_FIVE], ("weight-not-applied", "crash")),
    "nothing returned": ("rms", "def rms(x, eps=1e-5):\n    pass\n", [], ()),
    "an end of the process": ("rms", "import os\n\ndef rms(x, eps=1e-5):\n    os._exit(1)\n", [], ()),
}

LAYER_NORM = """
import torch
from torch import nn

class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.n, self.dims, self.eps = torch.Size(shape).numel(), [-1 - i for i in range(len(shape))], eps
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x):
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        mu = h.sum(self.dims, keepdim=True) / self.n
        var = ((h - mu) ** 2).sum(self.dims, keepdim=True) / self.n
        y = (h - mu) * torch.rsqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
"""
BATCH_NORM = """
import torch
from torch import nn

class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.eps, self.momentum, self.track = eps, momentum, track_running_stats
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.register_buffer("running_mean", torch.zeros(num_features) if self.track else None)
        self.register_buffer("running_var", torch.ones(num_features) if self.track else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if self.track else None)

    def forward(self, x):
        if x.dim() not in (2, 3, 4):
            raise ValueError("rank")
        h = x.to(torch.promote_types(x.dtype, torch.float32)).transpose(1, -1)
        n = x.numel() // x.shape[1]
        if self.training and n < 2:
            raise ValueError("one value")
        if self.training or not self.track:
            rows = h.reshape(-1, x.shape[1])
            mu = rows.mean(0)
            var = ((rows - mu) ** 2).mean(0)
            if self.training and self.track:
                with torch.no_grad():
                    self.num_batches_tracked += 1
                    m = 1.0 / self.num_batches_tracked if self.momentum is None else self.momentum
                    self.running_mean.lerp_(mu.to(self.running_mean.dtype), float(m))
                    self.running_var.lerp_((var * n / (n - 1)).to(self.running_var.dtype), float(m))
        else:
            mu, var = self.running_mean.to(h.dtype), self.running_var.to(h.dtype)
        y = (h - mu) / (var + self.eps) ** 0.5
        if self.weight is not None:
            y = y * self.weight + self.bias
        return y.transpose(1, -1).to(x.dtype)
"""
GREEK = [("weight", "gamma"), ("bias =", "beta ="), ("self.bias", "self.beta")]
ONE_PASS = ("((h - mu) ** 2).sum(self.dims, keepdim=True) / self.n", "(h * h).sum(self.dims, keepdim=True).div(self.n) - mu ** 2")
UNBIASED = ("sum(self.dims, keepdim=True) / self.n\n        y", "sum(self.dims, keepdim=True) / (self.n - 1)\n        y")
CLAMPED = ("* torch.rsqrt(var + self.eps)", "/ var.sqrt().clamp(min=self.eps)")  # NaN without eps agrees with this, too
NARROW_FLOAT16 = ("x.to(torch.promote_types(x.dtype, torch.float32))", "x if x.dtype is torch.float16 else x.float()")
BIASED_RUNNING = ("(var * n / (n - 1))", "var")


def renamed(source: str, names: list[tuple[str, str]]) -> str:
    for old, new in names:
        source = source.replace(old, new)
    return source


LAYER_NORM_IN_GREEK = renamed(LAYER_NORM, GREEK)
BATCH_NORM_AS_MOVING = renamed(BATCH_NORM, [("running_mean", "moving_mean"), ("running_var", "moving_var"), *GREEK])

ON_REAL_EXERCISES: dict[str, tuple[str, str, list[tuple[str, str]], tuple[str, ...]]] = {
    "right": ("layer_norm", LAYER_NORM, [], ()),
    "one-pass variance in another order": ("layer_norm", LAYER_NORM, [ONE_PASS], ("one-pass-variance",)),
    "gamma and beta alone": ("layer_norm", LAYER_NORM_IN_GREEK, [], ("other-names",)),
    "gamma and beta, and unbiased": ("layer_norm", LAYER_NORM_IN_GREEK, [UNBIASED], ("unbiased-variance", "other-names")),
    "the one that leaves nothing open": ("layer_norm", LAYER_NORM, [CLAMPED], ("eps-clamps-deviation",)),
    "half precision of one dtype": ("layer_norm", LAYER_NORM, [NARROW_FLOAT16], ("half-precision", "float64-in-float32")),
    "right batch norm": ("batch_norm", BATCH_NORM, [], ()),
    "moving averages, and biased": ("batch_norm", BATCH_NORM_AS_MOVING, [BIASED_RUNNING], ("biased-running-variance", "other-names")),
}  # fmt: skip


def graded(course: Course, cases: dict[str, tuple[str, str, list[tuple[str, str]], tuple[str, ...]]], folder: Path) -> Reports:
    """Grade all cases in one call."""
    submissions = []
    for number, (slug, source, edits, _) in enumerate(cases.values()):
        for old, new in edits:
            assert source.count(old) == 1, f"{old!r} occurs {source.count(old)} times"
            source = source.replace(old, new)
        path = folder / f"{number}.py"
        path.write_text(source, encoding="utf-8")
        submissions.append(Submission(course.exercise(slug), path, path.name))
    return dict(zip(cases, grade(submissions), strict=True))


@pytest.fixture(scope="module")
def tiny_reports(tiny: Course, expectations: Path, tmp_path_factory: pytest.TempPathFactory) -> Reports:
    return graded(tiny, ON_THE_TINY_COURSE, tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def real_reports(expectations: Path, tmp_path_factory: pytest.TempPathFactory) -> Reports:
    return graded(Course(carried()), ON_REAL_EXERCISES, tmp_path_factory.mktemp("real"))


def named(report: Report) -> list[tuple[str, ...]]:
    return [diagnosis.mistakes for diagnosis in report.diagnoses]


@pytest.mark.parametrize("case", ON_THE_TINY_COURSE)
def test_mistakes_of_the_tiny_course(case: str, tiny_reports: Reports) -> None:
    mistakes = ON_THE_TINY_COURSE[case][-1]
    assert named(tiny_reports[case]) == ([mistakes] if mistakes else [])
    assert (tiny_reports[case].outcome is Outcome.PASSED) == case.startswith("right")


@pytest.mark.parametrize("case", ON_REAL_EXERCISES)
def test_mistakes_of_real_exercises(case: str, real_reports: Reports) -> None:
    mistakes = ON_REAL_EXERCISES[case][-1]
    assert named(real_reports[case]) == ([mistakes] if mistakes else [])
    assert (real_reports[case].outcome is Outcome.PASSED) == case.startswith("right")


def test_a_diagnosis_uses_the_text_of_the_mistake(tiny: Course, tiny_reports: Reports) -> None:
    said = {mistake.name: mistake.says for mistake in read_mistakes(tiny.exercise("centring"))}
    [one], [three] = tiny_reports["one in a buffer"].diagnoses, tiny_reports["three"].diagnoses
    seen_by = tuple(check.name for check in tiny_reports["one in a buffer"].checks if check.outcome is Outcome.FAILED)
    assert one == Diagnosis(("momentum-flipped",), said["momentum-flipped"], seen_by, cost=COST, texts=(said["momentum-flipped"],))
    assert "test_running_mean" in seen_by
    assert three.says == f"1. {said['momentum-flipped']}\n2. {said['weight-not-applied']}\n3. {said['rank-not-refused']}"
    assert three.checks == ("test_training[4]", "test_training[5]", "test_running_mean", "test_steps", "test_rank")


def test_several_mistakes_are_numbered() -> None:
    assert (says(["First."]), says(["First.", "Second."])) == ("First.", "1. First.\n2. Second.")


def played_nowhere(asked: Iterable[tuple[str, Playable]]) -> Iterator[Observation | None]:
    raise AssertionError("something was played")


@pytest.mark.parametrize("outcome", [Outcome.SKIPPED, Outcome.ERROR, Outcome.FAILED])
def test_checks_that_played_nothing_say_nothing(outcome: Outcome, tiny: Course, expectations: Path) -> None:
    results = [Result(Check("test_x", "It holds.", Kind.FORMULA, outcome, 1), ())]
    assert diagnose(results, known(tiny, expectations, "centring"), played_nowhere) == ()


@dataclass(frozen=True)
class Here:
    """A player of a source in this process."""

    implementation: ModuleType

    def play(self, request: Playable, size_limit_bytes: int) -> Observation:
        return play(self.implementation, request, None, size_limit_bytes)


@dataclass
class Counting:
    """A player of any source in this process, which records the sources."""

    oracle: Oracle
    sources: list[str] = field(default_factory=list)

    def plays(self, asked: Iterable[tuple[str, TypedRequest]]) -> Iterator[Observation]:
        for source, request in asked:
            self.sources.append(source)
            yield self.oracle.natively(source, request)


def oracle_of(expectations: Path) -> Oracle:
    return Oracle(Cache(expectations, bytes(32)), None)


def known(tiny: Course, expectations: Path, slug: str) -> Known:
    """Return the mistakes of an exercise of the tiny course, with their effects."""
    exercise = tiny.exercise(slug)
    reference, mistakes = read_text(exercise.reference), read_mistakes(exercise)
    plays = plays_of(collect([exercise])[slug], ReferenceRun(oracle := oracle_of(expectations), exercise, reference))
    return Known(reference, mistakes, forecasts_of(effects_of(plays, reference, mistakes, oracle), plays))


def searched(
    tiny: Course, expectations: Path, slug: str, source: str, within_s: float = math.inf
) -> tuple[tuple[Diagnosis, ...], list[str]]:
    """Return the diagnoses of a search, and the sources that it played."""
    exercise, oracle = tiny.exercise(slug), oracle_of(expectations)
    run = Run(Here(load(source, "mine.py")), ReferenceRun(oracle, exercise, read_text(exercise.reference)))
    results, counting = list(run.results(collect([exercise])[slug])), Counting(oracle)
    return diagnose(results, known(tiny, expectations, slug), counting.plays, within_s), counting.sources


@pytest.mark.parametrize("edits", [[FLIPPED], [ANY_RANK], [DETACHED], [FLIPPED, ANY_RANK]])
def test_mistakes_without_overlap_need_no_play(edits: list[tuple[str, str]], tiny: Course, expectations: Path) -> None:
    source = CENTRING
    for old, new in edits:
        source = source.replace(old, new)
    [diagnosis], played = searched(tiny, expectations, "centring", source)
    assert len(diagnosis.mistakes) == len(edits) and played == []


def test_each_mistake_has_its_costs_and_its_checks(tiny: Course, expectations: Path) -> None:
    [found], _played = searched(tiny, expectations, "centring", CENTRING.replace(*FLIPPED).replace(*ANY_RANK))
    assert found.mistakes == ("momentum-flipped", "rank-not-refused") and sum(found.costs) == found.cost
    momentum, rank = found.parts
    assert rank == {"test_rank"} and "test_running_mean" in momentum and momentum | rank == {*found.checks}


def test_overlapping_mistakes_are_only_played_together(tiny: Course, expectations: Path) -> None:
    two = CENTRING.replace(*FLIPPED).replace(*UNWEIGHTED)
    found, played = searched(tiny, expectations, "centring", two)
    alone = {mistake.source for mistake in read_mistakes(tiny.exercise("centring"))}
    assert [diagnosis.mistakes for diagnosis in found] == [("momentum-flipped", "weight-not-applied")]
    assert played and alone.isdisjoint(played)


def test_a_search_without_time_finds_mistakes_without_plays(tiny: Course, expectations: Path) -> None:
    [diagnosis], played = searched(tiny, expectations, "centring", CENTRING.replace(*FLIPPED), within_s=-1.0)
    assert diagnosis.mistakes == ("momentum-flipped",) and played == []


def test_an_unfinished_search_without_results_is_out_of_time(tiny: Course, expectations: Path) -> None:
    unknown = CENTRING.replace("return ", "return 1.5 * ")
    with pytest.raises(OutOfTime):
        searched(tiny, expectations, "centring", unknown, within_s=-1.0)


# Built-in mistakes

ASSERTS = ('raise ValueError("two dimensions, please")', 'raise AssertionError("two dimensions, please")')


def test_another_exception_is_named_and_hides_no_mistake(tiny: Course, expectations: Path) -> None:
    [alone], _ = searched(tiny, expectations, "centring", CENTRING.replace(*ASSERTS))
    assert (alone.mistakes, alone.checks) == (("other-exception",), ("test_rank",))
    assert alone.says == "Your code raises AssertionError instead of ValueError."
    [both], _ = searched(tiny, expectations, "centring", CENTRING.replace(*ASSERTS).replace(*FLIPPED))
    assert both.mistakes == ("momentum-flipped", "other-exception") and {"test_rank", "test_running_mean"} <= {*both.checks}


def test_missing_arguments_hide_no_mistake(tiny: Course, expectations: Path) -> None:
    without_eps = RMS.replace("x, eps=1e-5", "x").replace(" + eps)", " + 1e-5)").replace("x.float() ** 2", "x * x")
    [found], _ = searched(tiny, expectations, "rms", without_eps)
    assert (found.mistakes, len(found.checks)) == (("no-upcast", "missing-arguments"), 3)
    assert "rms() does not accept `eps`." in found.says


# Crashes


def test_exception_explains_the_checks_that_end_in_it(tiny_reports: Reports) -> None:
    report = tiny_reports["a known one, and a crash whatever the input"]
    failed = [check.name for check in report.checks if check.outcome is Outcome.FAILED]
    claims = len({check.claim for check in report.checks if check.outcome is Outcome.FAILED})
    [found] = report.diagnoses
    assert [*found.checks] == failed and not report.unexplained
    assert found.texts[-1].startswith("TypeError on line ") and found.texts[-1].endswith(f" of {claims} failing claims.")
