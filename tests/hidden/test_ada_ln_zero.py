"""Hidden suite of `ada_ln_zero`.

The modulation is filled with random numbers, so that all six parts count. No two of batch, length, dim and cond_dim agree, except for one
shape whose sizes are all the same. Positions differ in mean and in spread, sublayers have biases and a curve, and the two of a block
differ. In half precision x is small beside what a branch adds, so that its rounding does not decide what the second norm sees.
"""

from shared import at_the_ends, rows

from normgrade.suite import (
    build,
    claim,
    evaluate,
    feed_forward,
    identity,
    learn,
    linear,
    plain,
    probe,
    randn,
    scaled,
    train,
    uniform,
    use,
    zeros,
)


def block(dim, cond_dim, attn, mlp):
    """A block around its sublayers."""
    return build(dim, cond_dim, attn, mlp).named("block")


def condition(*shape):
    """Random conditions above 0. Situations make them many times as large: below -80 the slope of the SiLU is next to no number at all."""
    return uniform(0.2, 2.0, *shape)


def typical():
    """Blocks around layers. Of the condition, the first row of each sample counts."""
    return [
        used(block(6, 3, linear(6, 6), feed_forward(6)), (4, 5, 6), (2, 3, 6), 3),
        used(block(5, 7, feed_forward(5), scaled(0.5)), (2, 4, 5), (3, 2, 5), 7),
        used(block(4, 2, scaled(1.5), linear(4, 4)), (2, 3, 4), (1, 5, 4), 2),
    ]


def real():
    """A block of a hundred features."""
    return [used(block(96, 40, linear(96, 96), scaled(0.5)), (2, 3, 96), (1, 4, 96), 40)]


def used(layer, shape, other, cond_dim):
    """A use of the block on inputs of these shapes."""
    return use(layer, [rows(*shape), condition(shape[0], 2, cond_dim)], [rows(*other), condition(other[0], 1, cond_dim)], [-1])


def step_of(dim, cond_dim, batch, length, step=train):
    """One call with random inputs of these sizes."""
    return step(rows(batch, length, dim), randn(batch, cond_dim))


@claim(
    "formula",
    points=2,
    hint="x + gate · attn(LN(x) · (1 + scale) + shift), and the same with mlp: the norm comes first, the gate last, and x is added as it "
    "is.",
)
def test_block(agree):
    """Each branch normalises x, scales it by 1 + scale, shifts it, calls its sublayer and gates the result, which is added to x."""
    for dim, cond_dim, batch, length in ((7, 3, 4, 5), (5, 8, 2, 6), (4, 4, 4, 4)):
        steps = step_of(dim, cond_dim, batch, length), step_of(dim, cond_dim, batch + 1, length + 1, evaluate)
        agree(block(dim, cond_dim, feed_forward(dim), linear(dim, dim)), *steps)
        agree(block(dim, cond_dim, scaled(0.5), identity()), *steps)
    agree(block(4224, 1, scaled(0.5), identity()), evaluate(rows(1, 2, 4224), randn(1, 1), backward=False))
    for batch, length in ((2, 4), (1, 3)):  # a single feature, whose LN is 0
        steps = (step(rows(batch, length, 1), randn(batch, 3), backward=False) for step in (train, evaluate))
        agree(block(1, 3, feed_forward(1), linear(1, 1)), *steps)


@claim(
    "formula",
    points=2,
    hint="In this order: shift, scale and gate of attention, then shift, scale and gate of the MLP; each is dim numbers in one piece.",
)
def test_six_parts(agree):
    """The six parts of the modulation are shift, scale and gate of attention, then shift, scale and gate of the MLP, in this order."""
    dim, cond_dim = 5, 3
    for part in range(6):
        bias = zeros(6, dim)
        bias[[2, 5]] = 1.5  # both gates are open
        bias[part] = randn(dim)
        layer = block(dim, cond_dim, feed_forward(dim), linear(dim, dim))
        filled = layer.filled(**{"modulation.weight": zeros(6 * dim, cond_dim), "modulation.bias": bias.reshape(-1)})
        agree(filled, step_of(dim, cond_dim, 2, 4))


@claim(
    "formula",
    hint="The numbers are those of SiLU(c), one set per sample: unsqueeze(1) lets them broadcast along the length, and nothing else.",
)
def test_condition(agree):
    """Each sample is modulated by its own SiLU(c), the same at all its positions; as many positions as samples make no difference."""
    for dim, cond_dim, batch, length in ((4, 6, 3, 3), (3, 5, 6, 1), (6, 2, 1, 5)):
        layer = block(dim, cond_dim, linear(dim, dim), scaled(0.5))
        agree(layer, step_of(dim, cond_dim, batch, length), evaluate(rows(batch, length, dim), 4 * randn(batch, cond_dim)))
    far = randn(4, 6)
    far[1], far[2, ::2], far[3, 1] = -300, -1000, 300  # float32 does not hold their exponentials
    agree(block(5, 6, linear(5, 5), scaled(0.5)), train(rows(4, 3, 5), far), evaluate(rows(4, 2, 5), far))


@claim("formula", hint="x = x + …; the norm of the second branch, and its sum, take this new x.")
def test_second_branch(agree):
    """The second branch begins with what the first has made of x, and adds to that."""
    for attn, mlp in ((scaled(1.5), feed_forward(6)), (feed_forward(6), identity()), (linear(6, 6), scaled(-2.0))):
        agree(block(6, 3, attn, mlp), step_of(6, 3, 4, 5), step_of(6, 3, 2, 3, evaluate))


@claim("edge", hint="The eps of both norms is 1e-6: torch.nn.LayerNorm(dim, eps=1e-6, elementwise_affine=False).")
def test_small_input(agree):
    """If the variance of a position is as small as 1e-6, the eps of both norms decides; a constant position is fine."""
    for attn in (scaled(1e-3), feed_forward(6)):
        x = rows(4, 5, 6) * 0.001
        x[1, 2] = 0.0
        layer = block(6, 3, attn, scaled(0.5)).filled(**{"modulation.bias": randn(36) * 0.5})
        agree(layer, train(x, randn(4, 3)), evaluate(x[:2], randn(2, 3)))


@claim("stability", points=0, hint="If you write the norm by hand, subtract the mean before you square: mean(x²) − mean(x)² cancels.")
def test_large_mean(agree):
    """A position whose mean is large against its spread is normalised as precisely as any other."""
    agree(block(6, 3, scaled(0.5), linear(6, 6)), train(rows(4, 5, 6) + 500, randn(4, 3)), evaluate(rows(2, 3, 6) + 500, randn(2, 3)))


@claim("state", hint="modulation is a torch.nn.Linear(cond_dim, 6 * dim) whose weight and bias are 0; nothing else of the block learns.")
def test_new_block(agree):
    """A new block has a `modulation` whose weight and bias are 0, and no other parameters of its own: it returns x as it came."""
    agree(block(5, 3, linear(5, 5), feed_forward(5)).as_built(), step_of(5, 3, 4, 6), step_of(5, 3, 2, 3, evaluate))
    for dim, cond_dim in ((4, 7), (6, 1)):
        agree(probe("new_modulation", dim=dim, cond_dim=cond_dim))


@claim(
    "formula",
    hint="Call each sublayer once, with one tensor of the shape and dtype of x. Write sums and products as new tensors: `+=` may write "
    "into x, or into what a sublayer needs later.",
)
def test_functions_as_sublayers(agree):
    """attn and mlp may be plain functions, which may mix positions: each forward calls each once, in order, and changes no result."""
    for batch, length, dim in ((4, 5, 3), (3, 3, 3)):
        inputs = {"x": rows(batch, length, dim), "c": randn(batch, 2), "upstream": randn(batch, length, dim)}
        for name in ("given", "mixing", "returned"):
            agree(probe(name, **inputs))
    agree(block(6, 3, plain(0.5), plain(-0.7)), step_of(6, 3, 4, 5), step_of(6, 3, 2, 3, evaluate))


@claim("state", hint="A Module is registered as an attribute, and in no plain list. Register it once; copy and change nothing.")
def test_registered(agree):
    """attn and mlp are part of the block if they are Modules, with their parameters and modes; they stay as they were."""
    for first in (True, False):
        for training in (True, False):
            agree(probe("new", training=training, x=rows(2, 4, 3), c=randn(2, 5), first=first))
        agree(probe("bare", first=first))


@claim("gradient", points=2, hint="x reaches the output along two residual paths and two branches, c through all six parts: no detach.")
def test_gradients(agree):
    """The gradient reaches x, c, the modulation and the sublayers; a new block learns, although its gates are closed."""
    agree(block(3, 4, feed_forward(3), linear(3, 3)), step_of(3, 4, 5, 2), step_of(3, 4, 2, 6, evaluate))
    agree(
        block(5, 2, linear(5, 5), scaled(0.5)).as_built(),
        step_of(5, 2, 3, 4),
        learn(0.1),
        step_of(5, 2, 3, 4),
        learn(0.1),
        step_of(5, 2, 4, 3),
    )
    steps = [step_of(4, 5, *sizes) for sizes in ((3, 2), (2, 5), (4, 3))]
    agree(block(4, 5, linear(4, 4), scaled(0.5)), *(each for step in steps for each in (step, learn(0.01))), step_of(4, 5, 2, 3, evaluate))


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
            train(rows(4, 5, 6), randn(4, 3), dtype=dtype, backward=True),
            evaluate(rows(2, 3, 6), randn(2, 3), dtype=dtype, gradients="no_grad"),
        )
        agree(block(6, 3, linear(6, 6), feed_forward(6)).to(dtype), *steps)
    for dtype in ("float16", "bfloat16"):
        agree(probe("narrow", x=rows(4, 5, 6), c=randn(4, 3), dtype=dtype))
    for dtype, inputs in at_the_ends(6).items():
        agree(block(6, 3, scaled(0.5), identity()).to(dtype), *(evaluate(x[None], randn(1, 3), dtype=dtype) for x in inputs))
        agree(block(6, 3, scaled(0.5), identity()).to(dtype), evaluate(inputs[-1][:, None], randn(300, 3), dtype=dtype, default="bfloat16"))
