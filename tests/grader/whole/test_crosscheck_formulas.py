"""Tests of the references against PyTorch's functions, or else against a formula, in float64: outputs and all gradients.

A case is a function that returns the reference, the other computation of the same, and inputs for both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from references import reference, reference_module
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import parametrizations
from torch.nn.utils.fusion import fuse_conv_bn_eval

Shape = tuple[int, ...]
Function = Callable[..., Any]
Case = tuple[Function, Function, Sequence[Tensor]]
ROWS: Sequence[Shape] = ((7,), (4, 6), (2, 3, 5), (3, 1))
CHANNELS: Sequence[Shape] = ((6, 3), (4, 3, 5), (2, 3, 4, 5), (2, 3, 2, 3, 4))
DIM = 6


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


@torch.no_grad()
def drawn(layer: Any) -> Any:
    """Fill a layer with random parameters and with buffers far from their initial values, and return it."""
    for parameter in layer.parameters():
        parameter.normal_()
    for name, buffer in layer.named_buffers():
        if buffer.is_floating_point():
            buffer.copy_(torch.randn_like(buffer) if "mean" in name else torch.rand_like(buffer) + 0.5)
    return layer


def played(function: Function, inputs: Sequence[Tensor], parameters: Sequence[Tensor]) -> list[Tensor]:
    """Return the outputs of a function, and the gradients of its inputs and of the parameters."""
    leaves = [each.detach().clone().requires_grad_() for each in inputs]
    outputs = function(*leaves)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    random = torch.Generator().manual_seed(1)
    loss = torch.stack([(each * torch.randn(each.shape, generator=random)).sum() for each in outputs]).sum()
    return [*outputs, *torch.autograd.grad(loss, [*leaves, *parameters], materialize_grads=True)]


def agree(ours: Function, theirs: Function, inputs: Sequence[Tensor]) -> None:
    parameters = [*ours.parameters()] if isinstance(ours, nn.Module) else []
    for got, right in zip(played(ours, inputs, parameters), played(theirs, inputs, parameters), strict=True):
        torch.testing.assert_close(got, right, rtol=1e-8, atol=1e-10, equal_nan=True)


# Functions


def softmax(dim: int, offset: float) -> Case:
    return partial(reference("softmax"), dim=dim), partial(torch.softmax, dim=dim), [torch.randn(3, 4, 5) * 3 + offset]


def standardize() -> Case:
    return reference("standardize"), lambda x: F.batch_norm(x, None, None, training=True, eps=1e-200), [mixed(7, 4)]


def min_max() -> Case:
    return reference("min_max"), lambda x: (x - x.amin(0)) / (x.amax(0) - x.amin(0)), [mixed(7, 4)]


def whitening(eps: float) -> Case:
    def zca(x: Tensor) -> Any:
        """Return the data times the inverse root of the covariance, by its eigenvectors."""
        values, vectors = torch.linalg.eigh(x.T.cov(correction=0) + eps * torch.eye(x.shape[1]))
        return (x - x.mean(0)) @ (vectors / values.sqrt()) @ vectors.T

    return partial(reference("whitening"), eps=eps), zca, [mixed(9, 4)]


def mixed(samples: int, features: int) -> Tensor:
    """Return correlated features with different means and scales."""
    scales, means = torch.linspace(0.5, 2, features), torch.linspace(-3, 3, features)
    return torch.randn(samples, features) @ (torch.eye(features) + 0.3 * torch.rand(features, features)) * scales + means


def local_response_norm(shape: Shape, size: int, options: dict[str, float]) -> Case:
    functions: Sequence[Function] = (reference("local_response_norm"), F.local_response_norm)
    ours, theirs = (partial(function, size=size, **options) for function in functions)
    return ours, theirs, [torch.randn(shape)]


def ada_in(size: tuple[int, int], eps: float) -> Case:
    def theirs(content: Tensor, style: Tensor) -> Tensor:
        """Return PyTorch's instance norm with the statistics of the style as weight and bias, sample by sample."""
        norms = [((of.flatten(1).var(1, correction=0) + eps).sqrt(), of.flatten(1).mean(1)) for of in style]
        outputs = [F.instance_norm(one[None], weight=std, bias=mean, eps=eps) for one, (std, mean) in zip(content, norms, strict=True)]
        return torch.cat(outputs)

    return partial(reference("ada_in"), eps=eps), theirs, [torch.randn(2, 3, 4, 5), torch.randn(2, 3, *size) * 2 + 1]


def rms_norm_fused_add(shape: Shape, eps: float, outputs: slice) -> Case:
    def theirs(x: Tensor, residual: Tensor, weight: Tensor) -> Any:
        return (F.rms_norm(x + residual, weight.shape, weight, eps), x + residual)[outputs]

    function = reference("rms_norm_fused_add")
    inputs = torch.randn(shape), torch.randn(shape), torch.randn(shape[-1])
    return lambda *given: function(*given, eps)[outputs], theirs, inputs


def online_softmax(sizes: Shape, offset: float) -> Case:
    mask = torch.randn(2, 3, 7) + offset
    mask[0, 1, :4] = mask[1, 2, 2:] = -torch.inf

    def ours(queries: Tensor, keys: Tensor, values: Tensor) -> Any:
        module, state, scores = reference_module("online_softmax"), None, queries @ keys.mT / 5**0.5 + mask
        for block in zip(scores.split_with_sizes(sizes, -1), values.split_with_sizes(sizes, -2), strict=True):
            state = module.merge(state, block)
        return module.finish(state)

    return ours, partial(F.scaled_dot_product_attention, attn_mask=mask), [torch.randn(2, *each) for each in ((3, 5), (7, 5), (7, 4))]


# Layers


def partial_rms_norm(n: int, p: float, k: int) -> Case:
    layer = drawn(reference("partial_rms_norm")(n, p, 0.1))
    return layer, lambda x: layer.weight * x / (x[..., :k].square().mean(-1, keepdim=True) + 0.1).sqrt(), [torch.randn(5, n)]


def filter_response_norm(shape: Shape) -> Case:
    layer = drawn(reference("filter_response_norm")(shape[1], 0.1))

    def theirs(x: Tensor) -> Tensor:
        weight, bias, threshold = (each.view(-1, 1, 1) for each in (layer.weight, layer.bias, layer.threshold))
        return torch.maximum(weight * F.rms_norm(x, x.shape[2:], eps=0.1) + bias, threshold)

    return layer, theirs, [torch.randn(shape) * 2 + 1]


def scale_norm(shape: Shape, eps: float) -> Case:
    layer = drawn(reference("scale_norm")(shape[-1], eps=eps))
    return layer, lambda x: layer.g * F.normalize(x, dim=-1, eps=eps), [torch.randn(shape)]


def dyt(shape: Shape) -> Case:
    layer = drawn(reference("dyt")(shape[-1]))
    return layer, lambda x: layer.weight * (2 * torch.sigmoid(2 * layer.alpha * x) - 1) + layer.bias, [torch.randn(shape)]


def dyisru(shape: Shape) -> Case:
    layer = drawn(reference("dyisru")(shape[-1]))
    nn.init.constant_(layer.c, 0.7)
    return layer, lambda x: layer.weight * x * (shape[-1] / (x**2 + layer.c)) ** 0.5 + layer.bias, [torch.randn(shape)]


def cosine_norm(shape: Shape) -> Case:
    layer = drawn(reference("cosine_norm")(shape[-1], 5, eps=1e-3))
    return layer, lambda x: F.cosine_similarity(x.unsqueeze(-2), layer.weight, dim=-1, eps=1e-3), [torch.randn(shape)]


def weight_norm(shape: Shape, dim: int) -> Case:
    layer = drawn(reference("weight_norm")(torch.randn(shape), dim))

    def theirs() -> Any:
        return torch._weight_norm(layer.v, layer.g, dim)

    return layer, theirs, []


def weight_standardization(*arguments: Any) -> Case:
    layer = drawn(reference("weight_standardization")(*arguments))

    def theirs(x: Tensor) -> Tensor:
        """Standardise as timm does: by a batch norm of the weight."""
        rows = layer.weight.reshape(1, len(layer.weight), -1)
        weight = F.batch_norm(rows, None, None, training=True, momentum=0.0, eps=layer.eps).reshape_as(layer.weight)
        return F.conv2d(x, weight, layer.bias, layer.stride, layer.padding, layer.dilation, layer.groups)

    return layer, theirs, [torch.randn(2, arguments[0], 5, 6)]


def global_response_norm(shape: Shape, eps: float) -> Case:
    layer = drawn(reference("global_response_norm")(shape[-1], eps))

    def theirs(x: Tensor) -> Any:
        lengths = torch.linalg.vector_norm(x, dim=tuple(range(1, x.dim() - 1)), keepdim=True)
        return layer.weight * x * lengths / (lengths.mean(-1, keepdim=True) + eps) + layer.bias + x

    return layer, theirs, [torch.randn(shape)]


def qk_norm(per_head: bool, rotary: bool, dim: int, heads: int) -> Case:
    layer, size = drawn(reference_module("qk_norm").QKNormAttention(dim, heads, per_head)), dim // heads
    angles = torch.arange(5.0)[:, None] * 0.3 ** torch.arange(float(size // 2))
    tables = [each.repeat(1, 2) for each in (angles.cos(), angles.sin())] if rotary else []

    def split(each: Tensor) -> Any:
        return each.reshape(*each.shape[:2], heads, size).transpose(1, 2)

    def normed(x: Tensor, projection: nn.Linear, weight: Tensor) -> Tensor:
        made = projection(x)
        made = F.rms_norm(split(made), (size,), weight, 1e-6) if per_head else split(F.rms_norm(made, (dim,), weight, 1e-6))
        turned = torch.complex(*made.chunk(2, -1)) * torch.polar(torch.ones_like(angles), angles)
        return torch.cat([turned.real, turned.imag], -1) if rotary else made

    def theirs(x: Tensor) -> Any:
        query, key = normed(x, layer.q_proj, layer.q_norm.weight), normed(x, layer.k_proj, layer.k_norm.weight)
        mixed = F.scaled_dot_product_attention(query, key, split(layer.v_proj(x)))
        return layer.out_proj(mixed.transpose(1, 2).flatten(2))

    return Fixed(layer, tables), theirs, [torch.randn(2, 5, dim)]


class Fixed(nn.Module):
    """A layer with the same further arguments in every call."""

    def __init__(self, layer: nn.Module, more: Sequence[Any]) -> None:
        super().__init__()
        self.layer, self.more = layer, more

    def forward(self, *inputs: Tensor) -> Any:
        return self.layer(*inputs, *self.more)


# Blocks and stacks


def sublayer() -> Any:
    return drawn(nn.Sequential(nn.Linear(DIM, DIM), nn.Tanh()))


def skip_init() -> Case:
    block = drawn(reference("skip_init")(sublayer(), 0.25))
    return block, lambda x: x + block.alpha * block.branch(x), [torch.randn(3, DIM)]


def rezero() -> Case:
    parts = [sublayer(), torch.sin, sublayer()]
    stack = drawn(reference("rezero")(parts))

    def theirs(x: Tensor) -> Tensor:
        for alpha, part in zip(stack.alphas, parts, strict=True):
            x = x + alpha * part(x)
        return x

    return stack, theirs, [torch.randn(3, DIM)]


def placed(placement: str, f: Any, norm_in: Any, norm_out: Any) -> Function:
    """Return the formula of a norm's place around the sublayer f."""
    return {
        "pre": lambda x: x + f(norm_in(x)),
        "post": lambda x: norm_out(x + f(x)),
        "output": lambda x: x + norm_out(f(x)),
        "peri": lambda x: x + norm_out(f(norm_in(x))),
    }[placement]


def of_features(layer: Any) -> Function:
    """Return PyTorch's layer norm with the parameters of a reference's norm, or None."""
    return lambda x: F.layer_norm(x, (DIM,), layer.weight, layer.bias)


def pre_post_norm(placement: str) -> Case:
    module, f = reference_module("pre_post_norm"), sublayer()
    block = drawn((module.PreNorm if placement == "pre" else module.PostNorm)(DIM, f))
    return block, placed(placement, f, of_features(block.norm), of_features(block.norm)), [torch.randn(2, 4, DIM)]


def peri_norm(placement: str, shape: Shape) -> Case:
    f = sublayer()
    block = drawn(reference_module("peri_norm").NormBlock(DIM, f, placement))
    norms = (of_features(getattr(block, name, None)) for name in ("norm_in", "norm_out"))
    return block, placed(placement, f, *norms), [torch.randn(shape)]


def stacked(stack: Any, parts: Sequence[Any], post: int, ends_in_norm: bool) -> Case:
    """Return a stack with its formula: `post` blocks of Post-LN, then Pre-LN."""
    drawn(stack)
    norms = [of_features(each) for each in stack.modules() if isinstance(each, nn.LayerNorm)]
    places = ["post"] * post + ["pre"] * (len(parts) - post)

    def theirs(x: Tensor) -> Any:
        for place, part, norm in zip(places, parts, norms, strict=False):
            x = placed(place, part, norm, norm)(x)
        return norms[-1](x) if ends_in_norm else x

    return stack, theirs, [torch.randn(2, 4, DIM)]


def pre_norm_stack(count: int) -> Case:
    parts = [sublayer() for _ in range(count)]
    return stacked(reference_module("pre_post_norm").PreNormStack(DIM, parts), parts, 0, ends_in_norm=True)


def mix_norm(count: int, ratio: float, post: int) -> Case:
    parts = [sublayer() for _ in range(count)]
    return stacked(reference_module("mix_norm").MixNormStack(DIM, parts, ratio), parts, post, ends_in_norm=False)


def transformer_layer(norm_first: bool) -> Case:
    """Compare two blocks with the layer of a Transformer in PyTorch: attention and a feed-forward network."""
    layer = drawn(nn.TransformerEncoderLayer(DIM, 2, 11, dropout=0.0, batch_first=True, norm_first=norm_first))
    block = reference_module("pre_post_norm").PreNorm if norm_first else reference_module("pre_post_norm").PostNorm
    parts = lambda x: layer.self_attn(x, x, x)[0], lambda x: layer.linear2(layer.linear1(x).relu())
    blocks = [block(DIM, part) for part in parts]
    for ours, theirs in zip(blocks, (layer.norm1, layer.norm2), strict=True):
        ours.norm.load_state_dict(theirs.state_dict())
    return lambda x: blocks[1](blocks[0](x)), layer, [torch.randn(3, 4, DIM)]


def ada_ln_zero(cond_dim: int) -> Case:
    attn, mlp = sublayer(), sublayer()
    block = drawn(reference("ada_ln_zero")(DIM, cond_dim, attn, mlp))

    def theirs(x: Tensor, condition: Tensor) -> Tensor:
        parts = (F.silu(condition) @ block.modulation.weight.T + block.modulation.bias)[:, None].chunk(6, -1)
        for part, (shift, scale, gate) in ((attn, parts[:3]), (mlp, parts[3:])):
            x = x + gate * part(F.layer_norm(x, (DIM,), eps=1e-6) * (1 + scale) + shift)
        return x

    return block, theirs, [torch.randn(3, 5, DIM), torch.randn(3, cond_dim)]


def fixup(channels: int) -> Case:
    block = drawn(reference("fixup")(channels))

    def theirs(x: Tensor) -> Any:
        hidden = F.conv2d(x + block.bias1a, block.conv1.weight, padding=1) + block.bias1b
        return (x + block.scale * F.conv2d(hidden.relu() + block.bias2a, block.conv2.weight, padding=1) + block.bias2b).relu()

    return block, theirs, [torch.randn(2, channels, 5, 4)]


LRN_OPTIONS: Sequence[dict[str, float]] = ({}, {"alpha": 1.3, "beta": 0.6, "k": 0.7})
PLACES = ("pre", "post", "output", "peri")
CASES: dict[Callable[..., Case], Sequence[tuple[Any, ...]]] = {
    softmax: [*product((0, 1, -1), (0.0, 1000.0, -1000.0))],
    standardize: [()],
    min_max: [()],
    whitening: [(0.0,), (0.1,)],
    local_response_norm: [*product([(2, 5, 3), (3, 7, 2, 4), (1, 6, 2, 1, 3)], (1, 2, 3, 4, 13), LRN_OPTIONS)],
    ada_in: [*product([(4, 5), (2, 7)], (1e-5, 0.3))],
    rms_norm_fused_add: [*product(ROWS, (1e-6, 0.5), (slice(2), slice(1), slice(1, 2)))],
    online_softmax: [*product([(7,), (1, 6), (3, 3, 1), (1,) * 7], (0.0, 1e4, -1e4))],
    partial_rms_norm: [(16, 0.25, 4), (10, 0.0625, 1), (9, 0.5, 5), (7, 0.3, 3), (6, 0.0, 1), (7, 1.0, 7)],
    filter_response_norm: [((2, 3, 4, 5),), ((4, 2, 1, 1),), ((1, 5, 3, 2),)],
    scale_norm: [*product(ROWS, (1e-5, 1.0, 30.0))],
    dyt: [(shape,) for shape in ROWS],
    dyisru: [(shape,) for shape in ROWS],
    cosine_norm: [(shape,) for shape in ROWS],
    weight_norm: [((4, 6), 0), ((4, 6), 1), ((5, 3, 2), 0), ((5, 3, 2), 2), ((3, 2, 4, 5), 0), ((6,), 0)],
    weight_standardization: [
        (3, 4, 3),
        (3, 4, (2, 3), (2, 1), (1, 2), (1, 2)),
        (4, 6, 2, 1, 1, 1, 2, False),
        (4, 4, (3, 1), 2, 0, 1, 4, True, 0.3),
    ],
    global_response_norm: [*product([(2, 3, 4), (2, 4, 3, 5), (3, 2, 1, 3, 2), (1, 1, 6)], (1e-6, 0.7))],
    qk_norm: [*product((True, False), (True, False), (12,), (3, 1))],
    skip_init: [()],
    rezero: [()],
    pre_post_norm: [("pre",), ("post",)],
    peri_norm: [*product(PLACES, [(DIM,), (2, 4, DIM)])],
    pre_norm_stack: [(0,), (1,), (4,)],
    mix_norm: [(0, 0.25, 0), (3, 0.25, 0), (5, 0.25, 1), (6, 0.5, 3), (3, 0.7, 2), (2, 1.0, 2)],
    transformer_layer: [(False,), (True,)],
    ada_ln_zero: [(5,), (1,)],
    fixup: [(1,), (3,)],
}


@pytest.mark.parametrize(("case", "arguments"), [(case, each) for case, rows in CASES.items() for each in rows])
def test_a_reference_is_another_computation(case: Callable[..., Case], arguments: tuple[Any, ...]) -> None:
    agree(*case(*arguments))


@pytest.mark.parametrize("value", [-torch.inf, torch.nan, torch.inf])
def test_softmax_of_nan_and_infinity_is_pytorchs(value: float) -> None:
    x = torch.randn(4, 5)
    x[1], x[2, 3], x[3, 1:] = -torch.inf, value, value
    torch.testing.assert_close(reference("softmax")(x), torch.softmax(x, -1), equal_nan=True)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_a_new_weight_norm_is_pytorchs(dim: int) -> None:
    holder: Any = nn.Module()
    holder.weight = nn.Parameter(torch.randn(4, 3, 5))
    ours = reference("weight_norm")(holder.weight.detach(), dim)
    parametrizations.weight_norm(holder, "weight", dim)
    theirs = holder.parametrizations.weight
    torch.testing.assert_close([ours.g, ours.v], [theirs.original0, theirs.original1])


# Norms of a batch, with statistics that are kept

Statistic = Callable[[Tensor], Tensor]


def mean(rows: Tensor) -> Tensor:
    return rows.mean(1)


def mid_range(rows: Tensor) -> Tensor:
    return (rows.amax(1) + rows.amin(1)) / 2


def distance(rows: Tensor) -> Tensor:
    return (rows - rows.mean(1, keepdim=True)).abs().mean(1)


def standard(rows: Tensor) -> Tensor:
    return rows.std(1, correction=0)


def column(rows: Tensor, to: Tensor) -> Tensor:
    """Reshape a number for each channel to the dimensions of an input."""
    return rows.view(1, -1, *[1] * (to.dim() - 2))


def two_steps(layer: Any, x: Tensor, statistics: Sequence[Statistic], normalised: Callable[..., Tensor], names: Sequence[str]) -> None:
    """Compare training, its kept statistics, and evaluation with a formula."""
    old = [getattr(layer, name).clone() for name in names]

    def of_batch(x: Tensor) -> Tensor:
        found = [statistic(x.transpose(0, 1).flatten(1)) for statistic in statistics]
        return column(layer.weight, x) * normalised(x, *(column(each, x) for each in found)) + column(layer.bias, x)

    def of_kept(x: Tensor) -> Any:
        centre, deviation = (column(getattr(layer, name), x) for name in names)
        return column(layer.weight, x) * (x - centre) / (deviation + layer.eps * (names[1] != "running_std")) + column(layer.bias, x)

    right = played(of_batch, [x], [*layer.parameters()])
    for got, wanted in zip(played(layer, [x], [*layer.parameters()]), right, strict=True):
        torch.testing.assert_close(got, wanted, rtol=1e-8, atol=1e-9)
    for name, before, statistic in zip(names, old, statistics, strict=True):
        torch.testing.assert_close(getattr(layer, name), 0.7 * before + 0.3 * statistic(x.transpose(0, 1).flatten(1)))
    agree(layer.eval(), of_kept, [x])


@pytest.mark.parametrize("shape", CHANNELS)
@pytest.mark.parametrize("statistics", [(mean, distance), (mid_range, standard), (mean, standard)])
def test_a_batch_norm_of_given_statistics_is_its_formula(shape: Shape, statistics: Sequence[Statistic]) -> None:
    layer = drawn(reference("generalized_batch_norm")(3, *statistics, 0.1, 0.3))
    names = "running_statistic", "running_deviation"
    two_steps(layer, torch.randn(shape) * 2 + 1, statistics, lambda x, centre, deviation: (x - centre) / (deviation + 0.1), names)


@pytest.mark.parametrize("shape", CHANNELS)
def test_l1_batch_norm_is_its_formula(shape: Shape) -> None:
    layer, names = drawn(reference("l1_batch_norm")(3, 0.1, 0.3)), ("running_mean", "running_dev")
    two_steps(layer, torch.randn(shape) * 2 + 1, (mean, distance), lambda x, centre, dev: (x - centre) / (dev + 0.1), names)


@pytest.mark.parametrize("shape", CHANNELS)
@pytest.mark.parametrize(("r_max", "d_max"), [(1.0, 0.0), (3.0, 5.0), (1.2, 0.3), (1000.0, 1000.0)])
def test_batch_renorm_is_its_formula(shape: Shape, r_max: float, d_max: float) -> None:
    layer, names = drawn(reference("batch_renorm")(3, r_max, d_max, 0.1, 0.3)), ("running_mean", "running_std")
    kept_mean, kept_std = (getattr(layer, name).clone() for name in names)

    def smoothed(rows: Tensor) -> Tensor:
        return (rows.var(1, correction=0) + 0.1).sqrt()

    def corrected(x: Tensor, centre: Tensor, std: Tensor) -> Tensor:
        r = (std / column(kept_std, x)).clamp(1 / r_max, r_max).detach()
        d = ((centre - column(kept_mean, x)) / column(kept_std, x)).clamp(-d_max, d_max).detach()
        return (x - centre) / std * r + d

    two_steps(layer, torch.randn(shape) * 2 + 1, (mean, smoothed), corrected, names)


@pytest.mark.parametrize("norms", [1, 3])
def test_adapted_outputs_equal_training_on_all_batches(norms: int) -> None:
    layers = [layer for _ in range(norms) for layer in (nn.Conv2d(2, 2, 3, padding=1), nn.BatchNorm2d(2), nn.Dropout(), nn.Tanh())]
    model, batches = nn.Sequential(*layers).eval(), [torch.randn(2, 2, 4, 5) * size + size for size in (1, 2, 3)]
    reference("ada_bn")(model, batches)
    output = model(torch.cat(batches))
    for layer in layers:
        layer.train(isinstance(layer, nn.BatchNorm2d))
    torch.testing.assert_close(output, model(torch.cat(batches)))


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize(
    ("kind", "arguments", "more"),
    [
        (nn.Conv1d, (3, 5, 2), {"padding": 1, "padding_mode": "circular"}),
        (nn.Conv2d, (4, 6, (2, 3), (2, 1), (1, 2), (1, 2), 2), {"bias": False}),
        (nn.Conv2d, (4, 4, 3), {"groups": 4, "padding": 1, "padding_mode": "reflect"}),
        (nn.Conv3d, (2, 3, (2, 1, 2)), {}),
        (nn.ConvTranspose1d, (6, 3, 3, 2, 1, 1), {"groups": 3}),
        (nn.ConvTranspose2d, (4, 6, (2, 3), (2, 3), 0, (1, 2), 2), {"bias": False}),
        (nn.ConvTranspose3d, (2, 3, 2), {}),
    ],
)
def test_a_folded_layer_equals_both(kind: Callable[..., Any], arguments: Sequence[Any], more: dict[str, Any], affine: bool) -> None:
    conv = drawn(kind(*arguments, **more)).eval()
    norm = drawn((nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)[len(conv.kernel_size) - 1](conv.out_channels, 0.1, affine=affine)).eval()
    folded, x = reference("fold_batch_norm")(conv, norm), torch.randn(2, conv.in_channels, *[5, 4, 3][: len(conv.kernel_size)])
    torch.testing.assert_close(folded(x), norm(conv(x)), rtol=1e-9, atol=1e-10)
    if affine and not (conv.transposed and conv.groups > 1):
        torch.testing.assert_close(folded.weight, fuse_conv_bn_eval(conv, norm, transpose=conv.transposed).weight)


# Backward passes in NumPy: PyTorch's function of leaves, the shapes of x and of its parameters, and further arguments

CROSS_ENTROPY: Function = F.cross_entropy
TARGETS = np.array([2, -100, 0, 3, -100, 1])
IN_NUMPY: Sequence[tuple[str, Function, Shape, Sequence[Shape], tuple[Any, ...], dict[str, Any]]] = [
    *(("softmax_backward", lambda x: torch.softmax(x, -1), shape, (), (), {}) for shape in ROWS),
    *(("rms_norm_backward", lambda x, w: F.rms_norm(x, w.shape, w, 0.1), s, (s[-1:],), (0.1,), {}) for s in ROWS),
    *(("layer_norm_backward", lambda x, w, b: F.layer_norm(x, w.shape, w, b, 0.1), s, (s[-1:],) * 2, (0.1,), {}) for s in ROWS),
    *(
        ("batch_norm_backward", lambda x, w, b: F.batch_norm(x, None, None, w, b, True, 0.1, 0.1), s, (s[1:2],) * 2, (0.1,), {})
        for s in CHANNELS
    ),
    *(
        ("group_norm_backward", lambda x, w, b: F.group_norm(x, 3, w, b, 0.1), shape, (shape[1:2],) * 2, (3, 0.1), {})
        for shape in ((5, 6), (3, 6, 2), (2, 3, 2, 3))
    ),
    *(
        ("cross_entropy", partial(CROSS_ENTROPY, target=torch.tensor(TARGETS), **call), (6, 6), (), (TARGETS,), call)
        for call in ({}, {"label_smoothing": 0.1}, {"label_smoothing": 1.0}, {"ignore_index": -100, "label_smoothing": 0.4})
    ),
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("slug", "theirs", "shape", "others", "arguments", "call"), IN_NUMPY)
def test_a_backward_pass_is_pytorchs(
    slug: str, theirs: Function, shape: Shape, others: Sequence[Shape], arguments: tuple[Any, ...], call: dict[str, Any], dtype: str
) -> None:
    inputs = [np.random.default_rng(3).normal(1, 2, each).astype(dtype) for each in (shape, *others)]
    module, leaves = reference_module(slug), [torch.tensor(each, requires_grad=True) for each in inputs]
    y, cache = module.forward(*inputs, *arguments, **call)
    wanted = theirs(*leaves)
    upstream = torch.randn(wanted.shape, dtype=wanted.dtype)
    wanted.backward(upstream)
    near: Any = {"rtol": 1e-9, "atol": 1e-11} if dtype == "float64" else {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(y, wanted.detach().numpy(), **near)
    for gradient, leaf in zip(module.backward(upstream.numpy(), cache), leaves, strict=True):
        assert leaf.grad is not None and gradient.dtype == dtype
        np.testing.assert_allclose(gradient, leaf.grad.numpy(), **near)
