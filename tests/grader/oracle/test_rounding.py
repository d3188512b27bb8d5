"""Tests of Monte Carlo arithmetic: operations that compute are rounded, those that only move numbers stay exact."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from normgrade.oracle.rounding import RandomRounding

U = 2.0**-24
X = torch.linspace(-2.0, 3.0, 24, dtype=torch.float64).reshape(2, 3, 4)
Operation = Callable[[Tensor], Tensor]


def rounded(operation: Operation, x: Tensor = X, seed: int = 0) -> Tensor:
    """Return the result of an operation on a copy, rounded at random."""
    own = x.clone()
    with RandomRounding(U, seed):
        return operation(own)


@pytest.mark.parametrize(
    "operation",
    [
        lambda x: x.clone(),
        lambda x: x.reshape(6, 4),
        lambda x: x.transpose(0, 2).reshape(-1),  # makes a copy, then a view of it
        lambda x: x.flatten(1)[:, 1::2],
        lambda x: x.permute(2, 0, 1).contiguous(),
        lambda x: x.expand(2, 2, 3, 4).reshape(2, -1),
        lambda x: torch.cat([x, x]),
        lambda x: torch.stack(x.unbind(1)),
        lambda x: x.chunk(2)[1],
        lambda x: x[x > 0],
        lambda x: x.masked_select(x > 0),
        lambda x: x.masked_fill(x > 0, 0.5),
        lambda x: torch.where(x > 0, x, -x),
        lambda x: x.abs(),
        lambda x: -x,
        lambda x: x.clamp(min=-1, max=1),
        lambda x: x.clamp_(min=0),
        lambda x: x.relu(),
        lambda x: x.relu_(),
        lambda x: x.amax(dim=1),
        lambda x: x.max(dim=1).values,
        lambda x: x.sort(dim=1, descending=True).values,
        lambda x: x.roll(1).flip(0).repeat(2, 1, 1),
        lambda x: x.copy_(x.flip(0)),
        lambda x: x.nan_to_num(),
        lambda x: x.index_select(1, torch.tensor([2, 0])),
        lambda x: torch.zeros_like(x),
        lambda x: torch.nn.functional.pad(x, (1, 2)),
        lambda x: torch.nn.functional.interpolate(x[None], scale_factor=2.0, mode="nearest"),
    ],
)
def test_operations_that_only_move_numbers_are_exact(operation: Operation) -> None:
    exact = operation(X.clone())
    assert exact.is_floating_point() and torch.equal(rounded(operation), exact)


@pytest.mark.parametrize(
    "operation",
    [
        lambda x: x + 1,
        lambda x: x * 1,
        lambda x: x / 3,
        lambda x: x.mean(dim=1),
        lambda x: x.var(dim=1, correction=0),
        lambda x: (x * x + 1).sqrt(),
        lambda x: x.exp(),
        lambda x: x @ x.transpose(1, 2),
        lambda x: torch.einsum("abc,abc->ab", x, x),
        lambda x: x.softmax(dim=-1),
        lambda x: torch.linalg.vector_norm(x, dim=1),
        lambda x: x.cumsum(dim=1),
        lambda x: torch.var_mean(x, dim=1)[1],
        lambda x: x.add_(1),
        lambda x: x.mul_(3).sub_(1),
        lambda x: torch.mul(x, 3, out=torch.empty_like(x)),
    ],
)
def test_operations_that_compute_are_rounded(operation: Operation) -> None:
    exact, moved = operation(X.clone()), rounded(operation)
    assert moved.shape == exact.shape and moved.dtype == exact.dtype
    assert (moved != exact).all() and torch.allclose(moved, exact, rtol=20 * U, atol=60 * U)


def test_numbers_move_by_the_unit_roundoff_on_average() -> None:
    ones = torch.ones(20_000, dtype=torch.float64)
    moves = (rounded(lambda x: x + 1, ones) - 2) / (2 * U)
    assert moves.mean().abs() < 0.03 and (moves.square().mean() - 1).abs() < 0.05


def test_every_operation_rounds_anew() -> None:
    ones = torch.ones(20_000, dtype=torch.float64)
    moves = rounded(lambda x: x * 1 * 1 * 1 * 1, ones) - 1
    assert (moves.square().mean() / U**2 - 4).abs() < 0.2


def test_an_operation_in_place_changes_its_own_tensor() -> None:
    x = X.clone()
    with RandomRounding(U, 0):
        result = x.add_(1)
    assert result is x and torch.equal(rounded(lambda x: x.add_(1)), x) and (x != X + 1).all()


def test_the_backward_pass_is_rounded_too() -> None:
    leaf = X.clone().requires_grad_()
    with RandomRounding(U, 0):
        y = leaf.exp()
        assert y.grad_fn is not None
        y.backward(torch.ones_like(y))  # type: ignore[no-untyped-call]
    assert leaf.grad is not None
    assert (leaf.grad != y.detach()).all() and torch.allclose(leaf.grad, y.detach(), rtol=20 * U)


def test_integers_and_booleans_are_exact() -> None:
    count = torch.arange(6)
    with RandomRounding(U, 0):
        assert torch.equal(count * 7 - 1, torch.tensor([-1, 6, 13, 20, 27, 34]))
        assert bool((count < 6).all()) and int(count.sum()) == 15


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_dtype_of_a_result_stays(dtype: torch.dtype) -> None:
    assert rounded(lambda x: x * 3, X.to(dtype)).dtype is dtype


def test_numbers_depend_on_the_seed() -> None:
    def operation(x: Tensor) -> Tensor:
        return (x - x.mean()) / x.std()

    assert torch.equal(rounded(operation, seed=1), rounded(operation, seed=1))
    assert (rounded(operation, seed=1) != rounded(operation, seed=2)).all()


def test_global_random_state_is_not_used() -> None:
    torch.manual_seed(3)
    expected = torch.randn(4)
    torch.manual_seed(3)
    rounded(lambda x: x + 1)
    assert torch.equal(torch.randn(4), expected)


def test_nothing_is_rounded_afterwards() -> None:
    rounded(lambda x: x + 1)
    assert torch.equal(X + 1, X.clone() + 1) and bool((torch.ones(99) * 3 == 3).all())
