"""The numbers of the prompt of Peri-LN."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import torch

import draw
from of_prompts.references import reference
from of_prompts.rows import Measured, Worked, X, of_seeds, row, with_spread


def worked() -> Worked:
    module = reference("peri_norm")

    def block(placement: str, factor: float = 1.0) -> torch.Tensor:
        y: torch.Tensor = module.NormBlock(4, lambda x: factor * x.square(), placement).double()(X)
        return y

    with torch.no_grad():
        normed = module.NormBlock(4, torch.square, "pre").double().norm_in(X)
        rows = (
            row("x", X),
            row("F(x)", X.square()),
            row("LN(x)", normed),
            row("F(LN(x))", normed.square()),
            row("pre", block("pre")),
            row("post", block("post")),
            row("output", block("output")),
            row("peri", block("peri")),
            row("pre, 10·F", block("pre", 10.0)),
            row("peri, 10·F", block("peri", 10.0)),
        )
    return Worked(
        {
            "en": "One position of four numbers, new norms, and a sublayer F that squares every number. In the last two rows the sublayer "
            "returns ten times as much:",
            "zh": "一个位置的四个数，归一化都是新建的，子层 F 把每个数平方。最后两行中子层的输出是原来的十倍：",
        },
        rows,
        {
            "en": "With the norm after the sublayer, ten times as much makes no difference, except for eps.",
            "zh": "子层之后有归一化时，输出放大十倍也没有影响（除 eps 的影响外）。",
        },
    )


@cache
def variance(placement: str, gain: float) -> str:
    """Return the variance of the residual stream after 64 new blocks."""

    @torch.no_grad()
    def of_stream() -> float:
        x = torch.randn(256, 64)
        for sublayer in [draw.feed_forward(64, gain) for _ in range(64)]:
            x = reference("peri_norm").NormBlock(64, sublayer, placement)(x)
        return x.var().item()

    return with_spread(of_seeds(of_stream))


def measured() -> Iterator[Measured]:
    pre, peri, large = variance("pre", 1.0), variance("peri", 1.0), variance("pre", 4.0)
    same = {variance("peri", 4.0), variance("output", 4.0)}
    yield Measured(
        {
            "en": f"the variance of the stream after the last block is {pre} in Pre-LN and {peri} in Peri-LN",
            "zh": f"最后一个块之后残差流的方差在 Pre-LN 中是 {pre}，在 Peri-LN 中是 {peri}",
        }
    )
    yield Measured(
        {
            "en": f"it is {large} in Pre-LN, and still {' and '.join(same)} in Peri-LN and with the output norm",
            "zh": f"Pre-LN 中变为 {large}，Peri-LN 和输出归一化中仍是 {' 和 '.join(same)}",
        }
    )
