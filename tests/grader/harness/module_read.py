"""A layer whose module is read by pointing, and the effects of reading it, by kind and name."""

from __future__ import annotations

from normgrade.pointing.flow import Flow
from normgrade.pointing.values import Kind, Value

HEAD = "import torch\nfrom torch import nn\nclass Norm(nn.Module):\n"
INIT = """\
    def __init__(self, n, eps=1e-5):
        super().__init__()
        self.small = eps
        self.weight = nn.Parameter(torch.ones(n))
"""


def effects(flow: Flow) -> dict[tuple[Kind, str], Value]:
    return {(effect.kind, effect.name): effect for effect in flow.effects}
