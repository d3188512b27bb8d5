"""For which inputs a submission works, and for which it raises an exception: the simplest trait that tells them apart."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from normgrade.compare.played import Result
from normgrade.compare.uses import DIMENSIONS, DTYPE, MODE, NUMBER, ONE, OTHER, SAMPLES, TUPLE, Use, uses
from normgrade.course.signature import Signature
from normgrade.language import _, n_
from normgrade.worker.observation import Error
from normgrade.worker.requests import Action

FEWEST = 2  # uses that work, and that do not: one may be a matter of anything
MOST_WRONG = 10  # uses beyond a limit that come to their end, for each that raises an exception
LEFT_OUT = object()  # an argument that is not given


@dataclass(frozen=True, eq=False)
class Limit:
    """A sentence, and the uses that are beyond: those that raise an exception, and those that are wrong for the same reason."""

    says: str
    beyond: tuple[Use, ...]


def limits(results: Iterable[Result], contract: Sequence[Signature]) -> tuple[Limit, ...]:
    """One limit where it explains all exceptions, or else one for each cause that it explains; none where no trait tells them apart."""
    return limits_in([*uses((play for result in results for play in result.plays), contract)])


def within(found: Iterable[Limit], results: Iterable[Result], contract: Sequence[Signature]) -> set[str]:
    """The checks with a call that came to its end within the limits."""
    beyond = {(use.play, use.step) for limit in found for use in limit.beyond}
    calls = ((result.check.name, use) for result in results for use in uses(result.plays, contract) if use.is_call and not use.error)
    return {name for name, use in calls if (use.play, use.step) not in beyond}


def limits_in(found: Sequence[Use]) -> tuple[Limit, ...]:
    """The same, of uses."""
    raising, ending = [use for use in found if use.error], [use for use in found if not use.error]
    for causes in ([raising], by_cause(raising)):
        if told := tuple(limit for cause in causes if (limit := limit_of(cause, ending))):
            return told
    return ()


def by_cause(raising: Iterable[Use]) -> list[list[Use]]:
    """Uses by exception and line."""
    ordered = sorted(raising, key=lambda use: cause_of(use.error))
    return [list(alike) for _cause, alike in groupby(ordered, key=lambda use: cause_of(use.error))]


def cause_of(error: Error | None) -> tuple[str, int]:
    """The exception and the line of a crash, which are the same however large the input is."""
    return ("", 0) if error is None else ("".join(error.types[:1]), error.frames[-1].line if error.frames else 0)


def limit_of(raising: Sequence[Use], ending: Sequence[Use]) -> Limit | None:
    """The limit of the first trait that tells some uses apart from those that come to their end."""
    given = sorted({name for use in (*raising, *ending) for name in use.traits} - {DIMENSIONS, DTYPE, MODE, SAMPLES})
    for trait in (DIMENSIONS, DTYPE, MODE, SAMPLES, *given):
        bad = {value_of(use, trait) for use in alike(trait, raising)}
        having = [use for use in ending if value_of(use, trait) is not None]
        if told_apart(trait, bad, alike(trait, raising), alike(trait, having)):
            beyond = [use for use in having if value_of(use, trait) in bad]
            good = ordered({value_of(use, trait) for use in having} - bad)
            raised = _(" or ").join(dict.fromkeys(use.error.types[0] for use in raising if use.error and use.error.types))
            outcome = _("raises {error} or is wrong", error=raised) if beyond else _("raises {error}", error=raised)
            return Limit(says(trait, good, ordered(bad), outcome), (*(use for use in raising if value_of(use, trait) in bad), *beyond))
    return None


def alike(trait: str, some: Iterable[Use]) -> list[Use]:
    """Those uses before which nothing in the same play differs in this trait: no other value of it has left any traces."""
    return [use for use in some if all(other.get(trait, default_of(trait)) == value_of(use, trait) for other in use.before)]


def told_apart(trait: str, bad: Collection[object], raising: Sequence[Use], ending: Sequence[Use]) -> bool:
    """Return if all that raises an exception has a bad value of a trait, and nothing that is right has one."""
    beyond = [use for use in ending if value_of(use, trait) in bad]
    enough = len(raising) >= max(FEWEST, len(beyond) / MOST_WRONG) and len(ending) - len(beyond) >= FEWEST
    return enough and None not in bad and not any(use.right for use in beyond)


def value_of(use: Use, trait: str) -> object:
    """The value of a trait; None where a use has no input of which there could be one."""
    return use.traits.get(trait, default_of(trait))


def default_of(trait: str) -> object:
    return None if trait in (DIMENSIONS, DTYPE, MODE, SAMPLES) else LEFT_OUT


def ordered(values: Iterable[object]) -> list[object]:
    return sorted(set(values), key=lambda value: (str(type(value)), str(value)))


def says(trait: str, good: Sequence[object], bad: Sequence[object], outcome: str) -> str:
    """The limit in a sentence; `outcome` is what it does beyond."""
    works, fails = listed(map(str, good)), listed(map(str, bad))
    match trait:
        case "dimensions":
            one = "It works for inputs of {works} dimension; with {fails} it {outcome}."
            many = "It works for inputs of {works} dimensions; with {fails} it {outcome}."
            return n_(one, many, int(works) if works.isdecimal() else 2, works=works, fails=fails, outcome=outcome)
        case "dtype":
            return _("It works for {works}; with {fails} it {outcome}.", works=works, fails=fails, outcome=outcome)
        case "mode" if bad == [str(Action.EVALUATE)]:
            return _("It works in training; in evaluation it {outcome}.", outcome=outcome)
        case "mode":
            return _("It works in evaluation; in training it {outcome}.", outcome=outcome)
        case "samples" if bad == [ONE]:
            return _("It works for several samples; with a single one it {outcome}.", outcome=outcome)
        case "samples":
            return _("It works for a single sample; with several it {outcome}.", outcome=outcome)
    if LEFT_OUT in bad:
        only = _(" or ").join(argument(trait, value) for value in good)
        return _("It works only with {arguments}; else it {outcome}.", arguments=only, outcome=outcome)
    return _("With {arguments} it {outcome}.", arguments=_(" or ").join(argument(trait, value) for value in bad), outcome=outcome)


def argument(name: str, value: object) -> str:
    """An argument as it is given."""
    match value:
        case str() if value == TUPLE:
            return _("a tuple for `{name}`", name=name)
        case str() if value == NUMBER:
            return _("a number for `{name}`", name=name)
        case str() if value != OTHER:
            return f"`{name}={value}`"
    return _("`{name}`", name=name)


def listed(words: Iterable[str]) -> str:
    """Words one after the other: "2, 3 and 5"."""
    *first, last = words
    return _("{first} and {last}", first=_(", ").join(first), last=last) if first else last
