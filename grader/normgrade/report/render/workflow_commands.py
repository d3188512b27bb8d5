"""Workflow commands of GitHub Actions, which put annotations on the lines of a file, and the summary of a step."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path

from normgrade.language import _, n_
from normgrade.language.errors import UsageError
from normgrade.language.visible import disarmed, printable

ERROR, WARNING, NOTICE = KINDS = "error", "warning", "notice"  # of annotations, the most important first
MOST = 10  # annotations of a kind in one step; GitHub drops the others
MOST_BYTES = 1 << 20  # of the summary of one step; GitHub drops all of a larger one
MOST_CHARACTERS = 4000  # of the message of an annotation
SUMMARY = "GITHUB_STEP_SUMMARY"  # the variable that names the file of the summary
WORKSPACE = "GITHUB_WORKSPACE"  # the variable that names the folder into which GitHub puts the repository
MARKUP = re.compile(r"[!-/:-@\[-`{-~]")  # every sign that Markdown or HTML may read as markup


def command(kind: str, message: str, **properties: str | int) -> str:
    """Return the line that makes an annotation: an "error", a "warning" or a "notice". Properties that are empty or 0 are left out.

    The texts may be anybody's: no character of theirs ends the line, the command or a property.

    >>> command("error", "no eps\\nat all", file="a,b.py", line=3, title="50 %")
    '::error file=a%2Cb.py,line=3,title=50 %25::no eps%0Aat all'
    """
    given = ",".join(f"{name}={in_a_property(str(value))}" for name, value in properties.items() if value)
    return f"::{kind}{' ' if given else ''}{given}::{in_a_message(message)}"


def in_a_message(text: str) -> str:
    """Return a text as the message of a command."""
    text = disarmed(printable(text))[:MOST_CHARACTERS]
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def in_a_property(text: str) -> str:
    """Return a text as the value of a property of a command."""
    return in_a_message(text).replace(":", "%3A").replace(",", "%2C")


def limited(commands: Iterable[str], most: int = MOST) -> list[str]:
    """Return the first commands of each kind, as many as GitHub shows, errors first. A notice in front of them tells how many are left out.

    >>> limited([command("warning", "one"), command("error", "two"), command("error", "three")], most=1)
    ['::notice::1 more annotation is not shown.', '::error::two', '::warning::one']
    """
    every = [*commands]
    of_kind = {kind: [each for each in every if each.startswith(f"::{kind}")] for kind in KINDS}
    if all(len(found) <= most for found in of_kind.values()):
        return [*chain.from_iterable(of_kind.values())]
    room = {ERROR: most, WARNING: most, NOTICE: most - 1}  # one is the notice of those that are left out
    kept = [each for kind, found in of_kind.items() for each in found[: room[kind]]]
    more = len(every) - len(kept)
    return [command(NOTICE, n_("{n} more annotation is not shown.", "{n} more annotations are not shown.", more)), *kept]


def in_turn(of_each: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the first command of each report, then the second of each, and so on.

    >>> [*in_turn([["a1", "a2"], ["b1"]])]
    ['a1', 'b1', 'a2']
    """
    return filter(None, chain.from_iterable(zip_longest(*of_each)))


def in_repository(path: Path) -> str:
    """Return a path from the root of its repository, as annotations have it. Without a repository, it stays as it is."""
    absolute = Path(os.path.abspath(path))
    roots = (folder for folder in absolute.parents if os.path.exists(folder / ".git"))
    root = next(roots, Path(os.environ.get(WORKSPACE) or absolute))
    return (absolute.relative_to(root) if root in absolute.parents else path).as_posix()


# The summary


def in_markdown(text: str) -> str:
    """Return a text on one line, in which nothing is markup: for a cell of a table, a heading or a summary of details.

    >>> in_markdown("<b> **a** | b")
    '&#60;b&#62; &#42;&#42;a&#42;&#42; &#124; b'
    """
    return MARKUP.sub(lambda found: f"&#{ord(found[0])};", " ".join(printable(text).split()))


def preformatted(text: str) -> str:
    """Return a text as a block of Markdown, with its lines and without markup.

    >>> preformatted("a < b\\n\\n*c*")
    '<pre>a &lt; b\\n\\n*c*</pre>'
    """
    return f"<pre>{html.escape(printable(text), quote=False)}</pre>"


def paragraph(text: str) -> str:
    """Return a text as a block of a summary."""
    return f"{in_markdown(text)}\n\n"


def table(titles: Sequence[str], rule: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the blocks of a table: its head, which ends with a rule such as "|---|--:|", its rows, and its end."""
    yield f"{row(titles)}{rule}\n"
    yield from map(row, rows)
    yield "\n"


def row(cells: Iterable[str]) -> str:
    """Return a row of a table."""
    return "".join(f"| {in_markdown(cell)} " for cell in cells) + "|\n"


def folded(title: str, parts: Iterable[str]) -> str:
    """Return a block that shows these parts, which are Markdown, after a click on the title, a text without markup."""
    return "\n\n".join((f"<details><summary>{in_markdown(title)}</summary>", *parts, "</details>\n\n"))


def add_to_summary(blocks: Iterable[str]) -> None:
    """Append blocks to the summary of the step, as many as fit in it. Do nothing outside of GitHub Actions.

    Raise UsageError if it cannot be written.
    """
    if not (named := os.environ.get(SUMMARY)):
        return
    try:
        with Path(named).open("ab") as file:
            file.write("".join(fitting(blocks, MOST_BYTES - file.tell())).encode())
    except OSError as error:
        said = _(
            'The summary cannot be written to "{path}" ({error}). The variable {name} must name a file that you can write to.',
            path=named,
            error=error.strerror,
            name=SUMMARY,
        )
        raise UsageError(said) from error


def fitting(blocks: Iterable[str], room: int) -> Iterator[str]:
    """Yield the first blocks, as many as fit together in so many bytes. A notice stands in the place of the others."""
    every = [*blocks]
    sizes = [len(block.encode()) for block in every]
    if sum(sizes) <= room:
        yield from every
        return
    notice = f"\n{paragraph(_('The rest is left out: the summary would be too long.'))}"
    room -= len(notice.encode())
    for block, size in zip(every, sizes, strict=True):
        if size > room:
            break
        room -= size
        yield block
    if room >= 0:
        yield notice
