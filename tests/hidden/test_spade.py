"""Hidden suite of `spade`.

Label maps differ from x in height and width, but where the size is not the point, and no size of x divides that of its label map. Every
channel of every sample has a mean and a scale of its own. Where eps is not the point, x is so large that it cannot matter. Convolutions
have few hidden channels, and biases that are not 0, so that no number that goes into the ReLU is 0.
"""

import numpy as np
from shared import channels

from normgrade.suite import build, change, claim, copy, evaluate, load, ones, pickle, probe, randn, reload, swap, train, uniform, use, words

COUNTER = "num_batches_tracked"


def spade(*args, **kwargs):
    """The layer; where its norm keeps its buffers is its own affair."""
    return build(*args, **kwargs).named("spade")


def large(*shape):
    """A random batch beside whose variances the usual eps is nothing."""
    return channels(*shape) * 1000


def trained(*args, **kwargs):
    """A layer whose running statistics are those of large batches."""
    return spade(*args, **kwargs).filled(running_mean=uniform(-900, 900, args[0]), running_var=uniform(5e5, 2e6, args[0]))


def one_hot(samples, classes, height, width):
    """A label map as it is: one class at every position."""
    labels = uniform(0, classes, samples, height, width).astype(int)
    return np.moveaxis(np.eye(classes, dtype=np.float32)[labels], -1, 1)


def typical():
    """The layer as it is used, with larger and smaller label maps and one of the size of x, and what it refuses."""
    return [
        used(spade(3, 2, 4, 0.1), (4, 3, 2, 5), (4, 2, 3, 7), (2, 3, 4, 3), (2, 2, 3, 2)),
        used(spade(2, 3, 5, 1e-3), (2, 2, 5, 3), (2, 3, 2, 4), (3, 2, 3, 4), (3, 3, 3, 4)),
    ]


def real():
    """Seventy channels."""
    return [
        use(spade(72, 3, 8, 1e-3), [channels(2, 72, 3, 2), channels(2, 3, 6, 4)], [channels(1, 72, 4, 4), channels(1, 3, 4, 4)], [1]),
    ]


def used(layer, shape, labels, other, other_labels):
    """A use of the layer on these shapes, and what it refuses: strange ranks, and in training one value per channel."""
    strange = [shape[:2], shape[:3], (*shape, 2), (1, shape[1], 1, 1)]
    illegal = [[randn(*each), randn(each[0], *labels[1:])] for each in strange]
    return use(layer, [channels(*shape), channels(*labels)], [channels(*other), channels(*other_labels)], [1], illegal)


@claim(
    "interface",
    hint="Build it with `SPADE(3, 2)` and call it on tensors of the shapes (4, 3, 2, 5) and (4, 2, 6, 7): the shape of the first must "
    "come back.",
)
def test_call(observe):
    """The layer can be built and called, and returns a tensor of the shape and dtype of x."""
    for step, shape in ((train, (4, 3, 2, 5)), (evaluate, (2, 3, 4, 3))):
        output = observe(build(3, 2, 4), step(randn(*shape), randn(shape[0], 2, *shape[2:]), backward=False))["step 1 · output"]
        assert output.dtype == "float32", words("the output should be float32, as the input is, but is {dtype}", dtype=output.dtype)


@claim(
    "formula",
    points=2,
    hint="y = (1 + γ) · x̂ + β: hidden = relu(shared(label map)), γ = gamma(hidden), β = beta(hidden), each with zero padding of 1; x̂ "
    "as in batch norm.",
)
def test_modulation(agree):
    """In training every channel is normalised by the batch, then scaled by 1 + γ and shifted by β, position by position."""
    for shape, label_channels, hidden in (((4, 3, 2, 5), 2, 4), ((2, 2, 4, 4), 5, 3), ((1, 5, 6, 3), 1, 9), ((3, 1, 3, 4), 1, 1)):
        label_shape = (shape[0], label_channels, *shape[2:])
        outlier = large(*shape)
        outlier[-1, -1, -1, 1] = 1e6
        steps = train(large(*shape), channels(*label_shape)), train(outlier, one_hot(*label_shape))
        agree(spade(shape[1], label_channels, hidden), *steps)


@claim(
    "formula",
    hint="Resize the label map to the height and width of x, before any convolution: F.interpolate(label_map, size=x.shape[2:], "
    'mode="nearest").',
)
def test_resizing(agree):
    """A label map of another height or width, smaller or larger, is first resized to x, each position taking its nearest label."""
    larger = (((4, 3), (7, 8)), ((3, 5), (6, 10)), ((5, 2), (3, 7)))
    smaller = (((7, 8), (4, 3)), ((6, 4), (3, 2)), ((4, 6), (1, 1)))
    for pairs in (larger, smaller):
        both = [(step, *pair) for pair in pairs for step in (train, evaluate)]
        agree(trained(3, 2, 4), *(step(large(2, 3, *size), channels(2, 2, *label_size)) for step, size, label_size in both))
    x = large(2, 3, 4, 3)  # one size of x, and label maps of one height, of one width and of as many positions
    agree(trained(3, 2, 4), *(evaluate(x, one_hot(2, 2, *label_size)) for label_size in ((5, 3), (4, 5), (3, 4), (7, 8))))


@claim("formula", hint="In evaluation the running statistics take the place of the batch's, in the same formula, and nothing is updated.")
def test_evaluation(agree):
    """In evaluation the running statistics are used, so a single position will do, and they stay as they are."""
    layer = trained(3, 2, 4)
    agree(layer, *(evaluate(large(*shape), channels(shape[0], 2, 3, 2)) for shape in ((4, 3, 3, 2), (1, 3, 1, 1), (2, 3, 4, 5))))
    for shape in ((4200, 2, 1, 1), (1, 4200, 1, 1), (1, 2, 1, 4200)):
        agree(trained(shape[1], 1, 2), evaluate(large(*shape), channels(shape[0], 1, 1, 1), backward=False))


@claim(
    "formula",
    hint="x̂ = (x − μ) / sqrt(σ² + eps), in training and in evaluation: eps stands inside the root, is the one given, and is 1e-5 by "
    "default.",
)
def test_eps(agree):
    """Where the variance is as small as eps, or 0, eps decides: it is added to the variance, inside the root; its default is 1e-5."""
    for eps, layer in ((1e-5, spade(3, 2, 4)), (1e-3, spade(3, 2, 4, eps=1e-3))):
        small = layer.filled(running_mean=uniform(-0.01, 0.01, 3), running_var=uniform(0.5, 2.0, 3) * eps)
        x, labels = channels(4, 3, 2, 5) * eps**0.5, channels(4, 2, 3, 4)
        agree(small, evaluate(x, labels), train(x, labels))
    agree(spade(3, 2, 4, 0.1), train(uniform(0.5, 2.0, 1, 3, 1, 1) * ones(4, 3, 2, 5), channels(4, 2, 3, 4)))
    for eps, scale in ((1e-14, 1e-6), (1e-7, 1e-3), (20.0, 1.0)):
        tiny = spade(2, 3, 5, eps=eps).filled(running_mean=0.0, running_var=uniform(0.5, 2.0, 2) * scale**2)
        agree(tiny, train(channels(3, 2, 2, 4) * scale, channels(3, 3, 4, 3)), evaluate(randn(2, 2, 3, 2) * scale, channels(2, 3, 2, 5)))


@claim("state", hint="running ← 0.9 · running + 0.1 · batch in training, with the unbiased variance (n − 1, n = N · H · W).")
def test_running_statistics(agree):
    """The running statistics follow the batches of x by a tenth, with the unbiased variance, and are saved."""
    for shape in ((4, 3, 2, 1), (2, 3, 4, 5), (1, 3, 2, 3)):
        steps = [train(large(*shape) * (1 + k) + 100 * k, channels(shape[0], 2, 3, 4)) for k in range(2)]
        layer = trained(3, 2, 4)
        agree(layer, *steps, evaluate(large(*shape), channels(shape[0], 2, 3, 4)), reload(), steps[0], copy(), steps[1])


@claim("state", points=0, hint="In training, and only there, num_batches_tracked grows by 1, with gradients and without.")
def test_counter(agree):
    """Training counts batches, whatever their size; evaluation does not, and the count is saved."""
    x, labels = large(4, 3, 2, 5), channels(4, 2, 3, 4)
    trains = train(x, labels), train(x[:1], labels[:1], gradients="no_grad"), train(x, labels, gradients="inference_mode")
    evaluates = evaluate(x, labels), evaluate(x, labels, gradients="no_grad")
    counting = spade(3, 2, 4).watching(COUNTER)
    agree(counting, *evaluates, *trains[:2], *evaluates, reload(), trains[0], copy(), change(), trains[0], swap(), trains[0])
    agree(counting.as_built(), trains[0], pickle(), trains[2], evaluates[0], load(), trains[0])
    x[2, 1, 0, 3] = np.nan
    agree(counting, train(x, labels, gradients="no_grad"), trains[0])


@claim(
    "state",
    hint="Three torch.nn.Conv2d as PyTorch makes them, kernel 3, padding 1, with bias; the buffers of BatchNorm2d(affine=False); "
    "nothing else learns.",
)
def test_new_layer(agree):
    """A new layer has three convolutions as PyTorch draws them, with 128 hidden channels by default, and the buffers of a bare batch
    norm.
    """
    agree(spade(3, 2))
    agree(spade(2, 5, hidden=7))
    agree(probe("new_convolutions", num_features=60, label_channels=50, hidden=70))


@claim(
    "gradient",
    hint="Nothing is detached: the gradient reaches x through the batch's statistics too, the label map through the convolutions, and "
    "all six weights and biases.",
)
def test_gradients(agree):
    """The gradient reaches x, also through mean and variance, the label map in its own size, and all three convolutions."""
    agree(trained(3, 2, 4), train(large(4, 3, 2, 1), channels(4, 2, 5, 3)), evaluate(large(1, 3, 5, 4), channels(1, 2, 3, 6)))
    agree(spade(2, 1, 3), train(large(1, 2, 2, 3), channels(1, 1, 1, 2)), train(large(2, 2, 3, 2), one_hot(2, 1, 3, 2)))


@claim("edge", hint="In training, raise a ValueError where every channel of x has a single value.")
def test_refusals(refuses):
    """Training on one value per channel is a ValueError."""
    single = randn(1, 3, 1, 1), randn(1, 2, 3, 4)
    legal = [train(randn(*shape), randn(shape[0], 2, 3, 4)) for shape in ((1, 3, 2, 1), (1, 3, 1, 2), (2, 3, 1, 1))]
    refuses(ValueError, spade(3, 2, 4), train(*single), legal=[evaluate(*single), *legal])
    refuses(ValueError, spade(3, 2, 4), train(*single, gradients="no_grad"), legal=evaluate(*single))


@claim("edge", points=0, hint="Raise a ValueError where x does not have 4 dimensions, in both modes.", courtesy=True)
def test_dimensions(refuses):
    """An x that does not have four dimensions is a ValueError."""
    layer, labels = spade(3, 2, 4), randn(2, 2, 3, 4)
    good = channels(2, 3, 4, 5)
    for step, bad in ((train, good[0, 0, 0]), (evaluate, good[0, 0, 0]), (evaluate, good[0]), (train, good[..., None])):
        refuses(ValueError, layer, step(bad, labels), legal=step(good, labels))


@claim(
    "edge",
    hint="Nothing is replaced or clamped: a NaN in x stays in its channel, one in the label map in the reach of two 3 × 3 kernels, and "
    "ReLU(NaN) is NaN.",
)
def test_not_finite(agree):
    """A NaN or an infinity, in x or in the label map, goes as far as the formula carries it, and no further."""
    of_x = {"frozen": True, "detach": 2}  # at a border 0 · NaN is the convolution's own affair, on the way back
    narrow = []
    for spoilt in (np.nan, np.inf, -np.inf):
        x, labels, good, good_labels = channels(2, 3, 7, 6), channels(2, 2, 9, 8), channels(2, 3, 7, 6), channels(2, 2, 9, 8)
        x[1, 1, 2, 3] = labels[0, 1, 3, 0] = spoilt
        before = evaluate(x, good_labels, **of_x), evaluate(x, labels, gradients="inference_mode"), train(good, labels, **of_x)
        tracked = train(x, good_labels, **of_x) if np.isnan(spoilt) else train(x, good_labels, gradients="no_grad")
        agree(spade(3, 2, 4), *before, tracked, evaluate(good, good_labels, **of_x), train(good, good_labels, **of_x))
        narrow += [evaluate(x, good_labels, dtype="float16"), evaluate(good, labels, dtype="float16")]
    agree(spade(3, 2, 1).to("float16"), *narrow)  # where ∞ makes the one hidden number ∞, −∞ makes it 0


@claim(
    "stability",
    hint="The formula is right, but numerically unstable: E[x²] − E[x]² cancels when the mean is large. Subtract the mean first, then "
    "square.",
)
def test_large_offset(agree):
    """The result stays accurate where the mean of a channel is much larger than its standard deviation."""
    labels, inputs = channels(4, 2, 3, 4), [(randn(4, 3, 5, 4) + offset) * 1000 for offset in (1000, -10000)]
    agree(spade(3, 2, 4), *(train(x, labels, gradients=gradients) for x in inputs for gradients in (None, "no_grad")))


@claim(
    "precision",
    hint="Compute mean and variance in float32, whatever comes in; the convolutions stay in the dtype of their parameters; cast the "
    "result back to x.dtype.",
)
def test_half_precision(agree):
    """Half-precision x is normalised with float32 statistics, in training and evaluation, and the output has its dtype."""
    for dtype in ("float16", "bfloat16"):
        layer = spade(3, 2, 4, 1e-9).filled(running_mean=0.0).to(dtype)
        labels = channels(4, 2, 3, 5)
        steps = [train(randn(4, 3, 5, 4) * scale, labels, dtype=dtype, witness=True) for scale in (1e-3, 180)]
        agree(layer, *steps)  # squares overflow, and variances do not
        agree(layer, train(randn(4, 3, 5, 4), labels, dtype=dtype), evaluate(randn(4, 3, 5, 4), labels, dtype=dtype, witness=True))
        low = layer.filled(running_mean=0.0, running_var=1e-6)
        agree(low, evaluate(randn(4, 3, 2, 3) * 1e-3, labels, dtype=dtype))
