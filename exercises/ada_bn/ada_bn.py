"""Adaptive batch normalisation, by hand. `normgrade show ada_bn` tells the task, `normgrade check ada_bn` grades this file."""

from collections.abc import Iterable

from torch import Tensor, nn


def adapt(model: nn.Module, batches: Iterable[Tensor]) -> None:
    """Replaces the running statistics of every batch norm in `model` by those of all `batches`, layer by layer; changes the model."""
    raise NotImplementedError("find the norms in the order in which they run; for each, collect what it sees, and set its statistics")
