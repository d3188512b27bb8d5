"""Findings that need no known mistake: a refusal with another exception than the one that is due, and a signature that lacks arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from normgrade.compare.evidence import Bits, Evidence, Observed, union
from normgrade.compare.facts import REFUSED, SILENT
from normgrade.language import _
from normgrade.language.places import BUILD
from normgrade.report.report import MISSING_ARGUMENTS, OTHER_EXCEPTION

LACKING = re.compile(r"unexpected keyword argument|positional arguments? but|missing \d+ required positional argument")


@dataclass(frozen=True, slots=True)
class Finding:
    """One such finding: its name, what it says, and the facts that it explains."""

    name: str
    says: str
    facts: Bits


def built_in(evidence: Evidence) -> Iterator[Finding]:
    """What is found without any known mistake, and is not what a known mistake leads to."""
    kinds: tuple[tuple[str, Callable[[Observed], str], Callable[[Observed], Bits]], ...] = (
        (OTHER_EXCEPTION, another_exception, lambda play: play.ending),
        (MISSING_ARGUMENTS, lacking_arguments, lambda play: play.bits),
    )
    unknown = [play for play in evidence.plays if not play.died and not evidence.is_known(play.ending)]
    for name, says, facts in kinds:
        found = [(text, facts(play)) for play in unknown if (text := says(play))]
        if found:
            texts = dict.fromkeys(text for text, _facts in found)
            yield Finding(name, "\n".join(texts), union(bits for _text, bits in found))


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
