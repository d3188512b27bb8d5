"""Hidden suite of `generalized_batch_norm`.

Mostly three channels, and never three values in one, but where the channels must not be found by their number. Channels differ in mean and
scale. Values lie well above the mean or below it, never near it, where |x − μ| has no slope. Where eps is not the point, the inputs are so
large that it cannot matter.

No pair of functions shows everything. A deviation that does not change when a number is added to all values hides whether the statistic was
subtracted before; `root_mean_square` does change.
"""

import numpy as np
from shared import lopsided

from normgrade.suite import build, claim, evaluate, ones, probe, randn, train, uniform, use

SHAPES = [(4, 3), (5, 3, 2), (2, 3, 4, 5)]
PAIRS = [
    ("mean", "standard_deviation"),
    ("upper_mean", "root_mean_square"),
    ("mid_range", "half_range"),
    ("quantile", "superquantile_deviation"),
    ("nothing", "mean_distance"),
]


def batch(*shape):
    """A random batch whose channels have each a mean and a scale of their own, and no value near that mean."""
    places = np.indices(shape)
    sign = np.where((places.sum(axis=0) - places[1]) % 3, -1.0, 1.0)  # a third of the values lies above the mean, the others below
    per_channel = (1, shape[1], *[1] * (len(shape) - 2))
    values = sign * uniform(0.9, 1.3, *shape) * uniform(0.4, 2.0, *per_channel) + uniform(-1.5, 1.5, *per_channel)
    return values.astype(np.float32)


def large(*shape):
    """A random batch beside whose deviations the usual eps is nothing."""
    return batch(*shape) * 1000


def layer(*args, pair=PAIRS[1], channels=3, **kwargs):
    """A layer for three channels that measures them with two functions; what follows is eps and momentum."""
    return build(channels, *pair, *args, **kwargs).named("measured")


def known(built, number=3):
    """The layer, of that number of channels, with running numbers as large as those of `large`."""
    return built.filled(running_statistic=uniform(-900, 900, number), running_deviation=uniform(500, 2000, number))


def typical():
    """The layer as it is used, for images, for vectors and for one channel, each with other functions; and the ranks that it refuses."""
    uses = (
        (layer(0.1, 0.3), (2, 3, 4, 3), (5, 3)),
        (layer(1e-3, 0.65, pair=PAIRS[0], channels=5), (4, 5, 7), (6, 5)),
        (layer(1e-3, pair=PAIRS[2], channels=1), (4, 1, 5, 2, 3), (2, 1, 5, 4)),
    )
    return [use(built, batch(*shape), batch(*other), [1], [randn(shape[1]), randn(), randn(2)]) for built, shape, other in uses]


def real():
    """Two hundred and sixty channels."""
    return [
        use(layer(1e-3, 0.65, pair=PAIRS[0], channels=264), batch(2, 264, 2, 3), batch(5, 264), [1]),
    ]


@claim("formula", points=2, hint="Both functions get x as (C, n), and x becomes (x − S) / (D + eps); then weight and bias.")
def test_training(agree):
    """In training every channel is normalised by what the two functions make of it in this batch, then scaled and shifted."""
    for pair in PAIRS:
        for shape in SHAPES:
            agree(layer(momentum=0.0, pair=pair), train(large(*shape)))
    for shape in [(3, 3), (3, 3, 3, 3), (2, 3, 2, 5, 4), (2, 3, 4, 1, 2, 5)]:
        agree(layer(momentum=0.0), train(large(*shape)), train(large(*shape)))
    agree(layer(momentum=0.0, pair=("root_mean_square", "root_mean_square")), train(large(4, 3, 2)))
    agree(layer(momentum=0.0, channels=70), train(large(4, 70, 2)))
    agree(layer(momentum=0.0, channels=2, pair=PAIRS[3]), train(large(2, 2, 9, 35)))
    agree(layer(channels=2, pair=PAIRS[0]), train(large(1, 2, 70, 60), backward=False))
    agree(layer(channels=2100, pair=PAIRS[0]), train(large(3, 2100), backward=False))
    agree(layer(), train(batch(8, 3, 4) * 1000 + 1e6))
    agree(layer(pair=PAIRS[2]), train(batch(8, 3) * 1e12))


@claim(
    "formula",
    hint="Call each function once per training step, with one tensor of shape (C, n), and none in evaluation; write into none of these "
    "tensors.",
)
def test_calls_of_the_functions(agree):
    """Each function is called once per training step, with x as (C, n), and never in evaluation; these tensors are left alone."""
    for number, shape in enumerate([*SHAPES, (4, 3, 1, 2, 2), (1, 3)]):
        for statistic, deviation in (PAIRS[1], PAIRS[2]):
            agree(probe("recorded", x=batch(*shape), statistic=statistic, deviation=deviation, gradients=number % 2 == 0))


@claim(
    "formula",
    hint="In evaluation running_statistic and running_deviation take the place of S and D, in the same formula, and nothing is updated.",
)
def test_evaluation(agree):
    """In evaluation the running numbers are used, and they stay as they are."""
    for pair in PAIRS[:3]:
        agree(known(layer(pair=pair)), evaluate(large(4, 3)), evaluate(large(1, 3)), evaluate(large(2, 3, 4, 5)))


@claim(
    "formula", hint="The formula is (x − S) / (D + eps), in training and in evaluation: eps is added to the deviation; its default is 1e-5."
)
def test_eps(agree):
    """Where the deviation is as small as eps, or 0, eps decides: it is added to the deviation; its default is 1e-5."""
    for eps, built in ((1e-5, layer()), (1e-3, layer(eps=1e-3, pair=PAIRS[0])), (1e-15, layer(1e-15))):
        small = built.filled(running_statistic=uniform(-2, 2, 3) * eps, running_deviation=uniform(0.5, 2.0, 3) * eps)
        agree(small, evaluate(batch(5, 3) * eps), train(batch(4, 3) * eps), evaluate(batch(5, 3) * eps))
    for pair in (PAIRS[0], PAIRS[2]):
        agree(layer(0.1, pair=pair), train(uniform(0.5, 2.0, 1, 3) * ones(5, 1)), evaluate(batch(5, 3)))


@claim(
    "state",
    hint="running ← running + momentum · (batch − running), for what either function returned, as it is; the momentum is 0.1 by default.",
)
def test_running_numbers(agree):
    """The running numbers follow what the functions return by the momentum, 0.1 by default; the deviation goes in as it is."""
    for pair, shapes in ((PAIRS[1], SHAPES), (PAIRS[3], SHAPES[1:2]), (PAIRS[4], SHAPES[2:])):
        for shape in shapes:
            agree(layer(momentum=0.3, pair=pair), train(large(*shape)), train(large(*shape) * 2 + 1), evaluate(large(*shape)))
    for shape in [(3, 3), (2, 3, 4, 1, 2, 5)]:
        agree(layer(momentum=0.3), train(large(*shape)), evaluate(large(*shape)))
    agree(layer(momentum=0.3, channels=70), train(large(4, 70, 2)), evaluate(large(2, 70)))
    agree(layer(momentum=0.3, channels=2), train(large(2, 2, 9, 35)))
    for built in (layer(), layer(momentum=0.0), layer(momentum=1.0)):
        agree(known(built), train(large(4, 3)), evaluate(large(4, 3)))
    agree(layer(0.1, 1.0), train(batch(4, 3)), evaluate(batch(4, 3)))


@claim(
    "state",
    hint="weight, bias: parameters; running_statistic, running_deviation: buffers, by self.register_buffer; they start at 1, 0, 0, 1.",
)
def test_new_layer(agree):
    """A new layer's state dict has weight, bias, running_statistic and running_deviation, with their shapes and initial values."""
    agree(layer())


@claim(
    "gradient",
    hint="In training, S and D depend on x: let autograd go back through both functions. The running numbers carry no gradient at all.",
)
def test_gradients(agree):
    """In training the gradients flow through both functions; the running numbers carry none from one step to the next."""
    for pair in PAIRS[:3]:
        built = layer(pair=pair)
        agree(built, train(large(2, 3, 2)), train(large(1, 3, 2)), train(large(5, 3)), evaluate(large(5, 3)))
        agree(built.filled(weight=[0.0, 1.5, -1.0]), train(large(4, 3)))


@claim(
    "edge",
    hint="What a function returns may be anybody's tensor, without a gradient, or one number for all channels: compute a new one from it.",
)
def test_constants(agree):
    """The functions may return constants, the same tensors at each call; the layer does not write into them."""
    for statistic, deviation in ((uniform(-2, 2, 3), uniform(0.5, 2, 3)), (uniform(-2, 2, 1), uniform(0.5, 2, 1))):
        for momentum, gradients in ((0.3, True), (1.0, False)):
            agree(probe("constants", x=batch(4, 3), statistic=statistic, deviation=deviation, momentum=momentum, gradients=gradients))


@claim("edge", hint="The functions say what one value per channel means: nothing is refused.")
def test_one_value(agree):
    """One value per channel is fine in training and in evaluation."""
    for pair in (PAIRS[0], PAIRS[1]):
        for shape in [(1, 3), (1, 3, 1, 1)]:
            agree(layer(0.1, 0.3, pair=pair), train(batch(*shape)), evaluate(batch(*shape)), train(batch(*shape)))


@claim("edge", points=0, hint="Raise a ValueError where x has fewer than 2 dimensions, in both modes.", courtesy=True)
def test_dimensions(refuses):
    """An input of fewer than 2 dimensions is a ValueError, in training and in evaluation."""
    refuses(ValueError, layer(), train(randn(3)), legal=train(batch(2, 3)))
    refuses(ValueError, layer(), evaluate(randn(3)), legal=evaluate(batch(1, 3)))


@claim(
    "precision",
    hint="Widen half precision to float32 before the functions see it, leave float64 alone, and go back to the input's dtype at the "
    "very end.",
)
def test_dtypes(agree):
    """The functions are given float32 where the input is in half precision, float64 stays float64, and the output has the input's dtype."""
    agree(probe("given_dtype", x=batch(4, 3), dtype="float64"))
    agree(layer().to("float64"), train(batch(4, 3, 2), dtype="float64"), evaluate(batch(4, 3, 2), dtype="float64"))
    for dtype, offset in (("float16", 1000), ("bfloat16", 10)):
        agree(probe("given_dtype", x=batch(4, 3), dtype=dtype))
        agree(probe("given_dtype", x=batch(4, 3, 2), dtype=dtype, parameters="float32"))
        built = layer(1e-12, 0.3, pair=PAIRS[0]).filled(running_statistic=0.0).to(dtype)
        agree(built, train(batch(16, 3, 4) * 200, dtype=dtype), evaluate(batch(16, 3, 4), dtype=dtype))
        agree(built, train(batch(16, 3, 4) * 1e-3, dtype=dtype), train(batch(16, 3, 4) + offset, dtype=dtype))
        agree(layer(1e-12, pair=PAIRS[0]), train(lopsided(16, 3, 4), dtype=dtype))  # distances from the mean that float16 does not hold
        far = layer().filled(running_statistic=offset + uniform(-1, 1, 3))  # float32: it is not rounded for the input
        agree(far, evaluate(randn(8, 3, 2) + offset, dtype=dtype))
    agree(layer(2e-8).to("float16"), train(batch(8, 3, 4) * 1e-6, dtype="float16"))  # such an eps is 0 in float16
