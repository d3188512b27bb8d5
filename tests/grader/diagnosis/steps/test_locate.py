"""The first wrong step, on real suites: at the right line, with a change if there is one, and nothing about right code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest
from steps_case import CALL, NORM, edited, failed, in_this_process, located, numbers, played
from thorough import all_or
from wild import wild_submissions

from normgrade.course.course import Course
from normgrade.diagnosis.steps import locate as locating
from normgrade.diagnosis.steps.locate import locate
from normgrade.diagnosis.steps.step import Step
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.report.report import Outcome
from normgrade.worker.wire.messages import RecordQuestion
from normgrade.worker.wire.observation import Array, Recording
from normgrade.worker.wire.requests import FunctionCall

LAYER_NORM = """import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.rank, self.eps = len(shape), eps
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x):
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        axes = [-axis for axis in range(1, self.rank + 1)]
        mu = h.mean(axes, keepdim=True)
        centred = h - mu
        sigma2 = (centred * centred).mean(axes, keepdim=True)
        inverse = torch.rsqrt(sigma2 + self.eps)
        out = centred * inverse
        if self.weight is not None:
            out = out * self.weight
        if self.bias is not None:
            out = out + self.bias
        return out.to(x.dtype)
"""
RMS_NORM = """import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def _norm(self, h):
        squares = h.pow(2)
        return h * torch.rsqrt(squares.mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        h = self._norm(x.to(torch.promote_types(x.dtype, torch.float32)))
        return (h * self.weight).to(x.dtype)
"""
BATCH_NORM = """import torch
from torch import nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.register_parameter("weight", nn.Parameter(torch.ones(num_features)) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_features)) if affine else None)
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x):
        if x.dim() not in (2, 3, 4) or self.training and x.numel() == x.shape[1]:
            raise ValueError("shape")
        h = x.to(torch.promote_types(x.dtype, torch.float32)).transpose(0, 1)
        rows = h.flatten(1)
        if self.training or self.running_mean is None:
            m, v = rows.mean(1), rows.var(1, correction=0)
            if self.training and self.running_mean is not None:
                with torch.no_grad():
                    n = rows.shape[1]
                    self.num_batches_tracked += 1
                    rate = 1 / self.num_batches_tracked if self.momentum is None else self.momentum
                    self.running_mean.copy_((1 - rate) * self.running_mean + rate * m)
                    self.running_var.copy_((1 - rate) * self.running_var + rate * v * n / (n - 1))
        else:
            m, v = self.running_mean, self.running_var
        rows = (rows - m[:, None]) / torch.sqrt(v + self.eps)[:, None]
        if self.weight is not None:
            rows = rows * self.weight[:, None] + self.bias[:, None]
        return rows.reshape(h.shape).transpose(0, 1).to(x.dtype)
"""
GROUP_NORM = """import torch
from torch import nn


class GroupNorm(nn.Module):
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True):
        super().__init__()
        if num_channels % num_groups:
            raise ValueError("groups")
        self.num_groups, self.eps = num_groups, eps
        self.register_parameter("weight", nn.Parameter(torch.ones(num_channels)) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_channels)) if affine else None)

    def forward(self, x):
        g = x.to(torch.promote_types(x.dtype, torch.float32)).reshape(x.shape[0], self.num_groups, -1)
        m = g.mean(-1, keepdim=True)
        s = ((g - m) ** 2).mean(-1, keepdim=True)
        g = ((g - m) / (s + self.eps).sqrt()).reshape(x.shape)
        if self.weight is not None:
            shape = [1, -1] + [1] * (x.dim() - 2)
            g = g * self.weight.view(shape) + self.bias.view(shape)
        return g.to(x.dtype)
"""
BACKWARD = """import numpy as np


def forward(x, weight, bias, eps=1e-5):
    h = x.astype(np.promote_types(x.dtype, np.float32))
    mean = h.mean(-1, keepdims=True)
    std = np.sqrt(h.var(-1, keepdims=True) + eps)
    z = (h - mean) / std
    return (z * weight + bias).astype(x.dtype), (z, std, weight)


def backward(dy, cache):
    z, std, weight = cache
    g = dy.astype(z.dtype)
    axes = tuple(range(g.ndim - 1))
    dw = (g * z).sum(axes)
    db = g.sum(axes)
    dz = g * weight
    m1 = dz.mean(-1, keepdims=True)
    m2 = (dz * z).mean(-1, keepdims=True)
    dx = (dz - m1 - z * m2) / std
    return dx.astype(dy.dtype), dw.astype(dy.dtype), db.astype(dy.dtype)
"""
WRONG = [  # exercise, right code in another style, its right text, the wrong text, and the words of the change
    ("layer_norm", LAYER_NORM, ".mean(axes, keepdim=True)\n        inverse", ".sum(axes, keepdim=True)\n        inverse", "× n"),
    ("layer_norm", LAYER_NORM, "(sigma2 + self.eps)", "(sigma2)", "without eps"),
    ("layer_norm", LAYER_NORM, "torch.rsqrt(sigma2 + self.eps)", "1 / (sigma2.sqrt() + self.eps)", "with eps outside the root"),
    ("layer_norm", LAYER_NORM, "out + self.bias", "out - self.bias", "− instead of +"),
    ("rms_norm", RMS_NORM, "h * torch.rsqrt", "h * torch.sqrt", "× instead of ÷"),
    ("rms_norm", RMS_NORM, "h.pow(2)", "h.abs()", "abs instead of square"),
    ("rms_norm", RMS_NORM, "h * self.weight", "h * (1 + self.weight)", None),
    ("batch_norm", BATCH_NORM, "rows.var(1, correction=0)", "rows.var(1)", "as if divided by n − 1"),
    ("batch_norm", BATCH_NORM, "rate * v * n / (n - 1)", "rate * v", "as if divided by n"),
    ("batch_norm", BATCH_NORM, "torch.sqrt(v + self.eps)", "(torch.sqrt(v) + self.eps)", "with eps outside the root"),
    ("group_norm", GROUP_NORM, "((g - m) ** 2)", "(g**2)", None),
    ("group_norm", GROUP_NORM, "m = g.mean(-1, keepdim=True)", "m = g.mean(1, keepdim=True)", None),
    ("layer_norm_backward", BACKWARD, "(dz * z).mean", "(dz * z).sum", "× n"),
    ("layer_norm_backward", BACKWARD, "dz - m1 - z * m2", "dz - m1 + z * m2", "+ instead of −"),
    ("layer_norm_backward", BACKWARD, "g.sum(axes)", "g.mean(axes)", "÷ n"),
]
RIGHT = {
    "layer_norm": LAYER_NORM,
    "rms_norm": RMS_NORM,
    "batch_norm": BATCH_NORM,
    "group_norm": GROUP_NORM,
    "layer_norm_backward": BACKWARD,
}

LARGE = FunctionCall("norm", [Array(numbers(2, 5, 7).values * 1e5, "float32"), *CALL.args[1:]], upstream=CALL.upstream)  # hides eps


@pytest.mark.parametrize("order", [1, -1])
def test_change_is_told_from_its_likes_in_one_play(order: int) -> None:
    """Multiply the variance before eps is added, whatever the order in which the submission tells its values."""
    source = edited(("    y =", "    var = var * 1.03\n    y ="))
    submission = in_this_process(source)

    def told(question: RecordQuestion) -> Recording:
        recording = submission(question)
        return replace(recording, records=recording.records[::order])

    results = [failed(played(source, request=request)) for request in (LARGE, CALL)]
    step = locate(results, source, [NORM], told, in_this_process(""))
    assert step is not None and step.change is not None
    exact = played(step.change.source, source)
    assert not exact.differences and not played(step.change.source, source, LARGE).differences


class Graders:
    """Graders of exercises, each opened once."""

    def __init__(self, opened: ExitStack) -> None:
        self.opened, self.course, self.graders = opened, Course.find(), dict[str, Grader]()
        self.replays = 0

    def located(self, slug: str, source: str) -> Step | None:
        """Return the first wrong step of a file, from all its failing checks."""
        exercise = self.course.exercise(slug)
        if slug not in self.graders:
            self.graders[slug] = self.opened.enter_context(open_grader([exercise], Options()))
        grader, self.replays = self.graders[slug], 0
        wrong = [each for each in grader.results(exercise, source, "file.py") if each.check.outcome is Outcome.FAILED]
        sources = [path.read_text(encoding="utf-8") for path in (exercise.reference, *exercise.alternatives)]
        with grader.worker(exercise, source, "file.py") as worker, grader.course_worker(exercise) as course_worker:

            def answer(question: RecordQuestion) -> Recording:
                self.replays += 1
                return course_worker.record(question)

            return locate(wrong, source, sources, worker.record, answer, exercise.defines)


@pytest.fixture(scope="module")
def graders(expectations: object) -> Iterator[Graders]:
    with ExitStack() as opened:
        yield Graders(opened)


@pytest.mark.parametrize(("slug", "right", "old", "new", "words"), WRONG)
def test_a_wrong_step_is_located_on_a_real_suite(graders: Graders, slug: str, right: str, old: str, new: str, words: str | None) -> None:
    assert right.count(old) == 1
    step = graders.located(slug, right.replace(old, new))
    assert step is not None and step.line == right[: right.index(old)].count("\n") + 1, step and step.says
    assert words is None or (step.change is not None and step.change.words == words), step.says
    assert graders.replays <= locating.REPLAYS


@pytest.mark.parametrize("slug", all_or(2, RIGHT))
def test_right_code_has_no_wrong_step(graders: Graders, slug: str) -> None:
    assert graders.located(slug, RIGHT[slug]) is None and graders.replays == 0
    for path in graders.course.exercise(slug).alternatives:
        assert graders.located(slug, path.read_text(encoding="utf-8")) is None


@pytest.mark.parametrize("wild", [each for each in wild_submissions() if each.slug in RIGHT], ids=lambda wild: f"{wild.slug}/{wild.name}")
def test_mended_code_has_no_wrong_step(graders: Graders, wild) -> None:  # type: ignore[no-untyped-def]
    assert graders.located(wild.slug, wild.mended()) is None


def test_unexplained_code_has_no_wrong_step() -> None:
    assert located(edited(("(x - mean)", "(x.sin() - mean.cos() * x)"))) is None


def test_replays_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = edited((", correction=0", ""))
    assert located(wrong) is not None
    monkeypatch.setattr(locating, "REPLAYS", 2)
    assert located(wrong) is None


def test_an_alternative_may_explain_more_than_the_reference() -> None:
    other = """import torch

def norm(x, weight, bias, eps):
    c = x - x.mean(-1, keepdim=True)
    top = c.abs().amax(-1, keepdim=True)
    small = c / top
    spread = small.square().mean(-1, keepdim=True) + eps / top**2
    return small * spread.rsqrt() * weight + bias
"""
    step = located(other.replace("eps / top**2", "eps / top"), NORM, other)
    assert step is not None and step.line == 7
    assert step.change is None or step.change.base == other
