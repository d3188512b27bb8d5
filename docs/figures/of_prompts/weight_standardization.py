"""The numbers of the prompt of weight standardisation."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Worked, X, row, step

SHAPE = (1, 1, 1, 4)  # of the weight, and of the image


def worked() -> Worked:
    layer = reference("weight_standardization").WSConv2d(1, 1, (1, 4), bias=False, eps=0.0).double()
    with torch.no_grad():
        layer.weight.copy_(X.view(SHAPE))
    y = layer(DY.view(SHAPE))
    y.backward()
    standardised, dw = layer.standardised(layer.weight.detach()), layer.weight.grad.flatten()
    signs = zip("− + + +".split(), standardised.flatten().abs().tolist(), dw.abs().tolist(), strict=True)
    product = " ".join(f"{sign} {one:.4f}·{other:.4f}" for sign, one, other in signs if one > 0).replace("− ", "−", 1)
    rows = (
        row("w", X),
        step("μ", "(1 + 2 + 3 + 6)/4", X.mean()),
        step("σ²", "(4 + 1 + 0 + 9)/4", X.var(correction=0)),
        row("ŵ = (w − μ)/σ", standardised),
        row("ŵ(10w + 7)", layer.standardised(10 * X.view(SHAPE) + 7)),
        row("x", DY),
        row("y = Σ ŵ · x", y),
        row("y(x + 5)", layer(DY.view(SHAPE) + 5)),
        row("dw, dy = 1", dw),
        step("Σ dw", "{:.4f} − {:.4f} − {:.4f} + {:.4f}".format(*dw.abs().tolist()), dw.sum()),
        step("Σ dw · ŵ", product, (dw * standardised.flatten()).sum()),
    )
    return Worked(
        {
            "en": "One filter with four weights, a kernel of 1 × 4, on an image of the same size, with ε = 0:",
            "zh": "一个滤波器有四个权重，核为 1 × 4，图像的大小相同，ε = 0：",
        },
        rows,
        {
            "en": "Neither a shift nor a scale of w changes ŵ, and a shift of the image does not change y. dw sums to 0, and is at right angles "
            "to ŵ.",
            "zh": "w 的平移和缩放都不改变 ŵ，图像的平移也不改变 y。dw 的和为 0，并与 ŵ 垂直。",
        },
    )
