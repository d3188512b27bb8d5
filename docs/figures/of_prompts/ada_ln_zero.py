"""The numbers of the prompt of adaLN-Zero."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from of_prompts.references import reference
from of_prompts.rows import Worked, X, row, step

CONDITION = 2.0
PARTS = (0.2, 0.5, 0.4, -0.1, 0.25, 0.8)  # the weight of modulation: shift, scale and gate of each branch, the same for all features


def flip(x: Tensor) -> Tensor:
    return x.flip(-1)


@torch.no_grad()
def worked() -> Worked:
    module = reference("ada_ln_zero")
    block = module.AdaLNZeroBlock(4, 1, flip, torch.relu).double()
    block.modulation.weight.copy_(torch.tensor(PARTS, dtype=torch.float64).repeat_interleave(4)[:, None])
    c = torch.tensor([[CONDITION]], dtype=torch.float64)
    y = block(X.view(1, 1, 4), c)
    activated = F.silu(c).item()
    shift1, scale1, gate1, shift2, scale2, gate2 = (activated * part for part in PARTS)
    normed = module.norm(X)
    prepared = normed * (1 + scale1) + shift1
    once = X + gate1 * flip(prepared)
    again = module.norm(once)
    second = again * (1 + scale2) + shift2
    rows = (
        step("SiLU(c)", "2 / (1 + e⁻²)", activated),
        row("x", X),
        row("LN(x)", normed),
        row("· 1.8808 + 0.3523", prepared),
        row("attn(…)", flip(prepared)),
        row("x + 0.7046 · …", once),
        row("LN(x)", again),
        row("· 1.4404 − 0.1762", second),
        row("mlp(…)", second.relu()),
        row("x + 1.4093 · …", y),
    )
    assert [f"{each:.4f}" for each in (1 + scale1, shift1, gate1, 1 + scale2, -shift2, gate2)] == [
        "1.8808",
        "0.3523",
        "0.7046",
        "1.4404",
        "0.1762",
        "1.4093",
    ]
    return Worked(
        {
            "en": "One position of four numbers and a condition of one, c = 2. The bias of `modulation` is 0, and its weights are the same for "
            "all features:\n0.2, 0.5 and 0.4 for shift, scale and gate of attention, −0.1, 0.25 and 0.8 for those of the MLP. attn reverses "
            "the order of the numbers,\nand mlp is a ReLU:",
            "zh": "一个位置的四个数，条件只有一个数，c = 2。`modulation` 的偏置为 0，权重对所有特征都相同：注意力的 shift、scale、gate 依次为 "
            "0.2、0.5、0.4，MLP 的依次为 −0.1、0.25、0.8。attn 把四个数倒过来排，mlp 是 ReLU：",
        },
        rows,
        {
            "en": "Every part is SiLU(c) times its weight: the first scale is 1.7616 · 0.5 = 0.8808, so the factor is 1.8808. With the zeros of "
            "a new\n`modulation`, y is x.",
            "zh": "每个部分都是 SiLU(c) 乘以它的权重：第一个 scale 是 1.7616 · 0.5 = 0.8808，所以系数是 1.8808。`modulation` 刚建成、全为 0 时，y 就是 x。",
        },
    )
