"""Hidden suite of `mix_norm`.

The norms have numbers of their own: with a weight of 1 and a bias of 0, a norm of what a norm returned changes nothing. Sublayers
differ, so that their order shows, and have biases and a curve. No product of a number of layers and a ratio is near a whole number, unless
the ratio is a multiple of 1/4, which is exact: right ways of rounding down may differ there.
"""

from shared import at_the_ends, coarse, rows

from normgrade.suite import (
    build,
    change,
    claim,
    evaluate,
    feed_forward,
    identity,
    learn,
    linear,
    load,
    plain,
    probe,
    randn,
    scaled,
    swap,
    train,
    use,
)

KINDS = {"Post-LN": 1.0, "Pre-LN": 0.0}


def typical():
    """One Post-LN layer and three others, by default; and one layer of either kind, which tells the mistakes of the two apart."""
    return [
        use(build(6, [linear(6, 6), scaled(0.5), identity(), scaled(-0.7)]), rows(5, 6), rows(2, 3, 6), fixed=[-1]),
        use(build(5, [linear(5, 5)], 1.0), rows(2, 4, 5), rows(3, 5), fixed=[-1]),
        use(build(4, [linear(4, 4)], 0.0), rows(3, 4), rows(2, 5, 4), fixed=[-1]),
    ]


def real():
    """Layers of a hundred features."""
    return [
        use(build(96, [linear(96, 96), scaled(0.5), identity(), scaled(-0.7)]), rows(2, 96), rows(1, 2, 96), [-1]),
    ]


@claim("formula", hint="With a ratio of 1 each layer is LN(x + F(x)): the sublayer sees x as it is, and the norm is applied to the sum.")
def test_post_layers(agree):
    """A Post-LN layer adds what the sublayer makes of x to x, and normalises the sum."""
    for shape in ((7,), (4, 7), (2, 1, 3, 1, 2, 4)):
        agree(build(shape[-1], [feed_forward(shape[-1])], 1.0), train(rows(*shape)), evaluate(rows(*shape)))
    agree(build(7, [linear(7, 7), scaled(0.5), feed_forward(7)], 1), train(rows(4, 7)), evaluate(100 * rows(2, 3, 7)))


@claim("formula", hint="With a ratio of 0 each layer is x + F(LN(x)): x itself is added as it came, and nothing follows the last layer.")
def test_pre_layers(agree):
    """A Pre-LN layer gives the sublayer the layer norm of x, and adds what comes back to x as it is; no norm follows the last."""
    for shape in ((7,), (4, 7), (2, 1, 3, 1, 2, 4)):
        agree(build(shape[-1], [feed_forward(shape[-1])], 0.0), train(rows(*shape)), evaluate(rows(*shape)))
    agree(build(7, [linear(7, 7), scaled(0.5), feed_forward(7)], 0), train(rows(4, 7)), evaluate(100 * rows(2, 3, 7)))


@claim("formula", hint="One loop over the layers in the order of the list: the first ones are Post-LN, all others Pre-LN.")
def test_mixed(agree):
    """The first layers are Post-LN, the rest Pre-LN, in the order of the list; each has its own norm."""
    agree(build(7, [linear(7, 7), feed_forward(7)], 0.5), train(rows(4, 7)), evaluate(rows(2, 3, 7)), train(rows(7)))
    agree(build(5, [scaled(1.5), feed_forward(5), identity(), linear(5, 5)], 0.75), train(rows(3, 4, 5)), evaluate(100 * rows(6, 5)))
    agree(build(3, [linear(3, 3), scaled(-0.6)] * 6, 0.3), train(rows(5, 3)))


@claim("edge", hint="math.floor(len(sublayers) * post_ratio): 2.5 becomes 2, and 0.75 becomes 0. The default of post_ratio is 0.25.")
def test_how_many(agree):
    """⌊L · post_ratio⌋ layers are Post-LN, rounded down; that can be none, or all. Without layers, x comes back as it is."""
    for count, ratios in ((10, [0.0, 0.25]), (3, [0.25, 0.6, 0.99]), (4, [0.7]), (1, [0.9]), (13, [0.98])):
        for ratio in ratios:
            agree(build(4, [scaled(0.3)] * count, ratio), evaluate(rows(3, 4), backward=False))
    for ratio in (0.25, 1.0):
        agree(build(4, [], ratio), train(rows(3, 4)), evaluate(rows(2, 4), gradients="no_grad"))
    agree(build(4, [scaled(0.3)] * 9), evaluate(rows(3, 4)))
    agree(build(1, [feed_forward(1)] * 4), train(rows(4, 1), backward=False))
    agree(build(8200, [scaled(0.5)] * 2, 0.5), evaluate(rows(1, 1, 8200), backward=False))
    agree(build(8, [scaled(0.5)] * 2, 0.5), evaluate(rows(1, 4200, 8), backward=False))


@claim(
    "formula",
    hint="Call each sublayer once, with one tensor, whatever type it has. Write sums as new tensors: `+=` may write into x, or into "
    "what a sublayer needs later.",
)
def test_functions_as_sublayers(agree):
    """Sublayers may be plain functions: each forward calls each once, in order; what it returns, even its own input, is left alone."""
    for shape in ((6,), (3, 3, 3, 3)):
        agree(probe("given", x=rows(*shape), count=3, ratio=0.5, upstream=randn(*shape)))
    agree(probe("given", x=rows(4, 5), count=4, ratio=0.5, upstream=randn(4, 5)))
    mixed = [linear(6, 6), plain(0.5), linear(6, 6), plain(-0.7)]
    agree(build(6, mixed), train(rows(5, 6)), evaluate(rows(2, 3, 6)))
    agree(build(6, mixed[1:], 0.5), train(rows(5, 6)))
    for ratio in KINDS.values():
        agree(probe("returned", x=rows(4, 3), ratio=ratio, upstream=randn(4, 3)))


@claim(
    "state", hint="nn.ModuleList(nn.LayerNorm(dim) for _ in sublayers): one for each sublayer, as PyTorch builds it, and none at the end."
)
def test_norms(agree):
    """A new stack has one torch.nn.LayerNorm(dim) for each sublayer, in their order, and no other parameters of its own."""
    agree(build(7, [linear(7, 7), scaled(0.5)], 0.5).as_built(), train(rows(4, 7)))
    for dim, count, ratio in ((5, 1, 1.0), (3, 12, 0.25), (4, 0, 0.25)):
        agree(probe("norms", dim=dim, count=count, ratio=ratio))


@claim(
    "state",
    points=2,
    hint="A plain list registers nothing: put the Modules into an nn.ModuleList. Register each once; copy and change nothing.",
)
def test_registered(agree):
    """Sublayers that are Modules are part of the stack, with their parameters and modes; they stay as they were."""
    for training in (True, False):
        for count, ratio in ((3, 0.5), (1, 0.0), (1, 1.0)):
            agree(probe("new", training=training, x=rows(2, 3), count=count, ratio=ratio))
    agree(probe("shared", x=rows(3, 5)))


@claim(
    "gradient", hint="x has two paths through each layer, and the gradient takes both: no detach. Keep nothing from one call to the next."
)
def test_gradients(agree):
    """The gradient takes the residual path and the branch of every layer, and reaches x and all parameters, also of a sublayer that returns
    zeros; what was learnt counts from the next call on.
    """
    agree(build(3, [feed_forward(3), linear(3, 3), feed_forward(3)], 0.5), train(rows(5, 3)), evaluate(rows(2, 4, 3)))
    zero = {"sublayer.weight": 0.0, "sublayer.bias": 0.0}
    for ratio in KINDS.values():
        x = rows(4, 5)
        steps = train(x), learn(0.1), evaluate(x), change(), train(x), load(), evaluate(x, gradients="no_grad")
        agree(build(5, [linear(5, 5)], ratio), *steps)
        agree(build(4, [linear(4, 4)], ratio).filled(**zero), train(rows(3, 4)))
    other = swap(4, [scaled(0.5), identity(), scaled(0.7)], 0.9)
    agree(build(4, [linear(4, 4)], 0.0), train(rows(3, 4)), other, evaluate(rows(2, 4)), swap(), train(rows(3, 4)))


@claim("edge", hint="Where what is normalised is small, eps counts: it is the 1e-5 of torch.nn.LayerNorm(dim).")
def test_small_input(agree):
    """Where the variance is as small as the eps of torch.nn.LayerNorm, eps decides; a constant position is fine."""
    for ratio in KINDS.values():
        x = rows(4, 6) * 0.003
        x[1] = 0.0
        agree(build(6, [identity()], ratio), train(x), evaluate(x))


@claim("stability", hint="If you write the norm by hand, subtract the mean before you square: mean(x²) − mean(x)² cancels.")
def test_large_mean(agree):
    """A position whose mean is large against its spread is normalised as precisely as any other."""
    for ratio in KINDS.values():
        x = rows(5, 6) + 500
        agree(build(6, [scaled(0.5)], ratio), train(x), evaluate(x))


@claim(
    "precision",
    points=0,
    hint="torch.nn.LayerNorm keeps the dtype of its input. A norm by hand widens half precision before its first sum, and goes back at "
    "its end.",
)
def test_dtypes(agree):
    """float64, float16 and bfloat16 come back as they came; half precision has wider statistics."""
    for dtype in ("float64", "float16", "bfloat16"):
        steps = (
            train(rows(4, 6), dtype=dtype, backward=True),
            evaluate(rows(2, 3, 6), dtype=dtype, gradients="no_grad", frozen=True, default="bfloat16"),
        )
        agree(build(6, [feed_forward(6), scaled(0.5)], 0.5).to(dtype), *steps)
    for ratio in KINDS.values():
        for dtype, inputs in at_the_ends(8).items():
            agree(build(8, [scaled(0.5)], ratio).to(dtype), *(evaluate(x, dtype=dtype) for x in inputs))
        large_weights = build(8, [scaled(0.5)], ratio).to("bfloat16"), change(2.0**20)
        agree(*large_weights, evaluate(coarse(6, 8, dtype="bfloat16"), dtype="bfloat16"))
        for dtype in ("float16", "bfloat16"):
            agree(probe("narrow", x=rows(4, 6), dtype=dtype, ratio=ratio))
        spoilt = coarse(4, 5)
        spoilt[0, 1], spoilt[2, 3] = float("inf"), float("nan")
        agree(build(5, [scaled(0.5)], ratio).to("float16"), evaluate(spoilt, dtype="float16"))
