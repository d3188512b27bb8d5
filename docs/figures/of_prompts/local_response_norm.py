"""The numbers of the prompt of local response normalisation."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from of_prompts.references import reference
from of_prompts.rows import DY, Measured, Worked, X, row


def sums(x: Tensor, size: int) -> Tensor:
    """Return the sum of the squares in the window of each channel."""
    squares = torch.nn.functional.pad(x.square(), (size // 2, (size - 1) // 2))
    return squares.unfold(-1, size, 1).sum(dim=-1)


def worked() -> Worked:
    norm = reference("local_response_norm").local_response_norm
    x = X[None, :, None].clone().requires_grad_()
    y = norm(x, 3, alpha=3.0, beta=0.75, k=1.0)
    y.backward(DY[None, :, None])
    base = 1 + sums(X, 3)
    rows = (
        row("x", X),
        row("x²", X.square()),
        row("s", sums(X, 3)),
        row("1 + s", base),
        row("d = (1 + s)^0.75", base**0.75),
        row("y = x/d", y),
        row("dy", DY),
        row("dx", x.grad),
        "",
        row("s, n = 4", sums(X, 4)),
    )
    return Worked(
        {
            "en": "One position of four channels, with n = 3, α = 3, β = 0.75 and k = 1, so that α/n is 1:",
            "zh": "一个位置的四个通道，n = 3，α = 3，β = 0.75，k = 1，所以 α/n 为 1：",
        },
        rows,
        {
            "en": "The window of the first channel holds only the first two, so the others get no gradient from y₁. For n = 4 the "
            "window has two channels before its\n"
            "own and one after it.",
            "zh": "第一个通道的窗口只包含前两个通道，所以其余的通道从 y₁ 得不到梯度。n = 4 时，窗口中通道自己之前有两个，之后有一个。",
        },
    )


def measured() -> Iterator[Measured]:
    torch.manual_seed(0)
    x = torch.randn(64, 256, 1)
    norm = reference("local_response_norm").local_response_norm
    off = f"{(norm(x, 5) - x).abs().mean().item():.0e}".replace("e-0", "e-")
    divided = f"{(100 * x / norm(100 * x, 5)).mean().item():.1f}"
    yield Measured(
        {
            "en": f"y differs from x by {off} on average. If the numbers are 100 times as large, the base is about 2, and x is divided "
            f"by {divided} on average",
            "zh": f"y 与 x 平均只差 {off}。数值放大 100 倍时，底约为 2，x 平均被除以 {divided}",
        }
    )
    ones = norm(torch.ones(1, 9, 1), 5, 1.0, 0.75, 1.0).flatten()
    border, middle = f"{ones[0]:.3f}", f"{ones[4]:.3f}"
    yield Measured({"en": f"y is {border} at the border and {middle} in the middle", "zh": f"边界处 y 是 {border}，中间是 {middle}"})
