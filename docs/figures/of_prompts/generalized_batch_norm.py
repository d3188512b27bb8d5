"""The numbers of the prompt of generalised batch norm."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from of_prompts.references import reference
from of_prompts.rows import DY, Measured, Worked, X, row, short, step


def mean(channels: Tensor) -> Tensor:
    return channels.mean(1)


def standard_deviation(channels: Tensor) -> Tensor:
    return channels.std(1, correction=0)


def mid_range(channels: Tensor) -> Tensor:
    return (channels.amax(1) + channels.amin(1)) / 2


def half_range(channels: Tensor) -> Tensor:
    return (channels.amax(1) - channels.amin(1)) / 2


def worked() -> Worked:
    layers, outputs, gradients = [], [], []
    for pair in ((mean, standard_deviation), (mid_range, half_range)):
        layers.append(reference("generalized_batch_norm").GeneralizedBatchNorm(1, *pair, eps=0.0).double())
        x = X.reshape(4, 1).requires_grad_()
        outputs.append(layers[-1](x))
        outputs[-1].backward(DY.reshape(4, 1))
        gradients.append(x.grad)
    row_of_x = X.reshape(1, 4)
    rows = (
        row("x", X),
        step("S₁", "(1 + 2 + 3 + 6)/4", mean(row_of_x)),
        step("D₁", "√(14/4)", standard_deviation(row_of_x)) + f" ≠ √(14/3) = {short(X.std().item())}",
        row("(x − S₁)/D₁", outputs[0]),
        step("S₂", "(6 + 1)/2", mid_range(row_of_x)),
        step("D₂", "(6 − 1)/2", half_range(row_of_x)),
        row("(x − S₂)/D₂", outputs[1]),
        row("dy", DY),
        row("dx₁", gradients[0]),
        row("dx₂", gradients[1]),
        step("running_statistic", "0 + 0.1 · (3.5 − 0)", layers[1].running_statistic),
        step("running_deviation", "1 + 0.1 · (2.5 − 1)", layers[1].running_deviation),
    )
    return Worked(
        {
            "en": "A batch of four samples with one channel, ε = 0, γ = 1 and β = 0. Pair 1 is mean and standard "
            "deviation, pair 2 mid-range and half range:",
            "zh": "一批四个样本，一个通道，ε = 0，γ = 1，β = 0。第 1 对是均值和标准差，第 2 对是中程数和半极差：",
        },
        rows,
        {
            "en": "With pair 2 the output fills [−1, 1]. The smallest and the largest number always become −1 and 1, so the gradient of\n"
            "the first output is 0. Both running numbers are those of pair 2.",
            "zh": "用第 2 对时，输出充满 [−1, 1]。最小和最大的数无论是多少，输出总是 −1 和 1，所以第一个输出的梯度为 "
            "0。两个滑动统计量属于第 2 对。",
        },
    )


def measured() -> Iterator[Measured]:
    torch.manual_seed(0)
    ranges, deviations = [], []
    for size in (32, 1024):
        batches = torch.randn(4000, size)
        ranges.append(half_range(batches).mean().item())
        deviations.append(standard_deviation(batches).mean().item())
    yield Measured(
        {
            "en": f"a half range of {ranges[0]:.2f} on average for n = 32 and of {ranges[1]:.2f} for n = 1024; "
            "the biased standard deviation is "
            f"{deviations[0]:.2f} and {deviations[1]:.2f} (4000 batches each)",
            "zh": f"半极差平均为 {ranges[0]:.2f}（n = 32）和 {ranges[1]:.2f}（n = 1024）；有偏标准差则是 {deviations[0]:.2f} "
            f"和 {deviations[1]:.2f}（各 4000 批）",
        }
    )
