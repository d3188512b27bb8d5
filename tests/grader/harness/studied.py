"""Studies of a lab, made by hand: for tests of how they are told. And a lab for the exercise `rms` of the tiny course."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from normgrade.learner.lab.study import Company, Study, Trained

LAB = '''"""The root mean square at work."""

from torch import nn

from normgrade.probes.lab import Residual, language_model


class Rms(nn.Module):
    def __init__(self, rms):
        super().__init__()
        self.rms = rms

    def forward(self, x):
        return self.rms(x)


LAB = [language_model(lambda impl, sublayers: Residual(sublayers, lambda: Rms(impl.rms)), sublayers=2, steps=3)]
'''
RMS = "def rms(x, eps=1e-5):\n    return x * (x * x).mean(-1, keepdim=True).add(eps).rsqrt()\n"


def run(first: float, last: float, right: float = 0.5, sublayers: int = 8) -> Trained:
    sizes = {when: np.linspace(1.0, 2.0, sublayers) for when in ("first", "last")}
    return Trained(np.linspace(first, last, 40), last + 0.1, right, 53_212, sizes, {when: of * 1e-4 for when, of in sizes.items()})


KNOWN = Study("language model", "Pre-LN", run(3.3, 1.0), run(3.7, np.nan))
RIGHT = replace(KNOWN, yours=run(3.3, 1.0), few=run(3.3, 1.5), company=Company(0.0, 0.0, 0.0), off=1e-7, largest=0.4)
WRONG = replace(RIGHT, company=Company(1e-7, 0.12, 0.5), off=0.3)
