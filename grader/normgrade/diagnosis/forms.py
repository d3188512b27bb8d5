"""The names of the wrong forms that were taken off: known mistakes that lead to them, or else built-in ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from normgrade.diagnosis.built_in import BuiltIn, told
from normgrade.diagnosis.evidence import Bits, Evidence, Observed, evidence_of, facts_in, union
from normgrade.diagnosis.forecasts import Forecasts
from normgrade.diagnosis.joint import Members
from normgrade.diagnosis.peeling import At, Peeled, dtype_of, holds_half, is_right_in_float32, shape_of
from normgrade.diagnosis.search import Guess, Search
from normgrade.language import _
from normgrade.language.errors import listed
from normgrade.report import report
from normgrade.report.report import FLOAT64_NARROWED, HALF_PRECISION, INPUT_CHANGED, OTHER_SHAPE

MOST_TOGETHER = 2  # mistakes of half precision
MOST_LISTED = 3  # forms in a sentence
WIDEN = {  # the lines that leave float64 as it is
    "torch": "`x.to(torch.promote_types(x.dtype, torch.float32))`",
    "numpy": "`x.astype(np.promote_types(x.dtype, np.float32))`",
}
COST = 2  # in points, of each built-in mistake


@dataclass(frozen=True, eq=False)
class Forms:
    """The wrong forms that were taken off, as facts.

    observed: the evidence of all that was observed.
    rest: the evidence that is left.
    taken: the facts of each built-in mistake, by its name.
    far: those of them that float32 arithmetic for float64 does not explain.
    """

    observed: Evidence
    rest: Evidence
    taken: Mapping[str, Bits]
    far: Bits

    @classmethod
    def of(cls, rest: Evidence, peeled: Peeled, forecasts: Forecasts) -> Forms:
        observed = evidence_of(peeled.observed, forecasts) if HALF_PRECISION in peeled.kinds else rest
        taken = {name: bits_of(rest, facts) for name, facts in peeled.kinds.items()}
        return cls(observed, rest, taken, union(far_in(rest.plays, taken.get(FLOAT64_NARROWED, 0))))

    @property
    def narrow(self) -> Bits:
        """The facts that only half precision makes wrong."""
        return self.taken.get(HALF_PRECISION, 0) & ~self.rest.wrong

    @property
    def aside(self) -> Bits:
        """The facts that speak neither for nor against any mistake."""
        return union(facts for name, facts in self.taken.items() if name != HALF_PRECISION)

    def explained(self, changed: Bits = 0) -> Bits:
        """Return the facts that need no further explanation beside mistakes that lead to the `changed` facts."""
        return self.narrow | (self.aside & ~(self.far & ~changed))

    def named(self, guess: Guess, search: Search) -> tuple[Members, tuple[BuiltIn, ...]]:
        """Return the known mistakes beside a guess that lead to facts that were taken off, and built-in ones for the others.

        `search` has the evidence of all that was observed.
        """
        left, members = dict(self.taken), list[int]()
        for name, facts in self.taken.items():
            if name == HALF_PRECISION:
                continue
            if any(self.leads_to(member, facts) or (name == INPUT_CHANGED and self.changes(member, facts)) for member in guess.members):
                del left[name]
            elif (member := self.leading_to(facts, (*guess.members, *members))) is not None:
                members.append(member)
                del left[name]
        if [*left] == [HALF_PRECISION] and guess.complete and (exact := self.exactly((*guess.members, *members), search)):
            return (*members, *exact), ()
        return tuple(members), tuple(built_in_forms(left, self.observed.plays))

    def exactly(self, beside: Members, search: Search) -> Members:
        """Return the mistakes of half precision that explain all observed facts together with others; none if there are no such ones."""
        search = search.doubting if beside else search
        narrow = [member for member in self.of_half_only() if member not in beside]
        for some in chain.from_iterable(combinations(narrow, size) for size in range(1, MOST_TOGETHER + 1)):
            if search.settled(tuple(sorted((*beside, *some))), whole=True) is not None:
                return some
        return ()

    def of_half_only(self) -> Iterator[int]:
        """Yield the mistakes that change a wrong fact, and no facts except for those of plays with half precision."""
        half = union(play.bits for play in self.observed.plays if holds_half(play.play.expectation.request.inputs))
        for member, fit in enumerate(self.observed.fits):
            if fit.active & self.observed.wrong and not fit.active & ~half:
                yield member

    def leading_to(self, facts: Bits, but: Sequence[int]) -> int | None:
        """Return the mistake that leads to all of these facts and that nothing contradicts, the one that changes the fewest others.

        Numbers in half precision contradict no mistake if half precision is not widened.
        """
        narrow = union(1 << fact for fact in facts_in(self.taken.get(HALF_PRECISION, 0)) if not self.observed.is_word(fact))
        fitting = [
            ((fit.active & ~facts).bit_count(), member)
            for member, fit in enumerate(self.observed.fits)
            if member not in but and self.leads_to(member, facts) and not fit.contradicted & ~narrow
        ]
        return min(fitting)[1] if fitting else None

    def changes(self, member: int, facts: Bits) -> bool:
        """Return True if a mistake changes all of these facts, even to other numbers: among other mistakes, its numbers differ."""
        return not facts & ~self.observed.fits[member].active

    def leads_to(self, member: int, facts: Bits) -> bool:
        """Return True if a mistake leads to all of these facts."""
        fit = self.observed.fits[member]
        return bool(facts) and not facts & ~(fit.active & ~fit.contradicted)


def bits_of(evidence: Evidence, facts: At) -> Bits:
    """Return facts as bits, given their numbers in their play."""
    return union(play.bit(fact) for play in evidence.plays for fact in facts.get(play.key, ()))


def far_in(plays: Iterable[Observed], narrowed: Bits) -> Iterator[Bits]:
    """Yield the numbers among the `narrowed` ones that would be wrong even if float32 arithmetic were enough."""
    for play in plays:
        for index, place in enumerate(play.right.places):
            if narrowed & play.bit(2 * index + 1) and not is_right_in_float32(play.play, place):
                yield play.bit(2 * index + 1)


def built_in_forms(taken: Mapping[str, Bits], plays: Iterable[Observed]) -> Iterator[BuiltIn]:
    """Yield a built-in mistake for each kind of facts that were taken off."""
    alive = [play for play in plays if not play.died]
    for name, facts in taken.items():
        here = ((play, index) for play in alive for index in range(len(play.right.forms)) if play.bit(2 * index) & facts)
        forms = told((other_form(play, index, name), facts) for play, index in here)
        yield BuiltIn(name, in_words(name, listed([*forms][:MOST_LISTED]) if forms else ""), facts, COST)


def in_words(name: str, forms: str) -> str:
    """Return the text of a built-in mistake, which may list the `forms` that came and those that are due."""
    match name:
        case report.HALF_PRECISION:
            return _(
                "With the same numbers in float32, your code gives another result: begin with {torch}, in NumPy with {numpy}.", **WIDEN
            )
        case report.FLOAT64_NARROWED:
            return _("float64 is computed in float32, so only seven digits are right: convert by {torch}, in NumPy by {numpy}.", **WIDEN)
        case report.WIDER_RETURNED:
            return _(
                "An input in half precision does not give a result in half precision: {forms}. Cast the result to the dtype of the input.",
                forms=forms,
            )
        case report.OTHER_DTYPE:
            return _("The numbers have the wrong dtype: {forms}.", forms=forms)
        case report.OTHER_SHAPE:
            return _("The numbers have the wrong shape: {forms}.", forms=forms)
    return _("The call changes the numbers in the caller's tensor. Compute a new tensor, and do not change the input.")


def other_form(play: Observed, index: int, name: str) -> str:
    """Return the dtype or the shape that came at a place, and the one that is due; empty if they are the same."""
    part = shape_of if name == OTHER_SHAPE else dtype_of
    got, due = part(play.facts.forms[index]), part(play.right.forms[index])
    return "" if got == due else _("{got} instead of {due}", got=got, due=due)
