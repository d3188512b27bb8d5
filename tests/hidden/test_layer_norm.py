"""Hidden suite of `layer_norm`.

No two sizes in a shape agree where that is not the point. Rows differ in mean and scale, so that statistics over the wrong numbers show.
Where eps is not the point, the inputs are so large that it cannot matter.
"""

from shared import lopsided, rows

from normgrade.suite import build, claim, evaluate, ones, probe, randn, train, uniform, use, words


def large(*shape):
    """Random rows beside whose variances the usual eps is nothing."""
    return rows(*shape) * 1000


def typical():
    """The layer as it is used: over one dimension and over several, with every switch."""
    return [
        use(build(6, eps=0.1), rows(5, 6), rows(2, 3, 6), fixed=[-1]),
        use(build([3, 5], eps=1e-3), rows(5, 3, 5), rows(2, 1, 2, 1, 3, 5), fixed=[-2, -1]),
        use(build(6, eps=1e-3, elementwise_affine=False), rows(5, 6), rows(2, 3, 6), fixed=[-1]),
        use(build((2, 3, 2, 2), eps=1e-3, bias=False), rows(3, 2, 3, 2, 2), rows(2, 1, 2, 3, 2, 2), fixed=[-4, -3, -2, -1]),
        use(build((2, 4, 3), eps=1e-4, elementwise_affine=False, bias=False), rows(5, 2, 4, 3), rows(2, 4, 3), fixed=[-3, -2, -1]),
    ]


def real():
    """A layer of a thousand features."""
    return [
        use(build(1100), rows(2, 1100), rows(1, 2, 1100), [-1]),
    ]


@claim("interface", hint="Build it with `LayerNorm(5)` and call it on a tensor of shape (5,): a tensor of that shape must come back.")
def test_call(observe):
    """The layer can be built and called, and returns a tensor of its input's shape and dtype."""
    for step, shape in ((train, (5,)), (evaluate, (4, 5))):
        output = observe(build(5), step(randn(*shape), backward=False))["step 1 · output"]
        assert output.dtype == "float32", words("the output should be float32, as the input is, but is {dtype}", dtype=output.dtype)


@claim(
    "formula",
    points=2,
    hint="Take mean and variance over the last dimension of each position alone, with keepdim=True, and divide the variance by n.",
)
def test_last_dimension(agree):
    """Every position is normalised over its own last dimension, then scaled and shifted element by element."""
    for shape in [(4, 7), (6, 5, 8), (2, 3, 5, 6), (2, 3, 1, 5, 4), (3, 2), (3, 4, 4), (2, 1030)]:
        agree(build(shape[-1]), train(large(*shape)), train(large(*shape)))
    agree(build(8200), evaluate(large(1, 8200), backward=False))
    outlier = large(3, 200)
    outlier[1, 60] = 1e6
    agree(build(200), train(outlier))


@claim("formula", hint="With a normalized_shape of k numbers, the statistics run over the last k dimensions together.")
def test_several_dimensions(agree):
    """With a tuple, mean and variance are taken over all of those last dimensions together."""
    for shape in [(3, 4), (5, 2, 4)]:
        agree(build(shape), train(large(2, 7, *shape)))
    agree(build((3, 3)), train(large(3, 3, 3, 3)))


@claim(
    "edge",
    hint="Make a tuple of whatever is not an int, tuple(normalized_shape), and let the statistics run over as many last dimensions as "
    "it has.",
)
def test_shape_of_any_kind(agree):
    """normalized_shape may be a list, a torch.Size, or a tuple of a single number."""
    agree(build([5, 2, 4]), train(large(3, 5, 2, 4)))
    agree(build((7,)), train(large(2, 3, 7)))
    agree(probe("built_for_size", x=large(2, 7, 3, 4), dims=2))


@claim("edge", hint="Count the dimensions from the end: then it does not matter how many come before them, if any.")
def test_one_position(agree):
    """An input may be a single position, without a batch dimension."""
    agree(build((3, 4)), train(large(3, 4)), evaluate(large(3, 4)))
    agree(build(6), train(large(6)), evaluate(large(6)))


@claim("formula", hint="The formula is (x − μ) / sqrt(σ² + eps): eps stands inside the root, and its default is 1e-5.")
def test_eps(agree):
    """Where the variance is as small as eps, or 0, eps decides: it is added to the variance, inside the root; its default is 1e-5."""
    for eps, layer in ((1e-5, build(8)), (1e-3, build(8, eps=1e-3))):
        agree(layer, train(rows(6, 5, 8) * eps**0.5), evaluate(rows(6, 5, 8) * eps**0.5))
    agree(build(6, eps=0.1), train(uniform(0.5, 2.0, 5, 1) * ones(1, 6)), evaluate(uniform(-2.0, -0.5, 5, 1) * ones(1, 6)))
    agree(build(1, eps=0.1), train(randn(4, 1)))


@claim("formula", hint="elementwise_affine=False means neither weight nor bias; bias=False means a weight alone.")
def test_switched_off(agree):
    """Without the affine step, or without the bias, the rest of the formula stays as it is."""
    for switches in [{"elementwise_affine": False}, {"bias": False}, {"elementwise_affine": False, "bias": False}]:
        agree(build(7, **switches), train(large(4, 3, 7)), evaluate(large(5, 7), gradients="no_grad"))


@claim(
    "state", hint="`weight` and `bias` are nn.Parameters of the normalised shape, ones and zeros; a switched-off one is registered as None."
)
def test_new_layer(agree):
    """A new layer's state dict has PyTorch's keys, shapes and initial values, and none for what is switched off."""
    for shape in [6, (3, 5)]:
        agree(build(shape))
        agree(build(shape, bias=False))
        agree(build(shape, elementwise_affine=False))
        agree(build(shape, elementwise_affine=False, bias=False))


@claim("gradient", hint="Mean and variance depend on x too: let autograd differentiate through both of them, without detach or no_grad.")
def test_gradients(agree):
    """The gradients flow through mean and variance as well, and reach input, weight and bias."""
    agree(build(3), train(large(5, 3)), evaluate(large(4, 2, 3)))
    agree(build((2, 9)), train(large(3, 2, 9)))
    agree(build(3).filled(weight=[0.0, 1.5, -1.0]), train(large(4, 3)))


@claim(
    "stability",
    hint="The formula is right, but numerically unstable: E[x²] − E[x]² cancels when the mean is large. Subtract the mean first, then "
    "square.",
)
def test_large_offset(agree):
    """The result stays accurate where the mean is much larger than the standard deviation."""
    layers = (build(64), [64]), (build((4, 16), bias=False), [4, 16]), (build((4, 16), elementwise_affine=False), [4, 16])
    for layer, shape in (*layers, (build(64, elementwise_affine=False), [64])):
        agree(layer, train((randn(3, 5, *shape) + 1000) * 1000), evaluate((randn(3, *shape) - 1000) * 1000))
        agree(layer, train((randn(3, 5, *shape) + 10000) * 1000), evaluate((randn(3, *shape) + 10000) * 1000, gradients="no_grad"))


@claim("precision", hint="Compute mean and variance in float32, whatever comes in; cast the result back to the input's dtype.")
def test_half_precision(agree):
    """Half-precision input is normalised with float32 statistics, and comes back in its own dtype."""
    for dtype, offset, bias in (("float16", 1000, True), ("bfloat16", 10, False)):
        layer = build(64, eps=1e-12, bias=bias).to(dtype)
        agree(
            layer,
            train(randn(5, 64) * 300, dtype=dtype),
            evaluate(randn(5, 64) * 1e-3, dtype=dtype),
            train(randn(5, 64) + offset, dtype=dtype),
            train(lopsided(5, 64), dtype=dtype),  # what float16 does not hold: a distance from the mean
            evaluate(randn(5, 64) * 3e-6, dtype=dtype),  # and one over a deviation
        )
