"""An instance norm over all values at once has the statistics of a batch norm; its buffers are copied."""

import torch
from torch import nn


@torch.no_grad()
def adapt(model, batches):
    for norm in model.modules():
        if isinstance(norm, nn.modules.batchnorm._BatchNorm) and norm.running_mean is not None:
            seen = []
            hook = norm.register_forward_pre_hook(lambda _norm, inputs, seen=seen: seen.append(inputs[0].transpose(0, 1).flatten(1)))
            for batch in batches:
                model(batch)
            hook.remove()
            x = torch.cat(seen, dim=1)
            other = nn.InstanceNorm1d(len(x), momentum=1.0, track_running_stats=True)
            other(x[None])
            norm.load_state_dict(other.state_dict(), strict=False)
