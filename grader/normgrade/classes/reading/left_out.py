"""The sentences about files that are not graded: one for all files of a path with the same reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from normgrade.classes.hand_ins import LeftOut
from normgrade.classes.reading.printable import printable_name, shown
from normgrade.classes.reading.tree import Tree
from normgrade.language import _, n_
from normgrade.language.errors import UsageError, listed

NAMED = 3  # files in a message about many


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
