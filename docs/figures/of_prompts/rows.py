"""Rows of numbers as prompts show them: a label, then one column for each number of x; four digits, and a true minus."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TypeVar

import torch
from torch import Tensor

X = torch.tensor([1.0, 2.0, 3.0, 6.0], dtype=torch.float64)  # worked out in every prompt
DY = torch.tensor([1.0, 0.0, 0.0, 0.0], dtype=torch.float64)  # the gradient of y: only its first number counts
LABEL, COLUMN, DIGITS = 18, 10, 4
SEEDS = range(8)  # a sentence on random numbers tells the mean of so many runs, or an order of magnitude
T = TypeVar("T")


@dataclass(frozen=True)
class Worked:
    """The numbers of a prompt: the text before and after them in each language, and their rows."""

    before: Mapping[str, str]
    rows: Sequence[str]
    after: Mapping[str, str]


@dataclass(frozen=True)
class Measured:
    """A piece of a prompt with numbers that were measured, as it stands there in each language."""

    told: Mapping[str, str]


def of_seeds(run: Callable[[], T]) -> list[T]:
    """Return what a run gives for each of the seeds."""
    found = []
    for seed in SEEDS:
        torch.manual_seed(seed)
        found.append(run())
    return found


def with_spread(values: Sequence[float], digits: int = 0) -> str:
    """Return the mean of several numbers and their standard deviation.

    >>> with_spread([1.0, 2.0, 3.0], 1)
    '2.0 ± 1.0'
    """
    return f"{fmean(values):.{digits}f} ± {stdev(values):.{digits}f}"


def power(number: float) -> str:
    """Return the power of ten at or below a number.

    >>> power(470.0)
    '10²'
    """
    return "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(math.floor(math.log10(number))))


def row(label: str, values: Tensor | float) -> str:
    """Return a label with its numbers, below those of x.

    >>> row("x̂", torch.tensor([-1.06904, 0.0]))
    'x̂                     −1.0690    0.0000'
    """
    numbers = torch.as_tensor(values, dtype=torch.float64).detach().flatten().tolist()
    digits = 0 if all(number == round(number) for number in numbers) else DIGITS
    return padded(label, LABEL) + "".join(f"{written(number, digits):>{COLUMN}}" for number in numbers)


def step(label: str, formula: str, value: Tensor | float) -> str:
    """Return a label with the sum that gives one number.

    >>> step("μ", "(1 + 2 + 3 + 6)/4", 3.0)
    'μ                 (1 + 2 + 3 + 6)/4 = 3'
    """
    return f"{padded(label, LABEL)}{formula} = {short(float(value))}"


def written(number: float, digits: int) -> str:
    """Return a number with so many digits. What rounds to 0 has no sign."""
    return f"{round(number, digits) + 0.0:.{digits}f}".replace("-", "−")


def short(number: float) -> str:
    """Return a number with as many digits as it needs, but no more than DIGITS.

    >>> short(12.5), short(3.0), short(-1 / 3)
    ('12.5', '3', '−0.3333')
    """
    return written(number, DIGITS).rstrip("0").rstrip(".")


def padded(label: str, width: int) -> str:
    """Return a label with spaces up to a width. A hat above a letter takes no place."""
    return label + " " * (width - sum(character != "\N{COMBINING CIRCUMFLEX ACCENT}" for character in label))


def block(rows: Iterable[str]) -> str:
    """Return rows as a block of code in Markdown."""
    return "\n".join(("```", *(each.rstrip() for each in rows), "```"))
