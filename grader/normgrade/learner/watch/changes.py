"""Compare two reports on the same exercise in one line: points, mistakes, claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from normgrade.language import _, n_
from normgrade.report.render.wording import Cases, grouped, one_line, word_of
from normgrade.report.report import Outcome, Report


def change_in_words(before: Report, now: Report) -> str:
    """Return the change in points, the mistakes or else the claims that changed, and the claims that still fail."""
    points = points_in_words(now.earned - before.earned)
    changed = _("; ").join(mistakes_in_words(before, now) or claims_in_words(before, now))
    said = _(": ").join(filter(None, (points, changed)))
    left = [cases for stem, cases in open_claims(now).items() if stem in open_claims(before)]
    if not said:
        return _("No claim has changed since the last save.")
    return _("; ").join([said, _("still open: {kinds}", kinds=by_kind(left))] if left else [said])


def points_in_words(gained: int) -> str:
    """Return a change in points; "" if there is none."""
    if gained > 0:
        return n_("+{n} point", "+{n} points", gained)
    return n_("−{n} point", "−{n} points", -gained) if gained else ""


def mistakes_in_words(before: Report, now: Report) -> list[str]:
    """Return which mistakes are gone and which are new, if the reports can tell."""
    were, are = named(before), named(now)
    gone = [name for name in were if name not in are] if tells_all(now) or all_hold(before, now) else []
    new = [name for name in are if name not in were] if tells_all(before) or all_hold(now, before) else []
    said = []
    if gone:
        said.append(n_("{names} is gone", "{names} are gone", len(gone), names=_(", ").join(gone)))
    if new:
        said.append(n_("{names} is new", "{names} are new", len(new), names=_(", ").join(new)))
    return said


def named(report: Report) -> list[str]:
    """Return the mistakes that a report names, in all its alternatives."""
    return [*dict.fromkeys(one_line(name) for diagnosis in report.diagnoses for name in diagnosis.mistakes)]


def tells_all(report: Report) -> bool:
    """Return True if a report names every mistake there is: it passed, or its diagnosis explains everything."""
    return report.outcome is Outcome.PASSED or (bool(report.diagnoses) and not report.unexplained)


def all_hold(diagnosed: Report, other: Report) -> bool:
    """Return True if all checks that the diagnosis of one report explains pass in the other."""
    explained = {name for diagnosis in diagnosed.diagnoses for name in diagnosis.checks}
    return bool(explained) and explained <= {check.name for check in other.checks if check.outcome is Outcome.PASSED}


def claims_in_words(before: Report, now: Report) -> list[str]:
    """Return how many claims of each kind hold now, and how many no longer hold."""
    were, are = open_claims(before), open_claims(now)
    said = []
    if gained := [cases for stem, cases in were.items() if stem not in are]:
        said.append(_("now hold: {kinds}", kinds=by_kind(gained)))
    if lost := [cases for stem, cases in are.items() if stem not in were]:
        said.append(_("no longer hold: {kinds}", kinds=by_kind(lost)))
    return said


def open_claims(report: Report) -> dict[str, Cases]:
    """Return the claims that do not hold, by the name of their test."""
    return {cases.stem: cases for cases in grouped(report.checks) if cases.outcome is not Outcome.PASSED}


def by_kind(claims: Iterable[Cases]) -> str:
    """Return the kinds of some claims, and how many there are of each: "precision (2), edge (1)"."""
    counted = Counter(cases.kind for cases in claims)
    return _(", ").join(f"{word_of(kind)} ({n})" for kind, n in counted.items())
