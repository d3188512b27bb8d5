"""The numbers of the prompt of SPADE."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch.nn import functional as F

from of_prompts.references import reference
from of_prompts.rows import DY, Measured, Worked, X, row, short, step


def worked() -> Worked:
    layer = reference("spade").SPADE(1, 1, hidden=1, eps=0.0).double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.zero_()
        layer.shared.weight[..., 1, 1] = 1  # h = m'
        layer.gamma.weight[..., 1, :] = 1  # a position and its two neighbours in the row
        layer.beta.weight[..., 1, 1] = 1  # only the position
    x = X.reshape(1, 1, 1, 4).requires_grad_()
    label_map = torch.tensor([1.0, 0.0], dtype=torch.float64).reshape(1, 1, 1, 2)
    y = layer(x, label_map)
    y.backward(DY.reshape(1, 1, 1, 4))
    resized = F.interpolate(label_map, size=(1, 4), mode="nearest")
    with torch.no_grad():
        gamma, beta = layer.gamma(resized), layer.beta(resized)
    rows = (
        row("x", X),
        step("μ", "12/4", X.mean()),
        step("σ²", "14/4", X.var(correction=0)) + f" ≠ 14/3 = {short(X.var().item())}",
        row("x̂", (X - X.mean()) / X.std(correction=0)),
        row("m'", resized),
        row("γ", gamma),
        row("β", beta),
        row("y = (1 + γ) x̂ + β", y),
        row("dy", DY),
        row("dx", x.grad),
        step("running_mean", "0.9 · 0 + 0.1 · 3", layer.running_mean),
        step("running_var", "0.9 · 1 + 0.1 · 4.6667", layer.running_var),
    )
    return Worked(
        {
            "en": "One image of one row and one channel, ε = 0, in training. The label map (1, 0) is resized "
            "to four positions. `shared` copies it, `gamma` adds up\n"
            "each position and its two neighbours, `beta` takes only the position; all biases are 0:",
            "zh": "一张只有一行、一个通道的图像，ε = 0，训练模式。标签图 (1, 0) 缩放到四个位置。`shared` 原样传递，"
            "`gamma` 把每个位置与左右两个邻居相加，`beta` 只取该位置；偏置全为 0：",
        },
        rows,
        {
            "en": "γ sees the border between the labels from both sides, and the padding at the first position. "
            "dx is three times that of batch norm,\n"
            "because dy is 0 except at the first position, where 1 + γ = 3.",
            "zh": "γ 从两侧都能看到标签的边界；在第一个位置上，它还看到了填充的零。dx 是批归一化的三倍，因为 "
            "dy 只在第一个位置不为 0，那里 1 + γ = 3。",
        },
    )


def measured() -> Iterator[Measured]:
    torch.manual_seed(0)
    layer = reference("spade").SPADE(64, 35)
    labels = F.one_hot(torch.randint(35, (8, 32, 32)), 35).movedim(-1, 1).float()
    with torch.no_grad():
        deviation = f"{layer.gamma(torch.relu(layer.shared(labels))).std().item():.2f}"
    yield Measured({"en": f"γ has a standard deviation of {deviation}", "zh": f"γ 的标准差为 {deviation}"})
