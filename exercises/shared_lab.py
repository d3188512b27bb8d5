"""The lab of the course: a learner's layer at work in a small network, beside the reference and beside no norm at all.

An exercise that has a lab says in its `lab.py` which networks its layer stands in: LAB is a list of `language_model(stack)` and
`classifier(stack)`. `stack(impl, sublayers)` returns a module of these sublayers, built with the names of the exercise in `impl`. The
runs are played beside a submission: the command `lab` calls `benches`, `trained`, `begun` and `compared`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from normgrade.probes.layers import fill

Stack = Callable[[Sequence[nn.Module]], nn.Module]  # makes one module of sublayers
StackOf = Callable[[Any, Sequence[nn.Module]], nn.Module]  # with the names of the exercise

# The data: sentences of a small grammar, and pictures of ten shapes. They are made by rules, so nothing is downloaded.

LETTERS = " .abcdefghijklmnopqrstuvwxyz"
ADJECTIVES = "small", "red", "old", "quick", "silent"
NOUNS = "dog", "bird", "child", "river", "teacher"
VERBS = "see", "follow", "like", "hear", "find"
SHAPES = "disc", "ring", "square", "frame", "cross", "diagonals", "bars", "columns", "triangle", "corner"
PIXELS = 12  # of a picture in each direction


def sentences(count: int, seed: int) -> Tensor:
    """Return `count` sentences as one text: the index of each letter in LETTERS, of shape (letters,) and dtype int64.

    >>> "".join(LETTERS[each] for each in sentences(2, seed=0).tolist())
    'the river that the old river likes finds the red child. the old teachers find the small child. '
    """
    numbers = random.Random(seed)
    return torch.tensor([LETTERS.index(letter) for _ in range(count) for letter in sentence(numbers)])


def sentence(numbers: random.Random) -> str:
    """Return a sentence. Its verb agrees with its subject, which may be far before it."""
    subject, plural = thing(numbers)
    clause = ""
    if numbers.random() < 0.4:
        other, several = thing(numbers)
        clause = f" that {other} {verb(numbers, several)}"
    return f"{subject}{clause} {verb(numbers, plural)} {thing(numbers)[0]}. "


def thing(numbers: random.Random) -> tuple[str, bool]:
    """Return a noun with its article, and True if it is plural."""
    plural = numbers.random() < 0.5
    adjective = f"{numbers.choice(ADJECTIVES)} " if numbers.random() < 0.5 else ""
    noun = numbers.choice(NOUNS)
    return f"the {adjective}{'children' if plural and noun == 'child' else noun + 's' * plural}", plural


def verb(numbers: random.Random, plural: bool) -> str:
    return numbers.choice(VERBS) + "s" * (not plural)


def pictures(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return `count` noisy pictures of shapes, (count, 1, PIXELS, PIXELS), and the number of the shape of each, (count,).

    Place, size, brightness and background of a shape are drawn at random.
    """
    numbers = torch.Generator().manual_seed(seed)
    kinds = torch.randint(len(SHAPES), (count,), generator=numbers)
    centres = 5.5 + 1.5 * (2 * torch.rand(count, 2, 1, 1, generator=numbers) - 1)
    half = 2.5 + 1.5 * torch.rand(count, 1, 1, generator=numbers)
    rows, columns = torch.meshgrid(torch.arange(PIXELS), torch.arange(PIXELS), indexing="ij")
    down, across = rows - centres[:, 0], columns - centres[:, 1]  # (count, PIXELS, PIXELS)
    shapes = drawn(down, across, half)[kinds, torch.arange(count)].float()
    brightness = 0.5 + torch.rand(count, 1, 1, generator=numbers)
    background = torch.rand(count, 1, 1, generator=numbers)
    noise = 0.15 * torch.randn(count, PIXELS, PIXELS, generator=numbers)
    return (shapes * brightness + background + noise)[:, None], kinds


def drawn(down: Tensor, across: Tensor, half: Tensor) -> Tensor:
    """Return where each of SHAPES is, (shapes, count, PIXELS, PIXELS), given the distances from its centre and half of its size."""
    far = torch.maximum(down.abs(), across.abs())
    round_ = (down.square() + across.square()).sqrt()
    inside = far <= half
    edge = half - 1.2
    every = (
        round_ <= half,
        (round_ <= half) & (round_ > edge),
        inside,
        inside & (far > edge),
        inside & ((down.abs() < 0.8) | (across.abs() < 0.8)),
        inside & ((down.abs() - across.abs()).abs() < 0.9),
        inside & (down.round().remainder(3) == 0),
        inside & (across.round().remainder(3) == 0),
        inside & (across.abs() <= (down + half) / 2),
        inside & ((down > half - 1.5) | (across < -half + 1.5)),
    )
    return torch.stack(every)


# The networks, each around a stack of sublayers

WIDTH, LENGTH, HEADS = 32, 32, 2  # of the language model: features of a letter, letters of a sequence, heads of attention
CHANNELS = 16  # of the classifier


class Attention(nn.Module):
    """Causal self-attention: (batch, length, WIDTH) → the same shape."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (each(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for each in (self.query, self.key, self.value))
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        result: Tensor = self.out(mixed.transpose(1, 2).flatten(2))
        return result


def feed_forward() -> nn.Module:
    """Return two linear layers with ReLU between them: (…, WIDTH) → the same shape."""
    return nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH))


def convolution() -> nn.Module:
    """Return ReLU and a convolution: (batch, CHANNELS, height, width) → the same shape."""
    return nn.Sequential(nn.ReLU(), nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1))


class LanguageModel(nn.Module):
    """Letters → scores of each next letter: (batch, length) → (batch, length, letters)."""

    def __init__(self, stack: Stack, sublayers: int) -> None:
        super().__init__()
        self.letters = nn.Embedding(len(LETTERS), WIDTH)
        self.positions = nn.Embedding(LENGTH, WIDTH)
        self.sublayers = [(Attention, feed_forward)[number % 2]() for number in range(sublayers)]
        self.stack, self.head = with_first_weights(self.sublayers, stack), nn.Linear(WIDTH, len(LETTERS))
        begin([self.head], 0.1)

    def forward(self, text: Tensor) -> Tensor:
        scores: Tensor = self.head(self.stack(self.letters(text) + self.positions.weight[: text.shape[1]]))
        return scores


class Classifier(nn.Module):
    """Pictures → scores of their shapes: (batch, 1, pixels, pixels) → (batch, shapes)."""

    def __init__(self, stack: Stack, sublayers: int) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, CHANNELS, 4, stride=2, padding=1)  # halves height and width
        self.sublayers = [convolution() for _ in range(sublayers)]
        self.stack, self.head = with_first_weights(self.sublayers, stack), nn.Linear(CHANNELS, len(SHAPES))
        begin([self.head], 0.1)

    def forward(self, x: Tensor) -> Tensor:
        scores: Tensor = self.head(self.stack(self.stem(x)).mean(dim=(2, 3)))
        return scores


def with_first_weights(sublayers: Sequence[nn.Module], stack: Stack) -> nn.Module:
    """Give the sublayers their first weights, and return the stack of them, which may give them others."""
    begin(sublayers)
    return stack(sublayers)


def begin(modules: Sequence[nn.Module], gain: float = 1.0) -> None:
    """Draw weights: Glorot's with this gain for linear layers, He's for convolutions. Biases become 0."""
    for module in (each for outer in modules for each in outer.modules()):
        if isinstance(module, nn.Linear):
            nn.init.xavier_normal_(module.weight, gain)
        elif isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight)
        if isinstance(module, nn.Linear | nn.Conv2d) and module.bias is not None:
            nn.init.zeros_(module.bias)


class Residual(nn.Module):
    """x + F(norm(x)) for each sublayer F in turn, and one more norm at the end. Each call of `norm` makes one; without it there is none."""

    def __init__(self, sublayers: Sequence[nn.Module], norm: Callable[[], nn.Module] = nn.Identity) -> None:
        super().__init__()
        self.norms = nn.ModuleList(norm() for _ in sublayers)
        self.sublayers = nn.ModuleList(sublayers)
        self.last = norm()

    def forward(self, x: Tensor) -> Tensor:
        for norm, sublayer in zip(self.norms, self.sublayers, strict=True):
            x = x + sublayer(norm(x))
        result: Tensor = self.last(x)
        return result


def numbers_in(network: nn.Module) -> int:
    """Return how many numbers a network learns.

    >>> numbers_in(nn.Linear(2, 3))
    9
    """
    return sum(parameter.numel() for parameter in network.parameters())


# The benches: a network, the stack that a layer is given in it, and how the network is trained


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


# The runs: a network is trained with a layer, and looked at

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
            found.backward()
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
            output.register_hook(lambda dy: sizes["gradients"].insert(0, size(dy)))

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
        loss(network(x), targets).backward()
        optimiser.step()
    network.eval()
    with torch.no_grad():
        result: Tensor = network(x)
    return result


def far(some: Tensor, others: Tensor) -> float:
    """Return the largest difference."""
    return (some - others).abs().max().item()
