"""How your `add_rms_norm` is looked at: as a part of a network, what it keeps for its backward pass, and what becomes of changes in place.

Nothing here is secret, and every probe is played on the right answer too.
"""

import gc
import math
import tracemalloc

import torch
from torch import nn
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from normgrade.probes import SUMS, Place, Witness, go_back, gradient_of

NAMES = "x", "residual", "weight"
SMALL = 64  # numbers that are not counted, such as an eps that is a tensor


class Outputs(nn.Module):
    """A module without parameters that calls `add_rms_norm`, and returns y and total as one tensor, or one of both."""

    def __init__(self, function, wanted, args, kwargs):
        super().__init__()
        self.function, self.wanted, self.args, self.kwargs = function, wanted, args, kwargs

    def forward(self, *inputs, **named):
        y, total = self.function(*inputs, *self.args, **self.kwargs, **named)
        return torch.stack([y, total]) if self.wanted == "both" else {"y": y, "total": total}[self.wanted]


class Layer(nn.Module):
    """A layer with a weight of `dim` numbers, as a model has it, that returns y and total as one tensor."""

    def __init__(self, function, dim, kwargs):
        super().__init__()
        self.function, self.kwargs = function, kwargs
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x, residual):
        return torch.stack(tuple(self.function(x, residual, self.weight, **self.kwargs)))


def both(impl, *args, **kwargs):
    return Outputs(impl.add_rms_norm, "both", args, kwargs)


def only_y(impl, *args, **kwargs):
    return Outputs(impl.add_rms_norm, "y", args, kwargs)


def only_total(impl, *args, **kwargs):
    return Outputs(impl.add_rms_norm, "total", args, kwargs)


def layer(impl, dim, **kwargs):
    return Layer(impl.add_rms_norm, dim, kwargs)


BUILDERS = {"both": both, "only_y": only_y, "only_total": only_total, "layer": layer}


def in_network(*tensors):
    """Leaves that need a gradient, and their copies as a network hands them on: the outputs of another operation."""
    leaves = [each.detach().clone().requires_grad_() for each in tensors]
    return leaves, [each.clone() for each in leaves]


def gradients(leaves):
    """The gradients of leaves. Where none came, it is 0: PyTorch takes both for the same."""
    return [torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in leaves]


def arguments(impl, x, residual, weight, eps):
    """Call it in every way that the signature allows: by position and by name, with eps and without."""
    calls = {
        "by position": impl.add_rms_norm(x, residual, weight, eps),
        "eps by name": impl.add_rms_norm(x, residual, weight, eps=eps),
        "by name": impl.add_rms_norm(eps=eps, weight=weight, residual=residual, x=x),
        "without eps": impl.add_rms_norm(x, residual, weight),
    }
    seen = {}
    for how, (y, total) in calls.items():
        seen |= {Place("y, {how}", how=how): y, Place("total, {how}", how=how): total}
    return seen


def one_output(impl, x, residual, weight, dy, dtotal):
    """Go back from one output alone; the other one is not used."""
    seen = {}
    for number, (name, upstream) in enumerate((("y", dy), ("total", dtotal))):
        leaves, given = in_network(x, residual, weight)
        output = impl.add_rms_norm(*given)[number]
        go_back(output, upstream)
        seen[Place("{output} needs a gradient", output=name)] = output.requires_grad
        for each, gradient in zip(NAMES, gradients(leaves), strict=True):
            seen[gradient_of("{each}, from {output} alone", each=each, output=name)] = gradient
    return seen


def in_a_row(impl, x, residual, weight, upstream):
    """Three blocks in a row, in which y goes through a sublayer and total goes on as the residual stream; at first both are one tensor."""
    (first, scale), (branch, weight) = in_network(residual, weight)
    stream = branch
    for _block in range(3):
        y, stream = impl.add_rms_norm(branch, stream, weight)
        branch = torch.tanh(y) + x
    go_back(branch + stream, upstream)
    of_first, of_weight = gradients([first, scale])
    return {"the residual stream": stream, gradient_of("what comes in"): of_first, gradient_of("weight"): of_weight}


def gradient_left_alone(impl, x, residual, weight, upstream):
    """Go back from both outputs at once. The gradients that arrive belong to others, too: they stay as they are."""
    leaves, given = in_network(x, residual, weight)
    arriving = upstream.clone()
    go_back(torch.stack(tuple(impl.add_rms_norm(*given))), arriving)
    before = [each.clone() for each in gradients(leaves)]
    gradients(leaves)[0].mul_(2)  # dx and dresidual may be one tensor, as long as x.grad and residual.grad are two
    return {
        "the arriving gradients left alone": torch.equal(arriving, upstream),
        "x.grad and residual.grad are two tensors": torch.equal(gradients(leaves)[1], before[1]),
    }


# --- what is kept -----------------------------------------------------------------------------------------------------------------------


class Memory(TorchDispatchMode):
    """Notes all memory that operations return, and counts the numbers that are still held, by a graph, a ctx, a closure, a list, a global.

    Views share the memory of what they are views of."""

    def __init__(self):
        super().__init__()
        self.found = {}

    @classmethod
    def _should_skip_dynamo(cls):
        """True would make PyTorch import its compiler, which takes 2 s."""
        return False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for each in tree_leaves(result):
            if isinstance(each, torch.Tensor):
                storage = each.untyped_storage()
                self.found.setdefault(StorageWeakRef(storage), storage.nbytes() // each.element_size())
        return result

    def numbers(self, *but):
        """How many numbers are held, without those in the memory of some tensors."""
        without = {StorageWeakRef(each.untyped_storage()) for each in but}
        return sum(numbers for reference, numbers in self.found.items() if reference not in without and not reference.expired())


def kept(impl, x, residual, weight, dtype):
    """Call it once, and count what it keeps until its backward pass beside x, residual, weight, y and total.

    Memory is counted that is still held after the call, in numbers of any precision. A copy of weight does not count. What is not
    in tensors is measured in bytes, and is to be small.
    """
    half = getattr(torch, dtype)
    leaves, given = in_network(*(each.to(half) for each in (x, residual, weight)))
    with Memory():  # the first call may build what all later ones use
        y, total = impl.add_rms_norm(*given)
    go_back(y, torch.ones_like(leaves[0]))
    del y, total
    sizes = [each.untyped_storage().nbytes() for each in given]
    outside = bytes_of_python(lambda: impl.add_rms_norm(*given))
    with Memory() as memory:
        y, total = impl.add_rms_norm(*given)
    gc.collect()
    numbers = memory.numbers(*given) - y.numel() - total.numel() - weight.numel() - SMALL
    own = any(len({StorageWeakRef(each.untyped_storage()), *map(storage_of, given)}) == len(given) for each in (y, total))
    rows = x.numel() // x.shape[-1]
    return {
        Place("numbers kept for each row beyond one, {dtype}", dtype=dtype): max(0, math.ceil(numbers / rows) - 1),
        Place("little is kept outside of tensors, {dtype}", dtype=dtype): outside < x.numel() + 2048,
        Place("y and total are new tensors, {dtype}", dtype=dtype): not own,
        Place("the memory of the inputs does not grow, {dtype}", dtype=dtype): sizes == [each.untyped_storage().nbytes() for each in given],
    }


def bytes_of_python(call):
    """How much memory of Python's own is held after a call, besides the numbers of tensors."""
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    held = call()
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del held
    return after - before


def new_tensors(impl, x, residual, weight):
    """Call it, and look whether y or total shares memory with what was given."""
    _leaves, given = in_network(x, residual, weight)
    outputs = impl.add_rms_norm(*given)
    return {"y and total are new tensors": not {*map(storage_of, outputs)} & {*map(storage_of, given)}}


def storage_of(tensor):
    return StorageWeakRef(tensor.untyped_storage())


# --- changes in place -------------------------------------------------------------------------------------------------------------------


def changed_in_place(impl, x, residual, weight, dy, dtotal):
    """Change one tensor in place between the call and the backward pass. Then PyTorch refuses to go back, or the gradient is right."""
    return {
        Place("after a change of {what} in place, the gradient is right or refused", what=what): right_or_refused(
            impl, (x, residual, weight), (dy, dtotal), what
        )
        for what in ("y", "total", *NAMES)
    }


def right_or_refused(impl, inputs, upstream, what):
    leaves, given = in_network(*inputs)
    y, total = impl.add_rms_norm(*given)
    arriving = torch.stack([each * (2 if name == what else 1) for name, each in zip(("y", "total"), upstream, strict=True)])
    go_back(torch.stack([y, total]), arriving)
    right = gradients(leaves)
    leaves, given = in_network(*inputs)
    y, total = impl.add_rms_norm(*given)
    try:
        if what in NAMES:
            with torch.no_grad():  # as an optimiser changes a weight
                given[NAMES.index(what)].mul_(2)
        else:
            (y if what == "y" else total).mul_(2)
        go_back(torch.stack([y, total]), torch.stack(upstream))
    except RuntimeError:
        return True
    return all(torch.allclose(one, other, rtol=1e-3, atol=1e-5) for one, other in zip(gradients(leaves), right, strict=True))


# --- half precision ---------------------------------------------------------------------------------------------------------------------


class Statistics(Witness):
    """Looks at the precision of sums over features. The sum of x and residual itself may be taken in half precision."""

    def __init__(self, features, *inputs):
        super().__init__(*inputs)
        self.features = features

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        before = self.precision
        name = function.overloadpacket.__name__.rstrip("_")
        given = [each for each in tree_leaves(args) if isinstance(each, torch.Tensor)]
        as_they_came = not any(self.from_x.get(id(each), True) for each in given)
        result = super().__torch_dispatch__(function, types, args, kwargs)
        if not isinstance(result, torch.Tensor) or not as_they_came:
            return result
        if name == "add" or (name in SUMS and given[0].numel() < self.features * result.numel()):
            self.precision = before
            self.from_x[id(result)] = False
        return result


def wide_statistics(impl, x, residual, weight, dtype):
    """Call it in half precision. A mean of squares in that dtype would have too few digits."""
    given = [each.to(getattr(torch, dtype)) for each in (x, residual, weight)]
    with torch.no_grad(), Statistics(x.shape[-1], *given) as statistics:
        y, total = impl.add_rms_norm(*given)
    dtypes = {Place("dtype of {name}", name=name): str(each.dtype) for name, each in (("y", y), ("total", total))}
    return dtypes | {"statistics in float32 or wider": statistics.precision == "float32 or wider"}
