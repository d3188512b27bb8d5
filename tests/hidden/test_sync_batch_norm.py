"""Hidden suite of `sync_batch_norm`.

`world(3, 2, …)` is the layer for three channels on two ranks, which the exercise's probes play in turn: its steps take one batch for each
rank, and the tensors that are looked at are those of rank 0, such as `rank_0.weight`. On one rank it is the layer alone. The batches of the
ranks lie far apart, or the mean of their variances would be nearly the variance of all. Where eps is not the point, the inputs are so large
that it cannot matter.
"""

import numpy as np
from shared import lopsided

from normgrade.suite import build, claim, copy, evaluate, ones, pickle, randn, reload, settings, train, uniform, use, words

COUNTER = "num_batches_tracked"
SHAPES = [(4, 3), (5, 3, 2), (2, 3, 4, 5)]


def world(num_features, ranks, *args, **kwargs):
    """The layer on so many ranks."""
    return build(num_features, ranks, *args, **kwargs).named("world")


def batch(*shape):
    """A random batch whose channels have each a mean and a scale of their own."""
    per_channel = (1, shape[1], *[1] * (len(shape) - 2))
    return randn(*shape) * uniform(0.4, 2.0, *per_channel) + uniform(-1.5, 1.5, *per_channel)


def large(*shape):
    """A random batch beside whose variances the usual eps is nothing."""
    return batch(*shape) * 1000


def batches(*sizes, rest=(3,), of=large):
    """A batch for each rank, with so many samples."""
    return [of(size, *rest) for size in sizes]


def typical():
    """The layer as it is used: alone, on two ranks, and for one channel; and the ranks of tensors that it refuses."""
    two = world(5, 2, 1e-3, None).watching(f"rank_0.{COUNTER}")
    return [
        use(world(3, 1, 0.1, 0.3).watching(COUNTER), batch(2, 3, 4, 3), batch(5, 3), [1], [randn(3), randn(), *alone((1, 3), (1, 3, 1))]),
        use(two, batches(3, 2, rest=(5, 2, 3), of=batch), batches(2, 4, rest=(5,), of=batch), [1], [[randn(5), randn(5)]]),
        use(world(1, 1, 1e-3), batch(4, 1, 5, 2, 3), batch(2, 1, 5, 4), [1], [randn(1), *alone((1, 1, 1, 1))]),
    ]


def real():
    """Two hundred and sixty channels."""
    return [
        use(world(264, 1, 1e-3), batch(2, 264, 2, 3), batch(5, 264), [1]),
    ]


def alone(*shapes):
    """Batches of one value per channel."""
    return [randn(*shape) for shape in shapes]


@claim(
    "interface",
    hint="Build it with `SyncBatchNorm(3, torch.clone)`, a world of one rank, and call it in evaluation on a tensor of shape (4, 3).",
)
def test_call(observe):
    """The layer can be built and evaluated, and returns a tensor of its input's shape and dtype."""
    for shape in [(4, 3), (2, 3, 4, 5)]:
        output = observe(world(3, 1), evaluate(randn(*shape), backward=False))["step 1 · output"]
        assert output.dtype == "float32", words("the output should be float32, as the input is, but is {dtype}", dtype=output.dtype)


@claim("formula", hint="On one rank it is batch norm: one mean and one biased variance per channel, over every dimension but 1.")
def test_one_rank(agree):
    """On one rank it is batch norm: mean and biased variance per channel, then weight and bias."""
    for shape in SHAPES:
        agree(world(3, 1), train(large(*shape)), train(large(*shape)))
    agree(world(3, 1), *(train(large(*[3] * rank)) for rank in (2, 3, 4)))  # no size tells which dimension the channels are
    agree(world(3, 1), train(large(2, 3, 2, 5, 4)), train(large(2, 3, 4, 1, 2, 5)))
    agree(world(70, 1), train(large(4, 70, 2)))
    agree(world(2, 1), train(large(1, 2, 70, 60), backward=False))
    agree(world(2100, 1), train(large(3, 2100), backward=False))


@claim("formula", hint="Add up over all ranks before you divide: Σ x for the mean, then Σ (x − μ)² around the mean of all ranks.")
def test_ranks(agree):
    """On several ranks every channel is normalised by the mean and the biased variance of the values of all ranks together."""
    for rest in ((3,), (3, 2), (3, 2, 5)):
        agree(world(3, 2), train(*batches(4, 4, rest=rest)), train(*batches(2, 2, rest=rest), gradients="no_grad"))
    agree(world(3, 3), train(*batches(2, 2, 2)))


@claim("formula", hint="Ranks may hold unequal batches: the number of values is a sum over all ranks too, and every value counts the same.")
def test_unequal_batches(agree):
    """The ranks may hold batches of different sizes, down to one value per channel; every value counts the same."""
    agree(world(3, 2), train(*batches(5, 2, rest=(3, 2))), train(*batches(1, 4)), train(*batches(7, 1, rest=(3, 1, 1))))
    agree(world(3, 2), train(large(2, 3, 4), large(3, 3, 2)), train(*batches(1, 1)))
    agree(world(3, 4), train(*batches(3, 1, 1, 2)), train(*batches(1, 2, 6, 1)))


@claim(
    "formula",
    hint="In evaluation use the running statistics, and do not call all_reduce: a rank may evaluate while the others do something else.",
)
def test_evaluation(agree):
    """In evaluation each rank uses its running statistics, without all_reduce, and they stay as they are."""
    numbers = {"running_mean": uniform(-900, 900, 3), "running_var": uniform(5e5, 2e6, 3)}
    agree(world(3, 1).filled(**numbers), evaluate(large(4, 3)), evaluate(large(1, 3)), evaluate(large(2, 3, 4, 5)))
    agree(world(3, 2), evaluate(*batches(4, 1, of=batch)), train(*batches(2, 3)), evaluate(*batches(1, 1)))


@claim(
    "formula",
    hint="The formula is (x − μ) / sqrt(σ² + eps), in training and in evaluation: eps stands inside the root, and is added once, not "
    "per rank.",
)
def test_eps(agree):
    """Where the variance is as small as eps, or 0, eps decides: it is added once, inside the root; its default is 1e-5."""
    for eps, args in ((1e-5, ()), (1e-3, (1e-3,))):
        small = world(3, 1, *args).filled(running_mean=uniform(-0.01, 0.01, 3), running_var=uniform(0.5, 2.0, 3) * eps)
        agree(small, evaluate(batch(5, 3) * eps**0.5), train(batch(5, 3) * eps**0.5))
        agree(world(3, 3, *args), train(*(each * eps**0.5 for each in batches(2, 3, 1, of=batch))))
    constant = uniform(0.5, 2.0, 1, 3)
    agree(world(3, 2, eps=0.1), train(constant * ones(2, 1), constant * ones(3, 1)))


@claim(
    "state",
    hint="running ← (1 − momentum) · running + momentum · batch, with the mean and the unbiased variance of all ranks, n − 1 of all.",
)
def test_running_statistics(agree):
    """The running statistics follow the batches of all ranks by the momentum, with the unbiased variance."""
    for rest in ((3,), (3, 2), (3, 2, 4)):
        agree(world(3, 2, momentum=0.3), train(*batches(2, 1, rest=rest)), train(*batches(1, 3, rest=rest)), evaluate(*batches(1, 2)))
    agree(world(3, 1, momentum=0.3), train(large(4, 3)), train(large(2, 3, 2)), evaluate(large(4, 3)))


@claim(
    "state",
    hint="The default momentum is 0.1. None means a weight of 1 / count for each batch. A training step is one batch on all ranks "
    "together.",
)
def test_momentum(agree):
    """The momentum is 0.1 by default, 0 freezes the statistics, and None averages over all batches; a step counts as one batch."""
    agree(world(3, 1).watching(COUNTER), train(large(4, 3)), evaluate(large(4, 3)))
    for momentum, moved in ((0, copy()), (0.65, pickle()), (1, reload())):
        layer = world(3, 1, momentum=momentum).filled(running_var=uniform(5e5, 2e6, 3)).watching(COUNTER)
        agree(layer, train(large(4, 3)), evaluate(large(4, 3)), moved, train(large(4, 3), gradients="no_grad"))
    for number in (0, 100):
        start = world(3, 1, momentum=None).filled(running_mean=0.0, running_var=1.0, num_batches_tracked=number).watching(COUNTER)
        agree(start, train(large(4, 3)), train(large(4, 3) * 2 - 1), copy(), train(large(5, 3)), evaluate(large(4, 3)))
    several = world(3, 3, momentum=None).watching(f"rank_0.{COUNTER}")
    agree(several, train(*batches(2, 1, 1)), train(*batches(1, 1, 2), gradients="no_grad"))


@claim(
    "state", hint="weight, bias: parameters; running_mean, running_var, num_batches_tracked: buffers, registered with self.register_buffer."
)
def test_new_layer(agree):
    """A new layer's state dict has the keys, shapes and initial values of batch norm."""
    agree(world(3, 1))


@claim(
    "gradient",
    hint="A value moves the mean and the variance of all ranks, so their losses too: let the gradient go back through all_reduce.",
)
def test_gradients(agree):
    """The gradient of x is that of the losses of all ranks together; those of weight and bias come from the rank's own values."""
    agree(world(3, 1), train(large(2, 3, 2)), train(large(1, 3, 2)), evaluate(large(5, 3)))
    one, other = batches(2, 3, rest=(3, 2))
    agree(world(3, 2), train(one, other), train(one * 2, other, twice=True), train(other, one, between=one + 1), evaluate(one, other))
    agree(world(3, 3), train(*batches(1, 3, 1)), train(*batches(2, 1, 2), steep=True), settings())


@claim(
    "edge",
    hint="The number of values over all ranks decides: one is a ValueError in training. Fewer than 2 dimensions are a ValueError in "
    "both modes.",
)
def test_refusals(agree, refuses):
    """Training on one value per channel over all ranks is a ValueError, and so is an input of fewer than 2 dimensions."""
    for shape, *more in (((1, 3), (2, 3)), ((1, 3, 1), (1, 3, 2)), ((1, 3, 1, 1), (1, 3, 2, 1), (1, 3, 1, 2))):
        refuses(ValueError, world(3, 1), train(randn(*shape)), legal=[train(randn(*each)) for each in more])
    refuses(ValueError, world(3, 1), train(randn(3)), legal=train(randn(2, 3)))
    refuses(ValueError, world(3, 1), evaluate(randn(3)), legal=evaluate(randn(1, 3)))
    agree(world(3, 2), train(*batches(1, 1)))


@claim(
    "precision",
    hint="Subtract the mean of all ranks before squaring, in float32 whatever comes in; cast the result back to the input's dtype.",
)
def test_accuracy(agree):
    """The result stays accurate where the mean is much larger than the standard deviation, and in half precision."""
    agree(world(3, 1), train((randn(8, 3, 2, 4) + 10000) * 1000), train((randn(8, 3) - 1000) * 1000))
    far = [(randn(size, 3, 2) + 3000) * 1000 for size in (4, 6)]
    agree(world(3, 2), train(*far), train(*far, gradients="no_grad"))
    for dtype, offset, uncounted, step in (("float16", 1000, 2051, 0.5), ("bfloat16", 10, 301, 4.0)):
        layer = world(3, 1, 1e-12, 0.3).filled(running_mean=0.0).to(dtype)
        steps = [train(randn(16, 3, 4) * scale + mean, dtype=dtype) for scale, mean in ((1e-3, 0), (1, offset), (200, 0))]
        agree(layer, *steps, evaluate(randn(16, 3, 4), dtype=dtype))
        together = [randn(8, 3) + offset, randn(9, 3) + offset], [randn(8, 3, 4) * 200, randn(5, 3, 4) * 200]
        agree(world(3, 2, 1e-12, 0.3).to(dtype), *(train(*each, dtype=dtype) for each in together))
        many = [randn(size, 1) * 4 + 1000 for size in (uncounted, 2)]  # this dtype does not have the number `uncounted`
        agree(world(1, 2), train(*many, dtype=dtype))
        almost = np.full((200, 3), 1000.0)  # except for one value, the next that this dtype has
        almost[7] += step
        agree(world(3, 2), train(almost[:80], almost[80:], dtype=dtype))
        agree(world(3, 1, 1e-12), train(lopsided(16, 3, 4), dtype=dtype))  # distances from the mean that float16 does not hold
        agree(world(3, 1, 1e-12), train(randn(16, 3, 4) * 3e-6, dtype=dtype))  # nor one over such a deviation
        near = world(3, 1).filled(running_mean=offset + uniform(-1, 1, 3))  # float32: it is not rounded for the input
        agree(near, evaluate(randn(8, 3, 2) + offset, dtype=dtype))
