"""Findings that need no known mistake: another exception than the one that is due, a signature that lacks arguments, and other names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from normgrade.compare.evidence import Bits, Evidence, Observed, union
from normgrade.compare.facts import OTHER_TEXT, REFUSED, SILENT
from normgrade.language import _
from normgrade.language.places import BUILD
from normgrade.report.report import MISSING_ARGUMENTS, OTHER_EXCEPTION, OTHER_NAMES

LACKING = re.compile(r"unexpected keyword argument|positional arguments? but|missing \d+ required positional argument")
KEY = "key of {name}"  # the place at which a new layer's state dict is asked for a name


@dataclass(frozen=True, slots=True)
class Finding:
    """One such finding: its name, what it says, and the facts that it explains."""

    name: str
    says: str
    facts: Bits


def built_in(evidence: Evidence) -> Iterator[Finding]:
    """What is found without any known mistake, and is not what a known mistake leads to."""
    alive = [play for play in evidence.plays if not play.died]
    ended = [play for play in alive if not play.ending & evidence.known]
    kinds = (
        (OTHER_EXCEPTION, [(another_exception(play), play.ending) for play in ended]),
        (MISSING_ARGUMENTS, [(lacking_arguments(play), play.bits) for play in ended]),
        (OTHER_NAMES, [each for play in alive for each in other_names(play)]),
    )
    for name, said in kinds:
        if found := {text: union(bits for other, bits in said if other == text) for text, _bits in said if text}:
            yield Finding(name, "\n".join(found), union(found.values()))


def another_exception(play: Observed) -> str:
    """That another exception was raised than the one that is due; nothing where none was, or at another step."""
    error, due = play.play.observation.error, play.play.expectation.error
    if play.play.refusal is None or play.facts.ending in (REFUSED, SILENT) or error is None or due is None or error.step != due.step:
        return ""
    return _("{raised} is raised where {due} is due.", raised=error.types[0], due=play.play.refusal[0])


def lacking_arguments(play: Observed) -> str:
    """What Python says of arguments that a signature does not take; nothing where that is not why the play ended."""
    error = play.play.observation.error
    if error is None or error.types[:1] != ("TypeError",) or error.frames or error.step not in (None, BUILD):
        return ""
    if not LACKING.search(error.message):
        return ""
    return _("The signature is not that of the contract: {message}.", message=error.message.partition("\n")[0])


def other_names(play: Observed) -> Iterator[tuple[str, Bits]]:
    """Every tensor of the state dict that has another name than the contract's: a sentence, and the fact."""
    for index, (place, form) in enumerate(zip(play.right.places, play.facts.forms, strict=True)):
        called = play.play.observation.values.get(place)
        if place.template == KEY and form == OTHER_TEXT and isinstance(called, str):
            yield _("`{name}` of the contract is called `{called}`.", name=place.names["name"], called=called), play.bit(2 * index)
