"""The numbers of the prompt of adaptive batch norm."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

import torch
from torch import Tensor, nn

from of_prompts.references import reference
from of_prompts.rows import DY, Measured, Worked, X, row, short, step

SIZES = [3, 1]


def worked() -> Worked:
    norm = nn.BatchNorm1d(1, eps=0.0).double().eval()
    with torch.no_grad():
        source = norm(X.reshape(4, 1))
    batches = X.reshape(4, 1).split(SIZES)
    reference("ada_bn").adapt(norm, batches)
    x = X.reshape(4, 1).requires_grad_()
    target = norm(x)
    target.backward(DY.reshape(4, 1))
    means = torch.stack([batch.mean() for batch in batches])
    rows = (
        row("k", torch.arange(1, 3).repeat_interleave(torch.tensor(SIZES))),
        row("x", X),
        row("y, μ = 0, σ² = 1", source),
        step("running_mean", "12/4", norm.running_mean) + f" ≠ (2 + 6)/2 = {short(means.mean().item())}",
        step("running_var", "14/4", norm.running_var) + f" ≠ 14/3 = {short(X.var().item())}",
        row("y, μ = 3, σ² = 3.5", target),
        row("dy", DY),
        row("dx = dy/√3.5", x.grad),
    )
    return Worked(
        {
            "en": "One norm of one channel, new, with ε = 0. The target comes in two batches, k = 1 of three samples and k = 2 of one:",
            "zh": "一个新的归一化层，一个通道，ε = 0。目标域分为两批：k = 1 有三个样本，k = 2 有一个：",
        },
        rows,
        {
            "en": "The variance is the biased one of all four numbers. The new statistics are constants: dx is 0 wherever dy is 0.",
            "zh": "方差是全部四个数的有偏方差。新的统计量是常数：dy 为 0 的地方，dx 也为 0。",
        },
    )


def measured() -> Iterator[Measured]:
    torch.manual_seed(0)
    adapt = reference("ada_bn").adapt
    source, target = torch.randn(1024, 32), 2 + 3 * torch.randn(1024, 32)
    model = nn.Sequential(*(layer for _ in range(4) for layer in (nn.Linear(32, 32), nn.BatchNorm1d(32)))).eval()
    adapt(model, [source])  # as training would leave it
    by_layer, at_once = deepcopy(model), deepcopy(model)
    adapt(by_layer, [target])
    give_all_at_once(at_once, target)
    before, after, once = (deviation(each(target)) for each in (model, by_layer, at_once))
    yield Measured(
        {
            "en": f"a standard deviation of {before:.1f} before adapting, {after:.1f} after adapting layer by "
            f"layer, and {once:.2f} after one pass for all",
            "zh": f"适配前为 {before:.1f}，逐层适配后为 {after:.1f}，一遍适配所有层后为 {once:.2f}",
        }
    )
    draws = torch.randn(1000, 256, dtype=torch.float64)
    all_of_them = draws.var(1, correction=0)
    off = (draws.view(1000, 16, 16).var(2).mean(1) / all_of_them - 1).abs().mean().item()
    left = (draws.sort(1).values.view(1000, 16, 16).var(2).mean(1) / all_of_them).mean().item()
    yield Measured(
        {
            "en": f"the average of the unbiased variances is off by {100 * off:.0f} %; if the numbers are sorted first, it is only "
            f"{100 * left:.0f} % of the variance",
            "zh": f"无偏方差的平均与方差相差 {100 * off:.0f} %；先排序的话，它只有方差的 {100 * left:.0f} %",
        }
    )


@torch.no_grad()
def give_all_at_once(model: nn.Module, x: Tensor) -> None:
    """Give every norm the statistics of what it sees in a single pass, with the old statistics before it."""
    seen = {}
    hooks = [
        norm.register_forward_pre_hook(lambda norm, inputs: seen.update({norm: inputs[0].clone()}))
        for norm in model.modules()
        if isinstance(norm, nn.BatchNorm1d)
    ]
    model(x)
    for hook in hooks:
        hook.remove()
    for norm, values in seen.items():
        norm.running_mean.copy_(values.mean(0))
        norm.running_var.copy_(values.var(0, correction=0))


def deviation(y: Tensor) -> float:
    """Return the standard deviation of a channel, averaged over all channels."""
    return y.std(0, correction=0).mean().item()
