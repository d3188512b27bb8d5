"""How merge and finish are used: on blocks of keys, one after the other; and what stays in memory meanwhile."""

import tracemalloc
from gc import collect
from itertools import accumulate, count, pairwise, takewhile

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

from normgrade.probes import Place, go_back, gradient_of


class InBlocks(torch.nn.Module):
    """Takes the scores of all keys (…, queries, keys) and all values (…, dim, keys), in one call, and plays them in blocks."""

    def __init__(self, impl, sizes, by_name):
        super().__init__()
        self.impl, self.sizes, self.by_name = impl, sizes, by_name

    def forward(self, scores, values):
        state = None
        for block in blocks(scores, values, self.sizes):
            state = self.impl.merge(state=state, block=block) if self.by_name else self.impl.merge(state, block)
        return self.impl.finish(state=state) if self.by_name else self.impl.finish(state)


def in_blocks(impl, *sizes, **named):
    """Blocks of so many keys, in turn, each turn twice as long. If the sizes have names, merge and finish are called by name."""
    return InBlocks(impl, sizes or tuple(named.values()), bool(named))


BUILDERS = {"in_blocks": in_blocks}


def blocks(scores, values, sizes):
    """Cut scores (…, queries, keys) and values (…, dim, keys) into blocks of scores and values (…, keys, dim).

    A block of a contiguous tensor is contiguous, too.
    """
    keys = scores.shape[-1]
    lengths = (size * 2**turn for turn in count() for size in sizes)
    ends = [0, *takewhile(lambda end: end < keys, accumulate(lengths)), keys]
    for start, end in pairwise(ends):
        those, of_those = scores[..., start:end], values[..., start:end].mT
        yield those.contiguous() if scores.is_contiguous() else those, of_those.contiguous() if values.is_contiguous() else of_those


def masked(impl, scores, closed, values, sizes, gradients):
    """Mask the scores that are `closed`, and go forward in blocks of these sizes, in half precision too."""
    scores, without, attend = scores.masked_fill(closed, -torch.inf), closed.all(-1), in_blocks(impl, *sizes)
    seen = {}
    with torch.set_grad_enabled(gradients):
        output = attend(scores.clone().requires_grad_(gradients), values.clone())
        seen["output of queries with keys"] = output[~without]
        seen["numbers of queries without keys that are not 0"] = int((output[without] != 0).sum())
        for dtype in (torch.float16, torch.bfloat16):
            narrow = attend(scores.to(dtype), values.to(dtype))
            place = Place("numbers of queries without keys that are not 0, in {dtype}", dtype=str(dtype).removeprefix("torch."))
            seen[place] = int((narrow[without] != 0).sum())
    return seen


def masked_gradients(impl, scores, closed, values, sizes, upstream):
    """Mask the scores that are `closed`, go forward in blocks of these sizes and back, and look at the gradients."""
    scores, values = scores.masked_fill(closed, -torch.inf).requires_grad_(), values.clone().requires_grad_()
    go_back(in_blocks(impl, *sizes)(scores.clone(), values.clone()), upstream)
    gradient = torch.full_like(scores, torch.nan) if scores.grad is None else scores.grad
    return {
        gradient_of("the scores that are not masked"): gradient[~closed],
        "masked scores whose gradient is not 0": int((gradient[closed] != 0).sum()),
        gradient_of("values"): values.grad,
    }


def two_ways(impl, first, second, third, gradients, upstream):
    """Merge the first block; go on from there with the second one, and then, from the same state, with the third.

    Each of them is a pair of scores and values, and stays as it is.
    """
    given = [[each.clone().requires_grad_(gradients) for each in block] for block in (first, second, third)]
    with torch.set_grad_enabled(gradients):
        one, another, yet_another = (tuple(each.clone() for each in block) for block in given)
        begun = impl.merge(None, one)
        seen = {"output of the first block": impl.finish(begun).clone()}
        with_second = impl.merge(begun, another)
        seen["output with the second block"] = impl.finish(with_second).clone()
        with_third = impl.merge(begun, yet_another)
        seen["output with the third block"] = impl.finish(with_third).clone()
        seen["output of the first block, once more"] = impl.finish(begun).clone()
        ends = impl.finish(with_second), impl.finish(with_third)
    seen["output with the second block, once more"] = ends[0].clone()
    for number, (block, before) in enumerate(zip((one, another, yet_another), given, strict=True), 1):
        alike = all(torch.equal(each, was) for each, was in zip(block, before, strict=True))
        seen[Place("block {number} left alone", number=number)] = alike
    if gradients:
        go_back(ends[1] + 2 * ends[0], upstream)
        seen[gradient_of("the scores of the first block")] = given[0][0].grad
        seen[gradient_of("the values of the first block")] = given[0][1].grad
    return seen


def side_by_side(impl, one, other):
    """Merge the blocks of two attentions in turn, and finish both."""
    states = [None, None]
    for pair in zip(one, other, strict=True):
        states = [impl.merge(state, tuple(block)) for state, block in zip(states, pair, strict=True)]
    return {Place("output of attention {number}", number=number): impl.finish(state) for number, state in enumerate(states, 1)}


def one_buffer(impl, blocks):
    """Without gradients, merge blocks that are written into the same two tensors, one after the other; then write zeros there."""
    room = max(scores.shape[-1] for scores, _values in blocks)
    scores, values = blocks[0]
    with torch.no_grad():
        state, buffers = None, (scores.new_zeros(*scores.shape[:-1], room), values.new_zeros(room, values.shape[-1]))
        for new in blocks:
            keys = new[0].shape[-1]
            given = buffers[0][..., :keys].copy_(new[0]), buffers[1][:keys].copy_(new[1])
            state = impl.merge(state, given)
        for each in buffers:
            each.zero_()
        return {"output after all blocks": impl.finish(state)}


class Alive(TorchDispatchMode):
    """Knows the memory of every tensor that an operation has made meanwhile, and how much of it is still in use."""

    def __init__(self):
        super().__init__()
        self.known = {}

    @classmethod
    def _should_skip_dynamo(cls):
        return False

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for each in result if isinstance(result, tuple | list) else (result,):
            if isinstance(each, torch.Tensor):
                storage = each.untyped_storage()
                self.known[storage._cdata] = StorageWeakRef(storage), storage.nbytes() // each.element_size()
        return result

    def numbers(self):
        """How many numbers are still in memory."""
        return sum(numbers for storage, numbers in self.known.values() if not storage.expired())


def memory(impl, queries, dim, keys):
    """Merge blocks of so many keys, without gradients, and count the numbers that are still in memory after some of them.

    Everything counts that is not given back, wherever it is kept. In the end Python's own memory is looked at as well.
    """
    seen = {}
    with torch.no_grad():
        with Alive() as alive:
            state = None
            for merged in (3, 6, 9):
                state = grown(impl, state, queries, dim, keys, blocks=3)
                kept = least(alive.numbers, queries * (dim + 8))
                seen[Place("numbers too many in memory after {count} blocks", count=merged)] = kept
        own = not tracemalloc.is_tracing()
        if own:
            tracemalloc.start()
        state = grown(impl, state, queries, dim, keys, blocks=3)
        before, _peak = tracemalloc.get_traced_memory()
        state = grown(impl, state, queries, dim, keys, blocks=8)
        more = least(lambda: tracemalloc.get_traced_memory()[0] - before, 8 * keys * (queries + dim))
        if own:
            tracemalloc.stop()
        seen["what Python itself keeps does not grow"] = more == 0
        seen["output after all blocks"] = impl.finish(state)
    return seen


def least(amount, limit):
    """By how much an amount of memory is above the limit. If it is, what nobody uses is given back first."""
    if amount() > limit:
        collect()
    return max(0, amount() - limit)


def grown(impl, state, queries, dim, keys, blocks):
    """The state after so many more blocks, which are forgotten."""
    for number in range(blocks):
        scores = torch.arange(queries * keys).view(queries, keys).mul(0.7 + number).sin()
        values = torch.arange(keys * dim).view(keys, dim).mul(0.3 + number).cos()
        state = impl.merge(state, (scores, values))
    return state
