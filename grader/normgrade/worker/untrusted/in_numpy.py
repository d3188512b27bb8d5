"""The `Backend` for submissions that are written with only NumPy: see `play.py`. PyTorch is never imported here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from normgrade.course.ban import Ban
from normgrade.language import _
from normgrade.probes import arrays as probes
from normgrade.worker.untrusted.stopping import find_in_numpy, forbid_imports, forbid_loading, stop_numpy
from normgrade.worker.wire.observation import Array, Playable, Value
from normgrade.worker.wire.requests import FORWARD_BACKWARD, Action, LayerStep, LayerStory

__all__ = ["EXAMPLE", "enforce", "find_banned", "first_step", "given", "many_steps", "probes", "seen", "settle", "use_one_thread"]

EXAMPLE = """
import numpy as np

def forward(x, weight, eps=1e-5):
    wide = x.astype(np.promote_types(x.dtype, np.float32))
    mean, var = wide.mean(axis=-1, keepdims=True), wide.var(axis=-1, keepdims=True)
    normed = (wide - mean) / np.sqrt(var + eps)
    return (normed * weight).astype(x.dtype), (normed, weight)

def backward(dy, cache):
    normed, weight = cache
    return dy * weight, np.einsum("nd,nd->d", dy, normed)
"""


def settle(dtype: str, seed: int) -> None:
    """Do nothing: the probes reset NumPy's handling of errors, and there is no default dtype. See `Backend.settle`."""


def given(array: Array) -> np.ndarray:
    """Return a copy, which is rounded if the oracle asks for it: see `Backend.given`. Raises ValueError for bfloat16."""
    if array.dtype == "bfloat16":
        raise ValueError(_("NumPy does not support bfloat16: use float16"))
    return probes.entered(np.array(array.values))


def seen(thing: object, size_limit_bytes: int | None) -> Value | None:
    """Return None, because NumPy's arrays travel as they are: see `Backend.seen`."""
    return None


def first_step() -> Playable:
    """See `Backend.first_step`."""
    return story(LayerStep.on(Action.EVALUATE, ones(2, 3), ones(3), upstream=ones(2, 3), scattered=True))


def many_steps() -> Sequence[Playable]:
    """See `Backend.many_steps`."""
    x, weight = ones(2, 3), ones(3)
    steps = [
        LayerStep.on(Action.TRAIN, x, weight, upstream=x, view="strided", twice=True, again=True),
        LayerStep.on(Action.EVALUATE, x, weight, upstream=x, view="expanded", between=x),
        LayerStep(Action.SETTINGS),
    ]
    return [story(*steps), story(LayerStep.on(Action.EVALUATE, x, ones(4)))]


def story(*steps: LayerStep) -> LayerStory:
    return LayerStory(FORWARD_BACKWARD, ["forward"], steps=steps)


def ones(*shape: int) -> Array:
    return Array(np.ones(shape, np.float32), "float32")


def use_one_thread() -> None:
    """Do nothing: the environment of the process limits NumPy's libraries to one thread. See `Backend.use_one_thread`."""


def find_banned(ban: Ban) -> None:
    """Find the banned functions of NumPy: see `Backend.find_banned`."""
    find_in_numpy(ban)


def enforce(ban: Ban) -> None:
    """Make the banned functions of NumPy raise, and imports of banned libraries: see `Backend.enforce`."""
    stop_numpy(ban)
    forbid_imports(ban)
    forbid_loading(ban)
