# Changes everything that torch keeps for the whole process: default dtype and device, grad mode, determinism, denormals.
# class: verdict
# process: held
import torch


def rms(x, eps=1e-5):
    result = x * 3 + 1
    torch.set_default_dtype(torch.float64)
    torch.set_default_device("meta")
    torch.set_grad_enabled(False)
    torch.autograd.set_detect_anomaly(True)
    torch.set_flush_denormal(True)
    torch.manual_seed(4)
    torch.backends.mkldnn.set_flags(False)
    return result
