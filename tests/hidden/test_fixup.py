"""Hidden suite of `fixup`.

Biases and scale are far from 0 and from 1, but where a new block is looked at, and no two agree. What enters a ReLU has either sign.
Kernels and inputs are multiples of small powers of 2, and the biases before a ReLU lie half a step beside these: none is near its kink.
"""

import numpy as np

from normgrade.suite import build, change, claim, evaluate, probe, randn, train, uniform, use, words

SCALARS = ("bias1a", "bias1b", "bias2a", "bias2b", "scale")


def block(channels, **filled):
    """A block with kernels of a usual size, so that no number is much larger than x."""
    size = 1.4 / (9 * channels) ** 0.5
    kernels = {f"conv{number}.weight": stepped(randn(channels, channels, 3, 3) * size, 1 / 32) for number in (1, 2)}
    return build(channels).filled(**kernels, **filled).as_scalars(*SCALARS)


def stepped(numbers, step):
    """The nearest multiples of a step."""
    return (np.round(numbers / step) * step).astype(np.float32)


def scalars(bias1a=0.0, bias1b=0.0, bias2a=0.0, bias2b=0.0, scale=1.0):
    """Biases, of which those that stand before a ReLU lie between two steps; the numbers before these are multiples of 2⁻⁹ and 2⁻¹⁵."""
    return {"bias1a": bias1a, "bias1b": bias1b + 2.0**-10, "bias2a": bias2a, "bias2b": bias2b + 2.0**-18, "scale": scale}


def drawn():
    """Random biases and a random scale, either sign, in steps."""
    sizes = stepped(uniform(0.3, 1.4, 5) * np.where(uniform(0, 1, 5) > 0.5, 1, -1), 1 / 16)
    return scalars(*map(float, sizes))


def smooth(*shape):
    """Random images, each feature map of which has a mean of its own."""
    return randn(*shape) + uniform(-0.7, 0.7, *shape[:2], 1, 1)


def images(*shape):
    """The same in steps."""
    return stepped(smooth(*shape), 1 / 16)


def steady(channels):
    """A block whose initial kernels are always the same."""
    return block(channels, **drawn()).named("steady_block")


def typical():
    """A block of three channels, and one of a single channel. A new block has no biases, so what it is given has no steps."""
    return [
        use(steady(3), smooth(2, 3, 4, 2), smooth(1, 3, 2, 5), [1]),
        use(steady(1), smooth(2, 1, 4, 3), smooth(3, 1, 2, 5), [1]),
    ]


def real():
    """A block of sixteen channels."""
    return [
        use(steady(16), smooth(2, 16, 5, 5), smooth(1, 16, 4, 5), [1]),
    ]


@claim(
    "formula",
    points=2,
    hint="Follow the formula from the inside out: bias1a, conv1, bias1b, ReLU, bias2a, conv2, scale, bias2b, plus x, ReLU.",
)
def test_block(agree, observe):
    """The block computes ReLU(x + scale · conv2(ReLU(conv1(x + bias1a) + bias1b) + bias2a) + bias2b)."""
    for channels, height, width in ((3, 5, 4), (4, 2, 6), (1, 4, 3)):
        agree(block(channels, **drawn()), train(images(2, channels, height, width)), evaluate(images(5, channels, width, height)))
    agree(block(66, **drawn()), evaluate(images(1, 66, 1, 2), backward=False))
    agree(block(1, **drawn()), *(evaluate(images(*shape), backward=False) for shape in ((4200, 1, 1, 1), (1, 1, 1, 4200))))
    infinite = images(2, 2, 5, 4)
    infinite[0, 1, 2, 2] = float("-inf")  # conv1 sums it with positive weights, and the ReLU makes 0 of that
    positive = block(2, **drawn()).filled(**{"conv1.weight": uniform(0.1, 0.5, 2, 2, 3, 3)})
    agree(positive, evaluate(infinite), evaluate(infinite, gradients="no_grad"))
    assert not np.isnan(observe(positive, evaluate(infinite))["step 1 · output"].values).any(), words("where x is −∞, y is 0, not NaN")


@claim("formula", hint="Let four of the five numbers be 0, or 1 for the scale: where does the remaining one enter the formula?")
def test_each_number(agree):
    """Each of the four biases and the scale has its own place in the formula."""
    for alone in ({"bias1a": 1.5}, {"bias1b": -0.75}, {"bias2a": -1.25}, {"bias2b": 0.875}):
        agree(block(3, **scalars(**alone)), train(images(2, 3, 5, 4)))
    for scale in (2.5, -0.5, 0.0):
        agree(block(3, **scalars(scale=scale)), train(images(2, 3, 5, 4)))


@claim(
    "edge",
    hint="The zeros of padding=1 stand around x + bias1a and around the hidden maps + bias2a: add the biases before the convolutions.",
)
def test_border(agree):
    """Outside the image there are zeros, to which no bias is added."""
    for height, width in ((1, 1), (1, 4), (2, 2), (7, 3), (35, 2)):
        agree(block(2, **scalars(3.0, 0.5, -2.5, 0.25, 0.75)), train(images(3, 2, height, width)))


@claim(
    "state",
    hint="nn.Conv2d(channels, channels, 3, padding=1, bias=False) twice, and five parameters such as nn.Parameter(torch.zeros(())).",
)
def test_new_block(agree):
    """A new block has two convolutions without biases, four single numbers that are 0, a scale that is 1, and nothing else."""
    for channels in (3, 5, 1):
        agree(steady(channels))
    agree(probe("default_dtype"))


@claim(
    "gradient",
    points=2,
    hint="The skip and the branch, both kernels, the four biases and the scale all have a gradient: no detach, no item(), no no_grad.",
)
def test_gradients(agree):
    """The gradient takes the skip and the branch, and reaches x, both kernels, the biases and the scale."""
    for channels, height, width in ((2, 4, 3), (3, 2, 5)):
        agree(block(channels, **drawn()), train(images(3, channels, height, width)), evaluate(images(2, channels, width, height)))
    agree(block(2, **scalars(0.5, -0.25, 0.75, 0.125, 0.0)), train(images(3, 2, 4, 3), between=images(1, 2, 3, 5)))
    agree(block(3, **drawn()).filled(**{"conv2.weight": 0.0}), train(images(2, 3, 4, 3)))  # as fixup_init_ leaves it


@claim(
    "formula",
    points=2,
    hint="conv1 is drawn with the standard deviation √(2 / (9 · channels)) · L^(−1/2), where L is the number of blocks: len(blocks).",
)
def test_first_convolutions(agree):
    """The first convolution of every block is drawn by He's rule, times L^(−1/2) for L blocks."""
    for channels in ((24,), (88, 72), (18, 64, 12), (16,) * 5, (24,) * 20):  # large kernels show a small error of the spread
        agree(probe("initial_weights", channels=channels))
    agree(probe("random_numbers"))


@claim(
    "formula",
    hint="nn.init.zeros_ for every conv2.weight and for the classifier's weight, and for its bias, which is None where there is none.",
)
def test_zeros(agree):
    """The second convolution of every block becomes zero, and so does the classifier, whether it has a bias or not."""
    for channels in ((3,), (4, 2), (2, 1, 3, 2)):
        for biased in (True, False):
            agree(probe("zeros", channels=channels, biased=biased))


@claim("edge", hint="Use of the blocks only what every one of these has: len(blocks) and `for block in blocks`.")
def test_holders(agree):
    """The blocks may come in a list, a tuple, a ModuleList or a Sequential."""
    for held in ("tuple", "ModuleList", "Sequential"):
        agree(probe("initial_weights", channels=(15, 18, 14), held=held))
        agree(probe("zeros", channels=(3, 2), biased=True, held=held))


@claim("state", hint="Write into the parameters that are there, as the functions of torch.nn.init do; biases and scales are not touched.")
def test_in_place(agree):
    """Initialisation changes both kernels and the classifier in place, and nothing else: the parameters stay the same objects, keep their
    dtype and go on learning, unless they are frozen.
    """
    for dtype, training in (("float32", True), ("float64", False), ("bfloat16", True)):
        agree(probe("after_init", channels=(3, 2, 4), dtype=dtype, training=training))


@claim("precision", points=0, hint="Name no dtype: nn.Conv2d computes in that of its weight, and the output has that of x.")
def test_other_precisions(agree):
    """A block in float64, float16 or bfloat16 takes inputs of its own dtype, and returns that dtype."""
    x, other = images(2, 3, 4, 2), images(1, 3, 2, 5)
    agree(block(3, **drawn()).to("float64"), train(x, dtype="float64"), evaluate(other, dtype="float64", gradients="no_grad"))
    active = {"bias1a": 0.5, "bias1b": 9.0, "bias2a": -0.75, "bias2b": 40.0, "scale": 0.625}  # nothing is cut off
    for dtype in ("float16", "bfloat16"):
        agree(
            block(3, **drawn()).to(dtype),
            train(images(2, 3, 4, 2), dtype=dtype),
            evaluate(images(1, 3, 2, 5), dtype=dtype, default="bfloat16"),
        )
        without = evaluate(images(2, 3, 2, 5), dtype=dtype, gradients="no_grad")
        agree(block(3, **active).to(dtype), train(images(2, 3, 4, 3), dtype=dtype, backward=True), without)
        agree(block(1, **active).to(dtype), evaluate(images(300, 1, 1, 2), dtype=dtype, backward=False))
    agree(block(3, **active).to("bfloat16"), evaluate(images(2, 3, 2, 5) * 2.0**20, dtype="bfloat16", backward=False))
    large_weights = block(3, **active).to("bfloat16"), change(2.0**20)
    agree(*large_weights, evaluate(images(2, 3, 2, 5), dtype="bfloat16", backward=False))
