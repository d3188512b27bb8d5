"""The numbers of the prompt of Pre-LN and Post-LN."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from statistics import fmean

import torch

import draw
from of_prompts.references import reference
from of_prompts.rows import Measured, Worked, X, of_seeds, row


def worked() -> Worked:
    module = reference("pre_post_norm")

    def flip(x: torch.Tensor) -> torch.Tensor:
        return x.flip(-1)

    with torch.no_grad():
        post, pre = module.PostNorm(4, flip).double(), module.PreNorm(4, flip).double()
        stack = module.PreNormStack(4, [flip, flip]).double()
        normed, once = pre.norm(X), pre(X)
        rows = (
            row("x", X),
            row("x + F(x)", X + flip(X)),
            row("LN(x + F(x))", post(X)),
            row("LN(x)", normed),
            row("F(LN(x))", flip(normed)),
            row("x + F(LN(x))", once),
            row("x ← x + F(LN(x))", pre(once)),
            row("LN(x)", stack(X)),
        )
    return Worked(
        {
            "en": "One position of four numbers, new norms, and a sublayer F that reverses the order of the numbers. "
            "First a Post-LN block, then a stack of two\nPre-LN blocks:",
            "zh": "一个位置的四个数，归一化都是新建的，子层 F 把四个数倒过来排。先是 Post-LN 块，然后是由两个 Pre-LN 块组成的堆叠：",
        },
        rows,
        {
            "en": "The Post-LN block returns numbers of mean 0 and variance 1. The Pre-LN blocks leave the mean of x "
            "where it is: only the last line is normalised.",
            "zh": "Post-LN 块的输出均值为 0、方差为 1。Pre-LN 块让 x 的均值留在原处：只有最后一行归一化过。",
        },
    )


@cache
def gradients() -> tuple[str, str, str, str]:
    """Return the ends of the two lines of the figure: Post-LN with the fewest and the most sublayers, then Pre-LN."""
    post, pre = draw.pre_post_norm().lines
    numbers = (post.points[0][1], post.points[-1][1], pre.points[0][1], pre.points[-1][1])
    first, second, third, fourth = (f"{number:.1f}" for number in numbers)
    return first, second, third, fourth


@torch.no_grad()
def likeness(post: bool) -> float:
    """Return the cosine between the outputs of the last two of 128 new blocks."""
    kind = reference("pre_post_norm").PostNorm if post else reference("pre_post_norm").PreNorm
    before = x = torch.randn(256, 64)
    for _ in range(128):
        before, x = x, kind(64, draw.feed_forward(64))(x)
    return torch.cosine_similarity(before.flatten(), x.flatten(), dim=0).item()


def measured() -> Iterator[Measured]:
    ends = gradients()
    yield Measured(
        {
            "en": f"from {ends[0]} with 6 blocks to {ends[1]} with 96 in Post-LN, and from {ends[2]} to {ends[3]} in Pre-LN",
            "zh": f"Post-LN 从 6 个块时的 {ends[0]} 变到 96 个块时的 {ends[1]}，Pre-LN 从 {ends[2]} 变到 {ends[3]}",
        }
    )
    yield Measured(
        {
            "en": f"over 6 to 96 blocks: Post-LN goes from {ends[0]} to {ends[1]}, Pre-LN from {ends[2]} to {ends[3]}",
            "zh": f"块数从 6 到 96：Post-LN 从 {ends[0]} 变到 {ends[1]}，Pre-LN 从 {ends[2]} 变到 {ends[3]}",
        }
    )
    post, pre = (fmean(of_seeds(partial(likeness, kind))) for kind in (True, False))
    yield Measured(
        {
            "en": f"the cosine between the outputs of the last two is {pre:.3f} in Pre-LN, and {post:.1f} in Post-LN",
            "zh": f"最后两个块输出之间的余弦在 Pre-LN 中是 {pre:.3f}，在 Post-LN 中是 {post:.1f}",
        }
    )
