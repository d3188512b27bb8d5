"""Tests of the references for data normalisation against SciPy, PyTorch and plain NumPy, forward and backward, in float64."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from references import reference
from torch import Tensor


def data(samples: int, features: int) -> Tensor:
    """Return correlated features with different means and scales."""
    generator = torch.Generator().manual_seed(samples)
    x = torch.randn(samples, features, generator=generator, dtype=torch.float64)
    mixed = x @ (torch.eye(features, dtype=torch.float64) + 0.3 * torch.rand(features, features, generator=generator, dtype=torch.float64))
    return mixed * torch.linspace(0.5, 2.0, features, dtype=torch.float64) + torch.linspace(-3.0, 3.0, features, dtype=torch.float64)


@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize("offset", [0.0, 1000.0, -1000.0])
def test_softmax_is_that_of_pytorch(dim: int, offset: float) -> None:
    x = (torch.randn(3, 4, 5, dtype=torch.float64) * 3 + offset).requires_grad_()
    upstream = torch.randn(3, 4, 5, dtype=torch.float64)
    ours, theirs = reference("softmax")(x, dim), torch.softmax(x, dim)
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-15)
    gradients = (torch.autograd.grad(y, x, upstream)[0] for y in (ours, theirs))
    torch.testing.assert_close(*gradients, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("value", [-torch.inf, torch.nan, torch.inf])
def test_softmax_of_nan_and_infinity_is_pytorchs(value: float) -> None:
    x = torch.randn(4, 5, dtype=torch.float64)
    x[1], x[2, 3], x[3, 1:] = -torch.inf, value, value
    torch.testing.assert_close(reference("softmax")(x), torch.softmax(x, -1), equal_nan=True)


def test_softmax_is_that_of_scipy() -> None:
    special = pytest.importorskip("scipy.special")
    x = data(6, 4)
    np.testing.assert_allclose(reference("softmax")(x, 0).numpy(), special.softmax(x.numpy(), axis=0), rtol=1e-12)


def test_standardisation_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    x = data(7, 4)
    np.testing.assert_allclose(reference("standardize")(x).numpy(), stats.zscore(x.numpy(), axis=0), rtol=1e-12)


def test_standardisation_is_batch_norm_with_tiny_eps() -> None:
    x, upstream = data(7, 4).requires_grad_(), torch.randn(7, 4, dtype=torch.float64)
    ours, theirs = reference("standardize")(x), torch.nn.functional.batch_norm(x, None, None, training=True, eps=1e-200)
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-14)
    gradients = (torch.autograd.grad(y, x, upstream)[0] for y in (ours, theirs))
    torch.testing.assert_close(*gradients, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("samples", [1, 3, 7, 10, 13])
@pytest.mark.parametrize("value", [0.1, -7.3, 0.7])
@pytest.mark.parametrize("slug", ["standardize", "min_max"])
def test_constant_features_give_zeros_and_finite_gradients(slug: str, samples: int, value: float) -> None:
    x = data(samples, 3).float()
    x[:, 1] = value
    y = reference(slug)(x.requires_grad_())
    assert (y[:, 1] == 0).all()
    y.sum().backward()
    assert x.grad is not None and x.grad.isfinite().all()


def test_min_max_is_the_formula_in_numpy() -> None:
    x = data(7, 4)
    columns = [(column - min(column)) / (max(column) - min(column)) for column in x.numpy().T]
    np.testing.assert_allclose(reference("min_max")(x).numpy(), np.stack(columns, 1), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("eps", [0.0, 0.1])
def test_whitening_is_the_inverse_root_of_scipy(eps: float) -> None:
    linalg = pytest.importorskip("scipy.linalg")
    x = data(9, 4).numpy()
    covariance = np.cov(x.T, bias=True) + eps * np.eye(4)
    whitened = (x - x.mean(0)) @ linalg.inv(linalg.sqrtm(covariance))
    z = reference("whitening")(torch.from_numpy(x), eps).numpy()
    np.testing.assert_allclose(z, whitened, rtol=1e-9, atol=1e-12)
    if eps == 0:
        np.testing.assert_allclose(z.T @ z / len(z), np.eye(4), atol=1e-12)


@pytest.mark.parametrize("eps", [0.0, 0.1])
def test_whitening_matrix_is_the_symmetric_inverse_root(eps: float) -> None:
    x = data(9, 4).numpy()
    centred = x - x.mean(0)
    matrix = np.linalg.lstsq(centred, reference("whitening")(torch.from_numpy(x), eps).numpy(), rcond=None)[0]
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
    assert np.linalg.eigvalsh(matrix).min() > 0
    np.testing.assert_allclose(matrix @ matrix @ (np.cov(x.T, bias=True) + eps * np.eye(4)), np.eye(4), atol=1e-11)


def test_whitening_is_the_nearest_white_data() -> None:
    x = data(9, 4).numpy()
    left, _values, right = np.linalg.svd(x - x.mean(0), full_matrices=False)
    np.testing.assert_allclose(reference("whitening")(torch.from_numpy(x)).numpy(), left @ right * 3, atol=1e-12)


@pytest.mark.parametrize("slug", ["softmax", "standardize", "min_max", "whitening"])
def test_gradients_are_the_slopes_of_the_function(slug: str) -> None:
    assert torch.autograd.gradcheck(reference(slug), (data(6, 3).requires_grad_(),))
