import torch
import torch.nn.functional as F


def local_response_norm(x, size, alpha=1e-4, beta=0.75, k=1.0):
    if x.dim() < 3:
        raise ValueError("at least three dimensions")
    v = x.to(torch.promote_types(x.dtype, torch.float32))
    C = v.shape[1]
    n = size if size < C else max(1, C // 2)
    energy = (v**2).flatten(2).transpose(1, 2).flatten(0, 1).unsqueeze(1)  # (N * positions, 1, C)
    kernel = torch.ones(1, 1, n, dtype=v.dtype, device=v.device)
    kernel[..., n // 2] = 2
    # conv1d over the channels; a nan reaches its own windows only
    local = F.conv1d(F.pad(energy, (n // 2, (n - 1) // 2)), kernel)
    local = local.squeeze(1).unflatten(0, (v.shape[0], -1)).transpose(1, 2).reshape(v.shape)
    d = (k + alpha / size * local) ** beta
    y = v / d.clamp(min=1)
    return y.to(x.dtype)
