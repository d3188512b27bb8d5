"""Hidden suite of `layer_norm`.

No two sizes in a shape agree. Rows differ in mean and scale, so that statistics over the wrong numbers show. Most layers have a large eps:
its place then matters at every input.
"""

import pytest

from normgrade.suite import build, evaluate, ones, randn, reload, train, uniform

EPS = 0.1


def rows(*shape):
    """Random rows, each with a mean and a scale of its own."""
    ones_last = (*shape[:-1], 1)
    return randn(*shape) * uniform(0.3, 2.0, *ones_last) + uniform(-1.5, 1.5, *ones_last)


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint("Build it with `LayerNorm(5)` and call it on a tensor of shape (5,): a tensor of that shape must come back.")
def test_call(observe):
    """The layer can be built and called, and returns a tensor of its input's shape and dtype."""
    output = observe(build(5), train(randn(5)))["step 1 · output"]
    assert output.dtype == "float32", f"the output should be float32, as the input is, but is {output.dtype}"
    assert output.values.shape == (5,), f"the output should have the input's shape (5,), but has {output.values.shape}"


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint("Take mean and variance over the last dimension of each position alone, with keepdim=True, and divide the variance by n.")
@pytest.mark.parametrize("shape", [(4, 7), (6, 5, 8), (2, 3, 5, 6)])
def test_last_dimension(agree, shape):
    """Every position is normalised over its own last dimension, then scaled and shifted element by element."""
    agree(build(shape[-1], eps=EPS), train(rows(*shape)), train(rows(*shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint("With a normalized_shape of k numbers, the statistics run over the last k dimensions together.")
@pytest.mark.parametrize("normalized_shape", [(3, 4), [5, 2, 4]])
def test_several_dimensions(agree, normalized_shape):
    """With a tuple, mean and variance are taken over all of those last dimensions together."""
    agree(build(normalized_shape, eps=EPS), train(rows(2, 7, *normalized_shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint("The formula is (x − μ) / sqrt(σ² + eps): eps stands inside the root, and its default is 1e-5.")
@pytest.mark.parametrize("arguments", [{}, {"eps": 1e-3}])
def test_eps(agree, arguments):
    """Where the variance is as small as eps, eps decides: it is added to the variance, inside the root; its default is 1e-5."""
    scale = arguments.get("eps", 1e-5) ** 0.5
    agree(build(8, **arguments), train(rows(6, 5, 8) * scale), evaluate(rows(6, 5, 8) * scale))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint("elementwise_affine=False means neither weight nor bias; bias=False means a weight alone.")
@pytest.mark.parametrize("arguments", [{"elementwise_affine": False}, {"bias": False}])
def test_switched_off(agree, arguments):
    """Without the affine step, or without the bias, the rest of the formula stays as it is."""
    agree(build(7, eps=EPS, **arguments), train(rows(4, 3, 7)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`weight` and `bias` are nn.Parameters of the normalised shape, ones and zeros; a switched-off one is registered as None."
)
@pytest.mark.parametrize("normalized_shape", [6, (3, 5)])
def test_new_layer(agree, normalized_shape):
    """A new layer's state dict has PyTorch's keys, shapes and initial values, and none for what is switched off."""
    agree(build(normalized_shape))
    agree(build(normalized_shape, bias=False))
    agree(build(normalized_shape, elementwise_affine=False))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint("Only nn.Parameters (and buffers) travel through state_dict; nothing else about the layer may change while it is used.")
def test_same_in_evaluation(agree):
    """Evaluation computes what training computes, nothing is remembered between calls, and a reloaded state dict restores the layer."""
    agree(build(7, EPS), train(rows(4, 7) + 2), evaluate(rows(4, 7)), train(rows(4, 7)), reload(), evaluate(rows(1, 7)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint("Mean and variance depend on x too: let autograd differentiate through both of them, without detach or no_grad.")
def test_gradients(agree):
    """The gradients flow through mean and variance as well, and reach input, weight and bias."""
    agree(build(3, eps=EPS), train(randn(5, 3)), evaluate(randn(4, 2, 3)))
    agree(build((2, 9), eps=EPS), train(randn(3, 2, 9)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint("A row of equal numbers has variance 0: eps inside the root keeps the division, and its gradient, finite.")
def test_constant_rows(agree):
    """Rows of equal numbers become the bias, with finite gradients; so does a single feature."""
    agree(build(6, eps=EPS), train(uniform(0.5, 2.0, 5, 1) * ones(1, 6)), evaluate(uniform(-2.0, -0.5, 5, 1) * ones(1, 6)))
    agree(build(1, eps=EPS), train(randn(4, 1)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint("`view` needs its numbers side by side in memory; `reshape`, or no reshaping at all, does not.")
def test_any_memory_layout(agree):
    """Inputs that are not contiguous in memory, and inputs without a batch, are as good as any; none is changed."""
    agree(build((3, 4), eps=EPS), train(rows(2, 5, 3, 4), scattered=True), evaluate(rows(5, 3, 4), scattered=True))
    agree(build((3, 4), eps=EPS), train(rows(3, 4)))
    agree(build(6, eps=EPS), train(rows(6)))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint("Right formula, unstable arithmetic: E[x²] − E[x]² cancels when the mean is large. Subtract the mean first, then square.")
def test_large_offset(agree):
    """A mean that is large beside the deviation leaves the result intact."""
    agree(build(64), train(randn(3, 5, 64) + 1000), evaluate(randn(3, 64) - 1000))
    agree(build(64), train(randn(3, 5, 64) + 10000))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint("Compute mean and variance in float32, whatever comes in; cast the result back to the input's dtype.")
@pytest.mark.parametrize("case", ["float16 large", "float16 small", "bfloat16 offset"])
def test_half_precision(agree, case):
    """Half-precision input is normalised with float32 statistics, and comes back in its own dtype."""
    dtype, _, size = case.partition(" ")
    x = {"large": randn(5, 64) * 300, "small": randn(5, 64) * 1e-3, "offset": randn(5, 64) + 10}[size]
    agree(build(64).to(dtype), train(x, dtype), evaluate(x, dtype))
    agree(build(64), train(x, dtype))
