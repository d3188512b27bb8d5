"""Hidden suite of `spectral_norm`.

Every weight is made of known singular vectors and values, W = U diag(s) Vᵀ, and few of its sizes agree. The first u and v are free, and
so is which of them comes first in an iteration. What starts from the learner's own vectors is looked at after many forwards, when nothing
but the first singular vectors is left in them. Anything else starts from given vectors: from u = U a and v = V a, with the same a, σ is the
same after every iteration, whichever comes first.
"""

from typing import NamedTuple

import numpy as np

from normgrade.suite import build, claim, probe, randn, uniform, use, words
from normgrade.suite import evaluate as evaluate_layer
from normgrade.suite import train as train_layer

FAST = (3.0, 1.0, 0.5, 0.2)  # 30 iterations bring what is not the first vector down to 3⁻⁶⁰ of it
SLOW = (3.0, 2.4, 1.8, 1.2)  # one iteration more or less shows
CONVERGED = 30
SHAPES = [(7, 4), (5, 5), (5, 2, 3, 6), (6, 2, 3, 2, 4), (5, 2, 1, 2, 1, 2), (5,)]


class Factors(NamedTuple):
    """The singular vectors (out, r) and (rest, r), and values (r,), of a weight of this shape."""

    shape: tuple[int, ...]
    left: np.ndarray
    values: np.ndarray
    right: np.ndarray

    @property
    def weight(self):
        return ((self.left * self.values) @ self.right.T).reshape(self.shape).astype(np.float32)

    def u(self, amounts):
        """The unit vector U a."""
        return unit(self.left @ amounts)

    def v(self, amounts):
        return unit(self.right @ amounts)

    def estimate(self, amounts, p, q):
        """uᵀ W v, where p factors W and Wᵀ have acted on one of u = U a and v = V a, and q on the other."""
        one, other = (self.values**power * amounts for power in (p, q))
        return float((self.values * one * other).sum() / np.linalg.norm(one) / np.linalg.norm(other))


def factors(*shape, values=FAST, scale=1.0):
    out, rest = shape[0], int(np.prod(shape[1:]))
    rank = min(out, rest, len(values))
    left, right = (np.linalg.qr(randn(size, rank).astype(np.float64))[0] for size in (out, rest))
    return Factors(shape, left, np.array(values[:rank]) * scale, right)


def unit(vector):
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def amounts(known):
    """Amounts of every singular vector, all of them positive and none of them small."""
    return uniform(0.5, 1.0, len(known.values)).astype(np.float64)


def start(known):
    """u and v far from the singular vectors."""
    a = amounts(known)
    return {"u": known.u(a), "v": known.v(a)}


def even(known):
    """An upstream gradient that treats left and right alike, so that it does not tell which of u and v comes first."""
    square = randn(len(known.values), len(known.values)).astype(np.float64)
    return (known.left @ (square + square.T) @ known.right.T).reshape(known.shape).astype(np.float32)


def story(known, *actions, watch=("weight",), **inputs):
    return probe("story", weight=known.weight, actions=[list(action) for action in actions], watch=list(watch), **inputs)


def train(times=1):
    return "train", times


def evaluate(times=1):
    return "evaluate", times


def typical():
    """A linear layer with this parametrisation. Its weight is a row or a column: power iteration is exact at once, wherever it starts."""
    free = "parametrizations.weight.0.u", "parametrizations.weight.0.v"
    return [
        use(build(6, 1).named("normed_linear").ignoring(*free), randn(5, 6), randn(2, 3, 6), [-1]),
        use(build(1, 4).named("normed_linear").ignoring(*free), randn(5, 1), randn(2, 3, 1), [-1]),
    ]


def real():
    """A row of a thousand features."""
    return [
        use(
            build(1024, 1).named("normed_linear").ignoring("parametrizations.weight.0.u", "parametrizations.weight.0.v"),
            randn(4, 1024),
            randn(2, 3, 1024),
            [-1],
        ),
    ]


@claim(
    "interface",
    hint="`register_parametrization(layer, 'weight', SpectralNorm(layer.weight))` must work, and leave a weight of the same shape.",
)
def test_call(observe):
    """It can be built from a weight alone and parametrises the weight of a layer, which keeps its shape and dtype."""
    weight = observe(story(factors(4, 3), train(CONVERGED)))["step 1 · weight"]
    assert weight.dtype == "float32", words("the weight should stay float32, but became {dtype}", dtype=weight.dtype)


@claim("state", hint="Write the signature as the contract does: weight, n_power_iterations=1, eps=1e-12.")
def test_arguments(agree):
    """All arguments of the contract are understood, by position and by name."""
    known = factors(4, 3)
    agree(story(known, train(CONVERGED), args=[2, 1e-12]))
    agree(story(known, train(CONVERGED), kwargs={"eps": 1e-12, "n_power_iterations": 2}))


@claim(
    "formula",
    hint="weight.reshape(weight.shape[0], -1) makes a matrix of a weight of any number of dimensions, and a column of one dimension. σ "
    "is its largest singular value: a single number that all of the weight is divided by.",
)
def test_training(agree):
    """After many forwards in training the weight is divided by its largest singular value, and u and v are its singular vectors."""
    for shape in ((7, 4), (6, 2, 4), (5, 2, 3, 6), (6, 2, 3, 2, 4)):
        agree(story(factors(*shape), train(CONVERGED), watch=["weight", "u vᵀ", "length of u", "length of v"]))
    agree(story(factors(6), train(2)))


@claim("formula", hint="In evaluation σ = uᵀ W v, with u and v as they are, good or bad: they are what training has left.")
def test_evaluation(agree):
    """In evaluation the weight is divided by uᵀ W v, also while u and v are still far from the singular vectors, or σ is negative."""
    for shape in SHAPES:
        known = factors(*shape, values=SLOW)
        given = start(known)
        agree(story(known, evaluate(), **given))
        agree(story(known, evaluate(), u=given["u"], v=-given["v"]))


@claim("state", hint="u (out,) and v (rest,) are buffers, registered under these names, and have length 1 from the start.")
def test_new(agree):
    """u and v are buffers with the right names and shapes, in the state dict, and unit vectors from the start."""
    for shape in ((6, 4), (3, 2, 4, 5), (5,)):
        agree(probe("new", weight=factors(*shape).weight))


@claim("state", hint="Iterate only where self.training is true. Evaluation reads u and v, and writes nothing.")
def test_evaluation_changes_nothing(agree):
    """Evaluation leaves u, v and the original weight as they are, with and without gradients."""
    known = factors(4, 6, values=SLOW)
    watch = ["u left alone", "v left alone", "original weight left alone"]
    agree(story(known, evaluate(3), watch=watch, **start(known)))
    agree(story(known, evaluate(3), watch=watch, **start(known), upstream=randn(4, 6)))
    agree(story(known, evaluate(3), watch=watch, **start(known), by_hand=True))
    kernel = factors(5, 2, 3, values=SLOW)
    agree(story(kernel, evaluate(3), watch=watch, **start(kernel), upstream=randn(5, 2, 3)))
    kernel = factors(5, 2, 3, 2, values=SLOW)
    agree(story(kernel, evaluate(3), watch=watch, **start(kernel), frozen=True, inference=True))


def counted(observe, known, forwards, n=None, sign=1.0, before=(), **inputs):
    """σ lies where `n` iterations per forward bring it, from u = U a and v = ± V a, after the actions `before`; half of one more is right
    too."""
    a = amounts(known)
    inputs |= {"kwargs": {} if n is None else {"n_power_iterations": n}, "u": known.u(a), "v": sign * known.v(a)}
    done = forwards * (n or 1)
    played = observe(story(known, *before, train(forwards), watch=["σ"], **inputs))
    seen = played[f"step {len(before) + 1} · σ"].values.item()
    low, high = known.estimate(a, 2 * done - 1, 2 * done), known.estimate(a, 2 * done, 2 * done + 1)
    assert low * (1 - 1e-4) <= seen <= high * (1 + 1e-4), words(
        "from given u and v, with {iterations}, σ should be {low:.5g} after {forwards} in training, but is {seen:.5g}; "
        "{limit:.5g} is the limit",
        iterations=words("n_power_iterations={n}", n=n) if n else words("the default n_power_iterations"),
        low=low,
        forwards=words("{n} forwards", n=forwards) if forwards > 1 else words("1 forward"),
        seen=seen,
        limit=known.values[0],
    )


@claim(
    "state",
    hint="A forward in training multiplies by Wᵀ and W, n_power_iterations times, always on from the newest vector; σ comes after "
    "that. The next one goes on from there, never anew.",
)
def test_iterations(agree, observe):
    """A forward in training iterates n_power_iterations times, once by default, on from the u and v that the last one left, and then
    takes σ from the new ones.
    """
    for n in (None, 2, 7):
        counted(observe, factors(5, 7, values=SLOW), 1, n)
        counted(observe, factors(5, 2, 4, values=SLOW), 1, n, sign=-1.0)
    counted(observe, factors(5, 7, values=SLOW), 3)
    counted(observe, factors(5, 3, 2, 4, values=SLOW), 2)
    counted(observe, factors(5, 7, values=SLOW), 2, frozen=True)
    counted(observe, factors(5, 7, values=SLOW), 2, 2, inference=True)
    counted(observe, factors(5, 3, 2, 4, values=SLOW), 1, inference=True)
    layer, x, other, *_more = typical()[0]
    agree(layer, train_layer(*x, gradients="inference_mode"), train_layer(*other), evaluate_layer(*x))


@claim(
    "state", hint="forward gets the weight as it is now: compute σ from that, leave the weight unchanged, and remember nothing but u and v."
)
def test_changing_weight(agree):
    """u and v follow a weight that changes, evaluation divides by the new σ as well, and the original weight is never written to."""
    watch = ["weight", "original weight left alone"]
    known, other = factors(6, 2, 1, 1, 2), factors(6, 2, 1, 1, 2, scale=0.2)
    agree(story(known, train(CONVERGED), ("change", 1), train(CONVERGED), evaluate(), watch=watch, other=other.weight))
    known, other = factors(6, 4), factors(6, 4, scale=0.2)
    agree(story(known, train(CONVERGED), ("change", 1), evaluate(), watch=watch, other=known.weight * 0.4))
    agree(story(known, evaluate(), ("change", 1), evaluate(), watch=watch, other=known.weight * 0.4, **start(known)))
    agree(story(known, train(CONVERGED), ("replace", 1), train(CONVERGED), evaluate(), watch=watch, other=other.weight))


@claim("state", hint="Buffers travel through the state dict, plain attributes do not: register u and v both, and take σ from them alone.")
def test_reloaded(agree, observe):
    """A state dict carries u and v: another layer that loads it evaluates as this one does. A deep copy goes on from the same u and v, in
    the same mode and with as many iterations.
    """
    known, other = factors(4, 6, values=SLOW), factors(4, 6)
    agree(story(known, ("reload", 1), evaluate(), **start(known), other=other.weight))
    agree(story(known, evaluate(), ("copy", 1), evaluate(), **start(known), upstream=randn(4, 6)))
    counted(observe, known, 1, 3, before=[("copy", 1)])


@claim("gradient", hint="weight / σ depends on the weight twice: σ = uᵀ W v has the gradient u vᵀ. Keep detach and no_grad away from it.")
def test_gradients(agree):
    """The gradient flows through σ = uᵀ W v as well, in training and in evaluation, to the original weight."""
    watch = ["weight", "gradient of the original weight"]
    for shape, kwargs in (((3, 2, 4, 5), {"n_power_iterations": 2}), ((4, 2, 1, 2, 3), {}), ((5,), {})):
        known = factors(*shape)
        first = np.eye(len(known.values))[0]
        given = {"u": known.u(first), "v": known.v(first), "upstream": randn(*shape), "kwargs": kwargs}
        agree(story(known, train(), evaluate(), train(), watch=watch, **given))
    slow = factors(4, 6, values=SLOW)
    agree(story(slow, evaluate(), watch=["length of the gradient"], **start(slow), upstream=even(slow)))


@claim(
    "gradient", hint="The iteration is no part of the gradient: run it under torch.no_grad(), and let only σ = uᵀ W v depend on the weight."
)
def test_constant_vectors(agree):
    """u and v are constants to the gradient: training gives the gradient that evaluation gives with the same u and v."""
    known = factors(4, 6, values=SLOW)
    agree(probe("both_modes", weight=known.weight, **start(known), upstream=even(known)))


@claim(
    "gradient",
    hint="The first forward's graph holds on to its u and v: the second one must not write into their memory. Assign new tensors, or "
    "clone.",
)
def test_two_forwards(agree):
    """Two forwards may come before one backward pass, in training or first in evaluation; each has the gradient that belongs to its own
    u and v.
    """
    for first, shape, n in (("train", (4, 6), 1), ("train", (4, 2, 3, 2), 2), ("evaluate", (4, 2, 3, 2), 2)):
        known = factors(*shape, values=SLOW)
        agree(probe("two_readings", weight=known.weight, **start(known), upstream=even(known), first=first, n_power_iterations=n))


@claim("edge", hint="In __init__: if n_power_iterations < 1, raise a ValueError.")
def test_refusals(refuses):
    """Fewer than one iteration is a ValueError when the parametrisation is built."""
    known = factors(4, 3)
    for n in (0, -1, -5):
        built = [story(known, train(), watch=(), kwargs={"n_power_iterations": number}) for number in (n, 1)]
        refuses(ValueError, built[0], legal=built[1])


@claim(
    "edge",
    points=0,
    hint="Nothing is special about one row, one column or one number; `view` needs its numbers side by side in memory, `reshape` does not.",
)
def test_odd_weights(agree):
    """The weight may be one row, one column or one negative number; it may be float64, and need not be contiguous in memory. A NaN in it
    makes all of the result NaN, and after a forward in training also u and v.
    """
    agree(story(factors(1, 5), train(2), evaluate()))
    agree(story(factors(5, 1), train(2), evaluate()))
    agree(probe("story", weight=-uniform(0.5, 2.0, 1, 1), actions=[["train", 1], ["evaluate", 1]], watch=["weight"]))
    agree(story(factors(3, 4, 2, 6), train(CONVERGED), scattered=True))
    spoilt = randn(4, 6)
    spoilt[1, 2] = np.nan
    agree(story(factors(4, 6), ("change", 1), evaluate(), train(), ("change", 1), train(), other=spoilt))
    for told in in_float64():
        agree(*told)


@claim(
    "precision",
    hint="Keep the dtype of the weight in every product: what float32 rounds stays rounded.",
    courtesy=True,
)
def test_float64(agree):
    """A weight in float64 is divided in float64."""
    for told in in_float64():
        agree(*told, in_float64=True)


def in_float64():
    """Stories in float64, in which so small an eps is nothing, wherever it stands."""
    for layer, x, other, *_more in typical():
        layer = layer.with_arguments(*layer.arguments, eps=1e-30)
        yield layer.to("float64"), train_layer(*x, dtype="float64"), evaluate_layer(*other, dtype="float64")


@claim("edge", hint="A vector is divided by max(‖·‖, eps), or by ‖·‖ + eps: eps appears there and nowhere else, and its default is 1e-12.")
def test_eps(agree, observe):
    """eps guards the lengths of u and v against zero, and only these: σ is left as it is; the default is 1e-12."""
    known = factors(4, 6, scale=0.1)
    agree(story(known, evaluate(), kwargs={"eps": 0.5}, **start(known)))
    tiny = factors(4, 6, scale=1e-14)
    agree(story(tiny, evaluate(), **start(tiny)))
    agree(story(factors(4, 6, scale=0.0), train(), watch=["u vᵀ"]))

    given = start(known)

    def lengths(scale, **kwargs):
        shrunk = Factors(known.shape, known.left, known.values * scale, known.right)
        place = "length of u × length of v"
        return observe(story(shrunk, train(), watch=[place], kwargs=kwargs, **given))[f"step 1 · {place}"].values.item()

    assert lengths(1.0, eps=1e8) < 1e-6, words(
        "with eps=1e8, far above every length, u and v should come out much shorter than 1, but do not"
    )
    default, said = lengths(1e-19), lengths(1e-19, eps=1e-12)
    assert abs(default - said) <= 1e-4 * said, words("with a weight far below eps, the default eps leads to other u and v than eps=1e-12")


@claim(
    "stability",
    hint="u and v are shortened to length 1 in every iteration, so neither the scale of the weight nor the number of forwards matters.",
)
def test_any_scale(agree):
    """Neither the scale of the weight, very small or very large, nor the number of forwards makes a difference."""
    watch = ["weight", "length of u", "length of v"]
    for scale, n, times in ((1e-5, 1, CONVERGED), (1e6, 1, CONVERGED), (1.0, 1, 40), (1e-5, 7, 5), (1e6, 7, 5)):
        agree(story(factors(4, 6, scale=scale), train(times), evaluate(), watch=watch, kwargs={"n_power_iterations": n}))
