"""The numbers of the prompt of Fixup."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import torch
from torch import nn

import draw
from of_prompts.references import reference
from of_prompts.rows import Measured, Worked, X, of_seeds, power, row, step

figure = cache(draw.fixup)  # its lines are drawn beside the prompt

NUMBERS = {"bias1a": 0.5, "bias1b": -6.0, "bias2a": 0.5, "bias2b": 1.0, "scale": 1.5}


@torch.no_grad()
def worked() -> Worked:
    module = reference("fixup")
    block = module.FixupBlock(1).double()
    for name, number in NUMBERS.items():
        getattr(block, name).fill_(number)
    for conv, number in ((block.conv1, 2.0), (block.conv2, -1.0)):
        conv.weight.zero_()
        conv.weight[0, 0, 1, 1] = number
    image = X.reshape(1, 1, 1, 4)
    inner = block.conv1(image + block.bias1a) + block.bias1b
    branch = block.conv2(torch.relu(inner) + block.bias2a)
    rows = [
        row("x", X),
        row("2·(x + 0.5) − 6", inner),
        row("h = ReLU(…)", torch.relu(inner)),
        row("−1·(h + 0.5)", branch),
        row("x + 1.5·(…) + 1", image + block.scale * branch + block.bias2b),
        row("y = ReLU(…)", block(image)),
    ]
    fresh, last = module.FixupBlock(1).double(), nn.Linear(1, 1)
    module.fixup_init_([fresh], last)
    rows += [
        row("conv2 = 0    y", fresh(image)),
        step("L = 1", "√(2/9) · 1^(−1/2)", math.sqrt(2 / 9)),
        step("L = 16", "√(2/9) · 16^(−1/2)", math.sqrt(2 / 9) * 16**-0.5),
    ]
    return Worked(
        {
            "en": "An image of 1 × 4 pixels with one channel. Of each kernel only the middle is not 0: 2 in conv1, −1 "
            "in conv2. bias1a = 0.5, bias1b = −6,\n"
            "bias2a = 0.5, bias2b = 1 and scale = 1.5; then a new block after `fixup_init_`, and its standard deviations of conv1:",
            "zh": "一个通道、1 × 4 像素的图像。每个卷积核只有中间的数不为 0：conv1 中是 2，conv2 中是 −1。bias1a = "
            "0.5，bias1b = −6，bias2a = 0.5，bias2b = 1，scale = 1.5；然后是 `fixup_init_` 之后的新块，以及 "
            "conv1 的标准差：",
        },
        rows,
        {
            "en": "After `fixup_init_` the block hands x on, as far as it is positive.",
            "zh": "经过 `fixup_init_` 的块原样传递 x 中的正数。",
        },
    )


@torch.no_grad()
def growth() -> float:
    """Return how much the mean square of the signal grows in the blocks of the figure, with He's weights."""
    blocks = [reference("fixup").FixupBlock(8) for _ in range(32)]
    for block in blocks:
        nn.init.kaiming_normal_(block.conv1.weight)
        nn.init.kaiming_normal_(block.conv2.weight)
    x = torch.randn(64, 8, 6, 6)
    return (draw.size(nn.Sequential(*blocks)(x)) / draw.size(x)) ** 2


def measured() -> Iterator[Measured]:
    he, fixup = ([loss for _, loss in line.points] for line in figure().lines)
    yield Measured(
        {
            "en": f"with only He's initial weights it begins above {power(he[0])}, with fixup_init_ it begins at "
            f"{fixup[0]:.1f} and ends at {fixup[-1]:.1f}",
            "zh": f"只用 He 初始化时从 {power(he[0])} 以上开始，用 fixup_init_ 时从 {fixup[0]:.1f} 开始，到 {fixup[-1]:.1f} 结束",
        }
    )
    grown = of_seeds(growth)
    least, most = power(min(grown)), power(max(grown))
    yield Measured(
        {
            "en": f"the mean square of the signal grew by a factor between {least} and {most} in eight draws of the weights",
            "zh": f"八次抽取权重，信号的均方增大到 {least} 至 {most} 倍",
        }
    )
