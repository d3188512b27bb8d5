"""Built-in mistakes, which any exercise may have: wrong exceptions, missing arguments, other names, inputs beyond a limit, crashes."""

from __future__ import annotations

import re
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from normgrade.compare.facts import OTHER_TEXT, REFUSED, SILENT
from normgrade.course.mistakes import COST
from normgrade.diagnosis.evidence import Bits, Evidence, Observed, union
from normgrade.language import _
from normgrade.language.errors import listed
from normgrade.remarks.uses import lacks_arguments
from normgrade.remarks.works_for import Limit, cause_of
from normgrade.report.report import CRASH, MISSING_ARGUMENTS, OTHER_EXCEPTION, OTHER_NAMES, SOME_INPUTS

KEYWORD = re.compile(r"(?P<function>.*)\(\) got an unexpected keyword argument '(?P<argument>\w+)'")
KEY = "key of {name}"  # the place of a name in the state dict of a new layer
NO_CLAIMS: Mapping[str, str] = {}
EACH_CRASH = 2  # in points: the cost of one exception on one line
SMALL = 1  # in points: the cost of a mistake that is easily fixed
T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A mistake that any exercise may have: its name, its text, the facts that it explains, and its cost in points."""

    name: str
    says: str
    facts: Bits
    cost: int = SMALL


def built_in(evidence: Evidence, limits: Sequence[Limit], known: Bits, claims: Mapping[str, str] = NO_CLAIMS) -> Iterator[BuiltIn]:
    """Yield the built-in mistakes of a submission. Endings among the `known` facts are left out. `claims` are those of failed checks."""
    alive = [play for play in evidence.plays if not play.died]
    unknown = [play for play in alive if not play.ending & known]
    crashes = crashes_in(alive)
    others = told((another_exception(play, crashes), play.ending) for play in unknown)
    if others:
        yield mistake(OTHER_EXCEPTION, exceptions_in_words(others), others)
    lacking = told((lacking_arguments(play), play.bits) for play in unknown)
    if lacking:
        yield mistake(MISSING_ARGUMENTS, arguments_in_words(lacking), lacking)
    if names := told(each for play in alive for each in other_names(play)):
        yield mistake(OTHER_NAMES, names, names)
    limited = told((limit.says, beyond(limit, alive, known)) for limit in limits)
    if limited:
        yield replace(mistake(SOME_INPUTS, limited, limited), cost=COST)
    elsewhere = union([*others.values(), *lacking.values(), *limited.values()])
    ended = told((cause_of(play.play.observation.error), crash_of(play, evidence.wrong & ~elsewhere)) for play in alive)
    legal = union(play.ending for play in alive if play.play.refusal is None)
    if ended := {cause: facts for cause, facts in ended.items() if is_news(facts & legal or facts, known)}:
        says = (crash_in_words(*cause, reach_of(facts, evidence, claims), len({*claims.values()})) for cause, facts in ended.items())
        yield replace(mistake(CRASH, says, ended), cost=EACH_CRASH * len(ended))


def mistake(name: str, says: Iterable[str], facts: Mapping[T, Bits]) -> BuiltIn:
    return BuiltIn(name, "\n".join(says), union(facts.values()))


def told(found: Iterable[tuple[T, Bits]]) -> dict[T, Bits]:
    """Return each distinct thing with all its facts; empty ones, and those without facts, are dropped."""
    facts: dict[T, Bits] = {}
    for what, bits in found:
        if what and bits:
            facts[what] = facts.get(what, 0) | bits
    return facts


def another_exception(play: Observed, crashes: Container[tuple[str, int]]) -> tuple[str, ...]:
    """Return the raised exception and the due one; () if none was raised, if the step is another one, or if legal calls crash alike."""
    error, due = play.play.observation.error, play.play.expectation.error
    if play.play.refusal is None or play.facts.ending in (REFUSED, SILENT) or error is None or due is None or error.step != due.step:
        return ()
    return () if cause_of(error) in crashes else (error.types[0], play.play.refusal[0])


def exceptions_in_words(found: Iterable[tuple[str, ...]]) -> list[str]:
    """Return a sentence for each exception that is due."""
    by_due: dict[str, list[str]] = {}
    for raised, due in found:
        by_due.setdefault(due, []).append(raised)
    return [_("Your code raises {raised} instead of {due}.", raised=_(" or ").join(raised), due=due) for due, raised in by_due.items()]


def lacking_arguments(play: Observed) -> str:
    """Return Python's message about arguments that a signature does not take; empty if the play ended for another reason."""
    error = play.play.observation.error
    return "" if error is None or not lacks_arguments(error) else error.message.partition("\n")[0]


def arguments_in_words(found: Iterable[str]) -> list[str]:
    """Return a sentence for each function. If it lacks arguments by name, those by position are not mentioned."""
    by_name: dict[str, list[str]] = {}
    found = [*found]
    for message in found:
        if named := KEYWORD.fullmatch(message):
            by_name.setdefault(named["function"], []).append(f"`{named['argument']}`")
    rest = [message for message in found if message.partition("()")[0] not in by_name]
    return [
        *(_("{function}() does not accept {arguments}.", function=name, arguments=listed(taken)) for name, taken in by_name.items()),
        *(_("The signature does not match the contract: {message}.", message=message) for message in rest),
    ]


def other_names(play: Observed) -> Iterator[tuple[str, Bits]]:
    """Yield a sentence and the fact for every tensor of the state dict whose name is not the contract's."""
    for index, (place, form) in enumerate(zip(play.right.places, play.facts.forms, strict=True)):
        called = play.play.observation.values.get(place)
        if place.template == KEY and form == OTHER_TEXT and isinstance(called, str):
            yield (
                _("`{name}` of the contract is called `{called}` in your code.", name=place.names["name"], called=called),
                play.bit(2 * index),
            )


def crash_of(play: Observed, wrong: Bits) -> Bits:
    """Return the ending of a play if it is `wrong` and an exception."""
    error = play.play.observation.error
    return play.ending & wrong if error is not None and error.types else 0


def reach_of(facts: Bits, evidence: Evidence, claims: Mapping[str, str]) -> int:
    """Return for how many claims a play ended with one of these facts."""
    return len({claims[name] for name, here in evidence.checks.items() if facts & here and name in claims})


def crash_in_words(kind: str, line: int, claims: int, total: int) -> str:
    """Return the exception, its line if it has one, and how many claims it ends."""
    if not line:
        return _("{kind} ends {n} of {total} failing claims.", kind=kind, n=claims, total=total)
    return _("{kind} on line {line} ends {n} of {total} failing claims.", kind=kind, line=line, n=claims, total=total)


def beyond(limit: Limit, plays: Sequence[Observed], known: Bits) -> Bits:
    """Return the endings of the exceptions beyond a limit; none if at least half of them are known."""
    raising = union(play.ending for play in plays for use in limit.beyond if use.play is play.play and use.error)
    return raising if is_news(raising, known) else 0


def is_news(endings: Bits, known: Bits) -> bool:
    """Return True if more than half of some endings are not known."""
    return (endings & ~known).bit_count() * 2 > endings.bit_count()


def crashing_alike(evidence: Evidence) -> Bits:
    """Return the endings of plays that should be refused, but crash just as legal calls do: these are no separate mistake."""
    alive = [play for play in evidence.plays if not play.died]
    crashes = crashes_in(alive)
    return union(play.ending for play in alive if play.play.refusal is not None and cause_of(play.play.observation.error) in crashes)


def crashes_in(plays: Iterable[Observed]) -> set[tuple[str, int]]:
    """Return the causes of all crashes of legal calls."""
    errors = (play.play.observation.error for play in plays if play.play.refusal is None)
    return {cause_of(error) for error in errors if error is not None}
