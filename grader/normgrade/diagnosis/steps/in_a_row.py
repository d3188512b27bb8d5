"""The search for two or three quantities that went wrong one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from normgrade.diagnosis.steps.quantities import Held, Quantity, puts_for, quantities
from normgrade.diagnosis.steps.replays import outputs_of, places_apart
from normgrade.diagnosis.steps.substitution import Link, StepSearch
from normgrade.worker.wire.observation import Record, Recording

MOST = 3  # quantities
MOST_TRIED = 6  # quantities, and values for each
SUPPORT = 1  # value that a first quantity of several must explain, besides its own


def in_a_row(search: StepSearch) -> list[Link]:
    """Return two or three quantities that went wrong one after the other: each explains values that the learner makes after it."""
    links: list[Link] = []
    records, left = search.base.records, search.wrong
    for _number in range(MOST):
        best = best_link(search, links, records, left)
        if best is None:
            return []
        link, recording, left = best
        links, records = [*links, link], recording.records
        if not left:
            return sorted(links, key=lambda each: each.held.time)
    return []


def best_link(
    search: StepSearch, links: Sequence[Link], records: Sequence[Record], left: set[str]
) -> tuple[Link, Recording, set[str]] | None:
    """Return the link that explains the most after these, its recording, and the places that are still wrong."""
    known = search.learner.groups.found_in(records)
    unknown = [held for held in search.learner.held if held.group not in known and held.values.size < search.limit]
    missing = [each for each in quantities(records, search.base.source, search.learner.groups) if each.group is None and search.small(each)]
    before = [put for link in links for put in link.puts]
    best, found = None, None
    for link in tried(search, missing[:MOST_TRIED], unknown[:MOST_TRIED]):
        recording = search.replays.put(search.base.source.text, [*before, *link.puts], keep=True)
        if recording is None or places_apart(outputs_of(recording), search.base.outputs, search.tolerance) - search.wrong:
            continue
        rest = search.unexplained(outputs_of(recording)) & search.wrong
        gained = len(search.learner.groups.found_in(recording.records) - known)
        if len(rest) >= len(left) and gained < 1 + SUPPORT:
            continue
        score = not rest, len(left) - len(rest), gained, -link.held.time
        if best is None or score > best:
            best, found = score, (link, recording, rest)
    return found


def tried(search: StepSearch, some: Sequence[Quantity], helds: Sequence[Held]) -> Iterator[Link]:
    for quantity in some:
        for held in helds:
            if not quantity.values.size == 1 < held.values.size:
                for puts in puts_for(quantity, held.values, search.shapes):
                    yield Link(quantity, held, puts, True)
