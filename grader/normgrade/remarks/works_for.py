"""The inputs for which a submission works, and those for which it raises an exception: the simplest trait that tells them apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from normgrade.compare.played import Result
from normgrade.course.signature import Signature
from normgrade.language import _, n_
from normgrade.language.errors import either, listed
from normgrade.remarks.uses import NUMBER, ONE, OTHER, TUPLE, Trait, Use, uses
from normgrade.worker.wire.observation import Error
from normgrade.worker.wire.requests import Action

FEWEST = 2  # uses that work, and uses that do not: a single one may have any cause
MOST_WRONG = 10  # uses beyond a limit that come to their end, for each that raises an exception
Cause = Callable[[Error | None], object]
LEFT_OUT = object()  # an argument that is not given
TRAITS = frozenset(Trait)


@dataclass(frozen=True, eq=False)
class Limit:
    """A sentence on the limit, and the uses beyond it: those that raise an exception, and those that are wrong for the same reason."""

    says: str
    beyond: tuple[Use, ...]


def limits(results: Iterable[Result], contract: Sequence[Signature]) -> tuple[Limit, ...]:
    """Return one limit if it explains all exceptions, or else one for each cause that it explains; none if no trait tells them apart.

    Causes are exceptions of one class, or else those of one line.
    """
    found = [*uses((play for result in results for play in result.plays), contract)]
    raising, ending = [use for use in found if use.error], [use for use in found if not use.error]
    if not raising:
        return ()
    return limits_among(raising, ending, (), lambda error: cause_of(error)[:1], cause_of)


def within(found: Iterable[Limit], results: Iterable[Result], contract: Sequence[Signature]) -> set[str]:
    """Return the checks with a call that came to its end within the limits, and gave something to compare."""
    beyond = {(use.play, use.step) for limit in found for use in limit.beyond}
    calls = (
        (result.check.name, use)
        for result in results
        for use in uses(result.plays, contract)
        if use.is_call and not use.error and use.play.answered
    )
    return {name for name, use in calls if (use.play, use.step) not in beyond}


def limits_among(raising: Sequence[Use], ending: Sequence[Use], others: Sequence[Use], *causes: Cause) -> tuple[Limit, ...]:
    """Return one limit if it explains all exceptions, or else those of each cause by itself. `others` raise for other causes."""
    if limit := limit_of(raising, ending, others):
        return (limit,)
    alike = grouped(raising, causes[0]) if causes else []
    rest = [[*others, *(use for use in raising if use not in some)] for some in alike]
    return tuple(limit for some, other in zip(alike, rest, strict=True) for limit in limits_among(some, ending, other, *causes[1:]))


def grouped(raising: Iterable[Use], cause: Cause) -> list[list[Use]]:
    """Return the uses that raise an exception, grouped by its cause."""
    found: dict[object, list[Use]] = {}
    for use in raising:
        found.setdefault(cause(use.error), []).append(use)
    return [*found.values()]


def cause_of(error: Error | None) -> tuple[str, int]:
    """Return the exception and the line of a crash, which do not depend on the size of the input."""
    return ("", 0) if error is None else ("".join(error.types[:1]), error.frames[-1].line if error.frames else 0)


def limit_of(raising: Sequence[Use], ending: Sequence[Use], others: Sequence[Use]) -> Limit | None:
    """Return the limit of the first trait that tells uses that raise an exception apart from those that come to their end."""
    arguments = sorted({name for use in (*raising, *ending) for name in use.traits} - TRAITS)
    return next(filter(None, (limit_by(trait, raising, ending, others) for trait in (*Trait, *arguments))), None)


def limit_by(trait: str, raising: Sequence[Use], ending: Sequence[Use], others: Sequence[Use]) -> Limit | None:
    """Return the limit of one trait; None if it does not tell them apart, or if it works for no value of a trait of the input.

    Either only uses that raise an exception are beyond the limit, or the others beyond it are wrong, too, while a use within is right. A
    submission works for a value if no use with it is wrong, and none of the `others` has it.
    """
    having = [use for use in ending if value_of(use, trait) is not None]
    bad = values(alike(trait, raising), trait) | (values(raising, trait) - values(alike(trait, having), trait))
    good, beyond = values(having, trait) - bad, [use for use in having if value_of(use, trait) in bad]
    crashing = [use for use in raising if value_of(use, trait) in bad]
    if None in bad or len(crashing) < FEWEST or len(having) - len(beyond) < FEWEST:
        return None
    if beyond and not all_wrong(alike(trait, beyond), crashing, [use for use in having if use not in beyond]):
        return None
    good -= values((use for use in having if not use.right), trait) | values(others, trait)
    if not good and (trait in TRAITS or LEFT_OUT in bad):
        return None
    raised = either(dict.fromkeys(use.error.types[0] for use in crashing if use.error and use.error.types))
    outcome = _("raises {error} or is wrong", error=raised) if beyond else _("raises {error}", error=raised)
    return Limit(says(trait, ordered(good), ordered(bad), outcome), (*crashing, *beyond))


def all_wrong(beyond: Sequence[Use], crashing: Sequence[Use], within: Sequence[Use]) -> bool:
    """Return True if the few uses that come to their end beyond a limit are all wrong, while a use within is right."""
    few = len(beyond) <= MOST_WRONG * len(crashing)
    return few and not any(use.right for use in beyond) and any(use.right for use in within)


def alike(trait: str, some: Iterable[Use]) -> list[Use]:
    """Return the uses that follow only uses with the same value of this trait in their play: another value has left no traces."""
    return [use for use in some if all(other.get(trait, default_of(trait)) == value_of(use, trait) for other in use.before)]


def value_of(use: Use, trait: str) -> object:
    """Return the value of a trait; None if a use has no input that could have one."""
    return use.traits.get(trait, default_of(trait))


def default_of(trait: str) -> object:
    return None if trait in TRAITS else LEFT_OUT


def values(some: Iterable[Use], trait: str) -> set[object]:
    return {value_of(use, trait) for use in some}


def ordered(some: Iterable[object]) -> list[object]:
    return sorted(some, key=lambda value: (str(type(value)), str(value)))


def says(trait: str, good: Sequence[object], bad: Sequence[object], outcome: str) -> str:
    """Return the limit in a sentence; `outcome` is the result beyond it."""
    works, fails = listed(map(str, good)) if good else "", listed(map(str, bad))
    match trait:
        case Trait.DIMENSIONS:
            return n_(
                "It works for inputs of {works} dimension; with {fails} it {outcome}.",
                "It works for inputs of {works} dimensions; with {fails} it {outcome}.",
                int(works) if works.isdecimal() else len(good),
                works=works,
                fails=fails,
                outcome=outcome,
            )
        case Trait.DTYPE:
            return _("It works for {works}; with {fails} it {outcome}.", works=works, fails=fails, outcome=outcome)
        case Trait.MODE if bad == [str(Action.EVALUATE)]:
            return _("It works in training; in evaluation it {outcome}.", outcome=outcome)
        case Trait.MODE:
            return _("It works in evaluation; in training it {outcome}.", outcome=outcome)
        case Trait.SAMPLES if bad == [ONE]:
            return _("It works for several samples; with a single one it {outcome}.", outcome=outcome)
        case Trait.SAMPLES:
            return _("It works for a single sample; with several it {outcome}.", outcome=outcome)
    if LEFT_OUT in bad:
        return _(
            "It works only with {arguments}; otherwise it {outcome}.",
            arguments=either(argument(trait, each) for each in good),
            outcome=outcome,
        )
    return _("With {arguments} it {outcome}.", arguments=either(argument(trait, each) for each in bad), outcome=outcome)


def argument(name: str, value: object) -> str:
    """Return an argument in words."""
    match value:
        case str() if value == TUPLE:
            return _("a tuple for `{name}`", name=name)
        case str() if value == NUMBER:
            return _("a number for `{name}`", name=name)
        case str() if value != OTHER:
            return f"`{name}={value}`"
    return _("`{name}`", name=name)
