"""Tests of Pre-LN, Post-LN and Mix-LN against PyTorch's Transformer layers and against the formulas in plain NumPy, in float64."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
import pytest
import torch
from references import reference_module
from torch import Tensor, nn

Map = Callable[[np.ndarray], np.ndarray]
Layer = TypeVar("Layer", bound=nn.Module)
DIM, EPS = 6, 1e-5


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


def drawn(module: Layer) -> Layer:
    """Fill a module with random parameters, and return it."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_()
    return module


def norms_of(module: nn.Module) -> list[nn.LayerNorm]:
    return [each for each in module.modules() if isinstance(each, nn.LayerNorm)]


def normalised(x: np.ndarray, norm: nn.LayerNorm) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    x_hat = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + EPS)
    return np.asarray(x_hat * norm.weight.detach().numpy() + norm.bias.detach().numpy())


def numerical(function: Map, at: np.ndarray, upstream: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Return the gradient of Σ upstream · function by central differences."""
    result = np.zeros_like(at)
    for index in np.ndindex(at.shape):
        move = np.zeros_like(at)
        move[index] = step
        result[index] = ((function(at + move) - function(at - move)) * upstream).sum() / (2 * step)
    return result


def sublayers(count: int) -> tuple[list[nn.Module], list[Map]]:
    """Return sublayers of a linear layer and a tanh, as modules and as functions in NumPy."""
    modules: list[nn.Module] = [drawn(nn.Sequential(nn.Linear(DIM, DIM), nn.Tanh())) for _ in range(count)]

    def in_numpy(module: nn.Module) -> Map:
        weight, bias = (each.detach().numpy() for each in module.parameters())
        return lambda x: np.tanh(x @ weight.T + bias)

    return modules, [in_numpy(each) for each in modules]


def agree(layer: nn.Module, formula: Map, shape: tuple[int, ...] = (3, DIM)) -> None:
    """Assert that the layer's output and the gradient of its input are those of the formula."""
    x, upstream = torch.randn(shape, requires_grad=True), torch.randn(shape)
    output = layer(x)
    (gradient,) = torch.autograd.grad(output, x, upstream)
    given = x.detach().numpy()
    np.testing.assert_allclose(output.detach().numpy(), formula(given), rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(gradient.numpy(), numerical(formula, given, upstream.numpy()), rtol=1e-5, atol=1e-6)


# Post-LN and Pre-LN


def test_blocks_follow_their_formulas() -> None:
    classes, ((module,), (function,)) = reference_module("pre_post_norm"), sublayers(1)
    post, pre = classes.PostNorm(DIM, module), classes.PreNorm(DIM, module)
    drawn(post.norm), drawn(pre.norm)
    agree(post, lambda x: normalised(x + function(x), post.norm))
    agree(pre, lambda x: x + function(normalised(x, pre.norm)), (2, 4, DIM))


@pytest.mark.parametrize("count", [0, 1, 4])
def test_a_stack_of_pre_norms_follows_its_formula(count: int) -> None:
    modules, functions = sublayers(count)
    stack = reference_module("pre_post_norm").PreNormStack(DIM, modules)
    norms = [each for each in norms_of(stack) if each is not stack.norm]
    for norm in norms_of(stack):
        drawn(norm)

    def formula(x: np.ndarray) -> np.ndarray:
        for norm, function in zip(norms, functions, strict=True):
            x = x + function(normalised(x, norm))
        return normalised(x, stack.norm)

    agree(stack, formula)


def parts_of(layer: nn.TransformerEncoderLayer) -> tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor]]:
    """Return the two sublayers of a Transformer layer."""

    def attention(x: Tensor) -> Tensor:
        mixed: Tensor = layer.self_attn(x, x, x, need_weights=False)[0]
        return mixed

    def feed_forward(x: Tensor) -> Tensor:
        grown: Tensor = layer.linear2(torch.relu(layer.linear1(x)))
        return grown

    return attention, feed_forward


@pytest.mark.parametrize("norm_first", [False, True])
def test_two_blocks_are_a_transformer_layer_of_pytorch(norm_first: bool) -> None:
    layer = nn.TransformerEncoderLayer(DIM, 2, 11, dropout=0.0, batch_first=True, norm_first=norm_first)
    drawn(layer)

    classes = reference_module("pre_post_norm")
    block = classes.PreNorm if norm_first else classes.PostNorm
    blocks = [block(DIM, part) for part in parts_of(layer)]
    for ours, theirs in zip(blocks, (layer.norm1, layer.norm2), strict=True):
        ours.norm.load_state_dict(theirs.state_dict())
    x = torch.randn(3, 4, DIM)
    torch.testing.assert_close(blocks[1](blocks[0](x)), layer(x), rtol=1e-10, atol=1e-11)


def test_stack_equals_pytorchs_encoder_with_its_norm() -> None:
    layer = nn.TransformerEncoderLayer(DIM, 2, 11, dropout=0.0, batch_first=True, norm_first=True)
    encoder = drawn(nn.TransformerEncoder(layer, 3, norm=nn.LayerNorm(DIM), enable_nested_tensor=False))
    functions = [part for each in encoder.layers for part in parts_of(each)]
    stack = reference_module("pre_post_norm").PreNormStack(DIM, functions)
    theirs = [norm for each in encoder.layers for norm in (each.norm1, each.norm2)] + [encoder.norm]
    for ours, norm in zip(norms_of(stack), theirs, strict=True):
        ours.load_state_dict(norm.state_dict())
    x = torch.randn(3, 4, DIM)
    torch.testing.assert_close(stack(x), encoder(x), rtol=1e-10, atol=1e-11)


# Mix-LN


@pytest.mark.parametrize(("count", "ratio", "post"), [(0, 0.25, 0), (3, 0.25, 0), (5, 0.25, 1), (6, 0.5, 3), (3, 0.7, 2), (2, 1.0, 2)])
def test_a_mixed_stack_follows_its_formula(count: int, ratio: float, post: int) -> None:
    modules, functions = sublayers(count)
    stack = reference_module("mix_norm").MixNormStack(DIM, modules, ratio)
    norms = [drawn(norm) for norm in norms_of(stack)]

    def formula(x: np.ndarray) -> np.ndarray:
        for norm, function in zip(norms[:post], functions[:post], strict=True):
            x = normalised(x + function(x), norm)
        for norm, function in zip(norms[post:], functions[post:], strict=True):
            x = x + function(normalised(x, norm))
        return x

    agree(stack, formula)


def test_a_mixed_stack_is_post_norms_then_pre_norms() -> None:
    classes, (modules, _) = reference_module("pre_post_norm"), sublayers(10)
    stack = reference_module("mix_norm").MixNormStack(DIM, modules)
    blocks = [(classes.PostNorm if number < 2 else classes.PreNorm)(DIM, each) for number, each in enumerate(modules)]
    for block, norm in zip(blocks, norms_of(stack), strict=True):
        block.norm.load_state_dict(drawn(norm).state_dict())
    x = torch.randn(4, DIM)
    torch.testing.assert_close(stack(x), nn.Sequential(*blocks)(x), rtol=1e-12, atol=1e-12)
