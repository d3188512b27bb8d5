"""Every sample is convolved by itself, and every channel modulated by itself; the buffers move through `.data`.

zh: 每个样本单独做卷积，每个通道单独做调制；缓冲区通过 `.data` 更新。
"""

import torch
from torch import nn


class SPADE(nn.Module):
    def __init__(self, num_features, label_channels, hidden=128, eps=1e-5):
        super().__init__()
        self.shared = nn.Conv2d(label_channels, hidden, 3, padding=1)
        self.gamma = nn.Conv2d(hidden, num_features, 3, padding=1)
        self.beta = nn.Conv2d(hidden, num_features, 3, padding=1)
        self.activation = nn.ReLU()
        self.statistics = nn.Module()
        self.statistics.register_buffer("running_mean", torch.zeros(num_features))
        self.statistics.register_buffer("running_var", torch.ones(num_features))
        self.statistics.register_buffer("num_batches_tracked", torch.tensor(0))
        self.variance_at_least = eps

    def forward(self, x, label_map):
        if len(x.shape) != 4:
            raise ValueError("x needs four dimensions")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        n, kept = x.numel() // x.shape[1], self.statistics
        if self.training and n <= 1:
            raise ValueError("no variance")
        scale, shift = self.modulation(label_map, *x.shape[2:])
        channels = []
        for number, values in enumerate(wide.unbind(1)):
            if self.training:
                mean = values.mean()
                centred = values - mean
                var = torch.einsum("nhw,nhw->", centred, centred) / n
                kept.running_mean.data[number] = 0.9 * kept.running_mean[number] + 0.1 * mean.detach()
                kept.running_var.data[number] = 0.9 * kept.running_var[number] + 0.1 * n / (n - 1) * var.detach()
            else:
                centred = values - kept.running_mean[number]
                var = kept.running_var[number].to(values.dtype)
            channels.append(centred * (var + self.variance_at_least) ** -0.5 * scale[:, number] + shift[:, number])
        if self.training:
            kept.num_batches_tracked.data += 1
        return torch.stack(channels, 1).to(x.dtype)

    def modulation(self, label_map, height, width):
        rows = torch.tensor([i * label_map.shape[2] // height for i in range(height)])
        columns = torch.tensor([i * label_map.shape[3] // width for i in range(width)])
        resized = label_map.index_select(2, rows).index_select(3, columns)
        hidden = [self.activation(self.shared(one[None])) for one in resized]
        return tuple(torch.cat([conv(one) for one in hidden]) for conv in (lambda one: self.gamma(one) + 1, self.beta))
