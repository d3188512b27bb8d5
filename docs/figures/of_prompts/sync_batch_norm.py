"""The numbers of the prompt of synchronised batch norm."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import torch

from normgrade.course.course import Course
from of_prompts.references import reference
from of_prompts.rows import DY, Worked, X, row, short, step

SIZES = [3, 1]


def probes() -> ModuleType:
    """Return what plays the layer on several ranks."""
    path = Course.find().exercise("sync_batch_norm").prompt_in("en").with_name("probes.py")
    spec = importlib.util.spec_from_file_location("probes_of_sync_batch_norm", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def worked() -> Worked:
    ranks = probes().world(reference("sync_batch_norm"), 1, 2, 0.0).double()
    for layer in ranks.others:
        layer.double()
    x = X.reshape(4, 1).requires_grad_()
    parts = x.split(SIZES)
    y = ranks(*parts)
    y.backward(DY.reshape(4, 1))
    means = torch.stack([part.mean() for part in parts])
    variances = torch.stack([part.var(correction=0) for part in parts])
    layer = ranks.rank_0
    rows = (
        row("r", torch.arange(2).repeat_interleave(torch.tensor(SIZES))),
        row("x", X),
        step("n", "3 + 1", sum(SIZES)),
        step("μ", "(6 + 6)/4", X.mean()) + f" ≠ (2 + 6)/2 = {short(means.mean().item())}",
        step("σ², 1/n", "(5 + 9)/4", X.var(correction=0)) + f" ≠ (2/3 + 0)/2 = {short(variances.mean().item())}",
        step("σ², 1/(n − 1)", "(5 + 9)/3", X.var()),
        row("x̂", y),
        row("dy", DY),
        row("dx", x.grad),
        step("running_mean", "0.9 · 0 + 0.1 · 3", layer.running_mean),
        step("running_var", "0.9 · 1 + 0.1 · 4.6667", layer.running_var),
    )
    return Worked(
        {
            "en": "One channel on two ranks, r = 0 with three samples and r = 1 with one; ε = 0, γ = 1 and β = 0:",
            "zh": "一个通道，两个 rank：r = 0 有三个样本，r = 1 有一个；ε = 0，γ = 1，β = 0：",
        },
        rows,
        {
            "en": "The averages of the ranks' means and variances (after ≠) are wrong. The loss of rank 0 has "
            "a gradient on rank 1: dx is not 0 there.",
            "zh": "对各 rank 的均值和方差求平均（≠ 之后）是错的。rank 0 的损失在 rank 1 上也有梯度：那里的 dx 不为 0。",
        },
    )
