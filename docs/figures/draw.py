"""Draws the figures of prompts, from runs of deep stacks with the references: `python docs/figures/draw.py [SLUG]…`.

Each figure is `exercises/SLUG/figure.svg`, beside the prompt that shows it. All numbers come from the run, with fixed seeds.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any
from xml.sax.saxutils import escape

import torch
from torch import Tensor, nn

from normgrade.course.course import Course
from of_prompts.references import reference
from of_prompts.rows import of_seeds

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 300, 72, 20, 44, 46  # pixels
COLOURS = ("#c92a2a", "#1864ab", "#2b8a3e", "#862e9c")


@dataclass(frozen=True)
class Line:
    """One line of a figure: what it is, and its points."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Figure:
    """What a figure says in its title, what its axes are, and its lines. The vertical axis is logarithmic, or from 0 to `top`."""

    title: str
    x: str
    y: str
    lines: Sequence[Line]
    top: float | None = None


def drawn(figure: Figure) -> str:
    """The figure as SVG, on a white ground, so that it can be read on a dark page."""
    points = [point for line in figure.lines for point in line.points]
    low_x, high_x = min(x for x, _ in points), max(x for x, _ in points)
    scale, low, high, numbers = linear(figure.top) if figure.top else logarithmic([y for _, y in points])

    def place(x: float, y: float) -> str:
        across = LEFT + (x - low_x) / (high_x - low_x) * (WIDTH - LEFT - RIGHT)
        down = HEIGHT - BOTTOM - (min(scale(y), high) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)
        return f"{across:.1f},{down:.1f}"

    def text(x: float, y: float, words: str, anchor: str = "middle", more: str = "") -> str:
        return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" {more}>{escape(words)}</text>'

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="#333">']
    parts += [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>', text(WIDTH / 2, 20, figure.title, more='font-size="14"')]
    for number in numbers:
        height = place(low_x, number).partition(",")[2]
        parts.append(f'<path d="M{LEFT} {height}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(text(LEFT - 6, float(height) + 4, f"{number:g}", "end"))
    for x in (low_x, (low_x + high_x) / 2, high_x):
        parts.append(text(float(place(x, numbers[0]).partition(",")[0]), HEIGHT - BOTTOM + 16, f"{x:g}"))
    parts += [
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, figure.x),
        text(-(HEIGHT - BOTTOM + TOP) / 2, 14, figure.y, more='transform="rotate(-90)"'),
    ]
    for number, (line, colour) in enumerate(zip(figure.lines, COLOURS, strict=False)):
        way = " ".join(place(x, y) for x, y in line.points)
        parts.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(text(LEFT + 10 + 190 * number, TOP - 8, f"— {line.name}", "start", f'fill="{colour}"'))
    return "\n".join([*parts, "</svg>"]) + "\n"


Axis = tuple[Callable[[float], float], float, float, Sequence[float]]  # a scale, its lowest and highest value, the numbers beside it


def logarithmic(values: Sequence[float]) -> Axis:
    powers = [math.log10(value) for value in values]
    low, high = math.floor(min(powers)), math.ceil(max(powers))
    return math.log10, low, high, [10.0**power for power in range(low, high + 1, max(1, (high - low) // 6))]


def linear(top: float) -> Axis:
    return float, 0.0, top, range(math.floor(top) + 1)


def feed_forward(width: int, gain: float = 1.0) -> nn.Sequential:
    """Two linear layers with ReLU between them, of the same variance as x for gain 1."""
    block = nn.Sequential(nn.Linear(width, 2 * width, bias=False), nn.ReLU(), nn.Linear(2 * width, width, bias=False))
    nn.init.kaiming_normal_(block[0].weight)
    nn.init.xavier_normal_(block[2].weight, gain=gain * math.sqrt(0.75))
    return block


def size(x: Tensor) -> float:
    """The root mean square of a tensor."""
    return x.detach().square().mean().sqrt().item()


def losses(model: nn.Module, x: Tensor, wanted: Tensor, steps: int, rate: float) -> list[tuple[float, float]]:
    """The loss before each step of Adam, until it is no number."""
    optimiser, seen = torch.optim.Adam(model.parameters(), rate), []
    for step in range(steps):
        loss = nn.functional.mse_loss(model(x), wanted)
        if not math.isfinite(loss.item()):
            break
        seen.append((float(step), loss.item()))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return seen


def task(width: int = 32, samples: int = 256) -> tuple[Tensor, Tensor]:
    """Random inputs, and what a small fixed network makes of them."""
    x, teacher = torch.randn(samples, width), nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, width))
    return x, teacher(x).detach()


def rezero() -> Figure:
    def trained(start: float) -> list[tuple[float, float]]:
        torch.manual_seed(0)
        x, wanted = task()
        stack = reference("rezero").ReZero([feed_forward(32) for _ in range(48)])
        nn.init.constant_(stack.alphas, start)
        return losses(stack, x, wanted, 100, 1e-3)

    lines = [Line("every α starts at 1", trained(1.0)), Line("every α starts at 0: ReZero", trained(0.0))]
    return Figure("48 residual blocks without a norm, trained", "step", "loss", lines)


def skip_init() -> Figure:
    def passed(alpha: float) -> list[tuple[float, float]]:
        torch.manual_seed(0)
        x, seen = torch.randn(256, 256), []
        for number in range(49):
            seen.append((float(number), size(x)))
            x = reference("skip_init").SkipInit(feed_forward(256), alpha)(x).detach()
        return seen

    lines = [Line("α = 1", passed(1.0)), Line("α = 1/√48", passed(48**-0.5)), Line("α = 0: SkipInit", passed(0.0))]
    return Figure("The signal in 48 new residual blocks without a norm", "block", "root mean square of x", lines)


def fixup() -> Figure:
    module = reference("fixup")

    def trained(prepared: bool) -> list[tuple[float, float]]:
        torch.manual_seed(0)
        blocks, classifier = [module.FixupBlock(8) for _ in range(32)], nn.Linear(8, 4)
        for block in blocks:
            nn.init.kaiming_normal_(block.conv1.weight)
            nn.init.kaiming_normal_(block.conv2.weight)
        if prepared:
            module.fixup_init_(blocks, classifier)
        x = torch.randn(64, 8, 6, 6)
        return losses(nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), classifier), x, x[:, :4, 2, 2], 60, 3e-3)

    lines = [Line("only He's initial weights", trained(False)), Line("fixup_init_", trained(True))]
    return Figure("32 residual blocks of convolutions without a norm, trained", "step", "loss", lines)


def moved(layers: int, deep: bool, norms: bool = True) -> float:
    """How far one step of gradient descent moves the output, as a part of its size. The norms' own numbers take part in it or not."""
    module = reference("deep_norm")
    found = module.deepnorm_coefficients(encoder_layers=layers)
    alpha, beta = (found.encoder_alpha, found.encoder_beta) if deep else (1.0, 1.0)
    stack = nn.Sequential(*(module.DeepNorm(64, alpha, feed_forward(64)) for _ in range(2 * layers)))
    for block in stack:
        for weight in (block.sublayer[0].weight, block.sublayer[2].weight):
            nn.init.xavier_normal_(weight, gain=beta)
    x, upstream = torch.randn(256, 64), torch.randn(256, 64)
    before = stack(x)
    (before * upstream).mean().backward()
    with torch.no_grad():
        for name, parameter in stack.named_parameters():
            if norms or "sublayer" in name:
                parameter.sub_(0.1 * parameter.grad)
        return size(stack(x) - before) / size(before)


def deep_norm() -> Figure:
    def of_first_seed(*how: Any) -> float:
        torch.manual_seed(0)
        return moved(*how)

    depths = (2, 4, 8, 16, 32, 64)
    runs = ("Post-LN", (False,)), ("DeepNorm", (True,)), ("DeepNorm, norms frozen", (True, False))
    lines = [Line(name, [(float(n), of_first_seed(n, *how)) for n in depths]) for name, how in runs]
    return Figure("How far the first step moves the output", "layers, of two sublayers each", "change of the output", lines)


def layer_norm_scaling() -> Figure:
    module = reference("layer_norm_scaling")

    def passed(scaled: bool) -> list[tuple[float, float]]:
        torch.manual_seed(0)
        x, seen = torch.randn(256, 256), []
        for number in range(1, 65):
            x = module.ScaledPreNorm(256, feed_forward(256), number if scaled else 1)(x).detach()
            seen.append((float(number), x.var().item()))
        return seen

    lines = [Line("Pre-LN", passed(False)), Line("layer norm scaling", passed(True))]
    return Figure("The variance of the signal in 64 new layers", "layer", "variance of x", lines)


def pre_post_norm() -> Figure:
    module = reference("pre_post_norm")

    def gradient(make: Callable[[list[nn.Sequential]], nn.Module], number: int) -> float:
        """The norm of that of the last weight matrix, where the loss is the mean over all positions of the output times normal numbers."""
        sublayers = [feed_forward(64) for _ in range(number)]
        x, upstream = torch.randn(256, 64), torch.randn(256, 64)
        (make(sublayers)(x) * upstream).sum(dim=-1).mean().backward()
        return sublayers[-1][2].weight.grad.norm().item()

    def post(sublayers: list[nn.Sequential]) -> nn.Module:
        return nn.Sequential(*(module.PostNorm(64, sublayer) for sublayer in sublayers))

    def pre(sublayers: list[nn.Sequential]) -> nn.Module:
        return module.PreNormStack(64, sublayers)

    depths = (6, 12, 24, 48, 96)
    kinds = ("Post-LN", post), ("Pre-LN", pre)
    lines = [Line(name, [(float(n), fmean(of_seeds(partial(gradient, make, n)))) for n in depths]) for name, make in kinds]
    return Figure("The gradient of the last weight matrix, before the first step", "sublayers", "norm of the gradient", lines)


FIGURES: dict[str, Callable[[], Figure]] = {
    each.__name__: each for each in (deep_norm, fixup, layer_norm_scaling, pre_post_norm, rezero, skip_init)
}


def main(slugs: Sequence[str]) -> None:
    """Draw the figures of these exercises, or all."""
    torch.set_num_threads(1)
    for slug in slugs or FIGURES:
        figure = FIGURES[slug]()
        path = Path(Course.find().exercise(slug).folder) / "figure.svg"
        path.write_text(drawn(figure), encoding="utf-8")
        ends = "; ".join(f"{line.name}: {line.points[0][1]:.3g} → {line.points[-1][1]:.3g} ({len(line.points)})" for line in figure.lines)
        print(f"{path}: {ends}")


if __name__ == "__main__":
    main(sys.argv[1:])
