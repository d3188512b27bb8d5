"""Hidden suite of `rezero`.

The alphas are filled with different numbers, but where a new stack is looked at. Sublayers differ, so that their order shows, and have
biases and a curve, so that scaling what goes into them is not scaling what comes out.
"""

import numpy as np
from shared import rows

from normgrade.suite import build, change, claim, evaluate, feed_forward, identity, linear, plain, probe, randn, scaled, train, use


def typical():
    """A layer with parameters and one without, two without of which one returns the tensor it was given, and three.

    The first two learn in three steps. Two layers would make such large numbers of it that rounding decides.
    """
    return [
        use(build([scaled(0.5), feed_forward(3)]), rows(2, 3), rows(1, 4, 3), [-1]),
        use(build([identity(), scaled(-0.5)]), rows(2, 3), rows(4), []),
        use(build([feed_forward(5), linear(5, 5), identity()]), rows(4, 5), rows(2, 3, 5), [-1]),
    ]


def real():
    """Layers of a hundred features."""
    return [
        use(build([linear(96, 96), scaled(0.5)]), rows(2, 96), rows(1, 2, 96), [-1]),
    ]


@claim(
    "formula", points=3, hint="x = x + alpha * sublayer(x), in the order of the list: each sublayer gets what has been summed up so far."
)
def test_stack(agree):
    """Each sublayer in turn adds its output, times its own alpha, to what has been summed up so far."""
    layers = [feed_forward(4), linear(4, 4), feed_forward(4)]
    for alphas in ([0.7, -0.4, 1.3], [-1.0, 0.3, 0.6], [0.0, 1.9, 0.0]):
        agree(build(layers).filled(alphas=alphas), train(rows(3, 4)), evaluate(rows(2, 3, 4)), train(rows(4)))
    agree(build([feed_forward(3)] * 6).filled(alphas=[0.5, -0.3, 0.4, 0.2, -0.6, 0.1]), train(rows(2, 3)))
    agree(build([linear(3, 3)]).filled(alphas=0.8), train(rows(2, 2, 4, 3)), evaluate(rows(2, 1, 3, 2, 4, 3)))
    agree(build([scaled(0.5)]).filled(alphas=0.8), evaluate(rows(1, 1, 8200), backward=False), evaluate(rows(1, 4200, 4), backward=False))
    agree(build([linear(2, 2), scaled(0.3)] * 7).filled(alphas=np.linspace(-0.3, 0.4, 14, dtype=np.float32)), train(rows(3, 2)))
    for alphas, size in (([-40.0, 25.0], 1e15), ([2e-5, -3e-5], 1e-12)):
        agree(build([scaled(0.7), scaled(-0.6)]).filled(alphas=alphas), train(rows(4, 3) * size), evaluate(rows(2, 5) * size))


@claim(
    "formula",
    hint="All alphas begin at 0, and the stack hands x on; call each sublayer all the same, for the gradient of α needs its output.",
)
def test_zero(agree):
    """Where every alpha is 0, the stack is the identity; the alphas get their gradients, and learn."""
    agree(build([feed_forward(4), linear(4, 4)]).filled(alphas=0.0), train(rows(3, 4)), evaluate(rows(2, 3, 4)))
    agree(build([scaled(2.0), identity()]).as_built(), train(rows(4, 3)), evaluate(rows(2, 5)))
    infinite = rows(4, 6)
    infinite[1, 2], infinite[3, 0] = float("inf"), float("-inf")
    agree(build([linear(6, 6)]).filled(alphas=0.0), evaluate(infinite), evaluate(infinite, gradients="no_grad"))


@claim(
    "formula", hint="Call every sublayer once and in order, with x as it is. Plain functions fit in a list, and in no container of Modules."
)
def test_functions_as_sublayers(agree):
    """Sublayers may be plain functions; each forward calls each of them once, in order, with the x of that moment."""
    for shape in ((5,), (4, 3), (2, 3, 5, 4), (2, 3, 1, 2, 4), (300, 2)):
        agree(probe("what_the_sublayers_see", x=rows(*shape), alphas=np.array([0.7, -0.4, 0.2], np.float32)))
    agree(probe("what_the_sublayers_see", x=rows(2, 3), alphas=np.array([0.0, 0.6], np.float32)))


@claim("formula", hint="Functions and Modules may stand in one list, in any order: keep that order, and give each its own alpha.")
def test_mixed_sublayers(agree):
    """Modules and plain functions may be mixed; the order is that of the list."""
    agree(build([plain(1.5), feed_forward(4), plain(-0.5)]).filled(alphas=[0.7, -0.4, 1.3]), train(rows(3, 4)), evaluate(rows(2, 3, 4)))
    agree(build([identity(), linear(5, 5)]).filled(alphas=[-0.6, 0.9]), train(rows(3, 5)))


@claim("state", hint="self.alphas = nn.Parameter(torch.zeros(len(sublayers))); nothing else is learnt.")
def test_new_stack(agree):
    """A new stack has one parameter of its own, `alphas`: one number for each sublayer, all 0."""
    agree(build([linear(4, 4), scaled(0.5), feed_forward(4)]))
    agree(build([scaled(0.5)]))
    agree(build([identity(), scaled(2.0)]))


@claim(
    "state",
    hint="A plain list registers nothing: put the Modules into an nn.ModuleList. Copy nothing, freeze nothing, and leave their modes "
    "alone.",
)
def test_registered(agree):
    """Sublayers that are Modules are part of the stack: their parameters, their state dicts and their modes; they stay as they were."""
    for training in (True, False):
        agree(probe("new_stack", training=training))


@claim("gradient", hint="Skips, sublayers and alphas all have a gradient: no detach, no item(), no no_grad.")
def test_gradients(agree):
    """The gradient takes every skip and every sublayer, and reaches x, the alphas and the sublayers' parameters."""
    agree(build([feed_forward(3), feed_forward(3)]).filled(alphas=[0.8, -0.7]), train(rows(5, 3)), evaluate(rows(2, 3, 3)))
    agree(build([scaled(-2.0), linear(3, 3)]).filled(alphas=[-0.3, 1.0]), train(rows(5, 3), between=rows(4, 3)))


@claim("edge", hint="Write α · F(x) and the sum as new tensors: mul_, add_ or `+=` may change the caller's x.")
def test_sublayers_that_return_their_input(agree):
    """A sublayer may return the very tensor it was given, a part of it, or one that is needed later; what it returns is left alone."""
    stack = build([identity(), identity()]).filled(alphas=[0.5, -0.4])
    agree(stack, train(rows(4, 3)), evaluate(rows(2, 5)), evaluate(rows(2, 5), gradients="no_grad"))
    alphas = np.array([0.5, -0.4, 0.7], np.float32)
    agree(probe("what_becomes_of_their_outputs", x=rows(4, 3), alphas=alphas, upstream=randn(4, 3)))


@claim(
    "precision",
    hint="float32 numbers of shape (1,) turn half precision into float32: take them as alphas[i], or cast the result to x.dtype.",
)
def test_half_precision(agree):
    """Half-precision input comes back in its own dtype, whatever that of the alphas; so does float64."""
    stack = build([feed_forward(4), linear(4, 4)]).to("float64")
    agree(stack, train(rows(4, 4), dtype="float64"), evaluate(rows(2, 3, 4), dtype="float64", gradients="no_grad"))
    for dtype in ("float16", "bfloat16"):
        for parameters in (dtype, "float32"):
            stack = build([feed_forward(4), scaled(0.5)]).filled(alphas=[0.4, -0.3]).to(parameters)
            agree(
                stack,
                train(rows(5, 4), dtype=dtype, backward=True),
                evaluate(rows(2, 4) * 100, dtype=dtype, gradients="no_grad", default="bfloat16"),
            )
        stack = build([scaled(0.5)]).filled(alphas=0.4)
        agree(stack, evaluate(rows(3, 4) * 1000, dtype=dtype), evaluate(rows(300, 4), dtype=dtype))
        spoilt = rows(4, 5)
        spoilt[0, 1], spoilt[1, 2], spoilt[2, 0] = float("inf"), float("-inf"), float("nan")
        agree(build([linear(5, 5)]).filled(alphas=0.4), train(spoilt, dtype=dtype), evaluate(spoilt, dtype=dtype))
    far = evaluate(rows(3, 4) * 2.0**20, dtype="bfloat16"), change(2.0**20), evaluate(rows(3, 4), dtype="bfloat16")
    agree(build([scaled(0.5)]).filled(alphas=0.4).to("bfloat16"), *far)
    agree(build([scaled(0.5)]).filled(alphas=2.0**20).to("bfloat16"), evaluate(rows(3, 4), dtype="bfloat16"))
