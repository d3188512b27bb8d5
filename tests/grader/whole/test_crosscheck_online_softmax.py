"""Tests of the reference of `online_softmax` against PyTorch's attention, a sum of exact logarithms, and finite differences."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum

import pytest
import torch
from references import reference_module
from torch import Tensor

SPLITS = [(7,), (1, 6), (3, 3, 1), (1,) * 7]


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def merged(scores: Tensor, values: Tensor, sizes: Sequence[int]) -> Tensor:
    """Return the output of the reference for all keys, in blocks of these sizes."""
    module, state = reference_module("online_softmax"), None
    for block in zip(torch.split_with_sizes(scores, sizes, -1), torch.split_with_sizes(values, sizes, -2), strict=True):
        state = module.merge(state, block)
    output: Tensor = module.finish(state)
    return output


@pytest.mark.parametrize("sizes", SPLITS)
@pytest.mark.parametrize("offset", [0.0, 1e4, -1e4])
def test_attention_of_pytorch_gives_the_same(sizes: tuple[int, ...], offset: float) -> None:
    queries, keys, values = drawn(2, 3, 5), drawn(2, 7, 5, seed=1), drawn(2, 7, 4, seed=2)
    mask = drawn(2, 3, 7, seed=3) + offset
    mask[0, 1, :4] = mask[1, 2, 2:] = -torch.inf
    leaves = [mask.clone().requires_grad_(), values.clone().requires_grad_()]
    theirs = [mask.clone().requires_grad_(), values.clone().requires_grad_()]
    ours = merged(queries @ keys.mT / 5**0.5 + leaves[0], leaves[1], sizes)
    wanted = torch.nn.functional.scaled_dot_product_attention(queries, keys, theirs[1], attn_mask=theirs[0])
    torch.testing.assert_close(ours, wanted, rtol=1e-11, atol=1e-12)
    upstream = drawn(2, 3, 4, seed=4)
    for one, other in zip(torch.autograd.grad(ours, leaves, upstream), torch.autograd.grad(wanted, theirs, upstream), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-12)


def test_sums_of_python_give_the_same() -> None:
    scores, values = drawn(3, 7) * 4, drawn(7, 2, seed=1)
    for query, row in enumerate(scores.tolist()):
        total = fsum(map(exp, row))
        for column in range(2):
            wanted = fsum(exp(x) * v for x, v in zip(row, values[:, column].tolist(), strict=True)) / total
            assert merged(scores, values, (2, 5))[query, column].item() == pytest.approx(wanted, rel=1e-12)


def test_gradients_of_masked_queries_are_those_of_differences() -> None:
    scores = drawn(4, 5)
    scores[0, :3] = scores[1, 1] = -torch.inf
    open_ = scores.isfinite()

    def of_open(numbers: Tensor, values: Tensor) -> Tensor:
        return merged(scores.masked_scatter(open_, numbers), values, (2, 1, 2))

    assert torch.autograd.gradcheck(of_open, (scores[open_].requires_grad_(), drawn(5, 2, seed=1).requires_grad_()))


def test_a_query_without_keys_gets_zeros() -> None:
    scores, values = torch.full((2, 4), -torch.inf).requires_grad_(), drawn(4, 3).float().requires_grad_()
    output = merged(scores, values, (1, 3))
    output.sum().backward()  # type: ignore[no-untyped-call]
    assert not output.any() and scores.grad is not None and not scores.grad.any() and values.grad is not None and not values.grad.any()
