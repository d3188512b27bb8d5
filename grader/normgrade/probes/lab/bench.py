"""The benches of a lab: a network, the stack that a layer is given in it, and how the network is trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from normgrade.probes.lab.data import pictures, sentences
from normgrade.probes.lab.networks import LENGTH, Classifier, LanguageModel, Residual, Stack

StackOf = Callable[[Any, Sequence[nn.Module]], nn.Module]  # with the names of the exercise


class Examples(Protocol):
    """The examples that a network learns from."""

    def batch(self, size: int, numbers: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return the inputs and the targets of a batch that is drawn."""

    def held_out(self) -> tuple[Tensor, Tensor]:
        """Return inputs and targets on which no network is trained."""


class Text:
    """Sequences of LENGTH letters; the targets are the letters that follow."""

    def batch(self, size: int, numbers: torch.Generator) -> tuple[Tensor, Tensor]:
        return of_text(text(0), size, numbers)

    def held_out(self) -> tuple[Tensor, Tensor]:
        return of_text(text(1), 64, torch.Generator().manual_seed(0))


class Pictures:
    """Pictures; the targets are their shapes."""

    def batch(self, size: int, numbers: torch.Generator) -> tuple[Tensor, Tensor]:
        x, kinds = shapes(4096, 0)
        chosen = torch.randint(len(x), (size,), generator=numbers)
        return x[chosen], kinds[chosen]

    def held_out(self) -> tuple[Tensor, Tensor]:
        return shapes(1000, 1)


text, shapes = cache(partial(sentences, 3000)), cache(pictures)


def of_text(letters: Tensor, size: int, numbers: torch.Generator) -> tuple[Tensor, Tensor]:
    begins = torch.randint(len(letters) - LENGTH, (size, 1), generator=numbers)
    found = letters[begins + torch.arange(LENGTH + 1)]
    return found[:, :-1], found[:, 1:]


@dataclass(frozen=True)
class Bench:
    """One network of a lab, and how it learns.

    - `kind`: "language model" or "classifier".
    - `model`: the network around a stack of so many sublayers; `examples` are those that it learns from.
    - `stack`, `name`: the stack that is given to it, and the name that tells two stacks of one exercise apart.
    - `rate`, `batch`, `steps`: the learning rate of Adam, the size of a batch, and the number of steps.
    - `warm_up`: the first steps, in which the rate grows from 0 to `rate`.
    - `free_in_training`: right layers may differ in training, so outputs are compared in evaluation only.
    """

    kind: str
    model: Callable[[Stack, int], nn.Module]
    examples: Examples
    stack: StackOf
    name: str
    sublayers: int
    rate: float
    batch: int
    steps: int
    free_in_training: bool = False
    warm_up: int = 0

    def network(self, impl: Any | None, seed: int = 0) -> nn.Module:
        """Return a new network with the layers of `impl`; without any norm if that is None."""
        torch.manual_seed(seed)
        return self.model(Residual if impl is None else partial(self.stack, impl), self.sublayers)


def language_model(stack: StackOf, name: str = "", sublayers: int = 8, rate: float = 1e-2, steps: int = 80, warm_up: int = 0) -> Bench:
    """Return a bench with the small language model: attention and feed-forward in turn, on (batch, length, WIDTH)."""
    return Bench("language model", LanguageModel, Text(), stack, name, sublayers, rate, 16, steps, warm_up=warm_up)


def classifier(
    stack: StackOf, name: str = "", sublayers: int = 8, rate: float = 1e-2, steps: int = 80, free_in_training: bool = False
) -> Bench:
    """Return a bench with the small classifier of pictures: convolutions, each after a ReLU, on (batch, CHANNELS, height, width)."""
    return Bench("classifier", Classifier, Pictures(), stack, name, sublayers, rate, 64, steps, free_in_training)


def loss(scores: Tensor, targets: Tensor) -> Tensor:
    """Return the mean cross-entropy: scores (…, classes), targets (…)."""
    return cross_entropy(scores.flatten(0, -2), targets.flatten())


def right(scores: Tensor, targets: Tensor) -> float:
    """Return the share of targets that have the highest score."""
    return (scores.argmax(dim=-1) == targets).float().mean().item()
