"""The numbers of the prompt of batch norm."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Measured, Worked, X, row, step


def worked() -> Worked:
    layer = reference("batch_norm").BatchNorm(1, eps=0.0).double()
    x = X.reshape(4, 1).requires_grad_()
    y = layer(x)
    y.backward(DY.reshape(4, 1))
    with torch.no_grad():
        evaluated = layer.eval()(x)
    rows = (
        row("x", X),
        step("μ", "(1 + 2 + 3 + 6)/4", X.mean()),
        step("σ², 1/n", "(4 + 1 + 0 + 9)/4", X.var(correction=0)),
        step("σ², 1/(n − 1)", "(4 + 1 + 0 + 9)/3", X.var()),
        row("x̂ = (x − μ)/√3.5", y),
        row("dy", DY),
        row("dx", x.grad),
        step("running_mean", "0.9 · 0 + 0.1 · 3", layer.running_mean),
        step("running_var", "0.9 · 1 + 0.1 · 4.6667", layer.running_var),
        row("x̂, eval()", evaluated),
    )
    return Worked(
        {
            "en": "A batch of four samples with one channel, with ε = 0, γ = 1 and β = 0: one training step of "
            "a new layer, then an evaluation of the same batch.",
            "zh": "一批四个样本，一个通道，ε = 0，γ = 1，β = 0：新的层做一个训练步，然后对同一批做评估。",
        },
        rows,
        {
            "en": "dx sums to 0, and dx · x̂ is 0: neither a shift nor a scaling of the channel changes the output. "
            "After one step the running statistics\n"
            "still lie near 0 and 1, so evaluation hardly normalises yet.",
            "zh": "dx 的和为 0，dx · x̂ 也为 0：通道的平移和缩放都不改变输出。只走了一步，滑动统计量仍在 0 和 "
            "1 附近，所以评估时几乎还没有归一化。",
        },
    )


def measured() -> Iterator[Measured]:
    torch.manual_seed(0)
    off = []
    for _ in range(40):
        batch, dy = torch.randn(4, 1, 3, 1).permute(3, 2, 1, 0), torch.randn(1, 3, 1, 4)
        gradients = []
        for x in (batch.detach(), batch.contiguous()):
            torch.nn.BatchNorm2d(3)(x.requires_grad_()).backward(dy)
            gradients.append(x.grad)
        off.append((gradients[0] - gradients[1]).abs().max())
    most = int(torch.stack(off).median().item())
    yield Measured(
        {
            "en": f"For half of 40 such inputs, each with a random dy, it differs by more than {most}",
            "zh": f"取 40 个这样的输入，各配随机的 dy，其中一半的梯度，与把同样的数变为连续之后求得的梯度相差 {most} 以上",
        }
    )
