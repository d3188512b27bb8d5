"""The students of a class: names that nobody shares, and those that a listing of Gradescope tells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from normgrade.classes.hand_ins import HandIn, LeftOut, printable_name
from normgrade.language import _

PARTICIPANT = "Participant"  # Moodle's name of everybody, if names are hidden from graders
LISTING = "submission_metadata.yml"  # lies beside the folders of all submissions


def names_of(hand_ins: Iterable[HandIn], shared: Collection[str] = ()) -> Mapping[tuple[str, str], str]:
    """Return the printable name of each student, by name and id: with the id if several have the name.

    `shared` are names that are known to be.
    """
    everybody = sorted({(each.student, each.id, each.among) for each in hand_ins})
    ids: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, number, among in everybody:
        ids[name, among].add(number)
    several = {name for (name, _among), found in ids.items() if len(found) > 1} | {PARTICIPANT}
    taken = {printable_name(name) for name, _number, _among in everybody}
    named: dict[tuple[str, str], str] = {}
    for name, number in dict.fromkeys(each[:2] for each in everybody):
        is_shared = name in several or printable_name(name) in shared
        named[name, number] = with_id(name, number, taken) if number and is_shared else printable_name(name)
        taken.add(named[name, number])
    return named


def with_id(name: str, number: str, taken: Collection[str]) -> str:
    """Return the name with the number, twice if somebody else is called so."""
    added = f" {number}" if name == PARTICIPANT else f" ({number})"
    full = printable_name(name + added)
    while full in taken:
        full += printable_name(added)
    return full


# The listing beside the submissions of Gradescope


class Submitter(NamedTuple):
    """One of the students of a submission. An id or an address that the listing does not tell is ""."""

    name: str
    id: str = ""
    email: str = ""


def submitters_in(listings: Mapping[str, bytes]) -> tuple[Mapping[str, tuple[Submitter, ...]], list[LeftOut]]:
    """Return the students of submissions, by the path of their folder, and the listings that could not be read.

    The listings are given by the path of the folder that each lies in.
    """
    read = {folder: submitters(content) for folder, content in listings.items()}
    left_out = [LeftOut(printable_name(f"{folder}/{LISTING}"), found) for folder, found in read.items() if isinstance(found, str)]
    told = {f"{folder}/{name}": those for folder, found in read.items() if not isinstance(found, str) for name, those in found.items()}
    return told, left_out


def submitters(listing: bytes) -> dict[str, tuple[Submitter, ...]] | str:
    """Return the students of each submission, by its name, or the reason in a sentence why they are not known."""
    try:
        import yaml  # only with the extra `classes`
    except ModuleNotFoundError:
        return _("It tells the names of the students, and PyYAML is needed to read it: `pip install 'normgrade[classes]'`.")

    class Plain(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """A loader that takes an object of Ruby for the plain data in it."""

    Plain.add_multi_constructor("!", plain)
    try:
        found = yaml.load(listing, Plain)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return _("It is damaged, so the students have no names: download it from Gradescope again.")
    return {str(name): those_of(entry) for name, entry in found.items()}


def plain(loader: Any, _suffix: str, node: Any) -> Any:
    if node.id == "scalar":
        return loader.construct_scalar(node)
    return loader.construct_sequence(node, deep=True) if node.id == "sequence" else loader.construct_mapping(node, deep=True)


def those_of(entry: Any) -> tuple[Submitter, ...]:
    """Return the students of one entry, as far as it has the usual form."""
    found = entry.get(":submitters") if isinstance(entry, dict) else None
    people = [person for person in found if isinstance(person, dict)] if isinstance(found, list) else []
    told = [[str(person.get(key) or "").strip() for key in (":name", ":sid", ":email")] for person in people]
    return tuple(Submitter(name or email or number, number or email, email) for name, number, email in told if name or email or number)
