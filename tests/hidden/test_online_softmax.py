"""Hidden suite of `online_softmax`.

`in_blocks(2, 3)` takes all scores (…, queries, keys) and all values, here (…, dim, keys), and merges
them in blocks of 2, 3, 4, 6, 8 … keys.
No two sizes in a shape agree, and the rows of scores differ in mean and scale.
"""

import numpy as np
from shared import rows

from normgrade.suite import build, claim, evaluate, probe, randn, uniform, use


def in_blocks(*sizes):
    """Attention over blocks of so many keys, in turn; each turn they are twice as long."""
    return build(*sizes).named("in_blocks")


def attention(*shape, dim=3):
    """Scores of this shape (…, queries, keys), and values (…, dim, keys)."""
    return [rows(*shape), randn(*shape[:-2], dim, shape[-1])]


def light(inputs):
    """The same with small values: if all numbers grow, some weights become so small that they have few digits."""
    return [inputs[0], inputs[1] * np.float32(0.002)]


def block(queries, keys, dim=3, start=0.0):
    """The scores and values (keys, dim) of one block."""
    return [rows(queries, keys) + np.float32(start), randn(keys, dim)]


def typical():
    """Attention as it is played: with and without leading dimensions, in blocks that differ in size; the number of keys stays."""
    return [
        use(in_blocks(4, 3), light(attention(2, 4, 7)), light(attention(3, 8)), fixed=[-1]),
        use(in_blocks(2, 4), light(attention(5, 6, dim=2)), light(attention(3, 2, 4, 9)), fixed=[-1]),
    ]


def real():
    """Over a thousand keys, and heads of 64 features."""
    return [
        use(in_blocks(64, 128), attention(2, 3, 1100, dim=64), attention(40, 300, dim=64), fixed=[-1]),
    ]


@claim("formula", hint="exp(scores) @ values over the sum of exp(scores): the weights of a query sum to 1.")
def test_one_block(agree):
    """After one block, the output is the average of its values, weighted by the softmax of its scores."""
    for shape in [(4, 7), (2, 3, 5), (6, 1), (2, 1, 3, 4)]:
        agree(in_blocks(50, 1), evaluate(*attention(*shape, dim=2)))


@claim(
    "formula",
    points=3,
    hint="If the largest score grows from m to m′, all that was summed before is multiplied by exp(m − m′): the sum and the output.",
)
def test_blocks(agree):
    """After any blocks, of any sizes, the output is that of all keys at once."""
    for sizes in [(1, 1), (3, 2), (5, 1), (1, 7)]:
        agree(in_blocks(*sizes), evaluate(*attention(4, 9)), evaluate(*attention(2, 3, 11, dim=5)))
    agree(in_blocks(1, 1), evaluate(*attention(3, 3)), evaluate(*attention(4, 4, 4, dim=4)))
    agree(in_blocks(500, 700), evaluate(*attention(2, 5000), backward=False))
    steps = np.repeat(np.array([0, 2, -1, 4, 1], np.float32), 3)  # the largest score grows, and does not
    scores, values = attention(4, 15)
    agree(in_blocks(3, 3), evaluate(scores + steps, values), evaluate(scores - steps, values))


@claim(
    "stability",
    points=2,
    hint="Subtract each query's largest score so far before exp. It starts at −∞, never shrinks, and has nothing to do with other queries.",
)
def test_magnitudes(agree):
    """Scores may have any magnitude, around 10000 or −10000, and may grow or shrink from block to block, each query by itself."""
    for offset in (1e4, -1e4, 100.0, -120.0):
        scores, values = attention(3, 8)
        agree(in_blocks(2, 3), evaluate(scores + np.float32(offset), values))
    for steps in ([0, 150, 300, 2000], [2000, 300, 150, 0], [-9000, 9000, -9000, 9000]):
        scores, values = attention(3, 8)
        agree(in_blocks(2, 2), evaluate(scores + np.repeat(np.array(steps, np.float32), 2), values))
    scores, values = attention(2, 4, 6)
    agree(in_blocks(2, 1), evaluate(scores + np.array([[-900], [0], [300], [9000]], np.float32), values))
    order = np.array([[2, 0, 3, 1, 4], [4, 1, 0, 2, 3], [3, 4, 2, 1, 0]], np.float32)
    for highest in (-3e6, -2e9, -1e30):  # far below what some take for a mask; one key of each query counts
        agree(in_blocks(2, 1), evaluate(np.float32(highest) * (1 + order / 64), randn(2, 5), backward=False))
    for dtype, lowest in (("float32", -3.4028235e38), ("bfloat16", -3.3895314e38), ("float16", -65504)):
        low = np.float32(lowest) * np.stack([np.ones(5), 0.999 - order[0] / 64, order[1] < 2]).astype(np.float32)
        agree(in_blocks(2, 1), evaluate(low, randn(2, 5), dtype=dtype, backward=False))


@claim(
    "edge",
    points=2,
    hint="With every key so far masked, m is −∞ and exp(m − m) is NaN. Subtract 0 in the place of −∞: then exp(−∞) is 0, as it should be.",
)
def test_masked(agree):
    """A score of −∞ masks its key; a query may begin with masked keys, have masked blocks, and go on as if they were not there."""
    scores, values = attention(9, 9)
    scores[0, :2] = scores[1, 0] = scores[2, 3:] = scores[3, 2:5] = scores[5, :8] = scores[6, 1:] = -np.inf
    agree(in_blocks(2, 1), evaluate(scores, values, gradients="no_grad"), evaluate(scores, values, backward=False))
    agree(in_blocks(20, 1), evaluate(scores, values, backward=False))
    far, values = attention(2, 4, 6)
    far[..., :2] = -np.inf
    agree(in_blocks(1, 1), evaluate(far - np.float32(5000), values, backward=False), evaluate(far + 5000, values, backward=False))


@claim("edge", hint="Where no key counts, the sum is 0: divide by 1 there. The output is 0 then, as it has been all along.")
def test_all_masked(agree):
    """A query whose keys are all masked gets zeros, and no other query changes."""
    closed = np.zeros((5, 6), bool)
    closed[1] = closed[3] = closed[0, :4] = True
    for sizes in [(2, 1), (9, 1), (1, 1)]:
        for gradients in (False, True):
            scores, values = attention(5, 6)
            agree(probe("masked", scores=scores, closed=closed, values=values, sizes=sizes, gradients=gradients))
    agree(probe("masked", scores=rows(2, 3, 4), closed=np.ones((2, 3, 4), bool), values=randn(2, 2, 4), sizes=(3, 1), gradients=False))


@claim("edge", hint="Let NaN come out where the formula gives it: no nan_to_num. Replace −∞ before exp, and nothing else.")
def test_nan(agree):
    """A NaN among the scores makes the output of its query NaN, in whatever block, and no other."""
    for key in (0, 3, 7):
        scores, values = attention(3, 8)
        scores[1, key] = np.nan
        agree(in_blocks(2, 3), evaluate(scores, values, gradients="no_grad"))


@claim(
    "state",
    hint="Return new tensors: operations in place, such as mul_ or +=, change the state that was given. Keep nothing outside of it.",
)
def test_two_ways(agree):
    """merge leaves its state and its block alone: one state may be continued in two ways, and two states share nothing."""
    for gradients in (False, True):
        for start in (0.0, 3.0, -3.0):
            blocks = {"first": block(4, 3), "second": block(4, 5, start=start), "third": block(4, 2, start=-start)}
            agree(probe("two_ways", **blocks, gradients=gradients, upstream=randn(4, 3)))
    others = [[block(2, keys, dim=5, start=5.0) for keys in (4, 2, 3)], [block(3, keys) for keys in (3, 1, 5)]]
    agree(probe("side_by_side", one=[block(3, keys) for keys in (1, 4, 2)], other=others[0]))
    agree(probe("side_by_side", one=[block(3, keys) for keys in (3, 1, 5)], other=others[1]))


@claim(
    "state",
    points=0,
    hint="Of a single key, values and scores are no state yet: a view of them changes with the block. Multiply, or clone.",
)
def test_one_buffer(agree):
    """A state shares no memory with a block: without gradients, each block may be written into the tensors of the one before."""
    for sizes in [(1, 1, 1, 1), (1, 3, 1), (2, 2, 2)]:
        agree(probe("one_buffer", blocks=[block(3, size, dim=2, start=number) for number, size in enumerate(sizes)]))
    agree(probe("one_buffer", blocks=[block(1, 1, dim=1) for _ in range(3)]))


@claim(
    "state",
    hint="Of a block only its largest score, its sum and its output are needed, dim + 2 numbers for a query. Keep no block.",
)
def test_memory(agree):
    """The state is small: however many keys came, at most dim + 8 numbers for each query stay in memory."""
    agree(probe("memory", queries=2, dim=3, keys=150))
    agree(probe("memory", queries=5, dim=2, keys=120))
    agree(probe("memory", queries=2, dim=40, keys=150))


@claim(
    "gradient",
    points=1,
    hint="The output depends on the scores and values of every block: detach nothing but the largest score.",
)
def test_gradients(agree):
    """The gradient reaches the scores and the values of all blocks."""
    for shape in [(4, 7), (2, 3, 8)]:
        agree(in_blocks(3, 2), evaluate(*attention(*shape)), evaluate(*attention(*shape), twice=True))
    agree(in_blocks(2, 2), evaluate(*attention(3, 6, dim=1), arriving="one hot"))


@claim(
    "gradient",
    hint="A NaN that is replaced after exp is still there in the backward pass, as 0 · NaN. Replace the −∞ that is subtracted, before exp.",
)
def test_masked_gradients(agree):
    """Masked scores have the gradient 0, and so has every score of a query without keys; no gradient is NaN."""
    closed = np.zeros((7, 6), bool)
    closed[0, :3] = closed[1, 1:] = closed[2, 5] = closed[3] = True
    for sizes in [(2, 1), (9, 1), (1, 1)]:
        scores, values = attention(7, 6)
        agree(probe("masked_gradients", scores=scores, closed=closed, values=values, sizes=sizes, upstream=randn(7, 3)))


@claim(
    "precision",
    hint="Widen scores and values to float32 first, keep the state in float32, and cast to the dtype of the values only in finish.",
)
def test_half_precision(agree):
    """Half precision is computed in float32, and so is the state; the output has the dtype of the values."""
    for dtype in ("float16", "bfloat16"):
        scores, values = uniform(-0.5, 0.5, 2, 700), uniform(0.5, 1.5, 3, 700)
        agree(in_blocks(1, 1), evaluate(scores, values, dtype=dtype, witness=True))
        agree(in_blocks(5, 3), evaluate(*attention(3, 20), dtype=dtype, backward=True))
        agree(in_blocks(30, 30), evaluate(rows(3, 200) * 100, randn(2, 200), dtype=dtype))
        agree(in_blocks(30, 30), evaluate(scores, uniform(100, 300, 3, 700), dtype=dtype))  # float16 does not hold their sum
    agree(in_blocks(3, 2), evaluate(*attention(3, 9), dtype="float64"))
