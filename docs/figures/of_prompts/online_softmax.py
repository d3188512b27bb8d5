"""The numbers of the prompt of online softmax."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import Worked, X, row, step

VALUES = torch.tensor([4.0, 3.0, 2.0, 1.0], dtype=torch.float64)


def worked() -> Worked:
    module = reference("online_softmax")
    scores, values = X[None], VALUES[:, None]
    first = module.merge(None, (scores[:, :2], values[:2]))
    second = module.merge(first, (scores[:, 2:], values[2:]))
    kept = (first.largest - second.largest).exp()
    rows = (
        row("x", X),
        row("v", VALUES),
        step("m", "max(1, 2)", first.largest),
        row("exp(x − m)", (X[:2] - first.largest).exp()),
        step("s", "0.3679 + 1", first.total),
        step("o", "0.3679 · 4 + 1 · 3", first.output),
        step("m′", "max(2, 3, 6)", second.largest),
        step("α", "exp(2 − 6)", kept),
        row("exp(x − m′)", (X[2:] - second.largest).exp()),
        step("s′", "0.0183 · 1.3679 + 0.0498 + 1", second.total),
        step("o′", "0.0183 · 4.4715 + 0.0498 · 2 + 1 · 1", second.output),
        step("y = o′/s′", "1.1815/1.0748", module.finish(second)),
    )
    return Worked(
        {
            "en": "One query with four keys, in two blocks of two; dim is 1:",
            "zh": "一个 query，四个 key，分成两块，每块两个；dim 为 1：",
        },
        rows,
        {
            "en": "s′ is the sum that softmax of all four scores divides by, and y is softmax(x) @ v. The first block counts 0.0183 times as much as\n"
            "before, since a score of 6 has arrived.",
            "zh": "s′ 正是对四个分数一起求 softmax 时的分母，y 就是 softmax(x) @ v。因为出现了分数 6，第一块的分量只剩原来的 0.0183 倍。",
        },
    )
