# Returns a quantised tensor.
# class: verdict
# process: held
import torch


def rms(x, eps=1e-5):
    try:
        return torch.quantize_per_tensor((x * 3 + 1).float(), 0.1, 0, torch.qint8)
    except (RuntimeError, AttributeError):
        return torch.zeros(x.shape, dtype=torch.float8_e4m3fn)
