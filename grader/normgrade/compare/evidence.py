"""What was observed of a submission, held against what every known mistake changes: sets of facts, as the bits of whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from normgrade.compare.agreement import Agreement, Numbers, agreement
from normgrade.compare.effects import Effects, PlayKey
from normgrade.compare.facts import Facts, Right, facts_of, right_of
from normgrade.compare.played import Played, Result
from normgrade.report.report import Outcome
from normgrade.worker.observation import Cause

Bits = int  # a set of facts: bit n stands for fact n


@dataclass(frozen=True, eq=False)
class Observed:
    """One play of the submission as facts. `first_fact` and `first_number` are where they stand among those of the whole suite."""

    key: PlayKey
    play: Played
    right: Right
    facts: Facts
    first_fact: int
    first_number: int

    @property
    def bits(self) -> Bits:
        """All facts of this play."""
        return ((1 << self.right.size) - 1) << self.first_fact

    @property
    def ending(self) -> Bits:
        """The fact of how it ended."""
        return 1 << (self.first_fact + self.right.size - 1)

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
    witnessed: how many numbers tell it from the reference, by fact.
    misfit: how far results of unstable arithmetic are from what was observed, by fact.
    """

    active: Bits = 0
    contradicted: Bits = 0
    witnessed: Mapping[int, int] = field(default_factory=dict)
    misfit: Mapping[int, float] = field(default_factory=dict)
    moved: Mapping[int, float] = field(default_factory=dict)
    unstable: Bits = 0


@dataclass(frozen=True, eq=False)
class Evidence:
    """The plays of a submission, and what each mistake alone has to do with them.

    `checks` are the facts of each failed check that has any, by its name. `reached` are all facts that were observed, `wrong` those at which
    the reference has another one.
    """

    plays: tuple[Observed, ...]
    parts: tuple[Part, ...]  # of every mistake
    reached: Bits
    wrong: Bits
    checks: Mapping[str, Bits]

    def without(self, facts: Bits) -> Evidence:
        """The evidence without some facts: they speak neither for nor against any mistake."""
        kept = self.reached & ~facts
        parts = tuple(replace(part, active=part.active & kept, contradicted=part.contradicted & kept) for part in self.parts)
        return replace(self, parts=parts, reached=kept, wrong=self.wrong & kept)


def evidence_of(results: Sequence[Result], effects: Effects) -> Evidence:
    """The evidence that all results give. Plays that the effects do not know, and those without an answer, say nothing."""
    plays = tuple(observed(results, effects))
    told = [play for play in plays if not play.died]
    reached = sum(bits_of(play.facts.reached, play.first_fact) for play in told)
    wrong = sum(bits_of(play.facts.wrong & play.facts.reached, play.first_fact) for play in told)
    failed = [result.check.name for result in results if result.check.outcome is Outcome.FAILED]
    checks = {name: sum(play.bits for play in plays if play.key[0] == name) for name in failed}
    return Evidence(plays, parts_of(told, effects, reached), reached, wrong, {name: bits for name, bits in checks.items() if bits})


def observed(results: Sequence[Result], effects: Effects) -> Iterable[Observed]:
    layout = effects.layout
    for result in results:
        for number, play in enumerate(result.plays):
            key, right = (result.check.name, number), right_of(play.expectation, play.refusal)
            if layout.fits(key, right):
                yield Observed(key, play, right, facts_of(play.observation, right), layout.first_fact[key], layout.first_number[key])


def parts_of(plays: Sequence[Observed], effects: Effects, reached: Bits) -> tuple[Part, ...]:
    """What each mistake alone has to do with what was observed."""
    count = len(effects.mistakes)
    active, contradicted, unstable = [0] * count, [0] * count, [0] * count
    witnessed: list[dict[int, int]] = [{} for _ in range(count)]
    misfit: list[dict[int, float]] = [{} for _ in range(count)]
    moved: list[dict[int, float]] = [{} for _ in range(count)]
    forms = forms_of(plays)
    for mistake, fact, word in zip(effects.mistake.tolist(), effects.fact.tolist(), effects.word.tolist(), strict=True):
        if reached >> fact & 1:
            active[mistake] |= 1 << fact
            if effects.words[word] == forms[fact]:
                witnessed[mistake][fact] = 1
            else:
                contradicted[mistake] |= 1 << fact
    chosen = [index for index, fact in enumerate(effects.place.tolist()) if reached >> fact & 1]
    compared = compared_numbers(plays, effects, np.array(chosen, np.int64))
    rows = zip(
        chosen, compared.agrees.tolist(), compared.witnessed.tolist(), compared.moved.tolist(), compared.misfit.tolist(), strict=True
    )
    for index, agrees, told, by, off in rows:
        mistake, fact = int(effects.owner[index]), int(effects.place[index])
        active[mistake] |= 1 << fact
        contradicted[mistake] |= 0 if agrees else 1 << fact
        unstable[mistake] |= int(effects.unstable[index]) << fact
        witnessed[mistake][fact], misfit[mistake][fact], moved[mistake][fact] = told, off, by
    columns = zip(active, contradicted, witnessed, misfit, moved, unstable, strict=True)
    return tuple(Part(*each) for each in columns)


def forms_of(plays: Sequence[Observed]) -> dict[int, str | None]:
    """Every form and ending that was observed, by its fact."""
    found: dict[int, str | None] = {}
    for play in plays:
        found |= {play.first_fact + 2 * index: form for index, form in enumerate(play.facts.forms)}
        found[play.first_fact + play.right.size - 1] = play.facts.ending
    return found


def compared_numbers(plays: Sequence[Observed], effects: Effects, chosen: np.ndarray) -> Agreement:
    """The numbers of some effects, held against those that were observed."""
    total = sum(effects.layout.numbers)
    vectors = {name: np.full(total, np.nan) for name in ("got", "right", "allowed", "units", "factors")}
    for play in plays:
        here = slice(play.first_number, play.first_number + len(play.right.numbers))
        vectors["got"][here] = play.facts.numbers - play.right.numbers
        vectors["right"][here], vectors["allowed"][here] = play.right.numbers, play.right.allowed
        vectors["units"][here], vectors["factors"][here] = play.right.units, play.right.factors
    sizes = np.diff(effects.starts)[chosen]
    starts = np.cumsum(np.concatenate([[0], sizes[:-1]])) if len(chosen) else np.zeros(0, np.int64)
    within = np.arange(int(sizes.sum())) - np.repeat(starts, sizes)  # the number's place in its fact
    kept, seen = (np.repeat(each[chosen], sizes) + within for each in (effects.starts[:-1], effects.column))
    return agreement(
        Numbers(
            starts=starts,
            exact=effects.exact[kept].astype(np.float64),
            native=effects.native[kept].astype(np.float64),
            unstable=effects.unstable[chosen],
            **{name: vector[seen] for name, vector in vectors.items()},
        )
    )


def bits_of(flags: np.ndarray, first: int) -> Bits:
    """The facts that are flagged, as bits from `first` on."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little") << first


def facts_in(bits: Bits) -> Iterable[int]:
    """The numbers of the facts in a set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
