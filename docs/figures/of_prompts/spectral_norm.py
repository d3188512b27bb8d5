"""The numbers of the prompt of spectral normalisation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache, partial
from statistics import fmean

import torch
from torch import Tensor

from of_prompts.references import reference
from of_prompts.rows import Measured, Worked, of_seeds, row, step

WEIGHT = torch.tensor([[1.0, 3.0], [6.0, 2.0]], dtype=torch.float64)


def norm(matrix: Tensor) -> Tensor:
    """Return the largest singular value."""
    return torch.linalg.matrix_norm(matrix, 2)


def worked() -> Worked:
    layer = reference("spectral_norm").SpectralNorm(WEIGHT)
    layer.u = torch.tensor([1.0, 0.0], dtype=torch.float64)
    rows = [row("W", WEIGHT[0]), row("", WEIGHT[1]), row("u₀", layer.u)]
    for k in "₁₂₃":
        result = layer(WEIGHT)
        rows += [row(f"v{k}", layer.v), row(f"u{k}", layer.u)] if k == "₁" else []
        rows.append(row(f"σ{k} = u{k}ᵀ W v{k}", layer.u @ WEIGHT @ layer.v))
    rows += [
        row("s₁, s₂", torch.linalg.svdvals(WEIGHT)),
        step("‖W‖_F", "√(1 + 9 + 36 + 4)", WEIGHT.norm()),
        row("W/σ₃", result[0]),
        row("", result[1]),
        row("s₁, s₂ (W/σ₃)", torch.linalg.svdvals(result)),
    ]
    return Worked(
        {
            "en": "A weight of 2 × 2, three forwards in training, and u = (1, 0) to begin with:",
            "zh": "一个 2 × 2 的权重，训练时做三次前向，u 从 (1, 0) 开始：",
        },
        rows,
        {
            "en": "σ comes from below, and the error shrinks by about (s₂/s₁)⁴ = 0.017 each time. Both singular values are divided by "
            "the same number.",
            "zh": "σ 从下方逼近，误差每次约缩小为 (s₂/s₁)⁴ = 0.017 倍。两个奇异值除以同一个数。",
        },
    )


def regression(target: float, detach: bool) -> tuple[float, float]:
    """Return the length of a weight before and after training y = W/σ x towards a matrix whose norm is the target."""
    x, wanted, weight = torch.randn(128, 8).double(), torch.randn(8, 8).double(), torch.randn(8, 8).double().requires_grad_()
    wanted = x @ (wanted / norm(wanted) * target).T
    before = weight.norm().item()
    for _ in range(500):
        sigma = norm(weight).detach() if detach else norm(weight)
        loss = (x @ (weight / sigma).T - wanted).square().sum(dim=1).mean()
        (gradient,) = torch.autograd.grad(loss, weight)
        with torch.no_grad():
            weight -= 0.02 * gradient
    return before, weight.norm().item()


def stretch(kernel: Tensor) -> Tensor:
    """Return the norm of a 3 × 3 convolution of 32 × 32 images, with zeros around them."""
    x = torch.ones(1, kernel.shape[1], 32, 32, dtype=kernel.dtype) + 0.1 * torch.randn(1, kernel.shape[1], 32, 32, dtype=kernel.dtype)
    for _ in range(60):
        y = torch.nn.functional.conv2d(x / x.norm(), kernel, padding=1)
        x = torch.nn.functional.conv_transpose2d(y, kernel, padding=1)
    return y.norm()


def kept(layers: int = 10, size: int = 64) -> Tensor:
    """Return the share of the length of a random input that random layers with ReLU leave, each divided by its σ."""
    x = torch.randn(size)
    before = x.norm()
    for _ in range(layers):
        weight = torch.randn(size, size)
        x = torch.relu(weight @ x / norm(weight))
    return x.norm() / before


def short(number: float, digits: int) -> str:
    return f"{number:.{digits}e}".replace("e-0", "e-")


def measured() -> Iterator[Measured]:
    return iter(results())


@cache  # they are asked for more than once
def results() -> tuple[Measured, ...]:
    return tuple(runs())


def runs() -> Iterator[Measured]:
    larger, smaller = (of_seeds(partial(regression, target, True)) for target in (3.0, 1 / 3))
    right = [each for target in (3.0, 1 / 3) for each in of_seeds(partial(regression, target, False))]
    furthest = math.ceil(10 * max(abs(after - before) for before, after in right)) / 10
    begin, up, down = (
        fmean(lengths) for lengths in ([each[0] for each in larger], [each[1] for each in larger], [each[1] for each in smaller])
    )
    yield Measured(
        {
            "en": f"the length goes from {begin:.0f} to {up:.0f} and to {down:.1f} on average over eight draws, where the right gradient leaves it within"
            f" {furthest:.1f}",
            "zh": f"八次抽取平均，模长从 {begin:.0f} 分别变到 {up:.0f} 和 {down:.1f}，而正确的梯度使它的变化不超过 {furthest:.1f}",
        }
    )
    torch.manual_seed(0)
    ones = stretch(torch.ones(1, 1, 3, 3, dtype=torch.float64))
    yield Measured({"en": f"stretches by {ones:.2f}", "zh": f"最多拉伸 {ones:.2f} 倍"})
    clipped = torch.stack([norm(0.02 * torch.rand(64, 64) - 0.01) for _ in range(20)]).mean()
    yield Measured({"en": f"random numbers between ±c have σ ≈ {clipped:.2f}", "zh": f"±c 之间的随机数，σ 约为 {clipped:.2f}"})
    kernels = [torch.randn(4, 8, 3, 3) for _ in range(50)]
    one = torch.stack([norm(kernel.flatten(1)) for kernel in kernels]).mean()
    other = torch.stack([norm(kernel.transpose(0, 1).flatten(1)) for kernel in kernels]).mean()
    whole = min(int(stretch(kernel)) for kernel in kernels[:5])
    yield Measured(
        {
            "en": f"on average {one:.1f} and {other:.1f} for 50 random weights (4, 8, 3, 3)",
            "zh": f"50 个随机的 (4, 8, 3, 3) 权重，平均为 {one:.1f} 和 {other:.1f}",
        }
    )
    yield Measured({"en": f"above {whole} for five of these weights", "zh": f"其中五个权重都大于 {whole}"})
    shares = torch.stack([kept().log() for _ in range(100)]).mean().exp().item()
    yield Measured(
        {"en": f"about {short(shares, 0)} of the length of a random input is left", "zh": f"随机输入的长度大约只剩 {short(shares, 0)} 倍"}
    )
