"""Hidden suite of `deep_norm`.

Encoder and decoder differ in depth, and α is far from 1. Sublayers have biases and a curve, so that scaling their input is not scaling
their output. Few Linears are square; a gain below 1 is tried, and one above. The three parts of the exercise are graded apart, and none is
an interface that the others need: whoever has written one of them gets its points.
"""

from shared import at_the_ends

from normgrade.suite import build, change, claim, evaluate, ones, probe, randn, train, uniform, use

ALPHA = 2.637
SIZES = {"query": [56, 80], "key": [52, 80], "value": [52, 88], "out": [88, 56], "fc1": [56, 160], "fc2": [160, 56]}  # (in, out)
OTHER_SIZES = {"query": [60, 76], "key": [84, 76], "value": [84, 64], "out": [64, 60], "fc1": [60, 130], "fc2": [130, 60]}
SQUARE_SIZES = {
    "query": [64, 64],
    "key": [64, 64],
    "value": [64, 64],
    "out": [64, 64],
    "fc1": [64, 128],
    "fc2": [128, 64],
}  # as in a Transformer
SMALL_SIZES = {"query": [5, 7], "key": [6, 7], "value": [6, 8], "out": [8, 8], "fc1": [5, 9], "fc2": [9, 5]}


def rows(*shape):
    """Random rows, each with a mean and a scale of its own."""
    ones_last = (*shape[:-1], 1)
    return randn(*shape) * uniform(0.5, 2.0, *ones_last) + uniform(-1.5, 1.5, *ones_last)


def away_from(centre, *shape):
    """Random numbers around `centre`, none of them close to it."""
    return ((uniform(0.4, 1.2, *shape)) * (2 * (uniform(0, 1, *shape) > 0.5) - 1) + centre).astype("float32")


def norm(dim):
    """Weight and bias of the norm: no weight 1, no bias 0."""
    return [away_from(1, dim), away_from(0, dim)]


def feed_forward(dim, hidden, scale=1.0):
    """The weights of a sublayer whose output is about as large as `scale`."""
    return [randn(hidden, dim) / dim**0.5, away_from(0, hidden), randn(dim, hidden) * (scale / hidden**0.5), away_from(0, dim) * scale]


def block(*shape, hidden=6, alpha=ALPHA, scale=1.0, **options):
    dim = shape[-1]
    x, inner, outer = rows(*shape) * scale, feed_forward(dim, hidden, scale), norm(dim)
    return probe("block", x=x, alpha=alpha, feed_forward_state=inner, norm=outer, upstream=randn(*shape), **options)


def typical():
    """A block around layers, and one around a layer that returns the very tensor it was given."""
    return [
        use(build(6, ALPHA).named("block_around_mixing"), rows(5, 6), rows(2, 3, 6), [-1]),
        use(build(5, 0.613).named("block_around_nothing"), rows(4, 5), rows(2, 2, 3, 5), [-1]),
    ]


def real():
    """A block of a hundred features."""
    return [
        use(build(96, ALPHA).named("block_around_mixing"), rows(2, 96), rows(1, 2, 96), [-1]),
    ]


@claim(
    "formula", hint="The four results are attributes. With one side alone α = (2N)^(1/4) and β = (8N)^(−1/4); the other side's are None."
)
def test_one_side(agree):
    """With an encoder or a decoder alone, α and β follow from its number of layers, and the absent side's are None."""
    for side in ("encoder_layers", "decoder_layers"):
        for layers in (1, 12, 18, 200):
            agree(probe("coefficients", **{side: layers}, asked_next=[layers + 5, layers]))


@claim(
    "formula", hint="With both sides the encoder has 0.81 · r and 0.87 / r with r = (N⁴M)^(1/16), the decoder fourth roots of 3M and 12M."
)
def test_both_sides(agree):
    """With an encoder and a decoder, both sides have the coefficients that belong to the two together."""
    for encoder_layers, decoder_layers in ((24, 12), (3, 18), (6, 6), (1, 1), (1, 7), (200, 100), (100, 100)):
        agree(probe("coefficients", encoder_layers=encoder_layers, decoder_layers=decoder_layers))
        agree(probe("coefficients", by_place=[decoder_layers, encoder_layers + 1]))


@claim("edge", hint="Both arguments default to 0; where a side has no layers, its two fields are None, and they are there all the same.")
def test_no_layers(agree):
    """No layers on either side give four fields that are None."""
    agree(probe("coefficients"))
    agree(probe("coefficients", encoder_layers=0, decoder_layers=0))
    agree(probe("coefficients", by_place=[0, 5]))


@claim(
    "stability", hint="The formula is the same as ever. If this alone fails: a 64-bit integer is too short for N⁴M; Python's own are not."
)
def test_very_deep(agree):
    """The coefficients are right for very deep Transformers too: ten thousand layers and more on both sides."""
    agree(probe("coefficients", encoder_layers=10_000, decoder_layers=20_000))


@claim("formula", hint="y = LN(α · x + F(x)): α scales the skip alone, the sublayer sees x as it is, and the norm is applied to the sum.")
def test_block(agree):
    """The block adds the sublayer's output to α times its input, and normalises the sum."""
    for shape in ((7,), (4, 7), (2, 3, 5), (2, 1, 3, 6)):
        agree(block(*shape))
        agree(block(*shape, hidden=9, alpha=0.437, scattered=True))
    agree(block(3, 6, alpha=50.0))
    for shape in [(1, 1, 8200), (4200, 8), (1, 4200, 8)]:
        agree(build(shape[-1], 0.5).named("block_around_nothing"), evaluate(rows(*shape), backward=False))


@claim(
    "formula",
    hint="Call the sublayer once, with x itself, whatever its shape. A callable that is no Module fits in an attribute, and in no "
    "ModuleList.",
)
def test_function_as_sublayer(agree):
    """The sublayer may be any callable that is no Module; it is called once, with x as it is."""
    for shape in ((2, 5, 7), (2, 3, 5, 7)):
        x, weight = rows(*shape), randn(7, 7) / 7**0.5
        agree(probe("block_around_function", x=x, alpha=ALPHA, weight=weight, norm=norm(7), upstream=randn(*shape)))


@claim("formula", hint="The norm is torch.nn.LayerNorm(dim) as PyTorch makes it, of α · x + F(x). On small numbers its eps of 1e-5 shows.")
def test_small_input(agree):
    """Where the variance is as small as the norm's eps of 1e-5, eps decides."""
    agree(block(6, 8, scale=1e-3))
    agree(block(5, 8, scale=5e-3, alpha=1.0))


@claim("state", hint="self.norm = torch.nn.LayerNorm(dim) and self.sublayer = sublayer are all that learns; α is a plain number.")
def test_new_block(agree):
    """A new block keeps a fresh norm as `norm`, gives the sublayer's parameters to an optimiser, and has nothing else in its state dict;
    the sublayer keeps its mode, and what was frozen in it stays frozen.
    """
    agree(probe("new_block", dim=7, hidden=5, alpha=ALPHA))


@claim("state", hint="train() and eval() reach a sublayer that is an attribute of the block; the block's own formula stays.")
def test_modes(agree):
    """Evaluation computes what training computes, and puts the sublayer into evaluation mode too; a forward changes no mode."""
    for training in (False, True):
        agree(block(4, 6, training=training))
        agree(block(4, 6, training=training, sublayer_training=not training))


@claim(
    "gradient",
    hint="The gradient reaches x through the skip, α times as strong, and through the sublayer; it reaches every parameter, too.",
)
def test_gradients(agree):
    """The gradients flow through the skip and the sublayer, and reach the input, the norm and the sublayer's parameters."""
    agree(block(5, 3, hidden=4))
    agree(block(2, 4, 9, hidden=3, alpha=1.537, training=False))


@claim("edge", hint="Write α · x + F(x) as a new tensor: `+=`, add_ or mul_ on what the sublayer returned may change the caller's x.")
def test_sublayer_that_returns_its_input(agree):
    """A sublayer may return the tensor it was given, and rows may be constant; the input is left alone."""
    agree(probe("block_around_identity", x=rows(3, 8) * 1e-3, alpha=ALPHA, norm=norm(8), upstream=randn(3, 8)))
    constant = uniform(0.5, 2.0, 5, 1) * ones(1, 8)
    agree(probe("block_around_identity", x=constant, alpha=ALPHA, norm=norm(8), upstream=randn(5, 8)))


@claim(
    "precision",
    points=0,
    hint="Nothing needs widening by hand: torch.nn.LayerNorm computes its statistics in float32 and returns what came in.",
)
def test_half_precision(agree):
    """A block in half precision, and one in float64, returns the right values, in the dtype of its input; so does one whose norm alone
    is in float32.
    """
    for dtype, scale in (("float16", 300), ("bfloat16", 1)):
        for norm_dtype in (None, "float32"):
            agree(probe("half_block", x=randn(6, 32) * scale, alpha=ALPHA, dtype=dtype, norm_dtype=norm_dtype))
    for dtype, inputs in at_the_ends(8).items():
        half = build(8, 0.5).named("block_around_nothing").to(dtype)  # half of a number, and the sum of both, is exact; 3 · x / 2 is finite
        agree(half, *(evaluate(each / 2, dtype=dtype, gradients=gradients) for each in inputs for gradients in (None, "no_grad")))
        agree(half, train(inputs[-1][:6], dtype=dtype, backward=True), evaluate(inputs[-1][:6], dtype=dtype, default="bfloat16"))
        agree(half, change(2.0**20 if dtype == "bfloat16" else 2.0**10), evaluate(inputs[-1][:6], dtype=dtype))
    layer, x, other, *_more = typical()[0]
    agree(layer.to("float64"), train(*x, dtype="float64"), evaluate(*other, dtype="float64"))


@claim(
    "formula",
    hint="Xavier's standard deviation is gain · √(2 / (in + out)): the gain is β for value, out, fc1 and fc2, and 1 for query and key.",
)
def test_initial_weights(agree):
    """The initial weights are Xavier's, centred at 0, with a gain of β for value, out, fc1 and fc2 and of 1 for query and key; every
    matrix is drawn anew.
    """
    agree(probe("initial_weights", sizes=SIZES, beta=0.3))
    agree(probe("initial_weights", sizes=OTHER_SIZES, beta=2.6))
    agree(probe("initial_weights", sizes=SQUARE_SIZES, beta=0.1))


@claim("state", hint="Set every bias to zero where there is one; a Linear made with bias=False has None there.")
def test_initial_biases(agree):
    """All biases become zero; a Linear without a bias is accepted too."""
    agree(probe("initial_biases", sizes=SMALL_SIZES, biased=["query", "value", "fc1"], beta=0.3))
    agree(probe("initial_biases", sizes=SMALL_SIZES, biased=["key", "out", "fc2"], beta=0.3))


@claim("state", hint="Write into the parameters that are there, as the functions of torch.nn.init do: an optimiser may already hold them.")
def test_in_place(agree):
    """Initialisation changes the parameters in place; they stay the same objects, keep their dtype and go on learning,
    unless they are frozen.
    """
    for dtype in ("float32", "float64"):
        agree(probe("after_init", sizes=SIZES, beta=0.3, dtype=dtype))
