"""Monte Carlo arithmetic: every floating-point operation is rounded at random, which shows how well an answer is determined.

After D. S. Parker, "Monte Carlo arithmetic: how to gamble with floating point and win", 2000. In float64 each result, forward and
backward, is multiplied by 1 + ξ·u. Here u is the unit roundoff of the simulated arithmetic, and ξ has a standard normal distribution.
Random signs instead of ξ do not work: two of them cancel exactly in one of two plays, and so in all of P plays for one of 2ᴾ elements,
whose spread would then be 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from normgrade.oracle.rounded_array import FACTORS, STRIDE

# Operations whose result is exact: they create, move, select or compare numbers, or change a sign. Views are recognised by their schema.
EXACT = frozenset(
    """
    _local_scalar_dense _to_copy _unsafe_view abs abs_ amax amin arange as_strided_scatter bitwise_not bool cat clamp clamp_ clamp_max
    clamp_max_ clamp_min clamp_min_ clone constant_pad_nd copy copy_ detach detach_ empty empty_like empty_strided eq equal expand_copy
    eye fill fill_ flip full full_like gather ge gt index index_put index_put_ index_select isfinite isinf isnan le lift_fresh linspace
    logical_and logical_not logical_or lt masked_fill masked_fill_ masked_scatter masked_select max maximum median min minimum
    nan_to_num ne neg neg_ new_empty new_empty_strided new_full new_ones new_zeros nonzero ones ones_like permute_copy relu relu_ repeat
    resize_ roll scalar_tensor scatter scatter_ select_backward select_scatter set_ sign slice_backward slice_scatter sort stack
    threshold threshold_backward topk tril triu upsample_nearest2d where zero_ zeros zeros_like
    """.split()
)


class RandomRounding(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A dispatch mode that multiplies the result of every inexact operation by 1 + ξ·u, in place if the operation works in place."""

    def __init__(self, unit_roundoff: float, seed: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.factors = factors(unit_roundoff)
        self.used = seed * STRIDE % FACTORS

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Return False: True would make PyTorch import its compiler, which takes 2 s, to exclude this class from compilation."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **kwargs) if kwargs else func(*args)
        exact, mutable = nature(func)
        if exact:
            return result
        return self.rounded(result, mutable) if isinstance(result, torch.Tensor) else apply(self.rounded, result, mutable)

    def rounded(self, number: torch.Tensor, mutable: bool) -> torch.Tensor:
        """Return a result with its next factors applied, in place if it is `mutable`. Whole numbers stay as they are."""
        if not number.is_floating_point():
            return number
        factor = self.next_factors(number)
        return number.mul_(factor) if mutable else number * factor

    def next_factors(self, number: torch.Tensor) -> torch.Tensor:
        """Return the next factors, in the shape and dtype of `number`. If too few are left, they start again from the first one."""
        size = number.numel()
        if size > FACTORS:
            return torch.cat([self.factors] * (size // FACTORS + 1))[:size].view(number.shape).to(number.dtype)
        if self.used + size > FACTORS:
            self.used = 0
        start, self.used = self.used, self.used + size
        if number.dtype is torch.float64 and number.is_contiguous():  # nearly always: one operation does
            return self.factors.as_strided(number.shape, number.stride(), start)
        return self.factors[start : self.used].view(number.shape).to(number.dtype)


@lru_cache(maxsize=4)
def factors(unit_roundoff: float) -> torch.Tensor:
    """Return random factors 1 + ξ·u, drawn once: to take a slice of them is much faster than to draw."""
    noise = torch.randn(FACTORS, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return noise.mul_(unit_roundoff).add_(1)


@cache
def nature(func: Any) -> tuple[bool, bool]:
    """Return two flags of an operation: True if it is exact, and True if it works in place."""
    return func.is_view or func.overloadpacket.__name__ in EXACT, func._schema.is_mutable


def apply(change: Callable[[torch.Tensor, bool], torch.Tensor], result: Any, mutable: bool) -> Any:
    """Return the result of an operation with `change` applied to each of its tensors."""
    if isinstance(result, torch.Tensor):
        return change(result, mutable)
    if isinstance(result, list | tuple):
        return type(result)(apply(change, part, mutable) for part in result)
    return result
