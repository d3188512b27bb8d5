"""The files that come out of a class: the options that name them, their writing, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from normgrade.classes.gradebook import Gradebook
from normgrade.classes.worksheet import Filled, Wanted, Worksheet, filled
from normgrade.cli.class_words import names_in_words
from normgrade.cli.options import F
from normgrade.course.files import leads_to_device, put_in_place, write_directly
from normgrade.language import _, n_
from normgrade.language.errors import UsageError
from normgrade.language.visible import visible_name

FILLED = ".filled"  # before the suffix of a worksheet that is filled in


def worksheet_options(command: F) -> F:
    """Add the options --worksheet, --column, --total and --scale."""
    command = click.option("--scale", is_flag=True, help="Convert points to the maximum in the worksheet.")(command)
    command = click.option("--total", is_flag=True, help="Fill in the sum of all exercises.")(command)
    command = click.option(
        "--column", "columns", multiple=True, metavar="[SLUG=]TITLE", help="Column of the worksheet to fill in, for an exercise."
    )(command)
    return click.option(
        "--worksheet",
        "worksheet_file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Fill the marks into a copy of FILE: Moodle's worksheet, or an export of Canvas's gradebook.",
    )(command)


def fill_in(worksheet: Worksheet, gradebook: Gradebook, wanted: Wanted, output: Path | None, bom: bool) -> Iterator[str]:
    """Write the worksheet with the marks of a gradebook, and yield what is said of it."""
    found = filled(worksheet, gradebook.students(), gradebook.marks(), wanted)
    path = worksheet.table.path
    target = output or path.with_name(f"{path.stem}{FILLED}{path.suffix}")
    hand_over_bytes(found.table.as_bytes(bom), target)
    yield from filled_in_words(found, target)


def filled_in_words(found: Filled, target: Path) -> Iterator[str]:
    """Yield how many students are filled in, and who is not."""
    yield n_("{path}: the marks of {n} student.", "{path}: the marks of {n} students.", found.students, path=visible_name(target))
    if found.without_row:
        yield n_(
            "{n} student with a mark has no row: {names}",
            "{n} students with a mark have no row: {names}",
            len(found.without_row),
            names=names_in_words(found.without_row),
        )
    if found.without_mark:
        yield n_(
            "{n} row without a mark stays as it was: {names}",
            "{n} rows without a mark stay as they were: {names}",
            len(found.without_mark),
            names=names_in_words(found.without_mark),
        )
    if found.without_column:
        yield _("Without a column: {slugs}", slugs=", ".join(found.without_column))


def hand_over_bytes(content: bytes, output: Path) -> None:
    """Write marks to a file in one step, which only its owner may read, or to a device."""
    try:
        if leads_to_device(output):
            write_directly(output, content)
        else:
            put_in_place(output, content, 0o600)
    except OSError as error:
        raise UsageError(
            _(
                'The marks cannot be written to "{path}" ({error}). Use --output FILE to choose another file.',
                path=output,
                error=error.strerror,
            )
        ) from error
