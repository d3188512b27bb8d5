"""Tests of the reference of `weight_standardization` against a batch norm of the weight, NumPy, and finite differences, in float64."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from references import reference
from torch import nn
from torch.nn import functional as F

WSConv2d = reference("weight_standardization")
ARGUMENTS: list[tuple[Any, ...]] = [
    (3, 4, 3),
    (3, 4, (2, 3), (2, 1), (1, 2), (1, 2)),
    (4, 6, 2, 1, 1, 1, 2, False),
    (4, 4, (3, 1), 2, 0, 1, 4, True, 0.3),
    (3, 2, 1, 1, 0, 1, 1, True, 1e-2),
]


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


def drawn(arguments: tuple[Any, ...]) -> nn.Module:
    layer: nn.Module = WSConv2d(*arguments)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn(parameter.shape) * 0.4 + torch.rand(len(parameter), *[1] * (parameter.dim() - 1)))
    return layer


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_output_and_gradients_are_those_of_timms_way(arguments: tuple[Any, ...]) -> None:
    layer: Any = drawn(arguments)
    x = torch.randn(2, arguments[0], 5, 6, requires_grad=True)
    rows = layer.weight.reshape(1, len(layer.weight), -1)
    weight = F.batch_norm(rows, None, None, training=True, momentum=0.0, eps=layer.eps).reshape_as(layer.weight)
    expected = F.conv2d(x, weight, layer.bias, layer.stride, layer.padding, layer.dilation, layer.groups)
    output, upstream = layer(x), torch.randn(expected.shape)
    torch.testing.assert_close(output, expected)
    wanted = [x, *layer.parameters()]
    for found, right in zip(torch.autograd.grad(output, wanted, upstream), torch.autograd.grad(expected, wanted, upstream), strict=True):
        torch.testing.assert_close(found, right, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_gradient_agrees_with_finite_differences(arguments: tuple[Any, ...]) -> None:
    layer: Any = drawn(arguments)
    x = torch.randn(1, arguments[0], 4, 5, requires_grad=True)

    def of(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = torch.func.functional_call(layer, {"weight": weight}, (x,))
        return result

    assert torch.autograd.gradcheck(of, (x, layer.weight))


def test_one_place_is_a_sum_in_numpy() -> None:
    layer: Any = drawn((4, 6, (2, 3), (2, 1), 1, 1, 2))
    x = torch.randn(1, 4, 5, 6)
    w = layer.weight.detach().numpy()
    padded = np.pad(x.numpy()[0], ((0, 0), (1, 1), (1, 1)))
    for channel in range(6):
        numbers = w[channel]
        mean = sum(numbers.ravel()) / numbers.size
        variance = sum((each - mean) ** 2 for each in numbers.ravel()) / numbers.size
        group = channel // 3
        window = padded[2 * group : 2 * group + 2, 2:4, 3:6]  # the outputs of row 1 and column 3
        right = ((numbers - mean) / np.sqrt(variance + 1e-5) * window).sum() + layer.bias[channel].item()
        np.testing.assert_allclose(layer(x)[0, channel, 1, 3].item(), right, rtol=1e-10)


def test_constant_images_give_the_bias() -> None:
    layer: Any = drawn((3, 4, 3))
    output = layer(torch.full((1, 3, 5, 5), 7.0))
    torch.testing.assert_close(output, layer.bias.view(-1, 1, 1).expand_as(output))
