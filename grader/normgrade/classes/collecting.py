"""The hand-ins of a class, collected from folders and archives: whose they are, for which exercise, and which of several counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from normgrade.classes.budget import Budget
from normgrade.classes.file_names import Names, Told
from normgrade.classes.gradescope import Listed, Submitter, listed_in
from normgrade.classes.hand_ins import HandedIn, HandIn, LeftOut
from normgrade.classes.layouts import BY_FOLDERS, GRADESCOPE_EXPORT, Place, best_layout, placing
from normgrade.classes.printable import printable_name, shown
from normgrade.classes.roster import Roster
from normgrade.classes.students import Person, names_of
from normgrade.classes.tree import File, Tree, tree_of
from normgrade.inspection.source import LIMIT_BYTES
from normgrade.language import _, n_
from normgrade.language.errors import UsageError, listed

NAMED = 3  # files in a message about many
SEVERAL = 3  # paths that would hardly be passed for one student


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that a student may have handed in for an exercise, and the number of its tree."""

    person: Person
    file: File
    told: Told
    place: Place
    tree: int

    @property
    def order(self) -> tuple[int, int, int, int]:
        """The place among several files of one student for one exercise: the last counts."""
        return -self.told.rank, self.tree, self.told.attempt, self.place.number


@dataclass(frozen=True, slots=True)
class Sorting:
    """The files of a tree, sorted: the people who handed them in, the candidates, and everything that is left out with its reason."""

    layout: str
    people: tuple[Person, ...]
    candidates: tuple[Candidate, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The file that counts for a student and an exercise, those before which it goes, and those that are left out."""

    counts: Candidate | None
    before: tuple[Candidate, ...]
    left_out: tuple[LeftOut, ...]


def handed_in(
    paths: Sequence[Path],
    slugs: Collection[str],
    layout: str | None = None,
    exercise: str | None = None,
    roster: Roster | None = None,
) -> HandedIn:
    """Return the hand-ins under the paths, of which the later ones count. Raise a UsageError if there are none.

    layout: the name of a layout, or a pattern such as "{student}/*/{exercise}.py"; by default each path has the one that fits best.
    exercise: the slug to which all files belong; by default their names tell it.
    """
    names, budget = Names(slugs, exercise), Budget()
    trees = [tree_of(path, budget) for path in paths]
    sortings = [sorting(tree, number, layout, names) for number, tree in enumerate(trees)]
    left_out = [each for tree, sorted_files in zip(trees, sortings, strict=True) for each in (*tree.left_out, *sorted_files.left_out)]
    candidates = [candidate for each in sortings for candidate in each.candidates]
    if not candidates:
        raise nothing(trees, left_out)
    if not layout and {each.layout for each in sortings} <= BY_FOLDERS:
        refuse_one_for_all(trees, candidates)
    named = names_of([person for each in sortings for person in each.people], roster.shared if roster else ())
    choices = {key: choice(those) for key, those in sorted(by_student_and_exercise(candidates, named).items())}
    left_out += [each for chosen in choices.values() for each in chosen.left_out] + outdone(trees, choices.values())
    absent, strangers = compared(roster, named) if roster else ((), ())
    return HandedIn(
        tuple(hand_in_of(student, chosen.counts) for (student, _slug), chosen in choices.items() if chosen.counts),
        tuple(left_out),
        tuple((printable_name(tree.name), each.layout) for tree, each in zip(trees, sortings, strict=True)),
        absent,
        strangers,
    )


def sorting(tree: Tree, number: int, layout: str | None, names: Names) -> Sorting:
    """Return the files of a tree, sorted in the layout that is named, or else in the one that fits best."""
    paths = [file.path for file in tree.files]
    chosen = layout or best_layout(paths, names)
    place_of = placing(chosen, paths, names)
    placed = [(file, place, names.told(place.file)) for file in tree.files if (place := place_of(file.path))]
    students = listed_in(tree.listings) if chosen == GRADESCOPE_EXPORT else Listed({})
    owned = [(file, place, told, people_of(place, number, students.submitters)) for file, place, told in placed]
    candidates = [Candidate(person, file, told, place, number) for file, place, told, people in owned if told for person in people]
    known = {file.path for file, _place, _told in placed}
    left_out = [
        *students.left_out,
        *about(tree, tree.others, others),
        *about(tree, [path for path in paths if path not in known], nobodys),
        *about(tree, [file.path for file, _place, told in placed if told is None], without_exercise),
    ]
    return Sorting(chosen, tuple(person for *_file, people in owned for person in people), tuple(candidates), tuple(left_out))


def people_of(place: Place, number: int, submitters: Mapping[str, Sequence[Submitter]]) -> list[Person]:
    """Return the students of a place: those that a listing names, or else the one of the path."""
    if found := submitters.get(f"{place.among}/{place.student}"):
        return [Person(each.name, each.id, email=each.email) for each in found]
    return [Person(place.student, place.id, "" if place.among is None else f"{number} {place.among}")]


def about(tree: Tree, paths: Sequence[str], says: Callable[[int, str], str]) -> Iterator[LeftOut]:
    """Yield one sentence about many files of a tree, if there are any; it names the first of them."""
    if paths:
        first = [shown(path) for path in sorted(paths)[:NAMED]]
        yield LeftOut(printable_name(tree.name), says(len(paths), _(", ").join(first) + (", …" if len(paths) > NAMED else "")))


def others(number: int, first: str) -> str:
    return n_("{n} file is not Python ({first}).", "{n} other files are not Python ({first}).", number, first=first)


def nobodys(number: int, first: str) -> str:
    return n_(
        "{n} Python file is nobody's ({first}). Name the layout of the paths with --layout.",
        "{n} Python files are nobody's ({first}). Name the layout of the paths with --layout.",
        number,
        first=first,
    )


def without_exercise(number: int, first: str) -> str:
    return n_(
        "{n} Python file is not named for an exercise ({first}). Name the exercise with --exercise SLUG.",
        "{n} Python files are not named for an exercise ({first}). Name the exercise with --exercise SLUG.",
        number,
        first=first,
    )


def outdone_files(number: int, first: str) -> str:
    return n_(
        "{n} file is not graded, because the student has a later or better named one for the exercise ({first}).",
        "{n} files are not graded, because their students have later or better named ones for the exercises ({first}).",
        number,
        first=first,
    )


def nothing(trees: Sequence[Tree], left_out: Sequence[LeftOut]) -> UsageError:
    """Return the error that nothing can be graded, with the first paths that were found."""
    paths = [shown(file.path) for tree in trees for file in tree.files]
    if paths:
        return UsageError(
            n_(
                "It is not clear whose the {n} Python file is, or for which exercise ({first}). Name the layout with --layout, for example "
                '"{example}", or the exercise with --exercise SLUG.',
                "It is not clear whose the {n} Python files are, or for which exercises ({first}). Name the layout with --layout, for "
                'example "{example}", or the exercise with --exercise SLUG.',
                len(paths),
                first=_(", ").join(paths[:NAMED]) + (", …" if len(paths) > NAMED else ""),
                example="{student}/**/{file}",
            )
        )
    why = "".join(f"\n{shown(each.origin)}: {each.why}" for each in left_out[:NAMED])
    names = listed(f'"{shown(tree.name)}"' for tree in trees)
    return UsageError(_("There is no Python file in {names}: pass the folder or the zip file of a class.", names=names) + why)


def refuse_one_for_all(trees: Sequence[Tree], candidates: Iterable[Candidate]) -> None:
    """Raise a UsageError if several folders seem to be one student's: each is a student's, and the folder in it is taken for the name."""
    names = {candidate.person.name for candidate in candidates}
    folders = [tree.name for tree in trees if "/" not in tree.name]
    if (
        len(folders) < SEVERAL
        or len(names) > 1
        or names & set(folders)
        or {candidate.tree for candidate in candidates} != {*range(len(trees))}
    ):
        return
    (name,) = names
    raise UsageError(
        _(
            'All {number} paths seem to hold the files of one student, "{name}". Pass the folder that they lie in, or name the layout with '
            '--layout, for example "{example}".',
            number=len(trees),
            name=shown(name),
            example="{student}/*/{file}",
        )
    )


def by_student_and_exercise(candidates: Iterable[Candidate], named: Mapping[Person, str]) -> dict[tuple[str, str], list[Candidate]]:
    found: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        found[named[candidate.person], candidate.told.exercise].append(candidate)
    return found


def choice(candidates: Sequence[Candidate]) -> Choice:
    """Return the one of a student's files for an exercise that counts. None does if several are equally good and differ."""
    best = max(candidate.order for candidate in candidates)
    last = [candidate for candidate in candidates if candidate.order == best]
    before = tuple(candidate for candidate in candidates if candidate.order < best)
    if len({candidate.file.content for candidate in last}) == 1:
        return Choice(last[0], before, ())
    files = listed([shown(candidate.file.path) for candidate in last[:NAMED]])
    why = n_(
        "{n} file for {slug}: {files}. Keep one of them.",
        "{n} files for {slug}: {files}. Keep one of them.",
        len(last),
        slug=last[0].told.exercise,
        files=files,
    )
    return Choice(None, before, tuple(LeftOut(printable_name(candidate.file.path), why) for candidate in last))


def outdone(trees: Sequence[Tree], choices: Iterable[Choice]) -> list[LeftOut]:
    """Return a sentence for each tree about its files that go before a later one."""
    gone: dict[int, set[str]] = defaultdict(set)
    for chosen in choices:
        for candidate in chosen.before:
            gone[candidate.tree].add(candidate.file.path)
    return [each for number, paths in sorted(gone.items()) for each in about(trees[number], sorted(paths), outdone_files)]


def hand_in_of(student: str, candidate: Candidate) -> HandIn:
    told, place = candidate.told, candidate.place
    origin, content = printable_name(candidate.file.path), candidate.file.content[: LIMIT_BYTES + 1]
    return HandIn(student, told.exercise, origin, content, candidate.person.id, told.attempt, place.late)


def compared(roster: Roster, named: Mapping[Person, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the students of the roster who handed in nothing, and the students who are not on it."""
    rows = {person: roster.row_of(person.id, person.name, person.email) for person in named}
    there = {row.name for row in rows.values() if row}
    found = {named[person] for person, row in rows.items() if row}
    absent = tuple(row.name for row in roster.rows if row.name not in there)
    return absent, tuple(sorted({name for name in named.values() if name not in found}))
