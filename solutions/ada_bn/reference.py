"""AdaBN (Li et al. 2016): a trained model gets the running statistics of the data that it is going to see."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


@torch.no_grad()
def adapt(model: nn.Module, batches: Iterable[Tensor]) -> None:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    norms = [module for module in model.modules() if isinstance(module, NORMS) and module.running_mean is not None]
    order = dict.fromkeys(norm for norm, _ in calls(model, norms, [next(iter(batches))]))
    for norm in order:  # what comes before it is adapted already
        seen = [columns(x) for _, x in calls(model, [norm], batches)]
        values = torch.cat(seen, dim=1)
        mean = values.mean(dim=1)
        var = (values - mean.unsqueeze(1)).square().mean(dim=1)  # biased: these are all values that there are
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(var)
    for module, training in modes:
        module.training = training


def calls(model: nn.Module, norms: Iterable[nn.Module], batches: Iterable[Tensor]) -> list[tuple[nn.Module, Tensor]]:
    """Every call of one of these norms while the model sees the batches: the norm, and a copy of its input."""
    found: list[tuple[nn.Module, Tensor]] = []
    hooks = [norm.register_forward_pre_hook(lambda norm, inputs: found.append((norm, inputs[0].clone()))) for norm in norms]
    for batch in batches:
        model(batch)
    for hook in hooks:
        hook.remove()
    return found


def columns(x: Tensor) -> Tensor:
    """(N, C, *) → (C, n), in float32 or wider."""
    return x.transpose(0, 1).flatten(1).to(torch.promote_types(x.dtype, torch.float32))
