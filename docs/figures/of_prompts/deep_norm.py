"""The numbers of the prompt of DeepNorm."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache, partial

import torch
from torch import nn

import draw
from of_prompts.references import reference
from of_prompts.rows import Measured, Worked, X, of_seeds, row, step, with_spread

figure = cache(draw.deep_norm)  # its lines are drawn beside the prompt


@torch.no_grad()
def worked() -> Worked:
    def flip(x: torch.Tensor) -> torch.Tensor:
        return x.flip(-1)

    module = reference("deep_norm")
    found = module.deepnorm_coefficients(encoder_layers=2)
    alpha, beta = found.encoder_alpha, found.encoder_beta
    block, post = module.DeepNorm(4, alpha, flip).double(), module.DeepNorm(4, 1.0, flip).double()
    rows = (
        step("α", "(2 · 2)^(1/4)", alpha),
        step("β", "(8 · 2)^(−1/4)", beta),
        step("β · √(2/(4 + 4))", "0.5 · 0.5", beta * math.sqrt(2 / (4 + 4))),
        row("x", X),
        row("F(x)", flip(X)),
        row("α · x + F(x)", alpha * X + flip(X)),
        row("LN(α · x + F(x))", block(X)),
        row("LN(x + F(x))", post(X)),
        row("LN(α·(x + F(x)))", block.norm(alpha * (X + flip(X)))),
    )
    return Worked(
        {
            "en": "An encoder of N = 2 layers and dim = 4; F reverses the order of the four numbers:",
            "zh": "N = 2 层的编码器，dim = 4；F 把四个数倒过来排：",
        },
        rows,
        {
            "en": "The third line is the standard deviation of value, out, fc1 and fc2, as matrices (4, 4). The last "
            "row is Post-LN again: a factor on the sum\n"
            "has no effect.",
            "zh": "第三行是 value、out、fc1、fc2 为 (4, 4) 矩阵时的标准差。最后一行又是 Post-LN：乘在和上的因子不起作用。",
        },
    )


def pre_norm_moved() -> float:
    """Return how far the first step of the figure moves a Pre-LN stack of 16 layers, as a part of its output."""
    sublayers = [draw.feed_forward(64) for _ in range(32)]
    for sublayer in sublayers:
        nn.init.xavier_normal_(sublayer[0].weight)
        nn.init.xavier_normal_(sublayer[2].weight)
    stack = reference("pre_post_norm").PreNormStack(64, sublayers)
    x, upstream = torch.randn(256, 64), torch.randn(256, 64)
    before = stack(x)
    (before * upstream).mean().backward()
    with torch.no_grad():
        for parameter in stack.parameters():
            parameter.sub_(0.1 * parameter.grad)
        return draw.size(stack(x) - before) / draw.size(before)


@cache
@torch.no_grad()
def shares() -> tuple[float, float]:
    """Return the size of the first and of the last of 128 branches of Pre-LN, against what they are added to."""
    torch.manual_seed(0)
    x, found = torch.randn(256, 256), []
    for _ in range(128):
        branch = draw.feed_forward(256)(torch.nn.functional.layer_norm(x, (256,)))
        found.append(draw.size(branch) / draw.size(x))
        x = x + branch
    return found[0], found[-1]


@cache
def kept(layers: int) -> float:
    """Return which part of its length a gradient keeps on its way back through layers of tanh."""
    torch.manual_seed(0)
    x, upstream = torch.randn(256, 64, requires_grad=True), torch.randn(256, 64)
    y = x
    for _ in range(layers):
        y = torch.tanh(y @ torch.randn(64, 64) / 8)
    y.backward(upstream)
    return draw.size(x.grad) / draw.size(upstream)


def percent(part: float) -> str:
    """Return a part in per cent, with one digit or two."""
    return f"{100 * part:.0f} %" if part > 0.1 else f"{100 * part:.1f} %" if part > 1e-3 else f"{100 * part:.2f} %"


def measured() -> Iterator[Measured]:
    post, deep, frozen = (line.points for line in figure().lines)
    ends = [percent(points[number][1]) for points in (post, deep) for number in (0, -1)]
    low, high = (percent(f(part for _, part in frozen)) for f in (min, max))
    yield Measured(
        {
            "en": f"Post-LN rises from {ends[0]} to tens of per cent, DeepNorm from {ends[2]} to {ends[3]}, and with frozen "
            "norms it stays below 0.1 %",
            "zh": f"Post-LN 从 {ends[0]} 升到百分之几十，DeepNorm 从 {ends[2]} 升到 {ends[3]}，冻结归一化时始终低于 0.1 %",
        }
    )
    yield Measured({"en": f"it stays between {low} and {high} at all depths", "zh": f"在任何深度都在 {low} 与 {high} 之间"})
    assert 0.1 < post[-1][1] < 1  # tens of per cent
    several = ((partial(draw.moved, 16, False), 0), (pre_norm_moved, 1), (partial(draw.moved, 16, True), 1))
    parts = [f"{with_spread([100 * part for part in of_seeds(run)], digits)} %".replace(" ± 0.0", "") for run, digits in several]
    yield Measured(
        {
            "en": f"moves the output by {parts[0]} under Post-LN, {parts[1]} under Pre-LN and {parts[2]} under DeepNorm",
            "zh": f"Post-LN 的输出改变 {parts[0]}，Pre-LN {parts[1]}，DeepNorm {parts[2]}",
        }
    )
    first, last = shares()
    yield Measured(
        {
            "en": f"the first branch is {first:.1f} times as large as its skip connection, the last {last:.2f}",
            "zh": f"第一条分支是跳跃连接的 {first:.1f} 倍，最后一条只有 {last:.2f} 倍",
        }
    )
    once, fifty = kept(1), kept(50)
    yield Measured(
        {
            "en": f"through one a gradient keeps {once:.1f} of its length, through fifty {fifty:.1f}",
            "zh": f"经过一层，梯度的长度剩 {once:.1f} 倍，经过五十层只剩 {fifty:.1f} 倍",
        }
    )
