"""Hidden suite of `pre_post_norm`.

Positions differ in mean and in spread, and the norms have numbers of their own: with a weight of 1 and a bias of 0, a norm of what a norm
returned changes nothing. Sublayers differ, so that their order shows, and have biases and a curve. The three classes are graded apart, but
for the interface, which asks for the first alone.
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

BLOCKS = ("PostNorm", "PreNorm")
STACK = "PreNormStack"
KINDS = (*BLOCKS, STACK)


def block(kind, dim, *sublayers):
    """One of the blocks around its sublayer, or a stack of some."""
    return build(dim, [*sublayers] if kind == STACK else sublayers[0]).named(kind)


def typical():
    """A stack of layers, and a block of each kind."""
    return [
        use(block(STACK, 6, linear(6, 6), scaled(0.5), feed_forward(6)), rows(5, 6), rows(2, 3, 6), fixed=[-1]),
        use(block("PostNorm", 5, linear(5, 5)), rows(2, 4, 5), rows(3, 5), fixed=[-1]),
        use(block("PreNorm", 4, feed_forward(4)), rows(3, 4), rows(2, 5, 4), fixed=[-1]),
    ]


def real():
    """Layers of a hundred features."""
    return [
        use(block(STACK, 96, linear(96, 96), scaled(0.5)), rows(2, 96), rows(1, 2, 96), [-1]),
    ]


@claim("interface", hint="Build it with `PostNorm(6, torch.nn.Linear(6, 6))`, and call it on a tensor of shape (4, 6).")
def test_call(observe):
    """PostNorm can be built and called, and returns a tensor of its input's shape."""
    output = observe(block("PostNorm", 6, linear(6, 6)), train(randn(4, 6), backward=False))["step 1 · output"]
    assert output.values.shape == (4, 6)


@claim("formula", hint="LN(x + F(x)): the sublayer sees x as it is, and the norm is applied to the sum.")
def test_post_norm(agree):
    """PostNorm adds what the sublayer makes of x to x, and normalises the sum."""
    for shape in ((7,), (4, 7), (6, 5, 8), (2, 1, 3, 1, 2, 4)):
        agree(block("PostNorm", shape[-1], feed_forward(shape[-1])), train(rows(*shape)), evaluate(rows(*shape)))
    for sublayer in (linear(7, 7), scaled(0.5), identity()):
        agree(block("PostNorm", 7, sublayer), train(rows(4, 7)), evaluate(100 * rows(2, 3, 7)))


@claim("formula", hint="x + F(LN(x)): the norm is on the branch, in front of the sublayer. x itself is added as it came.")
def test_pre_norm(agree):
    """PreNorm gives the sublayer the layer norm of x, and adds what comes back to x as it is."""
    for shape in ((7,), (4, 7), (6, 5, 8), (2, 1, 3, 1, 2, 4)):
        agree(block("PreNorm", shape[-1], feed_forward(shape[-1])), train(rows(*shape)), evaluate(rows(*shape)))
    for sublayer in (linear(7, 7), scaled(0.5), identity()):
        agree(block("PreNorm", 7, sublayer), train(rows(4, 7)), evaluate(100 * rows(2, 3, 7)))


@claim("formula", hint="x = block(x) for each Pre-LN block in the order of the list, then norm(x), once and at the very end.")
def test_stack(agree):
    """PreNormStack goes through one Pre-LN block for each sublayer, in order, and ends with a norm of its own."""
    agree(block(STACK, 7, linear(7, 7), feed_forward(7)), train(rows(4, 7)), evaluate(rows(2, 3, 7)), train(rows(7)))
    agree(block(STACK, 5, scaled(1.5), feed_forward(5), identity()), train(rows(3, 4, 5)), evaluate(100 * rows(6, 5)))
    agree(block(STACK, 3, *[linear(3, 3), scaled(-0.6)] * 6), train(rows(5, 3)))


@claim("edge", hint="Nothing is special about one sublayer, about many, or about none: the last norm is applied in every case, and once.")
def test_depth(agree):
    """A stack may have one sublayer, many, or none, which leaves the last norm; a position may have a single feature."""
    agree(block(STACK, 6), train(rows(4, 6)), evaluate(rows(2, 3, 6)))
    agree(block(STACK, 6, feed_forward(6)), train(rows(4, 6)), evaluate(rows(2, 3, 6)))
    agree(block(STACK, 5, *[scaled(0.3)] * 13), evaluate(rows(3, 5), backward=False))
    for kind in KINDS:
        agree(block(kind, 1, feed_forward(1)), train(rows(4, 1), backward=False))
        agree(block(kind, 8200, scaled(0.5)), evaluate(rows(1, 1, 8200), backward=False))
        agree(block(kind, 8, scaled(0.5)), evaluate(rows(1, 4200, 8), backward=False))


@claim(
    "formula",
    hint="Call the sublayer once, with one tensor, whatever type it has. Write sums as new tensors: `+=` may write into x, or into "
    "what a sublayer needs later.",
)
def test_functions_as_sublayers(agree):
    """A sublayer may be a plain function: each forward calls it once, in order; what it returns, even its own input, is left alone."""
    for kind, count in (("PostNorm", 1), ("PreNorm", 1), (STACK, 3)):
        for shape in ((6,), (3, 3, 3, 3), (2, 1, 3, 2, 4)):
            agree(probe("given", kind=kind, x=rows(*shape), count=count, upstream=randn(*shape)))
        agree(probe("returned", kind=kind, x=rows(4, 3), upstream=randn(4, 3)))
    agree(block(STACK, 6, linear(6, 6), plain(0.5), linear(6, 6), plain(-0.7)), train(rows(5, 6)), evaluate(rows(2, 3, 6)))


@claim(
    "state",
    hint="Each norm is a torch.nn.LayerNorm(dim) as PyTorch builds it: one in a block; in a stack one for each sublayer, and `norm`.",
)
def test_norms(agree):
    """A block has one norm, `norm`; a stack has one for each sublayer, in their order, and `norm`. Each is a torch.nn.LayerNorm(dim)."""
    for kind in KINDS:
        agree(block(kind, 7, linear(7, 7)).as_built(), train(rows(4, 7)))
        agree(probe("norms", kind=kind, dim=5))
    agree(probe("norms", kind=STACK, dim=3, count=12))
    agree(probe("norms", kind=STACK, dim=4, count=0))


@claim(
    "state",
    points=2,
    hint="A Module is registered as an attribute or in an nn.ModuleList, and in no plain list. Register it once; copy and change nothing.",
)
def test_registered(agree):
    """Sublayers that are Modules are part of the block or of the stack, with their parameters and modes; they stay as they were."""
    for training in (True, False):
        for kind, count in (("PostNorm", 1), ("PreNorm", 1), (STACK, 3)):
            agree(probe("new", kind=kind, training=training, x=rows(2, 3), count=count))
            if training:
                agree(probe("bare", kind=kind))
    agree(probe("shared", x=rows(3, 5)))


@claim("gradient", hint="x has two paths to the output, and the gradient takes both: no detach. Keep nothing from one call to the next.")
def test_gradients(agree):
    """The gradient takes the residual path and the branch, and reaches x and all parameters, also of a sublayer that returns zeros; what
    was learnt counts from the next call on.
    """
    for kind in KINDS:
        agree(block(kind, 3, feed_forward(3)), train(rows(5, 3)), evaluate(rows(2, 4, 3)))
        x = rows(4, 5)
        agree(block(kind, 5, linear(5, 5)), train(x), learn(0.1), evaluate(x), change(), train(x), load(), evaluate(x, gradients="no_grad"))
        zero = {"sublayer.weight": 0.0, "sublayer.bias": 0.0}
        agree(block(kind, 4, linear(4, 4)).filled(**zero), train(rows(3, 4)))
    for kind, other in (("PreNorm", scaled(0.5)), (STACK, [scaled(0.5), identity()])):
        story = block(kind, 4, linear(4, 4))
        agree(story, train(rows(3, 4)), swap(4, other), evaluate(rows(2, 4)), swap(), train(rows(3, 4)))


@claim("edge", hint="Where what is normalised is small, eps counts: it is the 1e-5 of torch.nn.LayerNorm(dim).")
def test_small_input(agree):
    """Where the variance is as small as the eps of torch.nn.LayerNorm, eps decides; a constant position is fine."""
    for kind in KINDS:
        for sublayer in (scaled(0.5), identity()):
            x = rows(4, 6) * 0.003
            x[1] = 0.0
            agree(block(kind, 6, sublayer), train(x), evaluate(x))


@claim("stability", hint="If you write the norm by hand, subtract the mean before you square: mean(x²) − mean(x)² cancels.")
def test_large_mean(agree):
    """A position whose mean is large against its spread is normalised as precisely as any other."""
    for kind in KINDS:
        x = rows(5, 6) + 500
        agree(block(kind, 6, scaled(0.5)), train(x), evaluate(x))


@claim(
    "precision",
    points=0,
    hint="torch.nn.LayerNorm keeps the dtype of its input. A norm by hand widens half precision before its first sum, and goes back at "
    "its end.",
)
def test_dtypes(agree):
    """float64, float16 and bfloat16 come back as they came; half precision has wider statistics."""
    for kind in BLOCKS:
        large_weights = block(kind, 8, scaled(0.5)).to("bfloat16"), change(2.0**20)
        agree(*large_weights, evaluate(coarse(6, 8, dtype="bfloat16"), dtype="bfloat16"))
    for kind in KINDS:
        for dtype in ("float64", "float16", "bfloat16"):
            steps = (
                train(rows(4, 6), dtype=dtype, backward=True),
                evaluate(rows(2, 3, 6), dtype=dtype, gradients="no_grad", default="bfloat16"),
            )
            agree(block(kind, 6, feed_forward(6), scaled(0.5)).to(dtype), *steps)
        for dtype, inputs in at_the_ends(8).items():
            agree(block(kind, 8, scaled(0.5)).to(dtype), *(evaluate(x, dtype=dtype) for x in inputs))
        for dtype in ("float16", "bfloat16"):
            agree(probe("narrow", kind=kind, x=rows(4, 6), dtype=dtype))
            spoilt = coarse(4, 5, dtype=dtype)
            spoilt[0, 1], spoilt[2, 3] = float("inf"), float("nan")
            agree(block(kind, 5, scaled(0.5)).to(dtype), evaluate(spoilt, dtype=dtype))
