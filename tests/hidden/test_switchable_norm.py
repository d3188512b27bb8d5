"""Hidden suite of `switchable_norm`.

No two sizes in a shape agree. Every plane (one channel of one sample) has a mean and a scale of its own, so that the three kinds of
statistics differ. The weights that mix them are six different random numbers, unless a check says otherwise. Most layers have a large eps,
so that its place matters at every input. Where the running statistics are not the point, the momentum is 0: what is wrong with them fails
the checks of kind state. No float32 input lies far from zero: variances from second moments, as in the paper, are right.
"""

import pytest

from normgrade.suite import build, evaluate, ones, randn, reload, train, uniform

EPS = 0.1
SHAPES = [(4, 6, 3, 5), (5, 3, 4, 2)]


def planes(samples, channels, height, width):
    """Random images, each plane of which has a mean and a scale of its own."""
    return randn(samples, channels, height, width) * uniform(0.4, 2.0, samples, channels, 1, 1) + uniform(
        -1.5, 1.5, samples, channels, 1, 1
    )


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint("The constructor takes num_features, eps and momentum, in this order, and all but the first have defaults.")
def test_build(observe):
    """The layer can be built, with its arguments by position and by name, and is an nn.Module."""
    observe(build(3))
    observe(build(3, 1e-3, 0.2))
    observe(build(num_features=3, eps=1e-3, momentum=0.2))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Six biased statistics; a softmax of mean_weight mixes the means, one of var_weight the variances, in the order instance, layer, batch."
)
@pytest.mark.parametrize("shape", SHAPES)
def test_training(agree, shape):
    """In training x is normalised by the mixed mean and the mixed variance of instance, layer and batch, then scaled and shifted."""
    agree(build(shape[1], EPS, 0.0), train(planes(*shape)), train(planes(*shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Instance: over H and W. Layer: over C, H and W. Batch: over N, H and W. Each variance is that of all those numbers, divided by n."
)
@pytest.mark.parametrize("kind", ["instance", "layer", "batch"])
def test_one_kind(agree, kind):
    """With all weight on one kind of statistics, the layer is instance norm, layer norm over (C, H, W), or batch norm."""
    chosen = [0.0 if kind == name else -200.0 for name in ("instance", "layer", "batch")]  # shares of 1, 0 and 0
    agree(build(5, EPS, 0.0).filled(mean_weight=chosen, var_weight=chosen), train(planes(3, 5, 4, 2)), evaluate(planes(2, 5, 3, 4)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "In evaluation running_mean and running_var stand in for the batch's statistics alone; instance and layer still come from x."
)
def test_evaluation(agree):
    """In evaluation only the batch's statistics are replaced, by the running ones, so that no sample depends on another."""
    agree(build(5, eps=EPS), evaluate(planes(3, 5, 4, 2)), evaluate(planes(1, 5, 2, 3)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint("The formula is (x − μ) / sqrt(σ² + eps) with the mixed σ²: eps stands inside the root, and its default is 1e-5.")
def test_eps(agree):
    """Where the variances are as small as eps, eps decides: it is added to the variance, inside the root; its default is 1e-5."""
    for eps, layer in ((1e-5, build(3, momentum=0.0)), (1e-3, build(3, 1e-3, 0.0))):
        small = layer.filled(running_mean=uniform(-0.01, 0.01, 3), running_var=uniform(0.5, 2.0, 3) * eps)
        agree(small, evaluate(planes(4, 3, 2, 5) * eps**0.5), train(planes(4, 3, 2, 5) * eps**0.5))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "running ← (1 − momentum) · running + momentum · batch, with the biased variance of the batch; evaluation changes nothing."
)
@pytest.mark.parametrize("shape", SHAPES)
def test_running_statistics(agree, shape):
    """The running statistics follow the batch's own mean and biased variance by the momentum, and only in training."""
    layer = build(shape[1], eps=EPS, momentum=0.3)
    agree(layer, train(planes(*shape)), train(planes(*shape) * 2 + 1), evaluate(planes(*shape)), evaluate(planes(*shape)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint("The default momentum is 0.1, the weight of the new batch; with 0 the running statistics stay as they are.")
def test_momentum(agree):
    """The momentum is the weight of the new batch: 0.1 unless said; 0 keeps the old statistics."""
    agree(build(3, EPS), train(planes(4, 3, 2, 5)), evaluate(planes(4, 3, 2, 5)))
    agree(build(3, EPS, 0.0), train(planes(4, 3, 2, 5)), evaluate(planes(4, 3, 2, 5)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Parameters: weight, bias of shape (C,), mean_weight, var_weight of shape (3,), ones. Buffers: running_mean, zeros, running_var, ones."
)
def test_new_layer(agree):
    """A new layer's state dict has the six keys, with their shapes and initial values."""
    agree(build(5))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint("Only registered parameters and buffers travel through state_dict: register each of the six.")
def test_reloaded(agree):
    """A reloaded state dict restores the layer: parameters, mixing weights and running statistics."""
    agree(build(3, EPS, 0.3), train(planes(4, 3, 2, 5)), reload(), evaluate(planes(4, 3, 2, 5)), train(planes(2, 3, 5, 4)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint("All six statistics depend on x in training: differentiate through them, and through both softmaxes.")
def test_gradients_in_training(agree):
    """In training the gradients flow through all six statistics, and reach weight, bias and both kinds of mixing weights."""
    agree(build(3, EPS, 0.0), train(planes(2, 3, 4, 5)), train(planes(5, 3, 2, 4)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Instance and layer statistics depend on x in evaluation too. The running statistics carry no gradient from earlier batches."
)
def test_gradients_in_evaluation(agree):
    """In evaluation the gradients flow through instance and layer statistics; the running ones carry none from earlier steps."""
    agree(build(3, eps=EPS, momentum=0.3), train(planes(2, 3, 4, 5)), evaluate(planes(4, 3, 2, 5)), train(planes(5, 3, 2, 4)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint("Raise a ValueError for any number of dimensions but 4, in training and in evaluation.")
def test_refusals(refuses):
    """Inputs that are not (N, C, H, W) are ValueErrors."""
    refuses(ValueError, build(3), train(randn(4, 3)), legal=train(randn(4, 3, 2, 5)))
    refuses(ValueError, build(3), train(randn(4, 3, 2)), legal=train(randn(1, 3, 4, 2)))
    refuses(ValueError, build(3), train(randn(2, 3, 4, 5, 2)), legal=train(randn(2, 3, 4, 5)))
    refuses(ValueError, build(3), evaluate(randn(3, 4, 2)), legal=evaluate(randn(1, 3, 4, 2)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint("Equal numbers have variance 0: add eps before the root is taken, and value and gradient stay finite.")
def test_constant_planes(agree):
    """Planes of equal numbers, and whole images of them, give what the formula says, with finite gradients."""
    plane, image = ones(1, 1, 2, 5), ones(1, 3, 2, 5)
    agree(build(3, EPS, 0.0), train(uniform(-2.0, 2.0, 4, 3, 1, 1) * plane), evaluate(uniform(-2.0, 2.0, 4, 1, 1, 1) * image))
    agree(build(3, EPS, 0.0), train(uniform(-2.0, 2.0, 4, 1, 1, 1) * image), evaluate(uniform(-2.0, 2.0, 1, 3, 1, 1) * plane))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint("`view` needs its numbers side by side in memory; `reshape`, or no reshaping at all, does not.")
def test_any_memory_layout(agree):
    """Inputs that are not contiguous in memory, and single samples, are as good as any; none is changed."""
    agree(build(3, EPS, 0.0), train(planes(2, 3, 4, 5), scattered=True), evaluate(planes(4, 3, 2, 5), scattered=True))
    agree(build(3, EPS, 0.0), train(planes(1, 3, 4, 5)), evaluate(planes(1, 3, 2, 5)))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Right formula, unstable arithmetic: exp overflows at 100, vanishes at −110. Use torch.softmax, or subtract the largest weight first."
)
def test_large_mixing_weights(agree):
    """Only the differences between the mixing weights count, however large or small they are."""
    agree(
        build(3, EPS, 0.0).filled(mean_weight=uniform(100, 102, 3), var_weight=uniform(-112, -110, 3)),
        train(planes(4, 3, 2, 5)),
        evaluate(planes(4, 3, 2, 5)),
    )
    agree(build(3, EPS, 0.0).filled(mean_weight=uniform(-112, -110, 3), var_weight=uniform(100, 102, 3)), train(planes(4, 3, 2, 5)))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint("Compute the statistics in float32, whatever comes in; cast the result back to the input's dtype.")
def test_half_precision(agree):
    """Half-precision input is normalised with float32 statistics, in training and evaluation, and comes back in its own dtype."""
    layer = build(3, EPS, 0.0).filled(mean_weight=uniform(0.8, 1.2, 3), bias=0.0)  # each mean counts, and shows where y is small
    agree(layer, train(randn(5, 3, 8, 4) + 10, "bfloat16"), evaluate(randn(5, 3, 8, 4) + 10, "bfloat16"))
    agree(build(3, momentum=0.0), train(randn(5, 3, 8, 4) * 1e-3, "float16"))
    agree(build(3, EPS, 0.3), train(randn(5, 3, 8, 4) * 300, "float16"), evaluate(randn(5, 3, 8, 4) * 300, "float16"))
