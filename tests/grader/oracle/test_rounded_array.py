"""Tests that Monte Carlo arithmetic for NumPy moves numbers as far as that for PyTorch, in any spelling of the code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from normgrade.oracle import rounding
from normgrade.oracle.rounded_array import FACTORS, RandomRounding, RoundedArray, of
from normgrade.probes.arrays import entered

U = 2.0**-24
Norm = Callable[[np.ndarray], np.ndarray]


def by_methods(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)  # type: ignore[no-any-return]


def by_functions(x: np.ndarray) -> np.ndarray:
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return np.divide(centred, np.sqrt(np.mean(np.square(centred), axis=-1, keepdims=True) + 1e-5))  # type: ignore[no-any-return]


def by_einsum(x: np.ndarray) -> np.ndarray:
    n = x.shape[-1]
    centred = x - np.einsum("ij->i", x)[:, None] / n
    return centred / np.sqrt(np.einsum("ij,ij->i", centred, centred)[:, None] / n + 1e-5)  # type: ignore[no-any-return]


def by_products(x: np.ndarray) -> np.ndarray:
    n, ones = x.shape[-1], np.ones((x.shape[-1], 1))
    centred = x - np.matmul(x, ones) / n
    return centred / np.sqrt(np.dot(centred * centred, ones) / n + 1e-5)  # type: ignore[no-any-return]


def by_norms(x: np.ndarray) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    length = np.linalg.norm(centred, axis=-1, keepdims=True)
    return centred / np.sqrt(length**2 / x.shape[-1] + 1e-5)  # type: ignore[no-any-return]


def in_place(x: np.ndarray) -> np.ndarray:
    y = x.copy()
    y -= y.mean(-1, keepdims=True)
    np.divide(y, np.sqrt((y**2).mean(-1, keepdims=True) + 1e-5), out=y)
    return y


def row_by_row(x: np.ndarray) -> np.ndarray:
    y = np.empty_like(x)
    for number, row in enumerate(x):
        y[number] = (row - row.mean()) / np.sqrt(row.var() + 1e-5)
    return y


def in_torch(x: Any) -> Any:
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True, correction=0) + 1e-5)


def spread(norm: Norm, x: np.ndarray, plays: int = 24) -> float:
    """Return how far the numbers of the result move on average, in units of U."""
    moved = []
    for seed in range(plays):
        with RandomRounding(U, seed):
            moved.append(np.asarray(norm(of(x.copy()))) - norm(x))
    return float(np.sqrt(np.mean(np.square(moved), axis=0)).mean() / U)


def spread_in_torch(x: np.ndarray, plays: int = 24) -> float:
    moved = []
    for seed in range(plays):
        with rounding.RandomRounding(U, seed):
            moved.append(in_torch(torch.from_numpy(x)).numpy() - by_methods(x))
    return float(np.sqrt(np.mean(np.square(moved), axis=0)).mean() / U)


@pytest.mark.parametrize("norm", [by_methods, by_functions, by_einsum, by_products, by_norms, in_place, row_by_row])
@pytest.mark.parametrize(("features", "offset"), [(7, 0.0), (64, 100.0)])
def test_numbers_move_as_far_as_in_pytorch(norm: Norm, features: int, offset: float) -> None:
    x = np.random.default_rng(0).standard_normal((5, features)) + offset
    assert 0.5 < spread(norm, x) / spread_in_torch(x) < 2.5


@pytest.mark.parametrize(
    "exact",
    [
        np.copy,
        np.negative,
        np.abs,
        lambda x: np.maximum(x, 0.5),
        lambda x: x.reshape(3, 2).T,
        lambda x: np.concatenate([x, x]),
        lambda x: np.where(x > 0, x, -x),
        lambda x: np.sort(x, axis=-1)[..., ::-1],
        lambda x: x.max(axis=-1),
        lambda x: np.broadcast_to(x, (4, 2, 3)),
        lambda x: x.astype(np.float32).astype(np.float64),
    ],
)
def test_moving_or_selecting_numbers_is_exact(exact: Norm) -> None:
    x = np.random.default_rng(1).standard_normal((2, 3))
    with RandomRounding(0.1, 0):
        result = exact(of(x.copy()))
    assert np.array_equal(np.asarray(result), exact(x))


def test_integers_and_booleans_stay_exact() -> None:
    x = of(np.arange(6.0).reshape(2, 3))
    with RandomRounding(0.1, 0):
        assert (x > 2).dtype == bool and x.argmax() == 5 and x.shape == (2, 3)
        assert type(x.sum()) is RoundedArray


@pytest.mark.parametrize(
    "joined",
    [lambda x: np.concatenate([x, x]), lambda x: np.stack([x, x]), lambda x: np.where(x > 0, x, 1.0), lambda x: np.pad(x, 1), np.sort],
)
def test_arrays_made_of_rounded_arrays_are_rounded(joined: Norm) -> None:
    x = np.random.default_rng(2).standard_normal((2, 3))
    with RandomRounding(0.1, 0):
        assert not np.array_equal(np.asarray(joined(of(x.copy())) * 1.0), joined(x))


def test_implementations_get_rounded_arrays_in_the_context() -> None:
    x = np.ones(2)
    assert type(entered(x)) is np.ndarray
    with RandomRounding(U, 0):
        assert type(entered(x)) is RoundedArray
    assert type(entered(x)) is np.ndarray and np.array_equal(np.asarray(of(x) * 1.0), x)


def test_factors_start_again_if_too_few_are_left() -> None:
    arithmetic = RandomRounding(U, 0)
    first = arithmetic.next_factors((2,))
    arithmetic.used = FACTORS - 1
    assert np.array_equal(arithmetic.next_factors((2,)), first)
    assert arithmetic.next_factors((FACTORS + 1,)).shape == (FACTORS + 1,)


def test_another_seed_has_other_factors() -> None:
    one, other = (RandomRounding(U, seed).next_factors((5,)) for seed in (0, 1))
    assert not np.array_equal(one, other)
