"""The networks of the lab: a small language model and a small classifier of pictures, each around a stack of sublayers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torch import Tensor, nn

from normgrade.probes.lab.data import LETTERS, SHAPES

WIDTH, LENGTH, HEADS = 32, 32, 2  # of the language model: features of a letter, letters of a sequence, heads of attention
CHANNELS = 16  # of the classifier
Stack = Callable[[Sequence[nn.Module]], nn.Module]  # makes one module of sublayers


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
        self.stack, self.head = begun(self.sublayers, stack), nn.Linear(WIDTH, len(LETTERS))
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
        self.stack, self.head = begun(self.sublayers, stack), nn.Linear(CHANNELS, len(SHAPES))
        begin([self.head], 0.1)

    def forward(self, x: Tensor) -> Tensor:
        scores: Tensor = self.head(self.stack(self.stem(x)).mean(dim=(2, 3)))
        return scores


def begun(sublayers: Sequence[nn.Module], stack: Stack) -> nn.Module:
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


__all__ = ["CHANNELS", "WIDTH", "Classifier", "LanguageModel", "Residual", "Stack", "begin", "numbers_in"]
