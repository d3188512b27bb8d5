"""Hidden suite of `rms_norm`.

No two sizes in a shape agree. Rows differ in mean and scale, so that centring and a statistic over the wrong numbers show. Most layers have
a large eps: its place then matters at every input.
"""

import pytest

from normgrade.suite import build, evaluate, probe, randn, reload, train, uniform

EPS = 0.1


def rows(*shape):
    """Random rows, each with a mean and a scale of its own."""
    ones_last = (*shape[:-1], 1)
    return randn(*shape) * uniform(0.3, 2.0, *ones_last) + uniform(-1.5, 1.5, *ones_last)


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint("The constructor takes dim and eps, in this order, and eps has a default.")
def test_build(observe):
    """The layer can be built, with its arguments by position and by name, and is an nn.Module."""
    observe(build(3))
    observe(build(3, 1e-3))
    observe(build(dim=3, eps=1e-3))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint("Square x, average over the last dimension alone with keepdim=True, add eps, take the root; divide x by that.")
@pytest.mark.parametrize("shape", [(4, 7), (6, 5, 8), (2, 3, 5, 6)])
def test_last_dimension(agree, shape):
    """Every position is divided by its own root mean square over the last dimension, then scaled element by element."""
    agree(build(shape[-1], eps=EPS), train(rows(*shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint("Subtract nothing: the mean of x stays in x, and in the mean of the squares. With the variance it would be layer norm.")
def test_mean_stays(agree):
    """A position whose mean is far from 0 keeps it: nothing is subtracted, neither above the fraction line nor below."""
    agree(build(9, eps=EPS), train(randn(4, 9) * 0.3 + 2), evaluate(randn(5, 2, 9) * 0.3 - 2))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint("The formula is x / sqrt(mean(x²) + eps): eps stands inside the root, beside the mean, and its default is 1e-6.")
@pytest.mark.parametrize("arguments", [{}, {"eps": 1e-3}])
def test_eps(agree, arguments):
    """Where the mean square is as small as eps, eps decides: it is added to the mean square, inside the root; its default is 1e-6."""
    scale = arguments.get("eps", 1e-6) ** 0.5
    agree(build(8, **arguments), train(rows(6, 5, 8) * scale), evaluate(rows(6, 5, 8) * scale))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint("`weight` is an nn.Parameter of shape (dim,) that starts at ones.")
def test_new_layer(agree):
    """A new layer's state dict has `weight`: a parameter of shape (dim,), all ones."""
    agree(build(6))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint("RMS norm learns one weight per feature, an nn.Parameter, and nothing else: it has no bias.")
def test_weight_only(agree):
    """One weight per feature is learnt, and nothing else: there is no bias."""
    agree(probe("learnable", dim=6))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint("Only an nn.Parameter travels through state_dict; nothing about the layer may change while it is used.")
def test_same_in_evaluation(agree):
    """Evaluation computes what training computes, nothing is remembered between calls, and a reloaded state dict restores the layer."""
    agree(build(7, EPS), train(rows(4, 7) * 2), evaluate(rows(4, 7)), train(rows(4, 7)), reload(), evaluate(rows(1, 7)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint("The root mean square depends on x too: let autograd differentiate through it, without detach, item or no_grad.")
@pytest.mark.parametrize("shape", [(5, 3), (4, 2, 9)])
def test_gradients(agree, shape):
    """The gradient flows through the root mean square as well, and reaches input and weight."""
    agree(build(shape[-1], eps=EPS), train(rows(*shape)), evaluate(rows(*shape)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint("A row of zeros has mean square 0: eps inside the root keeps the division, and the slope of the root, finite.")
def test_zero_rows(agree):
    """A row of zeros stays a row of zeros, with a finite gradient, whatever the other rows are."""
    for layer in (build(6, eps=EPS), build(6)):
        x = rows(5, 6)
        x[1] = x[4] = 0
        agree(layer, train(x), evaluate(x[1:3]))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint("Count the dimension from the end, dim=-1: then it does not matter how many come before it, if any.")
def test_one_position(agree):
    """An input of one position, without a batch, is as good as any."""
    agree(build(6, eps=EPS), train(rows(6)), evaluate(rows(6)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint("The mean of a single square is that square: with dim=1 the result is γ · x / sqrt(x² + eps), not an error.")
def test_single_feature(agree):
    """A single feature is divided by its own magnitude, up to eps."""
    agree(build(1, eps=EPS), train(randn(4, 1)), evaluate(randn(3, 2, 1)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint("`view` needs its numbers side by side in memory; `reshape`, or no reshaping at all, does not. Write into no input.")
def test_any_memory_layout(agree):
    """Inputs that are not contiguous in memory are as good as any, and none is changed."""
    agree(build(4, eps=EPS), train(rows(2, 5, 3, 4), scattered=True), evaluate(rows(5, 3, 4), scattered=True))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint("Each row has a statistic of its own, computed in float32 from its own numbers: nothing is shared with larger rows.")
def test_magnitudes(agree):
    """Rows from tiny to huge, side by side, each keep their digits."""
    agree(build(8), train(randn(6, 8) * 10 ** uniform(-8, 8, 6, 1)), evaluate(randn(5, 3, 8) * 1e9))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint("Square and average in float32, whatever comes in, and cast the result back: a float32 weight must not widen it again.")
@pytest.mark.parametrize("case", ["float16 large", "float16 small", "bfloat16"])
def test_half_precision(agree, case):
    """Half-precision input is divided by a root mean square in float32 and comes back in its own dtype, whatever the weight's."""
    dtype, _, size = case.partition(" ")
    scale, eps = {"large": (300.0, 1e-6), "small": (1e-4, 1e-8), "": (1.0, 1e-6)}[size]
    x = randn(5, 64) * scale
    agree(build(64, eps=eps).to(dtype), train(x, dtype), evaluate(x, dtype))
    agree(build(64, eps=eps), train(x, dtype))
