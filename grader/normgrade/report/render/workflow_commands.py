"""Workflow commands of GitHub Actions, which put annotations on the lines of a file, and the summary of a step."""

from __future__ import annotations

import html
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from normgrade.language import _, n_
from normgrade.language.errors import UsageError
from normgrade.language.visible import disarmed, printable

MOST = 10  # annotations of a kind in one step; GitHub drops the others
MOST_BYTES = 1 << 20  # of the summary of one step; GitHub drops all of a larger one
MOST_CHARACTERS = 4000  # of the message of an annotation
SUMMARY = "GITHUB_STEP_SUMMARY"  # the variable that names the file of the summary
MARKUP = re.compile(r"[\\`*_{}\[\]()<>&#|~!$@:\"']")


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
    """Return the first commands of each kind, as many as GitHub shows. If there are more, a notice in front of them tells their number.

    >>> limited([command("error", "one"), command("warning", "two"), command("error", "three")], most=1)
    ['::notice::1 more annotation is not shown.', '::error::one', '::warning::two']
    """
    kept, seen = [], Counter[str]()
    for each in commands:
        kind = re.split(r"[ :]", each[2:], maxsplit=1)[0]
        seen[kind] += 1
        if seen[kind] <= most:
            kept.append(each)
    more = sum(seen.values()) - len(kept)
    told = n_("{n} more annotation is not shown.", "{n} more annotations are not shown.", more)
    return [command("notice", told), *kept] if more else kept


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


def folded(title: str, blocks: Iterable[str]) -> str:
    """Return blocks of Markdown that are shown after a click on the title, a text without markup."""
    return "\n\n".join((f"<details><summary>{in_markdown(title)}</summary>", *blocks, "</details>"))


def add_to_summary(blocks: Iterable[str]) -> None:
    """Append blocks of Markdown to the summary of the step, as many as fit in it. Do nothing outside of GitHub Actions.

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
    """Yield the blocks that fit together in so many bytes, each with an empty line after it. A notice stands in the place of the others."""
    every = [f"{block}\n\n" for block in blocks]
    sizes = [len(block.encode()) for block in every]
    if sum(sizes) <= room:
        yield from every
        return
    notice = f"{_('The rest is left out: the summary would be too long.')}\n\n"
    room -= len(notice.encode())
    for block, size in zip(every, sizes, strict=True):
        if size > room:
            break
        room -= size
        yield block
    if room >= 0:
        yield notice
