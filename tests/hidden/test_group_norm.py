"""Hidden suite of `group_norm`.

Samples, channels, groups, channels per group and positions are of different number, and the channels of every sample differ in mean and
scale, so that statistics over the wrong numbers show. Most layers have a large eps: its place then matters at every input.
"""

import pytest

from normgrade.suite import build, evaluate, ones, randn, reload, train, uniform

EPS = 0.1


def batch(*shape):
    """A random batch: every channel of every sample has a mean and a scale of its own."""
    per_channel = (*shape[:2], *[1] * (len(shape) - 2))
    return randn(*shape) * uniform(0.4, 2.0, *per_channel) + uniform(-1.5, 1.5, *per_channel)


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint("The constructor takes num_groups, num_channels, eps and affine, in this order; the last two have defaults.")
def test_build(observe):
    """The layer can be built, with its arguments by name and by position, and is an nn.Module."""
    observe(build(num_groups=3, num_channels=12))
    observe(build(num_channels=12, num_groups=3, affine=False, eps=1e-3))
    observe(build(3, 12, 1e-3, False))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "C/G neighbouring channels at all positions share one mean and one biased variance, in every sample; weight and bias are per channel."
)
@pytest.mark.parametrize(("groups", "shape"), [(3, (5, 12)), (4, (2, 12, 7)), (3, (2, 12, 5, 7)), (4, (3, 8, 6, 1, 5))])
def test_groups(agree, groups, shape):
    """Every sample is normalised group by group, over neighbouring channels and all positions, then scaled and shifted per channel."""
    agree(build(groups, shape[1], eps=EPS), train(batch(*shape)), train(batch(*shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint("One group holds all channels of a sample; as many groups as channels means one channel each. Weights stay per channel.")
@pytest.mark.parametrize("groups", [1, 6])
def test_fewest_and_most_groups(agree, groups):
    """A single group takes all channels together, and with as many groups as channels each is on its own."""
    agree(build(groups, 6, eps=EPS), train(batch(1, 6, 5)), train(batch(3, 6, 4, 5)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint("The formula is (x − μ) / sqrt(σ² + eps): eps stands inside the root, and its default is 1e-5.")
@pytest.mark.parametrize("arguments", [{}, {"eps": 1e-3}])
def test_eps(agree, arguments):
    """Where the variance is as small as eps, eps decides: it is added to the variance, inside the root; its default is 1e-5."""
    scale = arguments.get("eps", 1e-5) ** 0.5
    agree(build(3, 12, **arguments), train(batch(2, 12, 5) * scale), evaluate(batch(2, 12, 5) * scale))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint("affine=False means neither weight nor bias; everything else stays.")
def test_not_affine(agree):
    """With affine=False the rest of the formula stays as it is."""
    agree(build(3, 12, eps=EPS, affine=False), train(batch(2, 12, 5)), evaluate(batch(2, 12, 5, 7)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint("`weight` and `bias` are nn.Parameters of shape (num_channels,), ones and zeros; affine=False registers None for both.")
def test_new_layer(agree):
    """A new layer's state dict has PyTorch's keys, shapes and initial values, and none for what is switched off."""
    agree(build(3, 12))
    agree(build(4, 8, affine=False))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Only nn.Parameters travel through state_dict; nothing about the layer may change while it is used, and no sample counts twice."
)
def test_same_in_evaluation(agree):
    """Evaluation computes what training computes, nothing is remembered between calls, and a reloaded state dict restores the layer."""
    x = batch(2, 12, 5)
    agree(build(3, 12, EPS), train(x + 2), evaluate(x), train(batch(4, 12)), reload(), evaluate(batch(1, 12, 5)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint("Mean and variance depend on x too: let autograd differentiate through both of them, without detach or no_grad.")
def test_gradients(agree):
    """The gradients flow through mean and variance as well, and reach input, weight and bias."""
    agree(build(2, 6, eps=EPS), train(batch(5, 6)), evaluate(batch(4, 6, 5)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint("Raise a ValueError in __init__, before anything else is done, if num_groups does not divide num_channels.")
def test_uneven_groups(refuses):
    """Channels that cannot be split into groups of the same size are refused with a ValueError, at construction."""
    refuses(ValueError, build(8, 6), legal=build(6, 6))
    refuses(ValueError, build(3, 10), legal=build(5, 10))
    refuses(ValueError, build(5, 12), legal=build(3, 12))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint("A group of equal numbers has variance 0: eps inside the root keeps the division, and its gradient, finite.")
def test_constant_groups(agree):
    """Groups of equal numbers become the bias, with finite gradients; so do groups of a single number."""
    constant = (uniform(0.5, 2.0, 4, 3, 1) * ones(10)).reshape(4, 6, 5)
    agree(build(3, 6, eps=EPS), train(constant), evaluate(uniform(-2.0, -0.5, 4, 1) * ones(1, 6)))
    agree(build(6, 6, eps=EPS), train(batch(4, 6)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint("`view` needs its numbers side by side in memory; `reshape`, `unflatten`, or no reshaping at all, does not.")
def test_any_memory_layout(agree):
    """Inputs that are not contiguous in memory are as good as any, and none is changed."""
    agree(build(3, 12, eps=EPS), train(batch(2, 12, 5, 7), scattered=True), evaluate(batch(2, 12, 5), scattered=True))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint("Right formula, unstable arithmetic: E[x²] − E[x]² cancels when the mean is large. Subtract the mean first, then square.")
def test_large_offset(agree):
    """A mean that is large beside the deviation leaves the result intact."""
    agree(build(3, 12), train(randn(2, 12, 5, 4) + 1000), evaluate(randn(2, 12, 7) - 1000))
    agree(build(3, 12), train(randn(2, 12, 5, 4) + 10000))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint("Compute mean and variance in float32, whatever comes in; cast the result back to the input's dtype.")
@pytest.mark.parametrize("case", ["float16 large", "float16 small", "bfloat16 offset"])
def test_half_precision(agree, case):
    """Half-precision input is normalised with float32 statistics, and comes back in its own dtype."""
    dtype, _, size = case.partition(" ")
    x = randn(2, 12, 5, 4)
    x = {"large": x * 300, "small": x * 1e-3, "offset": x + 10}[size]
    agree(build(3, 12).to(dtype), train(x, dtype), evaluate(x, dtype))
    agree(build(3, 12), train(x, dtype))
