"""Monte Carlo arithmetic for NumPy moves numbers as far as that for PyTorch, however the code is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from normgrade.oracle.rounded_array import RoundedArray, factors_from, of
from normgrade.oracle.rounding import STRIDE, RandomRounding, factors
from normgrade.probes import array

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
    """How far the numbers of the result move, in units of U, on average."""
    moved = [np.asarray(norm(of(x.copy(), factors_from(factors(U).numpy(), seed * STRIDE)))) - norm(x) for seed in range(plays)]
    return float(np.sqrt(np.mean(np.square(moved), axis=0)).mean() / U)


def spread_in_torch(x: np.ndarray, plays: int = 24) -> float:
    moved = []
    for seed in range(plays):
        with RandomRounding(U, seed):
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
def test_what_only_moves_or_selects_numbers_is_exact(exact: Norm) -> None:
    x = np.random.default_rng(1).standard_normal((2, 3))
    result = exact(of(x.copy(), factors_from(factors(0.1).numpy(), 0)))
    assert np.array_equal(np.asarray(result), exact(x))


def test_whole_numbers_and_truth_values_stay_as_they_are() -> None:
    x = of(np.arange(6.0).reshape(2, 3), factors_from(factors(0.1).numpy(), 0))
    assert (x > 2).dtype == bool and x.argmax() == 5 and x.shape == (2, 3)
    assert type(x.sum()) is RoundedArray


def test_probes_get_such_arrays_while_the_arithmetic_is_on() -> None:
    tensor = torch.ones(2, dtype=torch.float64)
    assert type(array(tensor)) is np.ndarray
    with RandomRounding(U, 0):
        assert type(array(tensor)) is RoundedArray
    assert type(array(tensor)) is np.ndarray


def test_an_array_of_a_probe_is_a_copy() -> None:
    tensor = torch.ones(2)
    array(tensor)[0] = 5
    assert tensor.tolist() == [1.0, 1.0]


def test_factors_begin_again_where_too_few_are_left() -> None:
    next_factors = factors_from(np.arange(5.0), 3)
    assert next_factors((2,)).tolist() == [3.0, 4.0]
    assert next_factors((2, 2)).tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert next_factors((3,)).tolist() == [0.0, 1.0, 2.0]
    assert next_factors((7,)).shape == (7,)
