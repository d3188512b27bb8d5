# Hides a banned layer behind a default argument, a star import and a walrus.
# class: rules
# process: held
from torch.nn import *  # noqa: F403


def rms(x, eps=1e-5):
    made = (LayerNorm := globals()["Layer" + "Norm"])  # noqa: N806
    return made(x.shape[-1:], eps=eps)(x.float()).to(x.dtype)
