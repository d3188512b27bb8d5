"""Tests of the reference of `cross_entropy` against independent routes: PyTorch's function, the complex step, and counting in fractions."""

from __future__ import annotations

from math import fsum, log
from typing import Any

import numpy as np
import pytest
import torch
from references import reference_module

TARGETS = [(1, 0, 4), (2, -100, 0, 3, -100, 1), (5, 5, 1)]
CALLS: list[dict[str, Any]] = [
    {},
    {"label_smoothing": 0.1},
    {"ignore_index": 0},
    {"ignore_index": 5, "label_smoothing": 0.4},
    {"label_smoothing": 1.0},
]


def legal(targets: tuple[int, ...], call: dict[str, Any]) -> np.ndarray:
    """Return the targets, with the number that is ignored in place of -100."""
    return np.array([call.get("ignore_index", -100) if target == -100 else target for target in targets])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("targets", TARGETS)
def test_pytorch_gives_the_same(targets: tuple[int, ...], call: dict[str, Any], dtype: str) -> None:
    chosen = legal(targets, call)
    logits = (np.random.default_rng(1).standard_normal((len(chosen), 6)) * 3).astype(dtype)
    module = reference_module("cross_entropy")
    loss, cache = module.forward(logits, chosen, **call)
    [gradient] = module.backward(np.asarray(0.7, dtype), cache)
    leaf = torch.tensor(logits, requires_grad=True)
    wanted = torch.nn.functional.cross_entropy(leaf, torch.tensor(chosen), **call)
    wanted.backward(torch.tensor(0.7, dtype=leaf.dtype))  # type: ignore[no-untyped-call]
    near: Any = {"rtol": 1e-10, "atol": 1e-13} if dtype == "float64" else {"rtol": 1e-4, "atol": 1e-6}
    assert loss.dtype == gradient.dtype == dtype and leaf.grad is not None
    np.testing.assert_allclose(loss, wanted.detach().numpy(), **near)
    np.testing.assert_allclose(gradient, leaf.grad.numpy(), **near)


@pytest.mark.parametrize("call", CALLS)
def test_the_complex_step_gives_the_same(call: dict[str, Any]) -> None:
    """The imaginary part of L(x + ih) / h is the derivative to all digits, since nothing is subtracted."""
    targets = legal(TARGETS[1], call)
    logits = np.random.default_rng(2).standard_normal((len(targets), 6))
    module = reference_module("cross_entropy")
    [gradient] = module.backward(np.array(1.0), module.forward(logits, targets, **call)[1])
    counted = [row for row, target in enumerate(targets) if target != call.get("ignore_index", -100)]
    smoothing, h = call.get("label_smoothing", 0.0), 1e-20
    for index in np.ndindex(logits.shape):
        x = logits.astype(complex)
        x[index] += 1j * h
        minus_log_p = np.log(np.exp(x).sum(axis=1, keepdims=True)) - x
        loss = sum((1 - smoothing) * minus_log_p[row, targets[row]] + smoothing * minus_log_p[row].mean() for row in counted) / len(counted)
        assert loss.imag / h == pytest.approx(gradient[index], rel=1e-12, abs=1e-15)


def test_logits_that_are_logarithms_of_counts() -> None:
    """With logits log k the weights are k / Σ k, whose logarithms need no exp."""
    counts = np.array([[1, 2, 5], [7, 7, 2], [3, 90, 7]])
    targets = [2, 0, 0]
    wanted = fsum(log(row.sum() / row[target]) for row, target in zip(counts, targets, strict=True)) / 3
    loss, cache = reference_module("cross_entropy").forward(np.log(counts), np.array(targets))
    [gradient] = reference_module("cross_entropy").backward(np.array(3.0), cache)
    assert loss == pytest.approx(wanted, rel=1e-14)
    np.testing.assert_allclose(gradient, counts / counts.sum(axis=1, keepdims=True) - np.eye(3)[targets], rtol=1e-12)


def test_rows_that_do_not_count_are_as_in_pytorch() -> None:
    module = reference_module("cross_entropy")
    logits = np.array([[np.nan, 1.0], [2.0, 3.0]])
    for smoothing in (0.0, 0.2):
        theirs = torch.nn.functional.cross_entropy(torch.tensor(logits), torch.tensor([-100, 1]), label_smoothing=smoothing)
        assert module.forward(logits, np.array([-100, 1]), label_smoothing=smoothing)[0] == pytest.approx(theirs.item(), rel=1e-14)
    with np.errstate(invalid="ignore"):
        loss, cache = module.forward(logits[1:], np.array([-100]))
    assert np.isnan(loss) and not module.backward(np.array(1.0), cache)[0].any()
    assert torch.nn.functional.cross_entropy(torch.tensor(logits[1:]), torch.tensor([-100])).isnan()
    for target in (2, -1):
        with pytest.raises(IndexError):
            torch.nn.functional.cross_entropy(torch.tensor(logits), torch.tensor([0, target]))
        with pytest.raises(IndexError):
            module.forward(logits, np.array([0, target]))
