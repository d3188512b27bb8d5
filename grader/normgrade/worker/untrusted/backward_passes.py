"""A check that autograd computes no gradient while a layer is called. The layer's own backward pass comes later, and the grader runs it.

The gradient of a plain sum is a normalisation: that of `logsumexp` is softmax. Every request for a gradient starts a backward pass, through
`backward()`, `torch.autograd.grad`, `torch.func` or TorchScript alike, and PyTorch numbers all passes of a process.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from normgrade.language import _
from normgrade.worker.untrusted.stopping import ByHand

ENGINE = "torch._C._ImperativeEngine.run_backward"  # its name in a ban
NUMBERS: list[int] = []
NUMBER_OF_THIS = torch._C._current_graph_task_id  # taken before a submission could replace it
RUN = torch.autograd.Variable._execution_engine.run_backward


class Numbered(torch.autograd.Function):
    """A function that does nothing forward; backward it notes the number of the pass, without any operation, since all may be banned."""

    @staticmethod
    def forward(context: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> torch.Tensor:
        NUMBERS.append(NUMBER_OF_THIS())
        return gradient


LEAF, ONE = torch.zeros((), requires_grad=True), torch.ones(())
ROOT = Numbered.apply(LEAF)  # type: ignore[no-untyped-call]


def next_number() -> int:
    """Run a backward pass, which takes some microseconds, and return its number."""
    RUN((ROOT,), (ONE,), True, False, (LEAF,), allow_unreachable=True, accumulate_grad=False)
    return NUMBERS.pop()


def compiled() -> int:
    """Return how many graphs `torch.compile` has compiled so far. It runs backward passes of its own to find the backward graphs."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    return dynamo.counters["aot_autograd"]["total"] if dynamo else 0


@contextmanager
def none_in_between(pattern: str) -> Iterator[None]:
    """Raise ByHand, by the rule `pattern`, if a backward pass begins in the block, unless `torch.compile` compiles a graph there."""
    before, compiled_before = next_number(), compiled()
    yield
    if next_number() != before + 1 and compiled() == compiled_before:
        why = _(
            "autograd computed a gradient during this call, which the exercise bans (by the rule `{pattern}`): it must be written by hand",
            pattern=pattern,
        )
        raise ByHand(why)
