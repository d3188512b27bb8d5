"""Tests of the reference of `fold_batch_norm` against both layers in turn, PyTorch's own folding, and NumPy, in float64."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from references import reference
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

fold = reference("fold_batch_norm")
NORMS = nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d
CONVOLUTIONS: list[tuple[type[nn.Module], tuple[Any, ...], dict[str, Any]]] = [
    (nn.Conv1d, (3, 5, 2), {"padding": 1, "padding_mode": "circular"}),
    (nn.Conv2d, (4, 6, (2, 3), (2, 1), (1, 2), (1, 2), 2), {"bias": False}),
    (nn.Conv2d, (4, 4, 3), {"groups": 4, "padding": 1, "padding_mode": "reflect"}),
    (nn.Conv3d, (2, 3, (2, 1, 2)), {}),
    (nn.ConvTranspose1d, (6, 3, 3, 2, 1, 1), {"groups": 3}),
    (nn.ConvTranspose2d, (4, 6, (2, 3), (2, 3), 0, (1, 2), 2), {"bias": False}),
    (nn.ConvTranspose2d, (4, 4, 2), {"groups": 2}),
    (nn.ConvTranspose3d, (2, 3, 2), {}),
]


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


def drawn(kind: type[nn.Module], arguments: tuple[Any, ...], more: dict[str, Any], affine: bool) -> tuple[Any, Any]:
    conv: Any = kind(*arguments, **more)
    norm = NORMS[len(conv.kernel_size) - 1](conv.out_channels, 0.1, affine=affine).eval()
    with torch.no_grad():
        for tensor in (*conv.parameters(), *norm.parameters(), norm.running_mean):
            tensor.normal_()
        norm.running_var.uniform_(0.2, 3.0)  # type: ignore[union-attr]
    return conv, norm


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize(("kind", "arguments", "more"), CONVOLUTIONS)
def test_one_layer_equals_both(kind: type[nn.Module], arguments: tuple[Any, ...], more: dict[str, Any], affine: bool) -> None:
    conv, norm = drawn(kind, arguments, more, affine)
    x = torch.randn(2, conv.in_channels, *[5, 4, 3][: len(conv.kernel_size)])
    torch.testing.assert_close(fold(conv, norm)(x), norm(conv(x)), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize(("kind", "arguments", "more"), CONVOLUTIONS)
def test_pytorchs_folding_agrees_where_it_can_fold(kind: type[nn.Module], arguments: tuple[Any, ...], more: dict[str, Any]) -> None:
    conv, norm = drawn(kind, arguments, more, True)
    if conv.transposed and conv.groups > 1:
        return
    theirs, ours = fuse_conv_bn_eval(conv.eval(), norm, transpose=conv.transposed), fold(conv, norm)
    torch.testing.assert_close(ours.weight, theirs.weight, rtol=1e-12, atol=1e-13)
    torch.testing.assert_close(ours.bias.detach(), theirs.bias.detach(), rtol=1e-12, atol=1e-13)
    assert repr(ours) == repr(theirs).replace(", bias=False", "")


def test_grouped_transposed_weight_is_scaled_one_by_one() -> None:
    conv, norm = drawn(nn.ConvTranspose1d, (6, 9, 2), {"groups": 3}, True)
    ours, weight = fold(conv, norm), conv.weight.detach().numpy()
    scale = norm.weight.detach().numpy() / np.sqrt(norm.running_var.numpy() + 0.1)
    for row in range(6):
        for column in range(3):
            channel = row // 2 * 3 + column
            np.testing.assert_allclose(ours.weight.detach().numpy()[row, column], weight[row, column] * scale[channel], rtol=1e-12)
    right = (conv.bias.detach().numpy() - norm.running_mean.numpy()) * scale + norm.bias.detach().numpy()
    np.testing.assert_allclose(ours.bias.detach().numpy(), right, rtol=1e-12)
