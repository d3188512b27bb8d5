"""Runs of the lab, as they are played beside a submission: a network is trained with its layer, and looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from normgrade.probes.lab.bench import Bench, loss, right
from normgrade.probes.lab.networks import numbers_in
from normgrade.probes.layers import fill

COMPANY = 64  # examples beside the one that is looked at


def benches(_impl: Any, lab: Sequence[Bench]) -> dict[str, Any]:
    """Return the kinds and names of the benches, in order."""
    found = {f"kind {number}": bench.kind for number, bench in enumerate(lab)}
    return found | {f"name {number}": bench.name for number, bench in enumerate(lab)}


def trained(
    impl: Any, lab: Sequence[Bench], number: int, bare: bool = False, batch: int | None = None, start: Mapping[str, Tensor] | None = None
) -> dict[str, Any]:
    """Train the network of a bench, and return what was seen.

    - `bare`: the network has no norm.
    - `batch`: the size of a batch, by default that of the bench.
    - `start`: the numbers to begin with, as `begun` gives them, by name.
    """
    bench = lab[number]
    network = bench.network(None if bare else impl)
    fill(network, start or {})
    optimiser, numbers = torch.optim.Adam(network.parameters(), bench.rate), torch.Generator().manual_seed(0)
    losses, first, last = [], None, None
    for step in range(bench.steps):
        x, targets = bench.examples.batch(batch or bench.batch, numbers)
        with looked_at(network, step in (0, bench.steps - 1)) as layers:
            found = loss(network(x), targets)
            losses.append(found.item())
            optimiser.zero_grad()
            found.backward()  # type: ignore[no-untyped-call]
        first, last = layers if step == 0 else first, layers
        optimiser.step()
    assert first is not None and last is not None
    network.eval()
    with torch.no_grad():
        x, targets = bench.examples.held_out()
        scores = network(x)
    return {
        "loss": torch.tensor(losses, dtype=torch.float64),
        "loss on others": loss(scores, targets).item(),
        "right": right(scores, targets),
        "numbers": numbers_in(network),
        **{f"{what} {when}": sizes for when, seen in (("first", first), ("last", last)) for what, sizes in seen.items()},
    }


def begun(impl: Any, lab: Sequence[Bench], number: int) -> dict[str, Any]:
    """Return the numbers of a new network, by name: parameters and floating-point buffers."""
    return dict(numbers_of(lab[number].network(impl)))


def numbers_of(network: nn.Module) -> Iterator[tuple[str, Tensor]]:
    for name, tensor in network.state_dict().items():
        if tensor.is_floating_point():
            yield name, tensor.detach().clone()


@contextmanager
def looked_at(network: Any, looks: bool) -> Iterator[dict[str, Tensor]]:
    """Note the root mean square of what comes out of each sublayer, and of its gradient, while the network goes forward and back."""
    sizes: dict[str, list[float]] = {"activations": [], "gradients": []}
    seen: dict[str, Tensor] = {}

    def forward(_module: nn.Module, _inputs: Any, output: Any) -> None:
        if isinstance(output, Tensor) and output.requires_grad:
            sizes["activations"].append(size(output))
            output.register_hook(lambda dy: sizes["gradients"].insert(0, size(dy)))  # type: ignore[no-untyped-call]

    handles = [each.register_forward_hook(forward) for each in layers_of(network)] if looks else []
    try:
        yield seen
    finally:
        for handle in handles:
            handle.remove()
    seen |= {name: torch.tensor(of, dtype=torch.float64) for name, of in sizes.items()}


def layers_of(network: Any) -> Sequence[nn.Module]:
    """Return the sublayers that the stack was given, or its own children if it holds none of them."""
    held = {*network.stack.modules()}
    return [each for each in network.sublayers if each in held] or [*network.stack.children()]


def size(x: Tensor) -> float:
    """Return the root mean square of a tensor."""
    return x.detach().square().mean().sqrt().item()


def compared(impl: Any, lab: Sequence[Bench], number: int, start: Mapping[str, Tensor]) -> dict[str, Any]:
    """Return the outputs of a new network with the given numbers, in training and in evaluation, and how much company matters.

    The company of a picture is the rest of its batch; that of a letter are the letters beside it.
    """
    bench = lab[number]
    network = bench.network(impl)
    fill(network, start)
    x, _targets = bench.examples.held_out()
    many = x[:COMPANY]
    with torch.no_grad():
        network.eval()
        outputs = network(many)
        few = network(many[:2])
        network.train()
        training = network(many)
        fill(network, start)
        training_few = network(many[:2])
        seen = {"outputs": outputs, "outputs in training": training}
        seen["alone in evaluation"] = far(few, outputs[:2])
        seen["alone in training"] = far(training_few, training[:2])
        if bench.kind == "language model":
            fill(network, start)
            seen["one letter"] = far(network(many[:, :1]), training[:, :1])
    return seen


def far(some: Tensor, others: Tensor) -> float:
    """Return the largest difference."""
    return (some - others).abs().max().item()
