import torch
import torch.nn as nn

BN = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


class Sums:
    def __init__(self):
        self.n = self.s = self.ss = 0

    def add(self, x):
        dims = [d for d in range(x.dim()) if d != 1]
        x = x.double()
        weight = x.shape[0]
        self.n = self.n + weight
        self.s = self.s + weight * x.mean(dims)
        self.ss = self.ss + weight * (x**2).mean(dims)

    def mean_var(self):
        mean = self.s / self.n
        return mean, (self.ss / self.n - mean**2).clamp(min=0)


@torch.no_grad()
def adapt(model, batches):
    root_mode = model.training
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    norms = [m for m in model.modules() if isinstance(m, BN) and m.track_running_stats]
    ran = []
    hooks = [m.register_forward_hook(lambda mod, i, o: ran.append(mod)) for m in norms]
    model(next(iter(batches)))
    for h in hooks:
        h.remove()
    for norm in [m for m in norms if m in ran]:
        sums = Sums()
        hook = norm.register_forward_pre_hook(lambda mod, inputs: sums.add(inputs[0]))
        for batch in batches:
            model(batch)
            norm.num_batches_tracked += 1
        hook.remove()
        mean, var = sums.mean_var()
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(var)
    model.train(root_mode)

