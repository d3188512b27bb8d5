"""How the grader uses your `WeightNorm`: it puts it into a small layer, which asks for the weight in every forward pass."""

import torch

from normgrade.probes import Place, Witness, find, in_other_order, settings


class WithWeight(torch.nn.Module):
    """A layer that has your weight: a matrix is that of a linear layer, by any other weight x is multiplied number by number.

    What comes out has the dtype of your weight.
    """

    def __init__(self, norm):
        super().__init__()
        self.norm = norm

    def forward(self, x):
        weight = self.norm()
        wide = torch.promote_types(torch.promote_types(x.dtype, weight.dtype), torch.float32)
        x, factor = x.to(wide), weight.to(wide)
        return (torch.nn.functional.linear(x, factor) if factor.dim() == 2 else x * factor).to(weight.dtype)


def with_weight(impl, *args, **kwargs):
    """A layer with a `WeightNorm` that is built from a parameter, as that of any layer is."""
    args, kwargs = [parameter(each) for each in args], {name: parameter(each) for name, each in kwargs.items()}
    return WithWeight(impl.WeightNorm(*args, **kwargs))


def parameter(argument):
    return torch.nn.Parameter(argument.clone()) if isinstance(argument, torch.Tensor) else argument


BUILDERS = {"with_weight": with_weight}


def memory(impl, weight, other, given="parameter", dtype="float32"):
    """Build two from one tensor, and write other numbers into the g and v of the first: the rest is left alone."""
    start, usual = GIVEN[given](weight.to(getattr(torch, dtype))), settings()
    of_start = start.detach().clone()
    if start.is_leaf and start.requires_grad:
        start.grad = torch.ones_like(start)
    first, second = impl.WeightNorm(start), impl.WeightNorm(start)
    now = settings()
    seen = {Place(f"{name} left alone"): now[name] == value for name, value in usual.items()}
    tensors = {name: find(first, name) for name in "gv"}
    with torch.no_grad():
        before = first()
    for name, value in {"g": other.flatten(1).norm(dim=1), "v": other}.items():
        tensor = tensors[name]
        seen[Place("{name} learns", name=name)] = tensor is not None and tensor.requires_grad and tensor.is_leaf
        seen[Place("dtype of {name}", name=name)] = None if tensor is None else str(tensor.dtype)
        if name == "v":
            seen["v starts at the given weight"] = tensor is not None and torch.equal(tensor, of_start)
        if tensor is not None and tensor.numel() == value.numel():
            tensor.data.copy_(value.reshape(tensor.shape))  # as code does that knows no torch.no_grad
    with torch.no_grad():
        after = first()
    return seen | {
        "weight": after,
        "weight of a second one": second(),
        Place("{name} left alone", name="the weight of an earlier call"): before,
        Place("{name} left alone", name="the given weight"): start.detach().clone(),
        Place("{name} left alone", name="the gradient of the given weight"): start.grad if start.is_leaf else None,
        "the given weight needs a gradient": start.requires_grad,
    }


GIVEN = {  # what a weight is built from
    "parameter": lambda weight: torch.nn.Parameter(weight.clone()),
    "permuted parameter": lambda weight: torch.nn.Parameter(in_other_order(weight)),
    "expanded tensor": lambda weight: weight[:1].expand(weight.shape),
    "computed tensor": lambda weight: torch.nn.Parameter(weight.clone()) / 3,
}


def precision(impl, weight, dtype):
    """In which precision the lengths of v are computed, where v is in half precision."""
    norm = impl.WeightNorm(torch.nn.Parameter(weight.clone())).to(getattr(torch, dtype))
    v = find(norm, "v")
    if v is None:
        return {Place("statistics"): None}
    with Witness(v) as witness:
        norm()
    return {Place("statistics"): witness.precision}


def returned(impl, weight):
    """Call it: what comes back is a tensor of the weight's shape, and no parameter."""
    result = impl.WeightNorm(torch.nn.Parameter(weight.clone()))()
    return {"result": result, "the result is a parameter": isinstance(result, torch.nn.Parameter)}
