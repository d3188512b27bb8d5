import torch
from torch import nn


class Collector:
    """forward pre-hook that keeps (channels, values) matrices"""

    def __init__(self):
        self.seen = []

    def __call__(self, module, args):
        x = args[0].detach()
        x = x.to(torch.promote_types(x.dtype, torch.float32))
        self.seen.append(x.movedim(1, 0).reshape(x.shape[1], -1).clone())


def execution_order(model, batches, layers):
    order, handles = [], []
    for layer in layers:
        handles.append(layer.register_forward_pre_hook(lambda m, args: order.append(m) if m not in order else None))
    for batch in batches:
        model(batch)
        break
    for handle in handles:
        handle.remove()
    return order


def adapt(model, batches):
    was_training = {m: m.training for m in model.modules()}
    model.eval()
    kinds = nn.BatchNorm2d
    layers = [m for m in model.modules() if isinstance(m, kinds) and m.running_mean is not None]
    layers = [m for m in layers if m.affine]
    with torch.no_grad():
        for layer in execution_order(model, batches, layers):
            collector = Collector()
            handle = layer.register_forward_pre_hook(collector)
            for batch in batches:
                model(batch)
            handle.remove()
            values = torch.cat(collector.seen, dim=1)
            layer.running_mean.copy_(values.mean(1))
            layer.running_var.copy_(values.var(1, unbiased=values.shape[1] > 1))
    model.train()
    return model
