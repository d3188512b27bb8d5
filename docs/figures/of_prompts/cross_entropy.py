"""The numbers of the prompt of cross-entropy."""

from __future__ import annotations

import numpy as np

from of_prompts.references import reference
from of_prompts.rows import Worked, X, row, step

SMOOTHING = 0.2


def worked() -> Worked:
    module = reference("cross_entropy")
    logits, target = X[None].numpy(), np.array([1])
    shifted = X - X.max()
    log_p = shifted - shifted.exp().sum().log()
    loss, cache = module.forward(logits, target)
    [gradient] = module.backward(np.array(1.0), cache)
    smooth, cache = module.forward(logits, target, label_smoothing=SMOOTHING)
    [of_smooth] = module.backward(np.array(1.0), cache)
    q = np.full(4, SMOOTHING / 4)
    q[1] += 1 - SMOOTHING
    rows = (
        row("x", X),
        row("x − m", shifted),
        step("log Σ exp(x − m)", "log 1.0748", shifted.exp().sum().log()),
        row("log p", log_p),
        row("p", log_p.exp()),
        step("−log p₂", "4 + 0.0722", loss),
        row("dx", gradient),
        "",
        row("q", q),
        step("−Σ q · log p", "0.8 · 4.0722 + 0.2 · 3.0722", smooth),
        row("dx", of_smooth),
    )
    return Worked(
        {
            "en": "One row of four logits whose target is the second, and the same with ε = 0.2:",
            "zh": "一行四个 logit，目标是第二个；然后取 ε = 0.2：",
        },
        rows,
        {
            "en": "The gradients sum to 0. The fourth logit is most wrong and is pushed down most.",
            "zh": "梯度之和为 0。第四个 logit 错得最多，也被压得最低。",
        },
    )
