"""The students of Gradescope's submissions, as the listing beside the folders of the submissions names them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from normgrade.classes.hand_ins import LeftOut
from normgrade.classes.reading.printable import printable_name
from normgrade.language import _

LISTING = "submission_metadata.yml"  # lies beside the folders of all submissions


@dataclass(frozen=True, slots=True)
class Submitter:
    """One of the students of a submission. An id or an address that the listing does not tell is ""."""

    name: str
    id: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """The students of submissions, by the path of their folder, and the listings that could not be read."""

    submitters: Mapping[str, tuple[Submitter, ...]]
    left_out: tuple[LeftOut, ...] = ()


def listed_in(listings: Mapping[str, bytes]) -> Listed:
    """Return the students that listings name. The listings are given by the path of the folder that each lies in."""
    read = {folder: submitters(content) for folder, content in listings.items()}
    left_out = [LeftOut(printable_name(f"{folder}/{LISTING}"), found) for folder, found in read.items() if isinstance(found, str)]
    told = {f"{folder}/{name}": those for folder, found in read.items() if not isinstance(found, str) for name, those in found.items()}
    return Listed(told, tuple(left_out))


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
