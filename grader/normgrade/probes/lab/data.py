"""The data of the lab, made by rules and fixed seeds: sentences of a small grammar, and pictures of ten shapes. Nothing is downloaded."""

from __future__ import annotations

import random

import torch
from torch import Tensor

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
