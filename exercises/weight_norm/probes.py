"""How the grader uses your `WeightNorm`: it puts it into a small layer, which asks for the weight in every forward pass."""

import torch

from normgrade.probes import Place, Witness, fill, find


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


def memory(impl, weight, other):
    """Build two from one parameter, and write other numbers into the g and v of the first: the rest is left alone."""
    given = torch.nn.Parameter(weight.clone())
    first, second = impl.WeightNorm(given), impl.WeightNorm(given)
    lengths = other.flatten(1).norm(dim=1)
    fill(first, {"v": other, "g": lengths})
    seen = {
        "weight": first(),
        "weight of a second one": second(),
        Place("{name} left alone", name="the given weight"): given.detach().clone(),
    }
    for name in "gv":
        tensor = find(first, name)
        seen[Place("{name} learns", name=name)] = tensor is not None and tensor.requires_grad and tensor.is_leaf
    return seen


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
