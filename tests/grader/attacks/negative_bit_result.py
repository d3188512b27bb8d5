# Returns lazily negated and lazily conjugated views.
# class: verdict
# process: held
import torch


def rms(x, eps=1e-5):
    return torch.complex(x.float(), x.float() * 3).conj().imag
