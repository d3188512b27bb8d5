"""Studies of a lab, made by hand: for tests of how they are told. And a lab for the exercise `rms` of the tiny course."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from normgrade.course.package import carried
from normgrade.learner.study import Seen, Study
from normgrade.worker.wire.observation import Array

LAB = '''"""The root mean square at work."""

from torch import nn

from shared_lab import Residual, language_model


class Rms(nn.Module):
    def __init__(self, rms):
        super().__init__()
        self.rms = rms

    def forward(self, x):
        return self.rms(x)


LAB = [language_model(lambda impl, sublayers: Residual(sublayers, lambda: Rms(impl.rms)), sublayers=2, steps=3)]
'''
RMS = "def rms(x, eps=1e-5):\n    return x * (x * x).mean(-1, keepdim=True).add(eps).rsqrt()\n"


FILES = {"exercises/rms/lab.py": LAB, "exercises/shared_lab.py": (carried() / "exercises/shared_lab.py").read_text(encoding="utf-8")}


def run(first: float, last: float, sublayers: int = 8) -> Seen:
    sizes = np.linspace(1.0, 2.0, sublayers)
    values = {"loss": np.linspace(first, last, 40), "loss on others": last + 0.1, "right": 0.5, "numbers": 53_212}
    values |= {f"{what} {when}": of for when in ("first", "last") for what, of in (("activations", sizes), ("gradients", sizes * 1e-4))}
    return {place: Array(np.asarray(value), "float64") for place, value in values.items()}


def compared(off: float, training: float = 0.0, evaluation: float = 0.0, letter: float | None = 0.0) -> Seen:
    """Return what a network with the learner's layer gives: its outputs are off by so much."""
    alone = {"alone in training": training, "alone in evaluation": evaluation, **({} if letter is None else {"one letter": letter})}
    return {"outputs": Array(np.array([0.4 - off, 0.1]), "float64"), **alone}


KNOWN = Study("language model", "Pre-LN", run(3.3, 1.0), run(3.7, np.nan), compared(0.0))
RIGHT = replace(KNOWN, yours=run(3.3, 1.0), few=run(3.3, 1.5), compared=compared(1e-7))
WRONG = replace(RIGHT, compared=compared(0.3, 0.12, 1e-7, 0.5))
