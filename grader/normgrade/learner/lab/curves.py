"""Loss curves as text: one chart for all sides, a column for every few steps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

HEIGHT, COLUMNS = 10, 50
ABOVE = 1.25  # times the first loss: a chart is no higher, however far a curve rises


def top_of(curves: Sequence[np.ndarray]) -> float:
    """Return the highest loss that a chart shows: the largest one, but not far above the first losses."""
    finite = [loss for curve in curves for loss in curve.tolist() if math.isfinite(loss)]
    first = [curve[0] for curve in curves if math.isfinite(curve[0])]
    return min(max(finite, default=1.0), ABOVE * float(np.median(first)) if first else math.inf)


def chart(curves: Mapping[str, np.ndarray]) -> list[str]:
    """Return the lines of a chart of some curves, each drawn with its own character. The later ones are drawn over the earlier ones.

    A loss above the chart is in its highest line; one that is no number is nowhere.

    >>> print(chart({"·": np.array([3.0, 3.0, 3.0]), "●": np.array([3.0, 1.5, 0.0])})[0].rstrip())
    3.00 │●··
    """
    top = top_of([*curves.values()])
    rows = [[" "] * COLUMNS for _ in range(HEIGHT)]
    for mark, curve in curves.items():
        for column, loss in enumerate(thinned(curve)):
            if math.isfinite(loss):
                height = min(max(loss / top, 0.0), 1.0) if top > 0 else 0.0
                rows[round((1 - height) * (HEIGHT - 1))][column] = mark
    labels = [f"{top:.2f}", *[""] * (HEIGHT - 2), "0.00"]
    return [f"{label:>{len(labels[0])}} │{''.join(row)}" for label, row in zip(labels, rows, strict=True)]


def thinned(curve: np.ndarray) -> list[float]:
    """Return the mean loss of every few steps, for at most COLUMNS columns. One of steps that end in no number is none, too."""
    each = -(-len(curve) // COLUMNS)
    return [float(np.mean(curve[begin : begin + each])) for begin in range(0, len(curve), each)]
