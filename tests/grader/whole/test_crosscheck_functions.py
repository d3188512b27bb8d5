"""Tests of four references against independent code, in float64: PyTorch's functions, ONNX's definition, and the authors' formulas in
plain NumPy. Gradients are compared with PyTorch's or with finite differences."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from references import reference
from torch import Tensor, nn


def drawn(*shape: int, seed: int = 0) -> Tensor:
    """Return random numbers in float64, with a different mean for each (n, c)."""
    random = torch.Generator().manual_seed(seed)
    x = torch.randn(shape, generator=random, dtype=torch.float64)
    return x + 2 * torch.randn((*shape[:2], *(1 for _ in shape[2:])), generator=random, dtype=torch.float64)


def gradients(function: Callable[..., Tensor], *inputs: Tensor) -> tuple[Tensor, ...]:
    """Return the gradients of a sum of the outputs with fixed random weights, with respect to every input."""
    leaves = [each.clone().requires_grad_() for each in inputs]
    output = function(*leaves)
    return torch.autograd.grad(output, leaves, torch.randn(output.shape, generator=torch.Generator().manual_seed(9), dtype=output.dtype))


def agree(one: Any, other: Any) -> None:
    np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-12, atol=1e-12)


# Local response norm

SHAPES = [(2, 5, 3), (3, 7, 2, 4), (1, 6, 2, 1, 3), (2, 1, 4)]
SIZES = (1, 2, 3, 4, 5, 6, 13)
OPTIONS: tuple[dict[str, float], ...] = ({}, {"alpha": 1.3, "beta": 0.6, "k": 0.7}, {"alpha": 0.4, "beta": 2.0, "k": 3.0})


def lrn_of_onnx(x: np.ndarray, size: int, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0) -> np.ndarray:
    """Return local response norm by ONNX's definition, in which an even window has one more channel after its centre than before it."""
    y = np.empty_like(x)
    for c in range(x.shape[1]):
        first, last = max(0, c - (size - 1) // 2), min(x.shape[1] - 1, c + -(-(size - 1) // 2))
        squares = (x[:, first : last + 1] ** 2).sum(axis=1)
        y[:, c] = x[:, c] / (bias + alpha / size * squares) ** beta
    return y


@pytest.mark.parametrize("shape", SHAPES)
def test_local_response_norm_is_that_of_pytorch(shape: tuple[int, ...]) -> None:
    both: tuple[Callable[..., Tensor], ...] = reference("local_response_norm"), nn.functional.local_response_norm
    for size in SIZES:
        for options in OPTIONS:
            x = drawn(*shape)
            agree(*(function(x, size, **options) for function in both))
            agree(*(gradients(partial(function, size=size, **options), x)[0] for function in both))


@pytest.mark.parametrize("shape", SHAPES)
def test_local_response_norm_is_the_mirror_image_of_onnx(shape: tuple[int, ...]) -> None:
    for size in SIZES:
        for options in OPTIONS:
            theirs = {("bias" if name == "k" else name): value for name, value in options.items()}
            x = drawn(*shape)
            ours = reference("local_response_norm")(x, size, **options)
            agree(ours, lrn_of_onnx(x.flip(1).numpy(), size, **theirs)[:, ::-1])
            if size % 2:
                agree(ours, lrn_of_onnx(x.numpy(), size, **theirs))


def test_definition_is_the_one_that_onnx_evaluates() -> None:
    onnx = pytest.importorskip("onnx")
    evaluator = pytest.importorskip("onnx.reference")
    x = drawn(7, 7, 3, 4).numpy()  # ONNX's evaluator loops over as many channels as there are samples
    for size in (3, 4):
        node = onnx.helper.make_node("LRN", ["x"], ["y"], size=size, alpha=1.25, beta=0.5, bias=2.0)
        inputs, outputs = ([onnx.helper.make_tensor_value_info(name, onnx.TensorProto.DOUBLE, x.shape)] for name in ("x", "y"))
        model = onnx.helper.make_model(onnx.helper.make_graph([node], "one", inputs, outputs))
        [y] = evaluator.ReferenceEvaluator(model).run(None, {"x": x})
        np.testing.assert_allclose(y, lrn_of_onnx(x, size, 1.25, 0.5, 2.0), rtol=1e-6)  # its attributes are float32


def test_window_over_all_channels_is_rms_norm() -> None:
    x, channels = drawn(3, 6, 4), 6
    ours = reference("local_response_norm")(x, 2 * channels - 1, (2 * channels - 1) / channels, 0.5, 1e-3)
    agree(ours, nn.functional.rms_norm(x.movedim(1, -1), (channels,), eps=1e-3).movedim(-1, 1))


# AdaIN


def adain(content: Tensor, style: Tensor, eps: float) -> Tensor:
    """Return PyTorch's instance norm with the statistics of the style as weight and bias, sample by sample."""
    outputs = []
    for one, of in zip(content, style, strict=True):
        std, mean = (of.flatten(1).var(1, correction=0) + eps).sqrt(), of.flatten(1).mean(1)
        outputs.append(nn.functional.instance_norm(one[None], weight=std, bias=mean, eps=eps))
    return torch.cat(outputs)


@pytest.mark.parametrize("eps", [1e-5, 0.3])
@pytest.mark.parametrize(("height", "width"), [(4, 5), (2, 7), (1, 1)])
def test_adain_is_instance_norm_with_style_statistics(height: int, width: int, eps: float) -> None:
    ours, content, style = reference("ada_in"), drawn(2, 3, 4, 5), drawn(2, 3, height, width, seed=1)
    agree(ours(content, style, eps), adain(content, style, eps))
    for one, other in zip(
        gradients(lambda c, s: ours(c, s, eps), content, style), gradients(lambda c, s: adain(c, s, eps), content, style), strict=True
    ):
        agree(one, other)


def test_adain_is_the_formula_of_its_authors() -> None:
    content, style, eps = drawn(2, 3, 4, 5).numpy(), drawn(2, 3, 6, 2, seed=1).numpy(), 0.1
    expected = np.empty_like(content)
    for n, c in np.ndindex(2, 3):
        one, of = content[n, c], style[n, c]
        sigmas = [np.sqrt(((each - each.mean()) ** 2).sum() / each.size + eps) for each in (one, of)]
        expected[n, c] = sigmas[1] * (one - one.mean()) / sigmas[0] + of.mean()
    agree(reference("ada_in")(torch.from_numpy(content), torch.from_numpy(style), eps), expected)


def test_adain_gradients_are_right_on_constant_maps() -> None:
    ours = reference("ada_in")
    content, style = drawn(2, 2, 3, 2), drawn(2, 2, 2, 2, seed=1)
    content[0, 0], style[1, 1] = 2.0, -1.0
    inputs = (content.requires_grad_(), style.requires_grad_())
    assert torch.autograd.gradcheck(lambda c, s: ours(c, s, 0.1), inputs)


# SkipInit and ReZero


def test_skip_init_is_its_formula() -> None:
    linear = nn.Linear(4, 4, dtype=torch.float64)
    block = reference("skip_init")(linear, 0.25).double()
    x = drawn(3, 4)
    w, b = linear.weight.detach().numpy(), linear.bias.detach().numpy()
    agree(block(x).detach(), x.numpy() + 0.25 * (x.numpy() @ w.T + b))
    upstream = drawn(3, 4, seed=2)
    dy = upstream.numpy()
    block(x.requires_grad_()).backward(upstream)
    agree(x.grad, dy + 0.25 * dy @ w)
    agree(block.alpha.grad, (dy * (x.detach().numpy() @ w.T + b)).sum())
    agree(linear.weight.grad, 0.25 * dy.T @ x.detach().numpy())


def test_new_skip_init_and_rezero_train_only_their_factors() -> None:
    x = drawn(3, 4)
    for branch in (nn.Linear(4, 4, dtype=torch.float64), nn.Sequential(nn.Linear(4, 4, dtype=torch.float64), nn.Tanh())):
        for module, factors in (
            (reference("skip_init")(branch), "alpha"),
            (reference("rezero")([torch.sin, branch]), "alphas"),
        ):
            module.double().zero_grad()
            output = module(x)
            assert torch.equal(output, x)
            output.square().sum().backward()
            assert getattr(module, factors).grad.abs().min() > 0
            assert all(not np.any(np.asarray(parameter.grad)) for parameter in branch.parameters())


def test_rezero_is_its_formula() -> None:
    first, second = nn.Linear(4, 4, dtype=torch.float64), nn.Linear(4, 4, dtype=torch.float64)
    stack = reference("rezero")([first, torch.tanh, second]).double()
    alphas = [0.5, -0.75, 1.25]
    with torch.no_grad():
        stack.alphas.copy_(torch.tensor(alphas))
    x = drawn(3, 4)
    y = x.numpy()
    functions: tuple[Callable[[Tensor], Tensor], ...] = (first, torch.tanh, second)
    for alpha, function in zip(alphas, functions, strict=True):
        y = y + alpha * function(torch.from_numpy(y)).detach().numpy()
    agree(stack(x).detach(), y)
    inputs = [x.requires_grad_(), *stack.parameters()]
    assert torch.autograd.gradcheck(lambda x, *_parameters: stack(x), inputs)
