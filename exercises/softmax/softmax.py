"""Softmax, by hand. `normgrade show softmax` tells the task, `normgrade check softmax` grades this file."""

from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """Positive weights along `dim` whose sum is 1: exp(x) over the sum of exp(x). The same shape and dtype as x."""
    raise NotImplementedError("subtract the largest number along dim, take exp, divide by the sum along dim")
