"""Hidden suite of `deep_norm`.

Encoder and decoder differ in depth, and α is far from 1. Sublayers have biases and a curve, so that scaling their input is not scaling
their output. Few Linears are square; a gain below 1 is tried, and one above. The three parts of the exercise are graded apart, and none is
an interface that the others need: whoever has written one of them gets its points.
"""

import pytest

from normgrade.suite import build, evaluate, ones, probe, randn, train, uniform, use

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


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The four results are attributes. With one side alone α = (2N)^(1/4) and β = (8N)^(−1/4); the other side's are None.",
    zh="四个结果都是属性。只有一侧时 α = (2N)^(1/4)，β = (8N)^(−1/4)；另一侧的为 None。",
)
def test_one_side(agree):
    """With an encoder or a decoder alone, α and β follow from its number of layers, and the absent side's are None.

    zh: 只有编码器或只有解码器时，α 和 β 由它的层数决定，不存在的一侧为 None。
    """
    for side in ("encoder_layers", "decoder_layers"):
        for layers in (1, 12, 18, 200):
            agree(probe("coefficients", **{side: layers}, asked_next=[layers + 5, layers]))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "With both sides the encoder has 0.81 · r and 0.87 / r with r = (N⁴M)^(1/16), the decoder fourth roots of 3M and 12M.",
    zh="两侧都有时，编码器的系数是 0.81 · r 和 0.87 / r，其中 r = (N⁴M)^(1/16)；解码器的系数来自 3M 和 12M 的四次方根。",
)
def test_both_sides(agree):
    """With an encoder and a decoder, both sides have the coefficients that belong to the two together.

    zh: 编码器和解码器都有时，两侧的系数由两者共同决定。
    """
    for encoder_layers, decoder_layers in ((24, 12), (3, 18), (6, 6), (1, 1), (1, 7), (200, 100), (100, 100)):
        agree(probe("coefficients", encoder_layers=encoder_layers, decoder_layers=decoder_layers))
        agree(probe("coefficients", by_place=[decoder_layers, encoder_layers + 1]))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Both arguments default to 0; where a side has no layers, its two fields are None, and they are there all the same.",
    zh="两个参数都默认为 0；没有层的一侧，两个字段为 None，但字段照样存在。",
)
def test_no_layers(agree):
    """No layers on either side give four fields that are None.

    zh: 两侧都没有层时，得到四个为 None 的字段。
    """
    agree(probe("coefficients"))
    agree(probe("coefficients", encoder_layers=0, decoder_layers=0))
    agree(probe("coefficients", by_place=[0, 5]))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is the same as ever. If this alone fails: a 64-bit integer is too short for N⁴M; Python's own are not.",
    zh="公式与平时相同。如果只有这一项失败：64 位整数装不下 N⁴M，Python 自己的整数装得下。",
)
def test_very_deep(agree):
    """The coefficients are right for very deep Transformers too: ten thousand layers and more on both sides.

    zh: Transformer 很深、两侧都有上万层时，系数同样正确。
    """
    agree(probe("coefficients", encoder_layers=10_000, decoder_layers=20_000))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "y = LN(α · x + F(x)): α scales the skip alone, the sublayer sees x as it is, and the norm is applied to the sum.",
    zh="y = LN(α · x + F(x))：α 只缩放跳跃连接，子层看到的是 x 本身，归一化作用于和。",
)
def test_block(agree):
    """The block adds the sublayer's output to α times its input, and normalises the sum.

    zh: 块把子层的输出与 α 倍的输入相加，再对和做归一化。
    """
    for shape in ((7,), (4, 7), (2, 3, 5), (2, 1, 3, 6)):
        agree(block(*shape))
        agree(block(*shape, hidden=9, alpha=0.437, scattered=True))
    agree(block(3, 6, alpha=50.0))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Call the sublayer once, with x itself, whatever its shape. A callable that is no Module fits in an attribute, and in no ModuleList.",
    zh="只调用子层一次，传入 x 本身，不论形状如何。不是 Module 的可调用对象可以存为属性，但放不进 ModuleList。",
)
def test_function_as_sublayer(agree):
    """The sublayer may be any callable that is no Module; it is called once, with x as it is.

    zh: 子层可以是任意不是 Module 的可调用对象；它只被调用一次，收到的是 x 本身。
    """
    for shape in ((2, 5, 7), (2, 3, 5, 7)):
        x, weight = rows(*shape), randn(7, 7) / 7**0.5
        agree(probe("block_around_function", x=x, alpha=ALPHA, weight=weight, norm=norm(7), upstream=randn(*shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The norm is torch.nn.LayerNorm(dim) as PyTorch makes it, of α · x + F(x). On small numbers its eps of 1e-5 shows.",
    zh="归一化层就是 PyTorch 默认的 torch.nn.LayerNorm(dim)，作用于 α · x + F(x)。数值很小时，它的 eps（1e-5）就显出作用。",
)
def test_small_input(agree):
    """Where the variance is as small as the norm's eps of 1e-5, eps decides.

    zh: 方差小到与归一化层的 eps（1e-5）相当时，结果由 eps 决定。
    """
    agree(block(6, 8, scale=1e-3))
    agree(block(5, 8, scale=5e-3, alpha=1.0))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "self.norm = torch.nn.LayerNorm(dim) and self.sublayer = sublayer are all that learns; α is a plain number.",
    zh="会学习的只有 self.norm = torch.nn.LayerNorm(dim) 和 self.sublayer = sublayer；α 是普通的数。",
)
def test_new_block(agree):
    """A new block keeps a fresh norm as `norm`, gives the sublayer's parameters to an optimiser, and has nothing else in its state dict;
    the sublayer keeps its mode, and what was frozen in it stays frozen.

    zh: 新建的块以 `norm` 为名保存一个全新的归一化层，把子层的参数交给优化器，状态字典中别无他物；子层的模式不变，其中被冻结的参数仍然冻结。
    """
    agree(probe("new_block", dim=7, hidden=5, alpha=ALPHA))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "train() and eval() reach a sublayer that is an attribute of the block; the block's own formula stays.",
    zh="子层是块的属性时，train() 和 eval() 就能传到它；块自己的公式不变。",
)
def test_modes(agree):
    """Evaluation computes what training computes, and puts the sublayer into evaluation mode too; a forward changes no mode.

    zh: 评估与训练的计算相同，并且让子层也进入评估模式；前向不改变任何模式。
    """
    for training in (False, True):
        agree(block(4, 6, training=training))
        agree(block(4, 6, training=training, sublayer_training=not training))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The gradient reaches x through the skip, α times as strong, and through the sublayer; it reaches every parameter, too.",
    zh="梯度经跳跃连接（乘以 α）和子层到达 x，也到达每一个参数。",
)
def test_gradients(agree):
    """The gradients flow through the skip and the sublayer, and reach the input, the norm and the sublayer's parameters.

    zh: 梯度流经跳跃连接和子层，到达输入、归一化层和子层的参数。
    """
    agree(block(5, 3, hidden=4))
    agree(block(2, 4, 9, hidden=3, alpha=1.537, training=False))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Write α · x + F(x) as a new tensor: `+=`, add_ or mul_ on what the sublayer returned may change the caller's x.",
    zh="把 α · x + F(x) 写成新张量：对子层返回的张量用 `+=`、add_ 或 mul_，可能会改动调用者的 x。",
)
def test_sublayer_that_returns_its_input(agree):
    """A sublayer may return the tensor it was given, and rows may be constant; the input is left alone.

    zh: 子层可以直接返回传给它的张量，输入的行可以是常数行；输入保持不变。
    """
    agree(probe("block_around_identity", x=rows(3, 8) * 1e-3, alpha=ALPHA, norm=norm(8), upstream=randn(3, 8)))
    constant = uniform(0.5, 2.0, 5, 1) * ones(1, 8)
    agree(probe("block_around_identity", x=constant, alpha=ALPHA, norm=norm(8), upstream=randn(5, 8)))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Nothing needs widening by hand: torch.nn.LayerNorm computes its statistics in float32 and returns what came in.",
    zh="不必自己提升精度：torch.nn.LayerNorm 在 float32 中计算统计量，并以输入的类型返回。",
)
def test_half_precision(agree):
    """A block in half precision, and one in float64, returns the right values, in the dtype of its input; so does one whose norm alone
    is in float32.

    zh: 半精度的块和 float64 的块返回的结果正确，dtype 与输入相同；只有归一化层是 float32 的块也一样。
    """
    for dtype, scale in (("float16", 300), ("bfloat16", 1)):
        for norm_dtype in (None, "float32"):
            agree(probe("half_block", x=randn(6, 32) * scale, alpha=ALPHA, dtype=dtype, norm_dtype=norm_dtype))
    layer, x, other, *_more = typical()[0]
    agree(layer.to("float64"), train(*x, dtype="float64"), evaluate(*other, dtype="float64"))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Xavier's standard deviation is gain · √(2 / (in + out)): the gain is β for value, out, fc1 and fc2, and 1 for query and key.",
    zh="Xavier 的标准差是 gain · √(2 / (in + out))：value、out、fc1、fc2 的增益为 β，query 和 key 的增益为 1。",
)
def test_initial_weights(agree):
    """The initial weights are Xavier's, centred at 0, with a gain of β for value, out, fc1 and fc2 and of 1 for query and key; every
    matrix is drawn anew.

    zh: 初始权重服从 Xavier 分布，以 0 为中心，value、out、fc1、fc2 的增益为 β，query 和 key 的增益为 1；每个矩阵都重新抽取。
    """
    agree(probe("initial_weights", sizes=SIZES, beta=0.3))
    agree(probe("initial_weights", sizes=OTHER_SIZES, beta=2.6))
    agree(probe("initial_weights", sizes=SQUARE_SIZES, beta=0.1))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Set every bias to zero where there is one; a Linear made with bias=False has None there.",
    zh="有偏置的都置零；用 bias=False 构造的 Linear，其 bias 为 None。",
)
def test_initial_biases(agree):
    """All biases become zero; a Linear without a bias is accepted too.

    zh: 所有偏置都变为零；没有偏置的 Linear 同样可用。
    """
    agree(probe("initial_biases", sizes=SMALL_SIZES, biased=["query", "value", "fc1"], beta=0.3))
    agree(probe("initial_biases", sizes=SMALL_SIZES, biased=["key", "out", "fc2"], beta=0.3))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Write into the parameters that are there, as the functions of torch.nn.init do: an optimiser may already hold them.",
    zh="像 torch.nn.init 的函数那样写进已有的参数：优化器可能已经持有它们。",
)
def test_in_place(agree):
    """Initialisation changes the parameters in place; they stay the same objects, keep their dtype and go on learning,
    unless they are frozen.

    zh: 初始化原地修改参数；它们仍是原来的对象，dtype 不变，并继续学习（被冻结的除外）。
    """
    for dtype in ("float32", "float64"):
        agree(probe("after_init", sizes=SIZES, beta=0.3, dtype=dtype))
