"""What was observed of a submission, held against what every known mistake changes: sets of facts, as the bits of whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from normgrade.compare.agreement import Forecast, agreement
from normgrade.compare.effects import Effects, Layout
from normgrade.compare.facts import Facts, Right
from normgrade.compare.forecasts import Forecasts
from normgrade.compare.played import Played, PlayKey, Result
from normgrade.report.report import Outcome
from normgrade.worker.observation import Cause

Bits = int  # a set of facts: bit n stands for fact n


@dataclass(frozen=True, eq=False)
class Observed:
    """One play of the submission as facts. `first_fact` and `first_number` are where they stand among those of the whole suite."""

    key: PlayKey
    play: Played
    first_fact: int
    first_number: int

    @property
    def right(self) -> Right:
        """What the reference gives."""
        return self.play.right

    @property
    def facts(self) -> Facts:
        """What was observed."""
        return self.play.facts

    @property
    def bits(self) -> Bits:
        """All facts of this play."""
        return ((1 << self.right.size) - 1) << self.first_fact

    def bit(self, fact: int) -> Bits:
        """One of its facts, by its number in this play."""
        return 1 << (self.first_fact + fact)

    def since(self, step: int | None) -> Bits:
        """Its facts from a step on, with that of how it ended; all of them where there are no steps."""
        later = (index for index, place in enumerate(self.right.places) if step is None or (place.step or 0) >= step)
        return union(self.bit(2 * index) | self.bit(2 * index + 1) for index in later) | self.ending

    @property
    def ending(self) -> Bits:
        """The fact of how it ended."""
        return self.bit(self.right.size - 1)

    @property
    def died(self) -> bool:
        """Whether there was no answer, or one that only a ban can give: no mistake goes so far."""
        error = self.play.observation.error
        return error is not None and (error.cause is not Cause.RAISED or "ByHand" in error.types)


@dataclass(frozen=True, eq=False)
class Part:
    """What one set of mistakes changes, held against what was observed. Everything is among the facts that were reached.

    active: the facts that it changes.
    contradicted: those of them that were observed otherwise.
    witnessed: how many numbers tell it from the reference, by fact where there are any.
    opened: how many numbers it leaves undetermined, likewise.
    misfit: how far results of unstable arithmetic are from what was observed, by fact.
    """

    active: Bits = 0
    contradicted: Bits = 0
    witnessed: Mapping[int, int] = field(default_factory=dict)
    opened: Mapping[int, int] = field(default_factory=dict)
    misfit: Mapping[int, float] = field(default_factory=dict)
    moved: Mapping[int, float] = field(default_factory=dict)
    unstable: Bits = 0


@dataclass(frozen=True, eq=False)
class Evidence:
    """The plays of a submission, and what each mistake alone has to do with them.

    `checks` are the facts of each check that failed or was skipped and has any, by its name. `reached` are all facts that were observed,
    `wrong` those of them that are other than the reference's.
    """

    plays: tuple[Observed, ...]
    parts: tuple[Part, ...]  # of every mistake
    reached: Bits
    wrong: Bits
    checks: Mapping[str, Bits]

    @cached_property
    def catalogue(self) -> dict[int, tuple[bool, str, str]]:
        """Of every fact that was observed, whether it is a word, what was looked at, and the word."""
        found: dict[int, tuple[bool, str, str]] = {}
        for play in self.plays:
            for index, (place, form) in enumerate(zip(play.right.places, play.facts.forms, strict=True)):
                found[play.first_fact + 2 * index] = (True, place.template, str(form))
                found[play.first_fact + 2 * index + 1] = (False, place.template, "")
            found[play.first_fact + play.right.size - 1] = (True, "", play.facts.ending.partition(" ")[0])
        return found

    @cached_property
    def known(self) -> Bits:
        """The facts that are what a mistake leads to."""
        return union(part.active & ~part.contradicted for part in self.parts)

    def is_word(self, fact: int) -> bool:
        """Whether a fact is a form or an ending, not numbers."""
        return self.catalogue[fact][0]

    def kinds(self, facts: Bits) -> set[str]:
        """What was looked at in these facts, in whatever play."""
        return {self.catalogue[fact][1] for fact in facts_in(facts)}

    def words(self, facts: Bits) -> set[str]:
        """How the plays of these facts ended, where that is one of them: the types of their errors."""
        return {self.catalogue[fact][2] for fact in facts_in(facts) if self.catalogue[fact][0] and not self.catalogue[fact][1]}

    def without(self, facts: Bits) -> Evidence:
        """The evidence without some facts: they speak neither for nor against any mistake."""
        kept = self.reached & ~facts
        parts = tuple(replace(part, active=part.active & kept, contradicted=part.contradicted & kept) for part in self.parts)
        return replace(self, parts=parts, reached=kept, wrong=self.wrong & kept)


def evidence_of(results: Sequence[Result], forecasts: Forecasts) -> Evidence:
    """The evidence that all results give. Plays that the forecasts do not know, and those without an answer, say nothing."""
    plays = tuple(observed(results, forecasts.effects.layout))
    told = [play for play in plays if not play.died]
    reached = sum(bits_of(play.facts.reached, play.first_fact) for play in told)
    wrong = sum(bits_of(play.facts.wrong & play.facts.reached, play.first_fact) for play in told)
    failed = [result.check.name for result in results if result.check.outcome in (Outcome.FAILED, Outcome.SKIPPED)]
    checks = {name: sum(play.bits for play in plays if play.key[0] == name) for name in failed}
    return Evidence(plays, parts_of(told, forecasts, reached), reached, wrong, {name: bits for name, bits in checks.items() if bits})


def observed(results: Sequence[Result], layout: Layout) -> Iterable[Observed]:
    for result in results:
        for number, play in enumerate(result.plays):
            key = result.check.name, number
            if layout.fits(key, play.right):
                yield Observed(key, play, layout.first_fact[key], layout.first_number[key])


def parts_of(plays: Sequence[Observed], forecasts: Forecasts, reached: Bits) -> tuple[Part, ...]:
    """What each mistake alone has to do with what was observed."""
    effects = forecasts.effects
    was_reached = flags_of(reached, sum(effects.layout.facts))
    parts = [Collecting() for _ in effects.mistakes]
    agrees = words_of(plays, effects)[effects.fact] == effects.word
    for part, own in zip(parts, effects.slices(effects.mistake), strict=True):
        facts = effects.fact[own]
        part.add_words(facts, agrees[own], was_reached[facts])
    got, out = numbers_of(plays, effects.layout)
    for part, mistake in zip(parts, forecasts.each, strict=True):
        part.add_numbers(mistake.facts, mistake.forecast, got[mistake.seen], out[mistake.seen], was_reached[mistake.facts])
    return tuple(part.done() for part in parts)


@dataclass
class Collecting:
    """A part while it is collected."""

    active: Bits = 0
    contradicted: Bits = 0
    unstable: Bits = 0
    witnessed: dict[int, int] = field(default_factory=dict)
    opened: dict[int, int] = field(default_factory=dict)
    misfit: dict[int, float] = field(default_factory=dict)
    moved: dict[int, float] = field(default_factory=dict)

    def add_words(self, facts: np.ndarray, agrees: np.ndarray, reached: np.ndarray) -> None:
        """Those facts that are forms or endings and were reached, and whether each was observed as the mistake leads to it."""
        self.active |= bits_at(facts[reached])
        self.contradicted |= bits_at(facts[reached & ~agrees])
        self.witnessed |= dict.fromkeys(facts[reached].tolist(), 1)

    def add_numbers(self, facts: np.ndarray, mistake: Forecast, got: np.ndarray, out: np.ndarray, reached: np.ndarray) -> None:
        """Those facts that are numbers and were reached. `got` is what was observed, and `out` which of it is off by too much."""
        found = agreement(mistake, got, out)
        self.active |= bits_at(facts[reached])
        self.contradicted |= bits_at(facts[reached & ~found.agrees])
        self.unstable |= bits_at(facts[reached & mistake.unstable])
        for kept, values, here in (
            (self.witnessed, found.witnessed, found.witnessed != 0),
            (self.opened, found.opened, found.opened != 0),
            (self.misfit, found.misfit, mistake.unstable),
            (self.moved, mistake.moved, mistake.moved != 0),
        ):
            kept |= by_fact(facts[reached & here], values[reached & here])

    def done(self) -> Part:
        return Part(self.active, self.contradicted, self.witnessed, self.opened, self.misfit, self.moved, self.unstable)


def words_of(plays: Sequence[Observed], effects: Effects) -> np.ndarray:
    """Of every fact that was observed as a form or an ending, its number among the words of the effects; else −1."""
    numbers: dict[str | None, int] = {word: number for number, word in enumerate(effects.words)}
    found = np.full(sum(effects.layout.facts), -1)
    for play in plays:
        last = play.first_fact + play.right.size - 1
        found[play.first_fact : last : 2] = [numbers.get(form, -1) for form in play.facts.forms]
        found[last] = numbers.get(play.facts.ending, -1)
    return found


def numbers_of(plays: Sequence[Observed], layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """All numbers of a suite as they were observed, as what they differ by from the right ones, and which are off by too much.

    They are NaN where nothing was observed.
    """
    got, out = np.full(sum(layout.numbers), np.nan), np.ones(sum(layout.numbers), bool)
    for play in plays:
        here = slice(play.first_number, play.first_number + len(play.right.numbers))
        got[here] = play.facts.numbers - play.right.numbers
        out[here] = ~(np.abs(got[here]) <= play.right.allowed)
    return got, out


def by_fact(facts: np.ndarray, values: np.ndarray) -> dict[int, Any]:
    return dict(zip(facts.tolist(), values.tolist(), strict=True))


def bits_at(facts: np.ndarray) -> Bits:
    """The facts of these numbers, as bits."""
    return bits_of(np.bincount(facts) > 0, 0)


def bits_of(flags: np.ndarray, first: int) -> Bits:
    """The facts that are flagged, as bits from `first` on."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little") << first


def flags_of(bits: Bits, facts: int) -> np.ndarray:
    """Of each of so many facts, whether it is in a set."""
    packed = np.frombuffer(bits.to_bytes(facts // 8 + 1, "little"), np.uint8)
    return np.unpackbits(packed, bitorder="little", count=facts).astype(bool)


def facts_in(bits: Bits) -> Iterable[int]:
    """The numbers of the facts in a set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def union(sets: Iterable[Bits]) -> Bits:
    """The facts that are in any of these sets."""
    found = 0
    for bits in sets:
        found |= bits
    return found
