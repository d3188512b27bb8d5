"""The hand-ins of a class, collected from folders and archives: whose they are, for which exercise, and which of several counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from normgrade.classes.hand_ins import HandedIn, HandIn, LeftOut
from normgrade.classes.reading.budget import Budget
from normgrade.classes.reading.choosing import Candidate, Choice, choice
from normgrade.classes.reading.file_names import Contracts, Names
from normgrade.classes.reading.layouts import BY_FOLDERS, GRADESCOPE_EXPORT, Place, best_layout, placing
from normgrade.classes.reading.left_out import about, nobodys, nothing, of_replaced, others, without_exercise
from normgrade.classes.reading.printable import printable_name, shown
from normgrade.classes.reading.roster import Roster
from normgrade.classes.reading.students import Person, names_of
from normgrade.classes.reading.submitters import Listed, Submitter, listed_in
from normgrade.classes.reading.tree import Tree, trees_of
from normgrade.language import _
from normgrade.language.errors import UsageError

SEVERAL = 3  # paths that would hardly be passed for one student


@dataclass(frozen=True, slots=True)
class Sorting:
    """The files of a tree, sorted: the people who handed them in, the candidates, and everything that is left out with its reason."""

    layout: str
    people: tuple[Person, ...]
    candidates: tuple[Candidate, ...]
    left_out: tuple[LeftOut, ...]


def handed_in(
    paths: Sequence[Path],
    slugs: Collection[str],
    layout: str | None = None,
    exercise: str | None = None,
    roster: Roster | None = None,
    contracts: Callable[[], Contracts] = dict,
) -> HandedIn:
    """Return the hand-ins under the paths, of which the later ones count. Raise a UsageError if there are none.

    layout: the name of a layout, or a pattern such as "{student}/*/{exercise}.py"; by default each path has the one that fits best.
    exercise: the slug to which all files belong; by default their names tell it, or else what they define.
    contracts: a function that returns the names that a file for each exercise defines, by slug.
    """
    names, budget = Names(slugs, exercise, contracts), Budget()
    trees = trees_of(paths, budget)
    sortings = [sorting(tree, number, layout, names) for number, tree in enumerate(trees)]
    left_out = [each for tree, sorted_files in zip(trees, sortings, strict=True) for each in (*tree.left_out, *sorted_files.left_out)]
    candidates = [candidate for each in sortings for candidate in each.candidates]
    if not candidates:
        raise nothing(trees, left_out)
    if not layout and {each.layout for each in sortings} <= BY_FOLDERS:
        refuse_one_for_all(trees, sortings)
    named = names_of([person for each in sortings for person in each.people], roster.shared if roster else ())
    choices = {key: choice(those) for key, those in sorted(by_student_and_exercise(candidates, named).items())}
    left_out += [each for chosen in choices.values() for each in chosen.left_out] + replaced(trees, choices.values())
    found = HandedIn(
        tuple(hand_in_of(student, chosen.counts) for (student, _slug), chosen in choices.items() if chosen.counts),
        tuple(dict.fromkeys(left_out)),
        tuple((printable_name(tree.name), each.layout) for tree, each in zip(trees, sortings, strict=True) if tree.files),
    )
    return compared(found, roster or Roster(()), named)


def sorting(tree: Tree, number: int, layout: str | None, names: Names) -> Sorting:
    """Return the files of a tree, sorted in the layout that is named, or else in the one that fits best."""
    paths = [file.path for file in tree.files]
    seen = paths or [*tree.others, *tree.unread]
    chosen = layout or best_layout(seen, names)
    place_of = placing(chosen, seen, names)
    placed = [(file, place, names.told(place.file, file.content)) for file in tree.files if (place := place_of(file.path))]
    students = listed_in(tree.listings) if chosen == GRADESCOPE_EXPORT else Listed({})
    owned = [(file, place, told, people_of(place, number, students.submitters)) for file, place, told in placed]
    candidates = [
        Candidate(person, file, told, place, number) for file, place, every, people in owned for told in every for person in people
    ]
    unread = [place for path in (*tree.others, *tree.unread) if (place := place_of(path))]
    everybody = [*(people for *_file, people in owned), *(people_of(place, number, students.submitters) for place in unread)]
    known = {file.path for file, _place, _told in placed}
    left_out = [
        *students.left_out,
        *about(tree, tree.others, others),
        *about(tree, [path for path in paths if path not in known], nobodys),
        *about(tree, [file.path for file, _place, told in placed if not told], without_exercise),
    ]
    return Sorting(chosen, tuple(person for people in everybody for person in people), tuple(candidates), tuple(left_out))


def people_of(place: Place, number: int, submitters: Mapping[str, Sequence[Submitter]]) -> list[Person]:
    """Return the students of a place: those that a listing names, or else the one of the path."""
    if found := submitters.get(f"{place.among}/{place.student}"):
        return [Person(each.name, each.id, email=each.email) for each in found]
    return [Person(place.student, place.id, "" if place.among is None else f"{number} {place.among}")]


def refuse_one_for_all(trees: Sequence[Tree], sortings: Sequence[Sorting]) -> None:
    """Raise a UsageError if the paths seem to be one student's: each is probably a student's, with a folder of the same name in it."""
    names = {person.name for each in sortings for person in each.people}
    exercises = [{candidate.told.exercise for candidate in each.candidates} for each in sortings]
    if len(trees) < SEVERAL or len(names) > 1 or names & {tree.name for tree in trees} or not set.intersection(*exercises):
        return
    raise UsageError(
        _(
            'All {number} paths seem to hold files of one student, "{name}". Pass the folder that they lie in, or name the layout with '
            '--layout, for example "{example}".',
            number=len(trees),
            name=shown(*names),
            example="{student}/*/{file}",
        )
    )


def by_student_and_exercise(candidates: Iterable[Candidate], named: Mapping[Person, str]) -> dict[tuple[str, str], list[Candidate]]:
    found: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        found[named[candidate.person], candidate.told.exercise].append(candidate)
    return found


def replaced(trees: Sequence[Tree], choices: Iterable[Choice]) -> list[LeftOut]:
    """Return a sentence for each tree about its files that another one replaces."""
    every = [*choices]
    counting = {(chosen.counts.tree, chosen.counts.file.path) for chosen in every if chosen.counts}
    gone: dict[int, set[str]] = defaultdict(set)
    for number, path in {(each.tree, each.file.path) for chosen in every for each in chosen.replaced} - counting:
        gone[number].add(path)
    return [each for number, paths in sorted(gone.items()) for each in about(trees[number], sorted(paths), of_replaced)]


def hand_in_of(student: str, candidate: Candidate) -> HandIn:
    told, place, file = candidate.told, candidate.place, candidate.file
    return HandIn(
        student,
        told.exercise,
        printable_name(file.path),
        file.content,
        candidate.person.id,
        told.attempt,
        place.late,
        printable_name(place.folder),
    )


def compared(found: HandedIn, roster: Roster, named: Mapping[Person, str]) -> HandedIn:
    """Return the hand-ins with everybody in the class: all who handed in anything, and all on the roster."""
    rows = {person: roster.row_of(person.id, person.name, person.email) for person in named}
    names, listed = {row.name for row in roster.rows}, {named[person] for person, row in rows.items() if row}
    with_hand_in = {each.student for each in found.hand_ins}
    there = {row.name for person, row in rows.items() if row and named[person] in with_hand_in}
    strangers, everybody = with_hand_in - listed if names else set(), {name: person.id for person, name in named.items()}
    return replace(
        found,
        absent=tuple(row.name for row in roster.rows if row.name not in there),
        strangers=tuple(sorted(strangers)),
        ungraded=tuple(sorted(everybody.keys() - with_hand_in - listed)),
        nameless=roster.nameless,
        students=dict.fromkeys(names - {row.name for row in rows.values() if row}, "")
        | everybody
        | {each.student: each.id for each in found.hand_ins},
    )
