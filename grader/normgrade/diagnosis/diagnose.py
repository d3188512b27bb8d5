"""The diagnosis of failed checks: the known mistakes that explain most of them with the fewest names, and built-in ones for the rest."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from normgrade.compare.played import Result
from normgrade.course.mistakes import Mistake
from normgrade.course.signature import Signature
from normgrade.diagnosis.best import best
from normgrade.diagnosis.built_in import BuiltIn, built_in, crashing_alike
from normgrade.diagnosis.credible import credible
from normgrade.diagnosis.deadline import Deadline, OutOfTime
from normgrade.diagnosis.evidence import Bits, Evidence, evidence_of, facts_in, union
from normgrade.diagnosis.forecasts import Forecasts
from normgrade.diagnosis.forms import Forms
from normgrade.diagnosis.joint import Joint, Members, PlaySources
from normgrade.diagnosis.peeling import Peeled
from normgrade.diagnosis.search import Best, Clock, Guess, Search
from normgrade.remarks.works_for import limits
from normgrade.report.report import FORMS, Diagnosis, Outcome

GRACE = 0.25  # the fraction of the search time that is added to finish it
ALIKE = 0.2  # by how much the logarithms of errors may differ between alternative mistakes of arithmetic


@dataclass(frozen=True)
class Known:
    """The known mistakes of an exercise, and their forecasts in the plays of its suite."""

    reference: str
    mistakes: tuple[Mistake, ...]
    forecasts: Forecasts
    contract: tuple[Signature, ...] = ()


def diagnose(
    results: Sequence[Result],
    known: Known,
    play_sources: PlaySources,
    within_s: float = math.inf,
    peeled: Peeled | None = None,
    seed: Members = (),
) -> tuple[Diagnosis, ...]:
    """Return the best explanation first, then those that explain as much; nothing if there is none.

    If they were `peeled`, the results are the rest that was left. The mistakes of the `seed` are examined together first. Raise OutOfTime
    if the search was stopped before anything was found. If there is no time at all, nothing is searched, and only obvious diagnoses are
    returned.
    """
    if not any(result.check.outcome is Outcome.FAILED for result in results):
        return ()
    deadline, grace = Deadline.after(within_s), Deadline.after((1 + GRACE) * within_s)
    with np.errstate(all="ignore"):
        everything = evidence_of(results, known.forecasts)
    claims = {result.check.name: result.check.claim for result in results if result.check.outcome is Outcome.FAILED}
    found_in = partial(built_in, everything, limits(results, known.contract), claims=claims)
    certain = union(each.facts for each in found_in(everything.known))  # no known mistake leads to these facts
    alike = crashing_alike(everything)
    forms = Forms.of(everything, peeled or Peeled(results, results), known.forecasts)

    def searching(evidence: Evidence) -> Search:
        left = evidence.without(certain | alike)
        return Search(left, Joint(left, known.reference, known.mistakes, play_sources), Clock(deadline, grace))

    search = searching(everything.without(forms.aside))
    search, found = best(search, seed) if search.evidence.wrong else Best(search, [])
    found += search.at_once() if search.clock.stopped else []
    guesses = [guess for guess in (credible(each, search) for each in found) if guess.members]
    if search.clock.stopped and within_s and not (guesses or certain or forms.explained()):
        raise OutOfTime

    acting = tuple(one | other for one, other in zip(everything.misled, forms.observed.misled, strict=True))

    def told_of(guess: Guess) -> Diagnosis:
        members, of_forms = forms.named(guess, searching(forms.observed)) if forms.taken else ((), ())
        others = (*found_in(search.explained(guess)), *of_forms)
        beside = Beside(members, others, forms.explained(search.active(guess)), alike, acting)
        return diagnosis_of(guess, search, known, beside, results)

    for some in (alternatives(search, guesses), [search.nothing]):
        told = {frozenset(each.texts): each for each in reversed([*map(told_of, some)]) if each.checks}
        if told:
            return tuple(reversed(told.values()))
    return ()


def alternatives(search: Search, guesses: Iterable[Guess]) -> list[Guess]:
    """Return the guesses that are as good as the best of them; the guess of no mistake if there are none."""
    ranked = sorted((rank(search, guess), members, guess) for members, guess in {guess.members: guess for guess in guesses}.items())
    return [guess for how_good, _members, guess in ranked if how_good == ranked[0][0]] or [search.nothing]


def rank(search: Search, guess: Guess) -> tuple[int, int, int, int]:
    """Return the sort key of a guess: the fewest unexplained facts, the fewest names, the fewest open numbers, the least misfit."""
    alone = [search.evidence.fits[member] for member in guess.members]
    opened, misfit = sum(sum(fit.opened.values()) for fit in alone), 0.0
    for fact in facts_in(search.active(guess) & ~guess.unexplained & union(fit.unstable for fit in alone)):
        if (fit := search.deciding(guess, fact)) is not None:
            misfit += fit.misfit.get(fact, 0.0)
    return guess.unexplained.bit_count(), len(guess.members), opened, round(misfit / ALIKE)


@dataclass(frozen=True)
class Beside:
    """The additions to a guess: mistakes that lead to the facts `taken_off`, and built-in ones. Facts `left_out` need no explanation.

    `acting` are the wrong facts that each known mistake changes, whether or not they were taken off.
    """

    members: Members
    built_in: tuple[BuiltIn, ...]
    taken_off: Bits
    left_out: Bits
    acting: Sequence[Bits]

    @property
    def explained(self) -> Bits:
        return self.taken_off | union(each.facts for each in self.built_in if each.name not in FORMS)


def diagnosis_of(guess: Guess, search: Search, known: Known, beside: Beside, results: Sequence[Result]) -> Diagnosis:
    """Return a guess in words, with the failed checks that it explains together with its additions.

    Each text is told once, and no built-in mistake that explains nothing.
    """
    explained = set(explained_checks(guess, search.evidence, beside.explained, beside.left_out))
    checks = tuple(result.check.name for result in results if result.check.outcome is Outcome.FAILED and result.check.name in explained)
    here = union(search.evidence.checks[name] for name in checks)
    every: list[tuple[Mistake | BuiltIn, Bits]] = [
        *((known.mistakes[member], beside.acting[member]) for member in sorted((*guess.members, *beside.members))),
        *((mistake, mistake.facts) for mistake in beside.built_in if mistake.facts & here),
    ]
    told = {mistake.says: (mistake, facts) for mistake, facts in reversed(every)}
    told = dict(reversed(told.items()))
    names, costs = (tuple(getattr(mistake, part) for mistake, _facts in told.values()) for part in ("name", "cost"))
    parts = tuple(frozenset(name for name, own in search.evidence.checks.items() if own & facts) for _mistake, facts in told.values())
    return Diagnosis(names, says([*told]), checks, cost=sum(costs), texts=(*told,), costs=costs, parts=parts)


def explained_checks(guess: Guess, evidence: Evidence, found: Bits, left_out: Bits) -> Iterator[str]:
    """Yield the checks that are fully explained: every play had an answer, and a mistake has a part in it."""
    for name, facts in evidence.checks.items():
        part_taken = (facts & evidence.wrong) or (facts & found) or any(evidence.fits[member].active & facts for member in guess.members)
        died = any(play.died for play in evidence.plays if play.key[0] == name)
        if part_taken and not died and not facts & guess.unexplained & ~found & ~left_out:
            yield name


def says(texts: Sequence[str]) -> str:
    """Return the texts of the mistakes for the learner; several are numbered."""
    if len(texts) == 1:
        return texts[0]
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
