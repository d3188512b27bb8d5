"""Hidden suite of `cross_entropy`.

The targets are an argument of `forward`, beside the logits, which are the input of a step. Where the logits have more rows than there are
targets, or fewer, the exercise's probes repeat the targets or cut them off. Rows differ in mean and scale, and some are
ignored.
"""

import numpy as np
from shared import rows

from normgrade.suite import claim, evaluate, forward_backward, probe, randn, uniform, use, zeros

IGNORED = -100


def classes(*targets, dtype="int64"):
    """Targets as an array."""
    return np.array(targets, dtype)


FIVE = (2, 0, 4, IGNORED, 1, 1, 3, IGNORED, 0)  # of five classes


def typical():
    """Logits of five classes with ignored rows, and smoothed targets of seven."""
    return [
        use(forward_backward(classes(*FIVE)), rows(9, 5), rows(5, 5), fixed=[1]),
        use(forward_backward(classes(6, 3, 3, 0, 5, 2), 3, 0.3), rows(6, 7), rows(7, 7), fixed=[1]),
    ]


def real():
    """A thousand classes, and three hundred rows."""
    return [
        use(forward_backward(classes(7, IGNORED, 1099), label_smoothing=0.1), rows(3, 1100), rows(40, 1100), fixed=[1]),
        use(forward_backward(classes(2, 0, IGNORED, 1)), rows(300, 3), rows(270, 3), fixed=[1]),
    ]


@claim(
    "interface", hint="`loss, cache = forward(logits, targets)`; then `backward(dy, cache)` gives a tuple with one gradient: `(dlogits,)`."
)
def test_call(observe):
    """Both functions can be called: forward gives one number and a cache, backward the gradient of logits."""
    assert observe(forward_backward(classes(1, 0, 4)), evaluate(randn(3, 5)))["step 1 · output"].values.shape == ()


@claim("interface", hint="return (dlogits,): the comma makes the tuple.", courtesy=True)
def test_tuple(agree):
    """backward returns a tuple of one: targets are integers and have no gradient."""
    agree(probe("holder", logits=rows(3, 5), targets=classes(1, 0, 4)))


@claim("formula", hint="−log p = log Σ exp(x) − x of the target, row by row; then the mean over the rows.")
def test_loss(agree):
    """The loss is the mean of −log p of the target, where p is the softmax of a row."""
    for targets, number in [((1, 0, 4), 5), ((2, 2, 0, 1, 2, 1), 3), ((0, 2, 1), 3), ((6,), 9)]:
        agree(forward_backward(classes(*targets)), evaluate(rows(len(targets), number), backward=False))
    agree(forward_backward(classes(3, 1), label_smoothing=0), evaluate(rows(2, 60), backward=False))


@claim(
    "gradient",
    points=2,
    hint="dlogits = dy · (p − one-hot of the target) / n: softmax and logarithm together, divided by the number of rows.",
)
def test_gradient(agree):
    """The gradient of logits is that of the mean, for any gradient of the loss."""
    for targets, number in [((1, 0, 4), 5), ((2, 2, 0, 1, 2, 1), 3), ((0, 2, 1), 3), ((6,), 9)]:
        ways = [evaluate(rows(len(targets), number), arriving=way) for way in (None, "huge", "tiny", "ones")]
        agree(forward_backward(classes(*targets)), *ways, evaluate(rows(len(targets), number), steep=True))
        agree(forward_backward(classes(*targets)), evaluate(rows(len(targets), number), scattered=True))  # and no row is ignored


@claim(
    "formula",
    points=2,
    hint="n is the number of rows whose target is not ignore_index: only they are averaged, and only they have a gradient.",
)
def test_ignored(agree):
    """Rows whose target is ignore_index do not count: the mean is that of the others, and their gradient is 0."""
    for targets in [(1, IGNORED, 4), (IGNORED, IGNORED, 2, 0, IGNORED), (0, 3, 3, IGNORED)]:
        agree(forward_backward(classes(*targets)), evaluate(rows(len(targets), 5)))
        agree(forward_backward(classes(*targets), label_smoothing=0.2), evaluate(rows(len(targets), 5)))


@claim("formula", hint="Compare targets with ignore_index itself: it may be −1, 255 or a class. Without it, −100 is ignored.")
def test_ignore_index(agree):
    """ignore_index may be any int, also a class or a number of no class; it is −100 by default."""
    for ignored in (0, 2, -1, 255, IGNORED):
        targets = classes(2, 0, 1, ignored, 0, 1, 2, ignored)
        agree(forward_backward(targets, ignored), evaluate(rows(8, 3)))
        agree(forward_backward(targets, ignore_index=ignored, label_smoothing=0.1), evaluate(rows(8, 3)))
    agree(forward_backward(classes(2, 255, 0, 1, dtype="uint8"), 255), evaluate(rows(4, 3)))
    agree(forward_backward(classes(2, 1, 0, 1, dtype="uint8")), evaluate(rows(4, 3)))
    agree(forward_backward(classes(2, IGNORED, 0, dtype="int32")), evaluate(rows(3, 4)))


@claim(
    "formula",
    points=0,
    hint="Sums of int64 and uint64 are float64 in NumPy: index with targets as they are, or make them np.intp after the check.",
)
def test_integers(agree):
    """Targets may be of any integer dtype, signed or not."""
    agree(probe("integers", logits=rows(5, 6), targets=classes(3, 0, 1, 2, 5), upstream=0.7))
    agree(probe("integers", logits=rows(4, 300), targets=classes(1, 0, 120, 1), upstream=-2.0))  # int8 holds no 299
    agree(forward_backward(classes(156, 200, 2, 255, dtype="uint8")), evaluate(rows(4, 300)))  # −100 is 156 in uint8
    agree(forward_backward(classes(100, 3, 56, dtype="int8"), 156), evaluate(rows(3, 120)))  # 156 is −100 in int8
    agree(forward_backward(classes(*[299] * 120, dtype="int16")), evaluate(rows(120, 300), backward=False))  # which holds no 36000


@claim("edge", hint="Leave ignored rows out before anything is computed of them: a mask that is multiplied gives 0 · NaN, which is NaN.")
def test_ignored_values(agree):
    """Whatever stands in the logits of ignored rows, NaN and infinity too, the loss is that of the other rows."""
    for value in (np.nan, np.inf, -np.inf, 1e30):
        for label_smoothing in (0.0, 0.1):
            given = {"ignore_index": 1, "label_smoothing": label_smoothing, "value": value}
            agree(probe("ignored_rows_spoilt", logits=rows(5, 4), targets=classes(2, 1, 0, 3, 1), **given))


@claim(
    "formula",
    points=2,
    hint="q = (1 − ε) · one-hot + ε / classes. The loss of a row is −Σ q · log p, its gradient p − q. The target has a share of ε, too.",
)
def test_smoothing(agree):
    """With label smoothing ε, a row's loss is (1 − ε) · (−log p of its target) + ε · the mean of −log p over all classes."""
    for label_smoothing in (0.1, 0.4, 1.0, 0.0):
        for targets, number in [((1, 0, 4), 5), ((2, 2, 0, 1, 2), 3), ((6,), 9)]:
            layer = forward_backward(classes(*targets), label_smoothing=label_smoothing)
            agree(layer, evaluate(rows(len(targets), number)), evaluate(rows(len(targets), number)))


@claim(
    "stability",
    hint="Subtract the maximum of each row, and take the logarithm of the sum only: log(p) is −∞ where a weight is too small for float32.",
)
def test_magnitudes(agree):
    """Loss and gradient are right for logits of any magnitude, ten thousand too, and for targets that are most unlikely."""
    targets = classes(1, 0, 3, IGNORED, 2)
    for label_smoothing in (0.0, 0.1):
        layer = forward_backward(targets, label_smoothing=label_smoothing)
        agree(layer, evaluate(rows(5, 4) + 10_000), evaluate(rows(5, 4) - 10_000), evaluate(rows(5, 4) * 3000))
        apart = np.array([[-10_000], [0], [300], [5], [10_000]], np.float32)
        agree(layer, evaluate(rows(5, 4) + apart), evaluate(rows(5, 4) + np.array([[0, -200, 0, 500]], np.float32)))
    agree(forward_backward(classes(0, 1)), evaluate(np.array([[30, 0, 5], [0, 40, 7]], np.float32)), evaluate(rows(2, 3) * 1e-3))


@claim(
    "edge",
    hint="One class, equal logits and one row are nothing special. Of a logit of −∞, exp is 0 and log p is −∞: "
    "0 · ∞ is NaN, and so is −∞ − (−∞) where a part of the row has no other logit.",
)
def test_edges(agree):
    """One class, equal logits and classes without probability, logits of −∞, get what the formula says."""
    agree(forward_backward(classes(0, IGNORED, 0)), evaluate(rows(3, 1)))
    agree(forward_backward(classes(0, 0), label_smoothing=0.3), evaluate(rows(2, 1)))
    agree(forward_backward(classes(2, 0, 1)), evaluate(zeros(3, 3)), evaluate(zeros(3, 4)))
    x = rows(3, 4)
    x[0, 1] = x[1, 2:] = -np.inf
    agree(forward_backward(classes(0, 1, 3)), evaluate(x))
    x = rows(6, 40)
    x[0, 0] = x[1, :20] = x[2, 20:] = x[3, :5] = x[3, 6:] = -np.inf  # at the beginning, in one half, everywhere but at the target
    agree(forward_backward(classes(31, 33, 7, 5, 0, 39)), evaluate(x))


@claim(
    "stability",
    points=0,
    hint="Index with the targets, or compare them with np.arange(classes): both need rows times classes numbers, "
    "np.eye(classes) needs classes².",
)
def test_vocabulary(agree):
    """Classes may be the tokens of a vocabulary, tens of thousands."""
    x = np.full((3, 66_001), -100, np.float32)  # so few count that their order makes no difference
    x[:, [5, 40_000, 66_000]] = rows(3, 3)
    agree(probe("vocabulary", logits=x, targets=classes(40_000, 66_000, 5), columns=[0, 5, 40_000, 65_999, 66_000]))
    agree(probe("vocabulary", logits=x[:2], targets=classes(65_436, 5), columns=[0, 5, 65_436], dtype="uint16"))  # it is −100
    masked = x[:1].copy()
    masked[0, :33_000] = -np.inf
    agree(forward_backward(classes(40_000)), evaluate(masked))


@claim("edge", hint="0/0: the mean over no row is NaN, as in PyTorch. Each row is ignored, so its gradient is 0.")
def test_nothing_counts(agree):
    """If every row is ignored, the loss is NaN, and the gradient is 0."""
    for ignored in (IGNORED, 1):
        agree(probe("nothing_counts", logits=rows(3, 4), targets=classes(*[ignored] * 3), ignore_index=ignored))


@claim(
    "edge",
    hint="An index of NumPy may be negative and counts from the end then: look at 0 ≤ target < classes, or raise IndexError.",
)
def test_range(refuses):
    """A target that is no class and is not ignored raises an IndexError, a negative one too."""
    for wrong, ignored in [(5, IGNORED), (-1, IGNORED), (-5, IGNORED), (IGNORED, 2), (7, 255), (256, 255), (2**32 + 1, 2)]:
        legal = evaluate(rows(2, 5), backward=False)  # the wrong target is cut off
        refuses(IndexError, forward_backward(classes(1, 0, wrong), ignored), evaluate(rows(3, 5), backward=False), legal=legal)


@claim("state", hint="What backward needs goes into the cache of its own call, and backward leaves it as it is: p −= … would use it up.")
def test_cache(agree):
    """A cache belongs to its call: other calls may come in between, and backward may run twice."""
    layer = forward_backward(classes(*FIVE), label_smoothing=0.1)
    agree(layer, evaluate(rows(9, 5), between=rows(9, 5)), evaluate(rows(4, 5), between=rows(3, 5)))
    agree(layer, evaluate(rows(9, 5), twice=True), evaluate(rows(9, 5), between=rows(9, 5), twice=True))
    agree(probe("several_gradients", logits=rows(5, 3), targets=classes(2, IGNORED, 0, 1, 1), upstream=[0.5, -2.0, 0.0, 1.0]))
    agree(probe("targets_left_alone", logits=rows(5, 3), targets=classes(2, IGNORED, 0, 1, 1), ignore_index=IGNORED))
    agree(probe("targets_left_alone", logits=rows(5, 3), targets=classes(2, 1, 0, 1, 1), ignore_index=1))


@claim(
    "precision", hint="logits.astype(np.promote_types(logits.dtype, np.float32)) first, and the dtype of logits for loss and gradient last."
)
def test_dtypes(agree):
    """Loss and gradient have the dtype of logits; half precision is computed in float32."""
    agree(forward_backward(classes(*FIVE)), evaluate(rows(9, 5), dtype="float16", backward=True))
    agree(forward_backward(classes(3), label_smoothing=0.1), evaluate(uniform(-0.5, 0.5, 1, 1500), dtype="float16", backward=False))
    many = classes(*np.arange(2100) % 2)
    apart = np.array([[80, 0]], np.float32)  # the losses sum to more than the largest float16
    agree(forward_backward(many), evaluate(uniform(-0.5, 0.5, 2100, 2) + apart, dtype="float16", backward=False))
    agree(forward_backward(classes(*FIVE), label_smoothing=0.3), evaluate(rows(9, 5), dtype="float64"))
