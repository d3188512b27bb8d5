"""Hidden suite of `skip_init`.

α is filled with a number that is neither 0 nor 1, but where a new block is looked at. Branches have biases and a curve, so that scaling
what goes into them is not scaling what comes out.
"""

from shared import rows

from normgrade.suite import build, change, claim, evaluate, feed_forward, identity, linear, probe, randn, scaled, train, use


def block(*args, **kwargs):
    return build(*args, **kwargs).as_scalars("alpha")


def typical():
    """A block around layers, one around a layer that returns the tensor it was given, and one around a layer without parameters."""
    return [
        use(block(feed_forward(3), 0.3), rows(4, 3), rows(2, 1, 3), [-1]),
        use(block(identity(), -1.7), rows(2, 4, 3), rows(7), []),
        use(block(scaled(0.5)), rows(4, 3), rows(2, 1, 3, 5), []),
    ]


def real():
    """A branch of a hundred features."""
    return [
        use(block(linear(96, 96)), rows(2, 96), rows(1, 2, 96), [-1]),
    ]


@claim("formula", points=3, hint="y = x + α · F(x): α multiplies the branch's output, and nothing else.")
def test_block(agree):
    """The block adds α times the branch's output to its input."""
    for alpha in (0.37, -0.8, 2.6, 1.0):
        agree(block(feed_forward(6)).filled(alpha=alpha), train(rows(4, 6)), evaluate(rows(2, 3, 6)), train(rows(6)))
    agree(block(linear(3, 3)).filled(alpha=0.6), train(rows(2, 3, 4, 3)), evaluate(rows(2, 1, 3, 2, 4, 3)))
    for alpha, size in ((-40.0, 1e15), (2e-5, 1e-12)):
        agree(block(scaled(0.7)).filled(alpha=alpha), train(rows(4, 3) * size), evaluate(rows(2, 5) * size))
    agree(block(linear(3, 3)).filled(alpha=-2e-5), train(rows(4, 3)))
    agree(block(scaled(0.5)).filled(alpha=0.4), evaluate(rows(1, 4200, 4), backward=False))


@claim("formula", hint="With α = 0 the block hands x on; call the branch all the same, for the gradient of α needs its output.")
def test_zero(agree):
    """Where α is 0, the block is the identity; α gets its gradient, and learns."""
    agree(block(feed_forward(6)).filled(alpha=0.0), train(rows(4, 6)), evaluate(rows(2, 3, 6)))
    agree(block(scaled(2.0)).as_built(), train(rows(4, 3)), evaluate(rows(2, 5)))
    infinite = rows(4, 6)
    infinite[1, 2], infinite[3, 0] = float("inf"), float("-inf")
    agree(block(linear(6, 6)).filled(alpha=0.0), evaluate(infinite), evaluate(infinite, gradients="no_grad"))


@claim("formula", hint="Call the branch once, with x as it is. A plain function fits in an attribute, and in no container of Modules.")
def test_function_as_branch(agree):
    """The branch may be a plain function; each forward calls it once, with x as it is."""
    for shape in ((5,), (4, 3), (2, 3, 5, 4), (2, 3, 1, 2, 4), (300, 2)):
        agree(probe("what_the_branch_sees", x=rows(*shape), alpha=0.7))
    agree(probe("what_the_branch_sees", x=rows(2, 3), alpha=0.0))


@claim("state", hint="self.alpha = nn.Parameter(torch.tensor(alpha)), with 0.0 as the argument's default; nothing else is learnt.")
def test_new_block(agree):
    """A new block has one parameter of its own, `alpha`, which begins at the number given, and at 0 by default."""
    for given in ((), (0.25,), (-1.5,), (3.0,)):
        agree(block(linear(4, 4), *given))
    agree(block(scaled(0.5), alpha=0.125))


@claim(
    "state",
    hint="A Module that is an attribute is registered: self.branch = branch. Copy nothing, freeze nothing, and leave its mode as it is.",
)
def test_registered(agree):
    """A branch that is a Module is part of the block: its parameters, its state dict and its mode; it stays as it was."""
    for training in (True, False):
        agree(probe("new_block", alpha=0.5, training=training))


@claim("gradient", points=2, hint="Skip, branch and α all have a gradient: no detach, no item(), no no_grad.")
def test_gradients(agree):
    """The gradient takes the skip and the branch, and reaches x, α and the branch's parameters."""
    agree(block(feed_forward(4)).filled(alpha=0.8), train(rows(5, 4)), evaluate(rows(2, 3, 4)))
    agree(block(scaled(-2.0)).filled(alpha=-0.3), train(rows(5, 4)), evaluate(rows(3)))
    agree(block(linear(5, 5)).filled(alpha=1.0), train(rows(3, 2, 5), between=rows(4, 5)))


@claim("edge", hint="Write α · F(x) and the sum as new tensors: mul_, add_ or `+=` on what the branch returned may change the caller's x.")
def test_branch_that_returns_its_input(agree):
    """A branch may return the very tensor it was given, a part of it, or one that is needed later; what it returns is left alone."""
    agree(block(identity()).filled(alpha=0.5), train(rows(4, 3)), evaluate(rows(2, 5)), evaluate(rows(2, 5), gradients="no_grad"))
    agree(block(identity()).filled(alpha=-1.0), train(rows(4, 3)))
    agree(probe("what_becomes_of_its_output", x=rows(4, 3), alpha=0.5, upstream=randn(4, 3)))


@claim(
    "precision", hint="A float32 α of shape (1,) turns half precision into float32: give it the shape (), or cast the result to x.dtype."
)
def test_half_precision(agree):
    """Half-precision input comes back in its own dtype, whatever that of α; so does float64."""
    layer = block(feed_forward(6)).to("float64")
    agree(layer, train(rows(4, 6), dtype="float64"), evaluate(rows(2, 3, 6), dtype="float64", gradients="no_grad"))
    for dtype in ("float16", "bfloat16"):
        for parameters in (dtype, "float32"):
            layer = block(feed_forward(6)).filled(alpha=0.4).to(parameters)
            agree(
                layer,
                train(rows(5, 6), dtype=dtype, backward=True),
                evaluate(rows(2, 6) * 100, dtype=dtype, gradients="no_grad", default="bfloat16"),
            )
        agree(block(scaled(0.5)).filled(alpha=0.4), evaluate(rows(3, 4) * 1000, dtype=dtype), evaluate(rows(300, 4), dtype=dtype))
        spoilt = rows(4, 5)
        spoilt[0, 1], spoilt[1, 2], spoilt[2, 0] = float("inf"), float("-inf"), float("nan")
        agree(block(linear(5, 5)).filled(alpha=0.4), train(spoilt, dtype=dtype), evaluate(spoilt, dtype=dtype))
    far = evaluate(rows(3, 4) * 2.0**20, dtype="bfloat16"), change(2.0**20), evaluate(rows(3, 4), dtype="bfloat16")
    agree(block(scaled(0.5)).filled(alpha=0.4).to("bfloat16"), *far)
    agree(block(scaled(0.5)).filled(alpha=2.0**20).to("bfloat16"), evaluate(rows(3, 4), dtype="bfloat16"))
