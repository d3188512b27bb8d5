"""Hidden suite of `peri_norm`.

Positions differ in mean and in spread, and the norms have numbers of their own: with a weight of 1 and a bias of 0, a norm of what a norm
returned changes nothing. The sublayer has biases and a curve: after a linear one without bias, a norm forgets whether there was one before.
Each placement is graded apart, except for the interface and the situations, which begin with "peri".
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

PLACEMENTS = ("pre", "post", "output", "peri")


def typical():
    """Every placement; first that which is the default."""
    return [
        use(build(6, feed_forward(6)), rows(5, 6), rows(2, 3, 6), fixed=[-1]),
        use(build(5, linear(5, 5), "output"), rows(2, 4, 5), rows(3, 5), fixed=[-1]),
        use(build(4, feed_forward(4), "pre"), rows(3, 4), rows(2, 5, 4), fixed=[-1]),
        use(build(5, linear(5, 5), "post"), rows(2, 4, 5), rows(3, 5), fixed=[-1]),
    ]


def real():
    """A block of a hundred features."""
    return [
        use(build(96, linear(96, 96)), rows(2, 96), rows(1, 2, 96), [-1]),
    ]


def follows(agree, placement):
    """A block of that placement does as the reference does, around sublayers of all kinds."""
    for shape in ((7,), (4, 6, 5), (2, 1, 3, 1, 2, 4)):
        agree(build(shape[-1], feed_forward(shape[-1]), placement), train(rows(*shape)), evaluate(rows(*shape)))
    agree(build(7, linear(7, 7), placement), train(rows(4, 7)), evaluate(100 * rows(2, 3, 7)))
    agree(build(6, identity(), placement), train(rows(2, 3, 6)))
    agree(build(1, feed_forward(1), placement), train(rows(4, 1), backward=False))
    agree(build(4224, scaled(0.5), placement), evaluate(rows(2, 4224), backward=False))


@claim("formula", hint="x + F(norm_in(x)): the one norm is on the branch, before the sublayer. x itself is added as it came.")
def test_pre(agree):
    """With placement="pre" the sublayer is given the norm of x, and what it returns is added to x as it is."""
    follows(agree, "pre")


@claim("formula", hint="norm_out(x + F(x)): the sublayer sees x as it is, and the norm is applied to the sum.")
def test_post(agree):
    """With placement="post" what the sublayer makes of x is added to x, and the sum is normalised."""
    follows(agree, "post")


@claim("formula", hint="x + norm_out(F(x)): the sublayer sees x as it is; the norm is applied to what it returns, before the sum.")
def test_output(agree):
    """With placement="output" what the sublayer makes of x is normalised, then added to x."""
    follows(agree, "output")


@claim("formula", hint="x + norm_out(F(norm_in(x))): two norms on the branch, one on each side of the sublayer, and none on the sum.")
def test_peri(agree):
    """With placement="peri", the default, the norm of x goes through the sublayer and through the other norm, and is added to x."""
    follows(agree, "peri")
    agree(build(5, feed_forward(5)), train(rows(4, 5)))


@claim(
    "formula",
    hint="Call the sublayer once, with one tensor, whatever type it has. Write sums as new tensors: `+=` may write into x, or into "
    "what a sublayer needs later.",
)
def test_functions_as_sublayers(agree):
    """A sublayer may be a plain function: each forward calls it once; what it returns, even its own input, is left alone."""
    for placement in PLACEMENTS:
        for shape in ((6,), (2, 1, 3, 2, 4)):
            agree(probe("given", placement=placement, x=rows(*shape), upstream=randn(*shape)))
        agree(probe("returned", placement=placement, x=rows(4, 3), upstream=randn(4, 3)))
        agree(build(6, plain(-0.7), placement), train(rows(5, 6)))


@claim(
    "state",
    hint="Each norm is a torch.nn.LayerNorm(dim) as PyTorch builds it. The table of the prompt says which placement has which of them.",
)
def test_norms(agree):
    """A block has `norm_in`, `norm_out` or both, as its placement needs them, and no others. Each is a torch.nn.LayerNorm(dim)."""
    for placement in PLACEMENTS:
        agree(build(7, linear(7, 7), placement).as_built(), train(rows(4, 7)))
        agree(probe("norms", placement=placement, dim=5))


@claim(
    "state",
    hint="A Module is registered where it is kept as an attribute, and in no plain list. Register it once; copy and change nothing.",
)
def test_registered(agree):
    """A sublayer that is a Module is part of the block, with its parameters and its mode; it stays as it was."""
    for placement in PLACEMENTS:
        agree(probe("new", placement=placement, training=placement != "post", x=rows(2, 3)))
        agree(probe("bare", placement=placement))
    agree(probe("shared", x=rows(3, 5), placements=[*PLACEMENTS]))


@claim("edge", hint="Look at placement in __init__, before anything is built: raise ValueError(…) unless it is one of the four names.")
def test_other_placements(refuses):
    """A placement that is none of the four is a ValueError when the block is built."""
    for number, placement in enumerate(("sandwich", "Peri", "", "prepost")):
        refuses(ValueError, build(4, feed_forward(4), placement), legal=build(4, feed_forward(4), PLACEMENTS[number]))


@claim("gradient", hint="x has two paths to the output, and the gradient takes both: no detach. Keep nothing from one call to the next.")
def test_gradients(agree):
    """The gradient takes the residual path and the branch, and reaches x and all parameters, also of a sublayer that returns zeros; what
    was learnt counts from the next call on.
    """
    for placement in PLACEMENTS:
        agree(build(3, feed_forward(3), placement), train(rows(5, 3)), evaluate(rows(2, 4, 3)))
        x = rows(4, 5)
        steps = train(x), learn(0.1), evaluate(x), change(), train(x), load(), evaluate(x, gradients="no_grad")
        agree(build(5, linear(5, 5), placement), *steps)
        zero = {"sublayer.weight": 0.0, "sublayer.bias": 0.0}
        agree(build(4, linear(4, 4), placement).filled(**zero), train(rows(3, 4)))
        other = swap(4, scaled(0.5), placement)
        agree(build(4, linear(4, 4), placement), train(rows(3, 4)), other, evaluate(rows(2, 4)), swap(), train(rows(3, 4)))


@claim("edge", hint="Where what is normalised is small, eps counts: it is the 1e-5 of torch.nn.LayerNorm(dim).")
def test_small_input(agree):
    """Where the variance is as small as the eps of torch.nn.LayerNorm, eps decides; a constant position is fine."""
    for placement in PLACEMENTS:
        x = rows(4, 6) * 0.003
        x[1] = 0.0
        agree(build(6, scaled(0.5), placement), train(x), evaluate(x))


@claim("stability", hint="If you write the norm by hand, subtract the mean before you square: mean(x²) − mean(x)² cancels.")
def test_large_mean(agree):
    """A position whose mean is large against its spread is normalised as precisely as any other."""
    for placement in PLACEMENTS:
        x = rows(5, 6) + 500
        agree(build(6, scaled(0.5), placement), train(x), evaluate(x))


@claim(
    "precision",
    points=0,
    hint="torch.nn.LayerNorm keeps the dtype of its input. A norm by hand widens half precision before its first sum, and goes back at "
    "its end.",
)
def test_dtypes(agree):
    """float64, float16 and bfloat16 come back as they came; half precision has wider statistics."""
    for placement in PLACEMENTS:
        for dtype in ("float64", "float16", "bfloat16"):
            steps = (
                train(rows(4, 6), dtype=dtype, backward=True),
                evaluate(rows(2, 3, 6), dtype=dtype, gradients="no_grad", default="bfloat16"),
            )
            agree(build(6, feed_forward(6), placement).to(dtype), *steps)
        for dtype, inputs in at_the_ends(8).items():
            agree(build(8, scaled(0.5), placement).to(dtype), *(evaluate(x, dtype=dtype) for x in inputs))
        for dtype in ("float16", "bfloat16"):
            agree(probe("narrow", placement=placement, x=rows(4, 6), dtype=dtype))
            spoilt = coarse(4, 5, dtype=dtype)
            spoilt[0, 1], spoilt[2, 3] = float("inf"), float("nan")
            agree(build(5, scaled(0.5), placement).to(dtype), evaluate(spoilt, dtype=dtype))
