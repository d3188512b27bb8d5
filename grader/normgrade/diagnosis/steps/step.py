"""The first step that goes wrong, and its description for the learner."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from normgrade.diagnosis.steps.small_changes import Change
from normgrade.diagnosis.steps.sources import Source
from normgrade.language import _
from normgrade.worker.untrusted.rewriting import Spot

MOST_PARTS = 4096  # of a denominator
NEAR = 1e-6
FACTOR = re.compile(r"× −?[\d.]+")


@dataclass(frozen=True, slots=True)
class Named:
    """A quantity in words, and its place in the learner's code. Lines and columns count from 1, columns in characters."""

    name: str
    line: int
    column: int
    width: int

    @classmethod
    def at(cls, name: str, source: Source, spot: Spot) -> Named:
        """Return the quantity at a place. If the place has several lines, only the first counts."""
        start, end = source.range_of(spot)
        first = source.starts[spot.line - 1]
        return cls(name, spot.line, start - first + 1, min(end, first + len(source.lines[spot.line - 1])) - start)


@dataclass(frozen=True, eq=False)
class Step:
    """The first step of a submission that goes wrong.

    right: the quantities before it that are right, in the order of the submission.
    wrong: the quantity that is wrong.
    later: the quantities after it that also go wrong by themselves.
    how: the size of the error, as in "every value × 40/39"; "" if it is no single factor.
    change: a change of the reference that leads to the same outputs, if one is known.
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
        parts.append(_("{name} is wrong (line {line})", name=self.wrong.name, line=self.line))
        if how := _(", ").join(filter(None, (self.how, self.as_if))):
            parts[-1] += _(": ") + how
        parts += [_("{name} is also wrong (line {line})", name=each.name, line=each.line) for each in self.later]
        return _("; ").join([*parts, _("all other errors follow from this")])

    @property
    def as_if(self) -> str:
        """The words of the change; empty if they only repeat the factor."""
        words = self.change.words if self.change else ""
        return "" if self.how and FACTOR.fullmatch(words) else words


def told_right(right: tuple[Named, ...]) -> str:
    """Return the right quantities with their lines, in words."""
    told = [_("{name} is right (line {line})", name=each.name, line=each.line) for each in right]
    return _(", ").join(told)


def by_factor(ratio: float) -> str:
    """Return "every value × factor" in words. The factor is shown as a fraction if it is one."""
    fraction = Fraction(ratio).limit_denominator(MOST_PARTS)
    whole = fraction.denominator == 1
    exact = abs(float(fraction) - ratio) <= NEAR * abs(ratio) and abs(fraction.numerator) * fraction.denominator < MOST_PARTS
    shown = str(fraction.numerator) if whole else f"{fraction.numerator}/{fraction.denominator}"
    return _("every value × {factor}", factor=(shown if exact else f"{ratio:.6g}").replace("-", "−"))
