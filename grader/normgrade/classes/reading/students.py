"""The names of students: nobody has the name of somebody else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from normgrade.classes.reading.printable import printable_name

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


def names_of(people: Iterable[Person], shared: Collection[str] = ()) -> Mapping[Person, str]:
    """Return the printable name of each person: with the id if several people have the name. `shared` are names that are known to be."""
    everybody = sorted(set(people), key=lambda person: (person.name, person.id, person.among, person.email))
    ids: dict[tuple[str, str], set[str]] = defaultdict(set)
    for person in everybody:
        ids[person.name, person.among].add(person.id)
    several = {name for (name, _among), found in ids.items() if len(found) > 1} | {PARTICIPANT}
    taken = {printable_name(person.name) for person in everybody}
    named: dict[tuple[str, str], str] = {}
    for name, number in dict.fromkeys((person.name, person.id) for person in everybody):
        is_shared = name in several or printable_name(name) in shared
        named[name, number] = with_id(name, number, taken) if number and is_shared else printable_name(name)
        taken.add(named[name, number])
    return {person: named[person.name, person.id] for person in everybody}


def with_id(name: str, number: str, taken: Collection[str]) -> str:
    """Return the name with the number, twice if somebody else is called so."""
    added = f" {number}" if name == PARTICIPANT else f" ({number})"
    full = printable_name(name + added)
    while full in taken:
        full += printable_name(added)
    return full
