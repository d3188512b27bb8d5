"""The numbers of the prompt of Mix-LN."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache, partial
from statistics import fmean

import torch

from draw import feed_forward
from of_prompts.references import reference
from of_prompts.rows import Measured, Worked, X, of_seeds, row, step

SHOWN = (1, 17, 33, 64)  # the layers that the table shows


@torch.no_grad()
def worked() -> Worked:
    def shift(x: torch.Tensor) -> torch.Tensor:
        return x.roll(-1, dims=-1)

    def after(layers: int) -> torch.Tensor:
        """Return x after so many layers of four, of which the first is Post-LN."""
        stack: torch.Tensor = reference("mix_norm").MixNormStack(4, [shift] * layers, 1 / layers).double()(X)
        return stack

    rows = (
        row("x", X),
        step("p", "⌊4 · 0.25⌋", math.floor(4 * 0.25)),
        row("x + F(x)", X + shift(X)),
        row("x₁ = LN(x + F(x))", after(1)),
        row("x₂ = x₁ + F(LN₂)", after(2)),
        row("x₃ = x₂ + F(LN₃)", after(3)),
        row("x₄ = x₃ + F(LN₄)", after(4)),
    )
    return Worked(
        {
            "en": "One position of four numbers in four layers with a ratio of 0.25 and new norms. F moves every "
            "number one place to the left, and the first to the\n"
            "end:",
            "zh": "一个位置的四个数，四层，比例为 0.25，归一化都是新建的。F 把每个数向左移一位，第一个数移到末尾：",
        },
        rows,
        {
            "en": "x₁ comes out of a norm and has the variance 1. From there on nothing normalises the path: LNᵢ, "
            "short for LNᵢ(xᵢ₋₁), only\nchanges the input of F.",
            "zh": "x₁ 是归一化的输出，方差为 1。从这里起，通路上不再归一化：LNᵢ（即 LNᵢ(xᵢ₋₁)）只改变 F 的输入。",
        },
    )


@cache
def mean_of(post: int) -> tuple[list[str], str]:
    """Return the means of the shares, and of the standard deviation at the end, over several draws of the weights."""
    *shares, end = (fmean(numbers) for numbers in zip(*of_seeds(partial(run, post)), strict=True))
    return [f"{share:.2g}" for share in shares], f"{end:.1f}"


@torch.no_grad()
def run(post: int) -> list[float]:
    """Return the shares of the layers that the table shows, then the standard deviation at the end; the first `post` of 64 are Post-LN."""
    x, shares = torch.randn(256, 256), []
    for layer in range(1, 65):
        sublayer, norm = feed_forward(256), torch.nn.LayerNorm(256)
        added = sublayer(x if layer <= post else norm(x))
        if layer in SHOWN:
            shares.append((added.norm() / x.norm()).item())
        x = norm(x + added) if layer <= post else x + added
    return [*shares, x.std().item()]


def measured() -> Iterator[Measured]:
    for names, post in (
        (("Pre-LN", "Pre-LN"), 0),
        (("Mix-LN, 16 of 64 are Post-LN", "Mix-LN，64 层中有 16 层 Post-LN"), 16),
        (("Post-LN", "Post-LN"), 64),
    ):
        shares = " | ".join(mean_of(post)[0])
        yield Measured({"en": f"| {names[0]} | {shares} |", "zh": f"| {names[1]} | {shares} |"})
    mixed, pre = mean_of(16)[1], mean_of(0)[1]
    yield Measured(
        {
            "en": f"the standard deviation at the end is {mixed}, and {pre} in Pre-LN",
            "zh": f"末尾的标准差是 {mixed}，Pre-LN 是 {pre}",
        }
    )
