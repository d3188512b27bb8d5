"""Hidden suite of `ada_bn`.

Every batch has a mean and a scale of its own in every channel, so the variance between batches counts. Batches differ in size, and images
in height and width. Every model has statistics of its own beforehand, and most have several norms that see each other's output.
"""

import numpy as np

from normgrade.suite import build, claim, probe, randn, uniform, use

SIZES = (3, 2, 5)


def batch(*shape, offset=0.0, scale=1.0):
    """Random numbers (N, C, …) with a mean and a scale of its own for each channel."""
    per_channel = (1, shape[1], *[1] * (len(shape) - 2))
    random = randn(*shape) * uniform(0.4, 2.0, *per_channel) + uniform(-1.5, 1.5, *per_channel)
    return random * np.float32(scale) + np.float32(offset)


def rows(features, sizes=SIZES, **more):
    return [batch(size, features, **more) for size in sizes]


def images(channels, sizes=((2, 4, 3), (1, 5, 6), (3, 2, 4)), **more):
    return [batch(n, channels, *size, **more) for n, *size in sizes]


def adapted(model, batches, **more):
    return probe("adapted", model=model, batches=batches, **more)


def typical():
    """A perceptron, and norms of images with every switch: each adapts to its input, and then computes."""
    return [
        use(build("small").named("adapting"), batch(5, 4), batch(7, 4), fixed=[-1]),
        use(build("switches").named("adapting"), batch(4, 2, 3, 5), batch(5, 2, 4, 2), fixed=[1]),
    ]


@claim("interface", hint="Call `adapt(model, batches)` with a torch.nn.BatchNorm1d(3) as the model, and a list of tensors of shape (N, 3).")
def test_call(observe):
    """The function can be called with a model and a list of batches."""
    observe(adapted("one norm", rows(3)))


@claim(
    "formula",
    points=2,
    hint="One mean and one variance per channel over all numbers of all batches; the variance is divided by n. The old statistics are "
    "gone.",
)
def test_statistics(agree):
    """A norm gets the mean and the biased variance of everything that it sees, over all batches together."""
    agree(adapted("one norm", rows(3)))
    agree(adapted("one norm", [batch(2, 3, 5), batch(4, 3, 2), batch(1, 3, 7)]))
    agree(adapted("one image norm", images(3, scale=30)))
    agree(adapted("one image norm", images(3, scale=0.01), dtype="float64"))


@claim(
    "formula",
    hint="What a norm sees depends on the norms before it: adapt these first, and let the model see the batches again for each norm.",
)
def test_layer_by_layer(agree):
    """The statistics of a norm are those of what it sees once the norms before it are adapted."""
    agree(adapted("two norms", rows(3)))
    agree(adapted("perceptron", rows(4, scale=2)))
    agree(adapted("classifier", images(2)))
    agree(adapted("deep", rows(3)))


@claim("formula", hint="model.modules() gives the order in which layers were registered. Hooks on the norms tell in which order they run.")
def test_order_of_execution(agree):
    """The norms are adapted in the order in which they run, however they are registered."""
    agree(adapted("other order", rows(3)))
    agree(adapted("backwards", rows(3)))


@claim(
    "formula",
    hint="Put the whole model into evaluation mode while it sees the batches: its norms use the running statistics, and nothing is "
    "dropped.",
)
def test_evaluation_mode(agree):
    """A model in training mode is adapted as one in evaluation mode: its norms do not use the batch, and nothing is dropped."""
    agree(adapted("two norms", rows(3), training=True))
    agree(adapted("dropping", rows(4), training=True))
    agree(adapted("classifier", images(2), training=True))
    agree(adapted("branches", rows(4), training=True))


@claim(
    "edge",
    hint="Search model.modules(), the model itself included, for BatchNorm1d, 2d and 3d. Without buffers, or where it never runs, a "
    "norm stays.",
)
def test_every_norm(agree):
    """Batch norms of every kind are adapted, wherever they are. Those that do not track or never run are left alone, as are other
    layers.
    """
    agree(adapted("switches", images(2)))
    agree(adapted("volumes", [batch(2, 2, 3, 1, 4), batch(1, 2, 2, 2, 5)]))
    agree(adapted("over time", [batch(2, 5, 3), batch(3, 2, 3)]))
    agree(adapted("untracked", rows(4, (3, 4, 2))))
    agree(adapted("branches", rows(4)))
    agree(adapted("without norms", rows(4)))


@claim(
    "edge",
    hint="`for batch in batches` is all that may be done with them, as often as needed. One batch of one row will do: its variance is 0.",
)
def test_batches(agree):
    """The batches are anything that can be iterated again and again, such as a DataLoader, and may be one or many, large or small."""
    agree(adapted("perceptron", rows(4, (1,)), form="tuple"))
    agree(adapted("two norms", rows(3, (6,)), by_name=True))
    agree(adapted("two norms", rows(3), form="loader"))
    agree(adapted("two norms", rows(3, (1, 2, 1, 3) * 10), form="again", by_name=True))
    agree(adapted("one image norm", images(3, [(1, 1, 1)])))
    agree(adapted("one image norm", images(3, [(4, 9, 10), (1, 20, 30), (7, 5, 3)], offset=4.0)))


@claim("edge", hint="Between two norms the model may change a tensor in place. Use what the norm is given at once, or keep a copy of it.")
def test_changed_in_place(agree):
    """A tensor that the model changes in place afterwards counts as the norm saw it."""
    agree(adapted("changed in place", rows(3)))
    agree(adapted("changed in place", rows(3, (1, 1, 2)), training=True))


@claim(
    "edge", points=0, hint="Compute what the formula says, channel by channel: no nan_to_num, no nanmean, and no batch that is left out."
)
def test_nan(agree):
    """A NaN spoils the statistics of its own channel, and of what is computed from it."""
    for where in (0, 1):
        spoilt = rows(3)
        spoilt[2 * where][2, where] = np.nan
        agree(adapted("two norms", spoilt))


@claim(
    "state",
    hint="Write down module.training of every module before, and put each of them back: model.train() would put all of them into one mode.",
)
def test_modes(agree):
    """Afterwards every module is in the mode in which it was, also where they differ."""
    for training in (True, False):
        for others in ((), ("1", "2", "5")):
            agree(probe("modes", model="perceptron", batches=rows(4), training=training, others=list(others), x=batch(6, 4)))
        others = ["0.1", "1", "1.0.around", "1.0.bn2", "1.1", "3.0"]
        agree(probe("modes", model="classifier", batches=images(2), training=training, others=others, x=batch(3, 2, 4, 3)))
    agree(probe("modes", model="without norms", batches=rows(4), training=True, others=["1"], x=batch(6, 4)))
    agree(probe("modes", model="untracked", batches=rows(4), training=False, others=["2"], x=batch(6, 4)))


@claim(
    "state",
    hint="Change running_mean and running_var and nothing else: no momentum, no counter, no requires_grad, no gradient; remove your "
    "own hooks.",
)
def test_nothing_else(agree):
    """Nothing else of the model changes: parameters, counters, what needs a gradient, gradients, attributes and hooks."""
    agree(probe("what_stays", model="perceptron", batches=rows(4), frozen=["0.weight", "1.bias", "5.weight"]))
    agree(probe("what_stays", model="switches", batches=images(2), frozen=["2.weight"], gradients="no_grad"))
    agree(probe("what_stays", model="branches", batches=rows(4), frozen=["auxiliary.1.weight"]))
    agree(probe("what_stays", model="one norm", batches=rows(3), frozen=["bias"]))
    agree(probe("what_stays", model="untracked", batches=rows(4), frozen=[], gradients="no_grad"))


@claim(
    "state",
    hint="The statistics are buffers as before: plain numbers that belong to this model, which training moves and a state dict holds.",
)
def test_afterwards(agree):
    """The model goes on as any other: it can be adapted to another domain, trained, copied and loaded."""
    agree(probe("afterwards", model="perceptron", batches=rows(4), others=rows(4, (4, 2), offset=3.0), x=batch(6, 4)))
    agree(probe("afterwards", model="switches", batches=images(2), others=images(2, scale=3.0), x=batch(3, 2, 4, 3)))


@claim("gradient", hint="The new statistics are constants: collect them under torch.no_grad(), so that no graph leads through them.")
def test_gradients(agree):
    """No gradient flows through the new statistics, neither to the parameters before them nor to the batches."""
    x, upstream = batch(6, 4), randn(6, 3)
    agree(probe("gradients_afterwards", model="perceptron", batches=rows(4), x=x, upstream=upstream))
    agree(probe("gradients_afterwards", model="perceptron", batches=rows(4), x=x, upstream=upstream, frozen=["0.weight", "4.weight"]))


@claim("stability", hint="E[x²] − E[x]² loses its digits where the mean is large: subtract the mean before squaring, or sum in float64.")
def test_large_means(agree):
    """The variance stays accurate where the mean is much larger than the standard deviation."""
    agree(adapted("one norm", rows(3, (4, 7, 2), offset=3000.0)))
    agree(adapted("two norms", rows(3, (5, 6), offset=-2000.0)))
    agree(adapted("one image norm", images(3, offset=5000.0)))


@claim(
    "precision",
    points=0,
    hint="Widen what the norm sees with x.to(torch.promote_types(x.dtype, torch.float32)); copy_ then rounds to the dtype of the buffers.",
)
def test_half_precision(agree):
    """Half-precision batches have statistics in float32, and the buffers keep their dtype, be it half precision, float32 or float64."""
    for dtype, scale in (("float16", 60), ("bfloat16", 1)):
        narrow = [np.round(each * 8) * scale / 8 for each in rows(3, (6, 9), offset=2.0)]
        agree(probe("in_half_precision", model="one norm", batches=narrow, dtype=dtype, model_dtype="float32"))
        agree(probe("in_half_precision", model="one norm", batches=narrow, dtype=dtype, model_dtype=dtype))
    agree(adapted("perceptron", rows(4), dtype="float64"))
