"""Nine plain assertions on LayerNorm, as a teacher may write them. All tools are given these. The class comes from the answer.

They compare with `torch.nn.functional.layer_norm`, forward and backward, in float32.
"""

import torch
from layer_norm import LayerNorm


def expected(x, weight, bias, eps=1e-5):
    return torch.nn.functional.layer_norm(x, tuple(weight.shape), weight, bias, eps)


def filled(layer):
    with torch.no_grad():
        layer.weight.copy_(torch.linspace(0.5, 2, layer.weight.numel()).view_as(layer.weight))
        layer.bias.copy_(torch.linspace(-1, 1, layer.bias.numel()).view_as(layer.bias))
    return layer


def x_of(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


def test_output():
    layer, x = filled(LayerNorm(6)), x_of(4, 6)
    assert torch.allclose(layer(x), expected(x, layer.weight, layer.bias), atol=1e-5)


def test_output_of_sequences():
    layer, x = filled(LayerNorm(6)), x_of(2, 3, 6)
    assert torch.allclose(layer(x), expected(x, layer.weight, layer.bias), atol=1e-5)


def test_several_dimensions():
    layer, x = filled(LayerNorm((3, 6))), x_of(2, 3, 6)
    assert torch.allclose(layer(x), expected(x, layer.weight, layer.bias), atol=1e-5)


def test_normalised():
    y = LayerNorm(50)(3 * x_of(4, 50) + 7)
    assert torch.allclose(y.mean(-1), torch.zeros(4), atol=1e-5)
    assert torch.allclose(y.var(-1, correction=0), torch.ones(4), atol=1e-3)


def test_eps():
    layer, x = LayerNorm(6, eps=0.1), x_of(4, 6)
    assert torch.allclose(layer(x), expected(x, layer.weight, layer.bias, 0.1), atol=1e-5)


def test_parameters():
    layer = LayerNorm(6)
    assert {name: tuple(each.shape) for name, each in layer.named_parameters()} == {"weight": (6,), "bias": (6,)}
    assert bool((layer.weight == 1).all()) and bool((layer.bias == 0).all())


def test_without_affine():
    layer, x = LayerNorm(6, elementwise_affine=False), x_of(4, 6)
    assert not list(layer.parameters())
    assert torch.allclose(layer(x), torch.nn.functional.layer_norm(x, (6,)), atol=1e-5)


def test_gradient_of_the_input():
    layer, x = filled(LayerNorm(6)), x_of(4, 6).requires_grad_()
    (layer(x) * x_of(4, 6)).sum().backward()
    mine, x.grad = x.grad, None
    (expected(x, layer.weight, layer.bias) * x_of(4, 6)).sum().backward()
    assert torch.allclose(mine, x.grad, atol=1e-4)


def test_gradients_of_the_parameters():
    layer, x = filled(LayerNorm(6)), x_of(4, 6)
    (layer(x) * x_of(4, 6)).sum().backward()
    mine = [each.grad.clone() for each in layer.parameters()]
    layer.zero_grad()
    (expected(x, layer.weight, layer.bias) * x_of(4, 6)).sum().backward()
    assert all(torch.allclose(one, each.grad, atol=1e-4) for one, each in zip(mine, layer.parameters(), strict=True))
