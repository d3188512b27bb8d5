"""The hand-ins of a class, collected from folders and archives: whose they are, for which exercise, and which of several counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from normgrade.classes.hand_ins import HandedIn, HandIn, LeftOut, printable_name, shown
from normgrade.classes.layouts import BY_FOLDERS, GRADESCOPE, Contracts, Names, best_layout, placing
from normgrade.classes.students import Roster, Submitter, names_of, submitters_in
from normgrade.classes.tree import Budget, Tree, trees_of
from normgrade.language import _, n_
from normgrade.language.errors import UsageError, listed

SEVERAL = 3  # paths that would hardly be passed for one student
NAMED = 3  # files in a message about many


class Sorting(NamedTuple):
    """The files of a tree: the layout, everything that somebody handed in, and everything that is left out with its reason.

    A hand-in without exercise is a file that is not graded.
    """

    layout: str
    hand_ins: tuple[HandIn, ...]
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
    names, trees = Names(slugs, exercise, contracts), trees_of(paths, Budget())
    sortings = [sorting(tree, number, layout, names) for number, tree in enumerate(trees)]
    left_out = [each for tree, found in zip(trees, sortings, strict=True) for each in (*tree.left_out, *found.left_out)]
    everybody = [each for found in sortings for each in found.hand_ins]
    if not any(each.exercise for each in everybody):
        raise nothing(trees, left_out)
    if not layout and {found.layout for found in sortings} <= BY_FOLDERS:
        refuse_one_for_all(trees, sortings)
    named = names_of(everybody, roster.shared if roster else ())
    counting, replaced = list[HandIn](), list[HandIn]()
    for _student_and_slug, several in sorted(by_student_and_exercise(everybody, named).items()):
        last = latest(several)
        replaced += [each for each in several if each.order < last[0].order]
        if len({each.content for each in last}) == 1:
            counting.append(last[0])
        else:
            left_out += undecided(last)
    left_out += about_replaced(trees, replaced, counting)
    found = HandedIn(
        tuple(finished(each, named[each.student, each.id]) for each in counting),
        tuple(dict.fromkeys(left_out)),
        tuple((printable_name(tree.name), each.layout) for tree, each in zip(trees, sortings, strict=True) if tree.files),
    )
    return compared(found, roster or Roster(()), everybody, named)


def sorting(tree: Tree, number: int, layout: str | None, names: Names) -> Sorting:
    """Return the files of a tree, sorted in the layout that is named, or else in the one that fits best."""
    seen = [file.path for file in tree.files] or [*tree.others, *tree.unread]
    chosen = layout or best_layout(seen, names)
    place = placing(chosen, seen, names, number)
    submitters, left_out = submitters_in(tree.listings) if chosen == GRADESCOPE else ({}, [])
    hand_ins, unowned, untold = list[HandIn](), list[str](), list[str]()
    for file in tree.files:
        if (placed := place(file.path)) is None:
            unowned.append(file.path)
        elif told := names.told(replace(placed, content=file.content)):
            hand_ins += told
        else:
            untold.append(file.path)
            hand_ins.append(placed)
    hand_ins += filter(None, map(place, (*tree.others, *tree.unread)))
    left_out += [*about(tree, tree.others, others), *about(tree, unowned, nobodys), *about(tree, untold, without_exercise)]
    return Sorting(chosen, tuple(own for each in hand_ins for own in of_submitters(each, submitters)), tuple(left_out))


def of_submitters(hand_in: HandIn, submitters: Mapping[str, Sequence[Submitter]]) -> list[HandIn]:
    """Return the hand-in of each student whom a listing names; itself if there is none."""
    found = submitters.get(hand_in.origin.removesuffix(f"/{hand_in.file}"), ())
    return [replace(hand_in, student=each.name, id=each.id, email=each.email, among="") for each in found] or [hand_in]


def refuse_one_for_all(trees: Sequence[Tree], sortings: Sequence[Sorting]) -> None:
    """Raise a UsageError if the paths seem to be one student's: each is probably a student's, with a folder of the same name in it."""
    names = {each.student for found in sortings for each in found.hand_ins}
    exercises = [{each.exercise for each in found.hand_ins} - {""} for found in sortings]
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


def by_student_and_exercise(hand_ins: Iterable[HandIn], named: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], list[HandIn]]:
    found: dict[tuple[str, str], list[HandIn]] = defaultdict(list)
    for each in hand_ins:
        if each.exercise:
            found[named[each.student, each.id], each.exercise].append(each)
    return found


def latest(several: Sequence[HandIn]) -> list[HandIn]:
    """Return those of a student's files for an exercise that come last: more than one if they are equally good."""
    best = max(each.order for each in several)
    return [each for each in several if each.order == best]


def finished(hand_in: HandIn, student: str) -> HandIn:
    """Return a hand-in with names that are printable, and its student as the class knows it."""
    return replace(hand_in, student=student, origin=printable_name(hand_in.origin), folder=printable_name(hand_in.folder))


def compared(found: HandedIn, roster: Roster, everybody: Iterable[HandIn], named: Mapping[tuple[str, str], str]) -> HandedIn:
    """Return the hand-ins with everybody in the class: all who handed in anything, and all on the roster."""
    people = sorted({(each.student, each.id, each.email) for each in everybody})
    known = [(named[name, id], id, roster.row_of(id, name, email)) for name, id, email in people]
    with_hand_in, listed = {each.student for each in found.hand_ins}, {student for student, _id, row in known if row}
    rows, here = {row.name for row in roster.rows}, {row.name for _student, _id, row in known if row}
    there = {row.name for student, _id, row in known if row and student in with_hand_in}
    return replace(
        found,
        absent=tuple(row.name for row in roster.rows if row.name not in there),
        strangers=tuple(sorted(with_hand_in - listed)) if rows else (),
        ungraded=tuple(sorted({student for student, _id, _row in known} - with_hand_in - listed)),
        nameless=roster.nameless,
        students=dict.fromkeys(rows - here, "")
        | {student: id for student, id, _row in known}
        | {each.student: each.id for each in found.hand_ins},
    )


# Files that are not graded: one sentence for all files of a path with the same reason


def undecided(several: Sequence[HandIn]) -> Iterator[LeftOut]:
    """Yield a sentence for each of several files, none of which counts."""
    files = listed([shown(each.origin) for each in several[:NAMED]])
    why = n_(
        "{n} file for {slug}: {files}. Keep one of them.",
        "{n} files for {slug}: {files}. Keep one of them.",
        len(several),
        slug=several[0].exercise,
        files=files,
    )
    return (LeftOut(printable_name(each.origin), why) for each in several)


def about_replaced(trees: Sequence[Tree], replaced: Iterable[HandIn], counting: Iterable[HandIn]) -> Iterator[LeftOut]:
    """Yield a sentence for each tree about its files that another one replaces."""
    gone: dict[int, set[str]] = defaultdict(set)
    for number, path in {(each.tree, each.origin) for each in replaced} - {(each.tree, each.origin) for each in counting}:
        gone[number].add(path)
    return (each for number, paths in sorted(gone.items()) for each in about(trees[number], sorted(paths), of_replaced))


def about(tree: Tree, paths: Sequence[str], says: Callable[[int, str], str]) -> Iterator[LeftOut]:
    """Yield one sentence about many files of a tree, if there are any; it names the first of them."""
    if paths:
        files = tuple(map(printable_name, sorted(paths))) if len(paths) > NAMED else ()
        yield LeftOut(printable_name(tree.name), says(len(paths), first_of(sorted(paths))), files)


def first_of(paths: Sequence[str]) -> str:
    """Return the first paths as they stand in a message."""
    more = ["…"] if len(paths) > NAMED else []
    return _(", ").join([*map(shown, paths[:NAMED]), *more])


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
        "{n} Python file is not named for an exercise, and defines the names of none ({first}). Name the exercise with --exercise SLUG.",
        "{n} Python files are not named for an exercise, and define the names of none ({first}). Name the exercise with --exercise SLUG.",
        number,
        first=first,
    )


def of_replaced(number: int, first: str) -> str:
    return n_(
        "{n} file is not graded, because the student has a later or better named one for the exercise ({first}).",
        "{n} files are not graded, because their students have later or better named ones for the exercises ({first}).",
        number,
        first=first,
    )


def nothing(trees: Sequence[Tree], left_out: Sequence[LeftOut]) -> UsageError:
    """Return the error that nothing can be graded, with the first paths that were found."""
    paths = [file.path for tree in trees for file in tree.files]
    if paths:
        return UsageError(
            n_(
                "It is not clear whose the {n} Python file is, or for which exercise ({first}). Name the layout with --layout, for example "
                '"{example}", or the exercise with --exercise SLUG.',
                "It is not clear whose the {n} Python files are, or for which exercises ({first}). Name the layout with --layout, for "
                'example "{example}", or the exercise with --exercise SLUG.',
                len(paths),
                first=first_of(paths),
                example="{student}/**/{file}",
            )
        )
    why = "".join(f"\n{shown(each.origin)}: {each.why}" for each in left_out[:NAMED])
    names = listed(f'"{shown(tree.name)}"' for tree in trees)
    return UsageError(_("There is no Python file in {names}: pass the folder or the zip file of a class.", names=names) + why)
