"""The observed facts of a submission, compared with the changes of every known mistake. Sets of facts are the bits of integers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from normgrade.compare.facts import Facts, Right
from normgrade.compare.played import Played, PlayKey, Result
from normgrade.diagnosis.agreement import Forecast, agreement
from normgrade.diagnosis.effects import Effects, Layout
from normgrade.diagnosis.forecasts import Forecasts
from normgrade.report.report import Outcome
from normgrade.worker.wire.observation import BY_HAND, Cause

Bits = int  # a set of facts: bit n stands for fact n


@dataclass(frozen=True, eq=False)
class Observed:
    """One play of the submission as facts. `first_fact` and `first_number` are its offsets among those of the whole suite."""

    key: PlayKey
    play: Played
    first_fact: int
    first_number: int

    @property
    def right(self) -> Right:
        """The reference's results."""
        return self.play.right

    @property
    def facts(self) -> Facts:
        """The observed facts."""
        return self.play.facts

    @property
    def bits(self) -> Bits:
        """All facts of this play."""
        return ((1 << self.right.size) - 1) << self.first_fact

    def bit(self, fact: int) -> Bits:
        """Return one of its facts, given its number in this play."""
        return 1 << (self.first_fact + fact)

    @property
    def ending(self) -> Bits:
        """The fact of its ending."""
        return self.bit(self.right.size - 1)

    @property
    def died(self) -> bool:
        """True if there was no answer, or one that only a ban can give: no known mistake goes so far."""
        error = self.play.observation.error
        return error is not None and (error.cause is not Cause.RAISED or BY_HAND in error.types)


@dataclass(frozen=True, eq=False)
class Fit:
    """The changes of one set of mistakes, compared with the observation. All facts are among those that were reached.

    active: the facts that it changes.
    contradicted: the active facts that were observed otherwise.
    witnessed: how many numbers tell it from the reference, by fact if there are any.
    opened: how many numbers it leaves undetermined, by fact if there are any.
    misfit: how far results of unstable arithmetic are from the observed ones, by fact.
    moved: the root mean square of the movement of its numbers by rounding, by fact if there is any.
    unstable: the facts at which it is right in float64.
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
    """The plays of a submission, and how each mistake by itself fits them.

    `checks` are the facts of each check that failed or was skipped and has any, by its name. `reached` are all facts that were observed,
    and `wrong` those of them that differ from the reference's.
    """

    plays: tuple[Observed, ...]
    fits: tuple[Fit, ...]  # one for each mistake
    reached: Bits
    wrong: Bits
    checks: Mapping[str, Bits]

    @cached_property
    def catalogue(self) -> dict[int, tuple[bool, str, str]]:
        """A description of every fact in the plays: a flag for words, the template of the place, and the word."""
        found: dict[int, tuple[bool, str, str]] = {}
        for play in self.plays:
            for index, (place, form) in enumerate(zip(play.right.places, play.facts.forms, strict=True)):
                found[play.first_fact + 2 * index] = (True, place.template, str(form))
                found[play.first_fact + 2 * index + 1] = (False, place.template, "")
            found[play.first_fact + play.right.size - 1] = (True, "", play.facts.ending.partition(" ")[0])
        return found

    @cached_property
    def known(self) -> Bits:
        """The facts that are as a mistake predicts."""
        return union(fit.active & ~fit.contradicted for fit in self.fits)

    @property
    def misled(self) -> tuple[Bits, ...]:
        """The wrong facts that each mistake changes."""
        return tuple(fit.active & self.wrong for fit in self.fits)

    def is_word(self, fact: int) -> bool:
        """Return True if a fact is a form or an ending, not numbers."""
        return self.catalogue[fact][0]

    def kinds(self, facts: Bits) -> set[str]:
        """Return the templates of the places of these facts, from all plays."""
        return {self.catalogue[fact][1] for fact in facts_in(facts)}

    def words(self, facts: Bits) -> set[str]:
        """Return the endings among these facts, each without its step: the type of an error, say."""
        return {self.catalogue[fact][2] for fact in facts_in(facts) if self.catalogue[fact][0] and not self.catalogue[fact][1]}

    def without(self, facts: Bits) -> Evidence:
        """Return the evidence without some facts, which then speak neither for nor against any mistake."""
        kept = self.reached & ~facts
        fits = tuple(replace(fit, active=fit.active & kept, contradicted=fit.contradicted & kept) for fit in self.fits)
        return replace(self, fits=fits, reached=kept, wrong=self.wrong & kept)


def evidence_of(results: Sequence[Result], forecasts: Forecasts) -> Evidence:
    """Return the evidence of all results. Plays that the forecasts do not know, and those without an answer, do not count."""
    plays = tuple(observed(results, forecasts.effects.layout))
    told = [play for play in plays if not play.died]
    reached = sum(bits_of(play.facts.reached, play.first_fact) for play in told)
    wrong = sum(bits_of(play.facts.wrong & play.facts.reached, play.first_fact) for play in told)
    failed = [result.check.name for result in results if result.check.outcome in (Outcome.FAILED, Outcome.SKIPPED)]
    checks = {name: sum(play.bits for play in plays if play.key[0] == name) for name in failed}
    return Evidence(plays, fits_of(told, forecasts, reached), reached, wrong, {name: bits for name, bits in checks.items() if bits})


def observed(results: Sequence[Result], layout: Layout) -> Iterable[Observed]:
    for result in results:
        for number, play in enumerate(result.plays):
            key = result.check.name, number
            if layout.fits(key, play.right):
                yield Observed(key, play, layout.first_fact[key], layout.first_number[key])


def fits_of(plays: Sequence[Observed], forecasts: Forecasts, reached: Bits) -> tuple[Fit, ...]:
    """Return how each mistake by itself fits the observed plays."""
    effects = forecasts.effects
    was_reached = flags_of(reached, sum(effects.layout.facts))
    fits = [FitBuilder() for _ in effects.mistakes]
    agrees = words_of(plays, effects)[effects.fact] == effects.word
    for fit, own in zip(fits, effects.slices(effects.mistake), strict=True):
        facts = effects.fact[own]
        fit.add_words(facts, agrees[own], was_reached[facts])
    got, out = numbers_of(plays, effects.layout)
    for fit, mistake in zip(fits, forecasts.each, strict=True):
        fit.add_numbers(mistake.facts, mistake.forecast, got[mistake.seen], out[mistake.seen], was_reached[mistake.facts])
    return tuple(fit.done() for fit in fits)


@dataclass
class FitBuilder:
    """A fit that is still being collected."""

    active: Bits = 0
    contradicted: Bits = 0
    unstable: Bits = 0
    witnessed: dict[int, int] = field(default_factory=dict)
    opened: dict[int, int] = field(default_factory=dict)
    misfit: dict[int, float] = field(default_factory=dict)
    moved: dict[int, float] = field(default_factory=dict)

    def add_words(self, facts: np.ndarray, agrees: np.ndarray, reached: np.ndarray) -> None:
        """Add the facts that are forms or endings, if they were reached. `agrees` marks those that are as the mistake predicts."""
        self.active |= bits_at(facts[reached])
        self.contradicted |= bits_at(facts[reached & ~agrees])
        self.witnessed |= dict.fromkeys(facts[reached].tolist(), 1)

    def add_numbers(self, facts: np.ndarray, mistake: Forecast, got: np.ndarray, out: np.ndarray, reached: np.ndarray) -> None:
        """Add the facts that are numbers, if they were reached. `got` are the observed numbers; `out` marks those off by too much."""
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

    def done(self) -> Fit:
        return Fit(self.active, self.contradicted, self.witnessed, self.opened, self.misfit, self.moved, self.unstable)


def words_of(plays: Sequence[Observed], effects: Effects) -> np.ndarray:
    """Return for every fact the index of its observed form or ending among the words of the effects, or −1 if it has none."""
    numbers: dict[str | None, int] = {word: number for number, word in enumerate(effects.words)}
    found = np.full(sum(effects.layout.facts), -1)
    for play in plays:
        last = play.first_fact + play.right.size - 1
        found[play.first_fact : last : 2] = [numbers.get(form, -1) for form in play.facts.forms]
        found[last] = numbers.get(play.facts.ending, -1)
    return found


def numbers_of(plays: Sequence[Observed], layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Return the observed numbers of a suite, as differences from the right ones, and flags of those that are off by too much.

    Numbers that were not observed are NaN, and flagged.
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
    """Return the facts of these numbers as bits."""
    return bits_of(np.bincount(facts) > 0, 0)


def bits_of(flags: np.ndarray, first: int) -> Bits:
    """Return the flagged facts as bits from `first` on."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little") << first


def flags_of(bits: Bits, facts: int) -> np.ndarray:
    """Return a flag for each of so many facts, which is set if the fact is in the set."""
    packed = np.frombuffer(bits.to_bytes(facts // 8 + 1, "little"), np.uint8)
    return np.unpackbits(packed, bitorder="little", count=facts).astype(bool)


def facts_in(bits: Bits) -> Iterable[int]:
    """Yield the numbers of the facts in a set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def union(sets: Iterable[Bits]) -> Bits:
    """Return the facts that are in any of these sets."""
    found = 0
    for bits in sets:
        found |= bits
    return found
