"""The numbers of the prompt of AdaIN."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Worked, X, row, step

STYLE = torch.tensor([10.0, 30.0], dtype=torch.float64)


def worked() -> Worked:
    content, style = (each.view(1, 1, 1, -1).requires_grad_() for each in (X.clone(), STYLE.clone()))
    y = reference("ada_in").adaptive_instance_norm(content, style, 0.0)
    y.backward(DY.view_as(y))
    rows = (
        row("c", X),
        row("s", STYLE),
        step("μ(c)", "(1 + 2 + 3 + 6)/4", X.mean()),
        step("σ(c)", "√((4 + 1 + 0 + 9)/4)", X.std(correction=0)),
        step("μ(s)", "(10 + 30)/2", STYLE.mean()),
        step("σ(s)", "√((100 + 100)/2)", STYLE.std(correction=0)),
        row("(c − μ(c))/σ(c)", (X - X.mean()) / X.std(correction=0)),
        row("y", y),
        row("y, n − 1", (X - X.mean()) / X.std() * STYLE.std() + STYLE.mean()),
        row("dy", DY),
        row("dc", content.grad),
        row("ds", style.grad),
    )
    return Worked(
        {
            "en": "One feature map of the content with four positions, one of the style with two, and ε = 0:",
            "zh": "内容的一张特征图有四个位置，风格的一张有两个；ε = 0：",
        },
        rows,
        {
            "en": "y has the mean 20 and the standard deviation 10 of the style. With n − 1 in both deviations (√4.6667 and √200) y "
            "would be too wide by a factor of\n"
            "√(2/1)/√(4/3) = 1.22, because the sizes differ.",
            "zh": "y 的均值 20 和标准差 10 就是风格的。如果两个标准差都用 n − 1（√4.6667 和 √200），由于大小不同，y 的标准差会是应有"
            "的 √(2/1)/√(4/3) = 1.22 倍。",
        },
    )
