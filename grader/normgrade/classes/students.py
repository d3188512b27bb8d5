"""The names of students: nobody has the name of somebody else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from normgrade.classes.printable import printable_name

PARTICIPANT = "Participant"  # Moodle's name of everybody, if names are hidden from graders


@dataclass(frozen=True, slots=True)
class Person:
    """A student as a path or a listing tells one.

    name: the name, as the path has it.
    id: the number of the learning management system, or "".
    among: the folder in which no two students have the same id; "" if nowhere two have.
    email: the address, or "".
    """

    name: str
    id: str = ""
    among: str = ""
    email: str = ""


def names_of(people: Iterable[Person], shared: Iterable[str] = ()) -> Mapping[Person, str]:
    """Return the printable name of each person: with the id if several people have the name. `shared` are names that are known to be."""
    everybody = sorted(set(people), key=lambda person: (person.name, person.id, person.among, person.email))
    ids: dict[tuple[str, str], set[str]] = defaultdict(set)
    for person in everybody:
        ids[person.name, person.among].add(person.id)
    several = {name for (name, _among), found in ids.items() if len(found) > 1}
    taken = {printable_name(person.name) for person in everybody}
    return {person: named(person, person.name in several or printable_name(person.name) in set(shared), taken) for person in everybody}


def named(person: Person, is_shared: bool, taken: set[str]) -> str:
    name = printable_name(person.name)
    if not person.id or not (is_shared or person.name == PARTICIPANT):
        return name
    number = printable_name(person.id)
    full = f"{name} {number}" if person.name == PARTICIPANT else f"{name} ({number})"
    while full in taken:
        full += f" ({number})"
    return full
