"""Studies of a lab, made by hand: for tests of how they are told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from normgrade.learner.lab.study import Company, Side, Study, Trained


def run(first: float, last: float, right: float = 0.5, sublayers: int = 8) -> Trained:
    sizes = {when: np.linspace(1.0, 2.0, sublayers) for when in ("first", "last")}
    return Trained(np.linspace(first, last, 40), last + 0.1, right, 53_212, sizes, {when: of * 1e-4 for when, of in sizes.items()})


KNOWN = Study("language model", "Pre-LN", Side(run(3.3, 1.0)), Side(run(3.7, np.nan)))
RIGHT = replace(KNOWN, yours=Side(run(3.3, 1.0), run(3.3, 1.5)), company=Company(0.0, 0.0, 0.0), off=1e-7, largest=0.4)
WRONG = replace(RIGHT, company=Company(1e-7, 0.12, 0.5), off=0.3)
