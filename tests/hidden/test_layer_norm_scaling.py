"""Hidden suite of `layer_norm_scaling`.

Positions differ in mean and in spread, and no two sizes in a shape agree. No layer but that of `test_first_layer` is the first, where the
factor is 1 and hides every mistake about it; the numbers of the layers are such that ℓ, √ℓ, ℓ ± 1 and 2ℓ are told apart. The sublayer has
biases and is not linear: after a linear one without bias, a factor before the sublayer and one after it do the same.
"""

from shared import at_the_ends

from normgrade.suite import build, claim, evaluate, feed_forward, identity, linear, probe, randn, scaled, train, uniform, use


def rows(*shape):
    """Random positions, each with a mean and a spread of its own."""
    return randn(*shape) * uniform(0.5, 2.0, *shape[:-1], 1) + uniform(-2.0, 2.0, *shape[:-1], 1)


def typical():
    """The block as it is used: around a network, around one layer, and as the first of a model."""
    return [
        use(build(6, feed_forward(6), 3), rows(5, 6), rows(2, 3, 6), fixed=[-1]),
        use(build(5, linear(5, 5), 7), rows(2, 4, 5), rows(3, 5), fixed=[-1]),
        use(build(4, feed_forward(4), 1), rows(3, 4), rows(2, 5, 4), fixed=[-1]),
    ]


def real():
    """A block of a hundred features, deep in a model."""
    return [
        use(build(96, linear(96, 96), 24), rows(2, 96), rows(1, 2, 96), [-1]),
    ]


@claim("formula", points=3, hint="Three steps, in this order: the norm, the division by √layer, the sublayer. Then x is added, as it came.")
def test_formula(agree):
    """The output is x + F(LN(x) / √layer), in layers of every number."""
    for layer, shape in [(2, (4, 7)), (5, (6, 5, 8)), (13, (2, 1, 3, 1, 2, 4)), (1000, (3,))]:
        agree(build(shape[-1], feed_forward(shape[-1]), layer), train(rows(*shape)), evaluate(rows(*shape)))
    agree(build(1, feed_forward(1), 3), train(rows(4, 1), backward=False))


@claim("formula", hint="Try identity as the sublayer: the output less x is then LN(x) / √layer.")
def test_simple_sublayers(agree):
    """Whatever the sublayer is, the factor is on its input, and the residual path has none."""
    for sublayer in [identity(), scaled(0.5), linear(7, 7)]:
        agree(build(7, sublayer, 6), train(rows(4, 7)), evaluate(100 * rows(2, 3, 7)))
    agree(build(300, identity(), 6), train(rows(2, 300)))
    agree(build(8200, scaled(0.5), 6), evaluate(rows(1, 1, 8200), backward=False))
    agree(build(8, scaled(0.5), 6), evaluate(rows(1, 4200, 8), backward=False))


@claim(
    "formula",
    hint="Call the sublayer once, with one argument, and do not ask what type it has: a plain function has no parameters and no modes.",
)
def test_sublayer_called_once(agree):
    """The sublayer may be no module. It is called once, with LN(x) / √layer, and what it returns is left alone."""
    agree(probe("recorded", x=rows(4, 6), layer=1))
    agree(probe("recorded", x=rows(2, 3, 7), layer=5, training=False))
    agree(probe("recorded", x=rows(2, 1, 3, 2, 5), layer=6, gradients=False))
    agree(probe("recorded", x=rows(6), layer=3, training=False, gradients=False))


@claim("edge", hint="Layers are counted from 1. The first divides by √1: nothing changes there.")
def test_first_layer(agree):
    """The first layer, with the number 1, is an ordinary Pre-LN block."""
    for shape in [(4, 7), (3, 2, 5)]:
        agree(build(shape[-1], feed_forward(shape[-1]), 1), train(rows(*shape)), evaluate(rows(*shape)))


@claim("edge", hint="Where x is small, eps counts: it is that of torch.nn.LayerNorm(dim), and what is normalised is x itself.")
def test_small_input(agree):
    """Positions with a small variance are normalised with the eps of torch.nn.LayerNorm, and before they are scaled."""
    for layer, shape in [(4, (5, 6)), (9, (2, 3, 8))]:
        x = rows(*shape) * 0.003
        agree(build(shape[-1], feed_forward(shape[-1]), layer), train(x), evaluate(x))


@claim("stability", hint="If you write the norm by hand, subtract the mean before you square: mean(x²) − mean(x)² cancels.")
def test_large_mean(agree):
    """A position whose mean is large against its spread is normalised as precisely as any other."""
    for layer, shape in [(3, (5, 6)), (11, (2, 3, 8))]:
        x = rows(*shape) + 500
        agree(build(shape[-1], feed_forward(shape[-1]), layer), train(x), evaluate(x))


@claim(
    "state",
    hint="norm is a torch.nn.LayerNorm(dim) as PyTorch builds it. The factor is a number, no parameter or buffer. Keep the sublayer as "
    "it is.",
)
def test_new_block(agree):
    """A new block has the parameters of `norm`, a torch.nn.LayerNorm, and those of the sublayer, which is neither copied nor changed."""
    for sublayer in [feed_forward(7), linear(7, 7), identity()]:
        agree(build(7, sublayer, 3).as_built(), train(rows(4, 7)))
    agree(probe("shared", x=rows(3, 5)))
    agree(probe("norm", dim=5))


@claim("gradient", points=2, hint="x has two paths to the output, and the gradient takes both. Detach neither x nor what the norm returns.")
def test_gradients(agree):
    """The gradient reaches x by both paths, and the parameters of the norm and of the sublayer."""
    for layer, shape in [(2, (5, 3)), (6, (4, 2, 9))]:
        agree(build(shape[-1], feed_forward(shape[-1]), layer), train(rows(*shape)), evaluate(rows(*shape)))


@claim(
    "precision",
    hint="√layer as a number of Python changes no dtype. A norm by hand widens half precision before its first sum, and goes back at "
    "its end.",
)
def test_dtypes(agree):
    """float64, float16 and bfloat16 come back as they came; half precision has wider statistics."""
    for dtype in ["float64", "float16", "bfloat16"]:
        for layer in [1, 3]:
            agree(build(6, feed_forward(6), layer).to(dtype), train(rows(4, 6), dtype=dtype), evaluate(rows(2, 3, 6), dtype=dtype))
            steps = [step(rows(5, 6), dtype=dtype, witness=dtype != "float64", backward=True) for step in (train, evaluate)]
            agree(build(6, identity(), layer).to(dtype), *steps)
    for dtype, inputs in at_the_ends(8).items():
        agree(build(8, scaled(0.5), 3).to(dtype), *(evaluate(x, dtype=dtype) for x in inputs))
    for dtype, gradients in [("float16", "no_grad"), ("bfloat16", "inference_mode")]:
        x = rows(5, 6)
        agree(probe("given_dtype", x=x, layer=3, dtype=dtype))
        agree(build(6, identity(), 3).to(dtype), evaluate(x, dtype=dtype, witness=True, gradients=gradients))
