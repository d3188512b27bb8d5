"""The numbers of the prompt of batch renorm."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Worked, X, row, short, step


def worked() -> Worked:
    layer = reference("batch_renorm").BatchRenorm(1, eps=0.0).double()
    layer.running_mean.fill_(2.0)
    layer.running_std.fill_(1.5)
    outputs, gradients = [], []
    for mode in (False, True):
        x = X.reshape(4, 1).requires_grad_()
        outputs.append(layer.train(mode)(x))
        outputs[-1].backward(DY.reshape(4, 1))
        gradients.append(x.grad)
    deviation = X.var(correction=0).sqrt()
    rows = (
        row("x", X),
        step("μ_B", "12/4", X.mean()),
        step("σ_B²", "14/4", deviation.square()) + f" ≠ 14/3 = {short(X.var().item())}",
        step("r", "√3.5/1.5", deviation / 1.5),
        step("d", "(3 − 2)/1.5", (X.mean() - 2) / 1.5),
        row("x̂, train()", outputs[1]),
        row("x̂, eval()", outputs[0]),
        row("dy", DY),
        row("dx, train()", gradients[1]),
        row("dx, eval()", gradients[0]),
        step("running_mean", "2 + 0.01 · (3 − 2)", layer.running_mean),
        step("running_std", "1.5 + 0.01 · (√3.5 − 1.5)", layer.running_std),
    )
    assert torch.allclose(outputs[0], outputs[1])
    return Worked(
        {
            "en": "A batch of four samples with one channel; running_mean is 2 and running_std 1.5, ε = 0, γ = 1 and β = 0:",
            "zh": "一批四个样本，一个通道；running_mean 为 2，running_std 为 1.5，ε = 0，γ = 1，β = 0：",
        },
        rows,
        {
            "en": "Neither r nor d is clipped, so both modes give the same x̂. Their gradients differ: in training "
            "dx sums to 0, as in batch norm.",
            "zh": "r 和 d 都没有被截断，所以两种模式的 x̂ 相同。梯度却不同：训练时 dx 的和为 0，与批归一化一样。",
        },
    )
