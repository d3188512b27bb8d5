"""The numbers of the prompt of instance norm."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Worked, X, row, step


def worked() -> Worked:
    layer = reference("instance_norm").InstanceNorm(1, eps=0.0, track_running_stats=True).double()
    x = X.view(1, 1, 4).requires_grad_()
    y = layer(x)
    (dx,) = torch.autograd.grad(y, x, DY.view(1, 1, 4))
    with torch.no_grad():
        evaluated = layer.eval()(x)
    rows = (
        row("x", X),
        step("μ", "(1 + 2 + 3 + 6)/4", X.mean()),
        step("σ²", "(4 + 1 + 0 + 9)/4", X.var(correction=0)),
        step("σ² · n/(n − 1)", "(4 + 1 + 0 + 9)/3", X.var()),
        row("x̂", y),
        row("dy", DY),
        row("dx", dx),
        step("running_mean", "0.9 · 0 + 0.1 · 3", layer.running_mean),
        step("running_var", "0.9 · 1 + 0.1 · 4.6667", layer.running_var),
        row("(x − 0.3)/√1.3667", evaluated),
    )
    return Worked(
        {
            "en": "One sample of one channel with four positions, ε = 0, and a layer that tracks, after its first training step:",
            "zh": "一个样本、一个通道、四个位置，ε = 0；层开启跟踪，走完第一个训练步：",
        },
        rows,
        {
            "en": "x̂ has mean 0 and biased variance 1, while the running variance gets the unbiased one. The last row is the "
            "evaluation of the same input: after one step it is\n"
            "still far from x̂.",
            "zh": "x̂ 的均值为 0，有偏方差为 1；滑动方差用的则是无偏方差。最后一行是同一输入在评估时的输出：只走一步，它离 x̂ 还很远。",
        },
    )
