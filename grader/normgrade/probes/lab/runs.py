"""Runs of the lab, as they are played beside a submission: a network is trained with its layer, and looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from normgrade.probes.lab.bench import Bench, loss, right
from normgrade.probes.lab.networks import LanguageModel, numbers_in
from normgrade.probes.layers import fill

STEPS, RATE = 5, 0.1  # of plain gradient descent


def benches(_impl: Any, lab: Sequence[Bench]) -> dict[str, Any]:
    """Return the kinds and names of the benches, in order."""
    found = {f"kind {number}": bench.kind for number, bench in enumerate(lab)}
    return found | {f"name {number}": bench.name for number, bench in enumerate(lab)}


def trained(
    impl: Any,
    lab: Sequence[Bench],
    number: int,
    bare: bool = False,
    batch: int | None = None,
    start: Mapping[str, Tensor] | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Train the network of a bench, and return what was seen.

    - `bare`: the network has no norm.
    - `batch`: the size of a batch, by default that of the bench.
    - `start`: the numbers to begin with, as `begun` gives them, by name.
    - `seed`: that of the initial weights.
    """
    bench = lab[number]
    network = bench.network(None if bare else impl, seed)
    fill(network, start or {})
    optimiser, numbers = torch.optim.Adam(network.parameters(), bench.rate), torch.Generator().manual_seed(0)
    losses, first, last = [], None, None
    for step in range(bench.steps):
        optimiser.param_groups[0]["lr"] = bench.rate * min(1.0, (step + 1) / max(bench.warm_up, 1))
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
    state = lab[number].network(impl).state_dict()
    return {name: tensor.clone() for name, tensor in state.items() if tensor.is_floating_point()}


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


def compared(impl: Any, lab: Sequence[Bench], number: int, start: Mapping[str, Tensor], few: int, many: int) -> dict[str, Any]:
    """Return the outputs of a network that has the given numbers, in both modes and after it has learnt, and how much company matters.

    The company of an example is the rest of its batch, of `few` or of `many`; that of a letter are the letters beside it.
    """
    bench = lab[number]
    network = bench.network(impl)
    x, targets = (each[:many] for each in bench.examples.held_out())

    def outputs(x: Tensor) -> Tensor:
        fill(network, start)  # training may have changed its buffers
        found: Tensor = network(x)
        return found

    with torch.no_grad():
        network.eval()
        evaluated, few_evaluated = outputs(x), outputs(x[:few])
        network.train()
        in_training, few_in_training = outputs(x), outputs(x[:few])
        seen: dict[str, Any] = {"outputs": evaluated}
        seen["alone in evaluation"] = far(few_evaluated, evaluated[:few])
        seen["alone in training"] = far(few_in_training, in_training[:few])
        if isinstance(network, LanguageModel):
            seen["one letter"] = far(outputs(x[:, :1]), in_training[:, :1])
    if not bench.free_in_training:
        seen |= {"outputs in training": in_training, "outputs after learning": descended(network, start, x, targets)}
    return seen


def descended(network: nn.Module, start: Mapping[str, Tensor], x: Tensor, targets: Tensor) -> Tensor:
    """Return the outputs in evaluation after a few steps of gradient descent, by which a weight or a bias no longer has its first value.

    Descent is plain: Adam would make large steps of gradients that are 0 up to rounding.
    """
    fill(network, start)
    optimiser = torch.optim.SGD(network.parameters(), RATE)
    for _ in range(STEPS):
        optimiser.zero_grad()
        loss(network(x), targets).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    network.eval()
    with torch.no_grad():
        result: Tensor = network(x)
    return result


def far(some: Tensor, others: Tensor) -> float:
    """Return the largest difference."""
    return (some - others).abs().max().item()
