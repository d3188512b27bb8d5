"""The numbers of the prompt of weight normalisation."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Worked, X, row, step

LENGTH = 10.0


def worked() -> Worked:
    layer = reference("weight_norm").WeightNorm(X[None])
    with torch.no_grad():
        layer.g.fill_(LENGTH)
    weight = layer()
    weight.backward(DY[None])
    v, dv = X, layer.v.grad[0]
    with torch.no_grad():
        layer.v.mul_(2)
        doubled = layer()
    rows = (
        row("v", v),
        step("‖v‖", "√(1 + 4 + 9 + 36)", v.norm()),
        row("g", LENGTH),
        row("w = g · v/‖v‖", weight),
        row("w(2v)", doubled),
        row("dw", DY),
        row("dg", layer.g.grad),
        row("dv", dv),
        step("dv · v", "{:.4f} − 2·{:.4f} − 3·{:.4f} − 6·{:.4f}".format(*dv.abs().tolist()), dv @ v),
        step("‖v − dv‖", f"√(50 + {dv.square().sum():.2f})", (v - dv).norm()),
    )
    return Worked(
        {
            "en": "One output with four weights, whose length g training has changed to 10:",
            "zh": "一个输出的四个权重；训练已把长度 g 改为 10：",
        },
        rows,
        {
            "en": "w has the length 10, however long v is. dv is at right angles to v, so a step against it can only make v longer.",
            "zh": "无论 v 有多长，w 的长度都是 10。dv 与 v 垂直，所以逆着它走一步只会使 v 变长。",
        },
    )
