"""The first step that goes wrong, and how it is told to the learner."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from normgrade.language import _
from normgrade.steps.small_changes import Change
from normgrade.steps.sources import Source
from normgrade.worker.rewriting import Spot

MOST_PARTS = 4096  # of a denominator
NEAR = 1e-6
FACTOR = re.compile(r"× −?[\d.]+")


@dataclass(frozen=True, slots=True)
class Named:
    """A quantity in words, and where the learner's code makes it. Lines and columns count from 1, columns in characters."""

    name: str
    line: int
    column: int
    width: int

    @classmethod
    def at(cls, name: str, source: Source, spot: Spot) -> Named:
        """The quantity at a place; of several lines, the first."""
        start, end = source.range_of(spot)
        first = source.starts[spot.line - 1]
        return cls(name, spot.line, start - first + 1, min(end, first + len(source.lines[spot.line - 1])) - start)


@dataclass(frozen=True, eq=False)
class Step:
    """The first step of a submission that goes wrong.

    right: what is right before it, in the order of the submission.
    wrong: what is not.
    later: what goes wrong once more behind it.
    how: by how much, as in "every value × 40/39"; "" where that is not one factor.
    change: a change of the reference that leads to the same outputs, where one is known.
    """

    right: tuple[Named, ...]
    wrong: Named
    later: tuple[Named, ...] = ()
    how: str = ""
    change: Change | None = None

    @property
    def line(self) -> int:
        return self.wrong.line

    @property
    def column(self) -> int:
        return self.wrong.column

    @property
    def width(self) -> int:
        return self.wrong.width

    @property
    def says(self) -> str:
        """The step in words."""
        parts = [told_right(self.right)] if self.right else []
        name, line = self.wrong.name, self.line
        parts.append((_("{name} is not (line {line})") if parts else _("{name} is not right (line {line})")).format(name=name, line=line))
        if how := _(", ").join(filter(None, (self.how, self.as_if))):
            parts[-1] += _(": ") + how
        parts += [_("nor is {name} after it (line {line})", name=each.name, line=each.line) for each in self.later]
        return _("; ").join([*parts, _("from there on everything follows")])

    @property
    def as_if(self) -> str:
        """The words of the change; none if they only repeat the factor."""
        words = self.change.words if self.change else ""
        return "" if self.how and FACTOR.fullmatch(words) else words


def told_right(right: tuple[Named, ...]) -> str:
    """The right quantities, with their lines."""
    told = [_("{name} is right (line {line})", name=each.name, line=each.line) for each in right]
    return _(", ").join(told)


def by_factor(ratio: float) -> str:
    """Every value times a factor, which is shown as a fraction where it is one."""
    fraction = Fraction(ratio).limit_denominator(MOST_PARTS)
    whole = fraction.denominator == 1
    exact = abs(float(fraction) - ratio) <= NEAR * abs(ratio) and abs(fraction.numerator) * fraction.denominator < MOST_PARTS
    shown = str(fraction.numerator) if whole else f"{fraction.numerator}/{fraction.denominator}"
    return _("every value × {factor}", factor=(shown if exact else f"{ratio:.6g}").replace("-", "−"))
