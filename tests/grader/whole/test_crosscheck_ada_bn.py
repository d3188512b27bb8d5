"""Tests of the reference of `ada_bn` against a model computed by hand in NumPy, and against PyTorch's norm on all batches at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from references import reference
from torch import Tensor, nn

adapt = reference("ada_bn")


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


def close(got: Tensor, right: np.ndarray) -> None:
    np.testing.assert_allclose(got.detach().numpy(), right, rtol=1e-10, atol=1e-11)


def array(tensor: Tensor | None) -> np.ndarray:
    assert tensor is not None
    return tensor.detach().numpy()


def drawn(model: nn.Module) -> nn.Module:
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_()
        for module in model.modules():
            if isinstance(module, nn.BatchNorm1d):
                assert module.running_mean is not None and module.running_var is not None
                module.running_mean.normal_()
                module.running_var.uniform_(0.5, 2.0)
    return model


def test_statistics_are_computed_by_hand_layer_by_layer() -> None:
    linear, norm, other, last = nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Linear(5, 4), nn.BatchNorm1d(4, eps=0.3)
    model = drawn(nn.Sequential(linear, norm, nn.Tanh(), nn.Dropout(0.5), other, last)).train()
    batches = [torch.randn(size, 3) + size for size in (4, 1, 7)]
    adapt(model, batches)
    x = np.concatenate([batch.numpy() for batch in batches]) @ array(linear.weight).T + array(linear.bias)
    mean, squares = x.sum(0) / 12, (x**2).sum(0) / 12
    close(norm.running_mean, mean)  # type: ignore[arg-type]
    close(norm.running_var, squares - mean**2)  # type: ignore[arg-type]
    x = np.tanh((x - mean) / np.sqrt(squares - mean**2 + norm.eps) * array(norm.weight) + array(norm.bias))
    x = x @ array(other.weight).T + array(other.bias)
    close(last.running_mean, x.mean(0))  # type: ignore[arg-type]
    close(last.running_var, np.cov(x.T, ddof=0).diagonal())  # type: ignore[arg-type]
    assert all(module.training for module in model.modules())


@pytest.mark.parametrize("norms", [1, 3])
def test_adapted_outputs_equal_training_on_all_batches(norms: int) -> None:
    layers = [layer for _ in range(norms) for layer in (nn.Conv2d(2, 2, 3, padding=1), nn.BatchNorm2d(2), nn.Tanh())]
    model = drawn(nn.Sequential(*layers)).eval()
    batches = [torch.randn(2, 2, 4, 5) * size + size for size in (1, 2, 3)]
    adapt(model, batches)
    everything = torch.cat(batches)
    output = model(everything)
    close(output, array(model.train()(everything)))


def test_two_batches_are_merged_as_question_3_says() -> None:
    norm = nn.BatchNorm1d(1)
    adapt(norm, [torch.tensor([[-2.0], [0.0]]), torch.tensor([[0.0], [2.0]])])
    close(norm.running_mean, np.zeros(1))  # type: ignore[arg-type]
    close(norm.running_var, np.full(1, 2.0))  # type: ignore[arg-type]
