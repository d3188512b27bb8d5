"""The numbers of the prompt of QK-norm."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from of_prompts.references import reference
from of_prompts.rows import Measured, Worked, X, row, step


def worked() -> Worked:
    module = reference("qk_norm")
    norm = module.RMSNorm(4, 0.0).double()
    q, keys = X, torch.stack((X, X.flip(0)))
    cos, sin = torch.tensor([0.0, 1.0, 0.0, 1.0]).double(), torch.tensor([1.0, 0.0, 1.0, 0.0]).double()
    with torch.no_grad():
        plain, normed = keys @ q / 2, norm(keys) @ norm(q) / 2
        rows = (
            row("q = k₁", q),
            row("k₂", keys[1]),
            step("q·k₁/√4", "(1 + 4 + 9 + 36)/2", plain[0]),
            step("q·k₂/√4", "(6 + 6 + 6 + 6)/2", plain[1]),
            row("softmax", plain.softmax(0)),
            row("q̂ = q/RMS", norm(q)),
            row("k̂₂", norm(keys[1])),
            step("q̂·k̂₁/√4", "4/2", normed[0]),
            step("q̂·k̂₂/√4", "(4 · 0.48)/2", normed[1]),
            row("softmax", normed.softmax(0)),
            row("rotate(q̂)", module.rotate(norm(q), cos, sin)),
        )
    return Worked(
        {
            "en": "One head of four numbers, one query and two keys, with ε = 0 and weights of 1. The first key is equal to the query; its "
            "reverse is the second:",
            "zh": "一个头有四个数；一个 query、两个 key，ε = 0，权重为 1。第一个 key 与 query 相等，第二个是它倒过来：",
        },
        rows,
        {
            "en": "After the norm no logit exceeds √4 = 2, and 10·q gives the same shares. In the last row the first and the third number are "
            "turned by 90°, the\nothers by 0°: no length changes.",
            "zh": "归一化之后，logit 都不超过 √4 = 2，把 q 换成 10·q 得到的注意力权重相同。最后一行中第一个和第三个数转了 90°，另外两个转了 0°：长度不变。",
        },
    )


@torch.no_grad()
def largest_share(gain: float, normalised: bool) -> str:
    """Return the largest share of a query, averaged over queries and heads, where queries and keys are so many times as large."""
    torch.manual_seed(0)
    layer, x = reference("qk_norm").QKNormAttention(256, 4), torch.randn(8, 128, 256)
    parts: list[Tensor] = []
    for projection, norm in ((layer.q_proj, layer.q_norm), (layer.k_proj, layer.k_norm)):
        part = layer.split(gain * 3**0.5 * projection(x))  # torch.nn.Linear draws a variance of a third
        parts.append(norm(part) if normalised else part)
    q, k = parts
    shares = (q @ k.mT / 8).softmax(-1)
    return f"{shares.amax(-1).mean().item():.2f}"


def measured() -> Iterator[Measured]:
    small, large = largest_share(1.0, False), largest_share(4.0, False)
    (bound,) = {largest_share(1.0, True), largest_share(4.0, True)}
    yield Measured(
        {
            "en": f"the largest share of a query is {small} on average. If queries and keys are 4 times as large, it is {large}",
            "zh": f"一个 query 的最大注意力权重平均为 {small}。query 和 key 都放大到 4 倍时为 {large}",
        }
    )
    yield Measured({"en": f"With QK-norm it is {bound} in both cases", "zh": f"有 QK-norm 时，两种情形都是 {bound}"})
