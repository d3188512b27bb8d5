"""How your layer is played on several ranks: in one process, one rank after the other, again and again.

Each rank has a layer and a batch of its own. When a rank calls `all_reduce`, the sum over all ranks is not known yet. So the rank is
stopped there, and the next one is played; when all have come to this call, their sum is known. Then everything is played once more, on
copies of the layers as they were, and this call returns the sum. That goes on until every rank comes to its end.
"""

from contextlib import suppress
from contextvars import ContextVar
from copy import deepcopy

import torch


def world(impl, *args, **kwargs):
    """A layer on several ranks. The number of ranks stands in the place of `all_reduce`.

    On one rank it is your layer itself, and `all_reduce` is `torch.clone`.
    """
    if "all_reduce" in kwargs:
        ranks, given = kwargs["all_reduce"], lambda reduce: (args, kwargs | {"all_reduce": reduce})
    else:
        ranks, given = args[1], lambda reduce: ((args[0], reduce, *args[2:]), kwargs)

    def layer(reduce):
        own_args, own_kwargs = given(reduce)
        return impl.SyncBatchNorm(*own_args, **own_kwargs)

    return layer(torch.clone) if ranks == 1 else World([layer(AllReduce(rank)) for rank in range(ranks)])


BUILDERS = {"world": world}


class World(torch.nn.Module):
    """The layers of all ranks. It is called with the batch of rank 0, that of rank 1, and so on, and returns all their outputs in one.

    Parameters, gradients and buffers are looked at on rank 0. Before each call, all ranks get its parameters and buffers.
    """

    def __init__(self, layers):
        super().__init__()
        self.rank_0, *self.others = layers

    def train(self, mode=True):
        for layer in self.others:
            layer.train(mode)
        return super().train(mode)

    def forward(self, *batches):
        for layer in self.others:
            give_state(self.rank_0, layer)
        if not self.training:
            return joined([layer(x) for layer, x in zip([self.rank_0, *self.others], batches, strict=True)])
        if torch.is_grad_enabled():
            return Together.apply(self, len(batches), *batches, *self.parameters())
        return self.trained(batches)

    def trained(self, batches):
        """Play all ranks in training until each comes to its end. The copies that come there take the places of the layers."""
        meeting = Meeting(len(batches))
        while True:
            layers, outputs = [copied(layer) for layer in (self.rank_0, *self.others)], []
            with meeting:
                for layer, x in zip(layers, batches, strict=True):
                    with suppress(Waiting):
                        outputs.append(layer(x))
            if not meeting.add_up():
                break
        self.rank_0, *self.others = layers
        return joined(outputs)


@torch.inference_mode(False)
def give_state(layer, other):
    """Another layer of the same kind gets copies of the parameters and buffers of a layer."""
    for own, theirs in zip(layer.modules(), other.modules(), strict=True):
        learnt = {name: each for name, each in own._parameters.items() if each is not None}
        theirs._parameters.update({name: torch.nn.Parameter(each.detach().clone(), each.requires_grad) for name, each in learnt.items()})
        theirs._buffers.update({name: each.clone() for name, each in own._buffers.items() if each is not None})


@torch.inference_mode(False)
def copied(layer):
    """A copy of a layer that has the very same parameters, and everything else for itself."""
    copies = {id(parameter): parameter for parameter in layer.parameters()}
    for part in layer.modules():
        for each in (*part._buffers.values(), *vars(part).values()):
            if isinstance(each, torch.Tensor):
                copies[id(each)] = each.clone()
            elif isinstance(each, dict) and not each:
                copies[id(each)] = type(each)()  # a Module has a dozen of these; this is faster
    return deepcopy(layer, copies)


def joined(outputs):
    """The outputs of all ranks, one below the other."""
    alike = len({output.shape[1:] for output in outputs}) == 1
    return torch.cat(outputs if alike else [output.flatten() for output in outputs])


class Waiting(BaseException):
    """A rank waits for the others."""


class Meeting:
    """Where ranks that are played one after the other meet: the sums that are known, by the number of the call, and what each rank gave."""

    def __init__(self, ranks, waits=True):
        self.sums, self.given, self.waits = [], [[] for _ in range(ranks)], waits

    def __enter__(self):
        self.token = MEETING.set(self)

    def __exit__(self, *raised):
        MEETING.reset(self.token)

    def sum_of(self, rank, tensor):
        """What `all_reduce` returns to a rank. Where that is not known, the rank is stopped, or goes on with zeros for the time being."""
        number = len(self.given[rank])
        self.given[rank].append(tensor.clone())
        if number < len(self.sums):
            return self.sums[number].clone()
        if self.waits:
            raise Waiting
        return torch.zeros_like(tensor)

    def add_up(self):
        """Add up what the ranks gave to the first call whose sum is not known yet, and say whether there is one."""
        given, number = self.given, len(self.sums)
        self.given = [[] for _ in given]
        calls = [len(each) for each in given]
        if len({*calls}) > 1:
            most, least = max(calls), min(calls)
            raise RuntimeError(
                f"rank {calls.index(most)} calls all_reduce at least {most} times, rank {calls.index(least)} only {least} times: "
                "the one would wait for ever"
            )
        tensors = [each[number] for each in given if len(each) > number]
        if len(forms := {(str(each.dtype), tuple(each.shape)) for each in tensors}) > 1:
            raise RuntimeError(f"call {number + 1} of all_reduce gets tensors of different form on different ranks: {sorted(forms)}")
        if tensors:
            self.sums.append(torch.stack(tensors).sum(0, dtype=tensors[0].dtype))
        return bool(tensors)


MEETING = ContextVar("MEETING", default=None)


class AllReduce:
    """The `all_reduce` of one rank."""

    def __init__(self, rank):
        self.rank = rank

    def __call__(self, tensor):
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"all_reduce takes a tensor, but was given a {type(tensor).__name__}")
        meeting = MEETING.get()
        if meeting is None:
            raise RuntimeError("all_reduce is called outside of training, where the other ranks do not call it: it would wait for ever")
        return meeting.sum_of(self.rank, tensor)


class Together(torch.autograd.Function):
    """A world in training. In the backward pass `all_reduce` may be called, too, so that this pass is run until all sums are known."""

    @staticmethod
    def forward(ctx, world, ranks, *tensors):
        needed = any(x.requires_grad for x in tensors[:ranks])  # all ranks run the same program
        leaves = [x.detach().requires_grad_(needed) for x in tensors[:ranks]]
        with torch.enable_grad():
            ctx.output = world.trained([leaf.view_as(leaf) for leaf in leaves])
        ctx.ranks, ctx.leaves = ranks, (*leaves, *tensors[ranks:])
        return ctx.output.detach()

    @staticmethod
    def backward(ctx, gradient):
        wanted, meeting = [leaf for leaf in ctx.leaves if leaf.requires_grad], Meeting(ctx.ranks, waits=False)
        if not ctx.output.requires_grad:
            return (None,) * (2 + len(ctx.leaves))
        while True:
            with meeting, torch.enable_grad():
                loss = (ctx.output * gradient).sum()
                gradients = iter(torch.autograd.grad(loss, wanted, retain_graph=True, allow_unused=True))
            if not meeting.add_up():
                return None, None, *(next(gradients) if leaf.requires_grad else None for leaf in ctx.leaves)
