"""A script that updates the catalogues in grader/normgrade/language/locale. If a message changes, run it, then translate the new ones.

Messages are the texts that `_`, `n_` and `N_` mark in the sources and the templates, the help of the commands, the claims and hints of
situations, and the texts that click shows to users. New ones are added without a translation, unused ones are dropped, and the catalogues
are compiled.
"""

from __future__ import annotations

import ast
import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment
from jinja2.ext import extract_from_ast

import normgrade
from normgrade import cli
from normgrade.language import ENGLISH, LANGUAGES
from normgrade.suite.situations import SITUATIONS

sys.path.append(str(Path(__file__).parents[1] / "grader"))  # at the end: the messages are those of the normgrade that is installed

from compiled_catalogues import LOCALE, compile_catalogues

SOURCES = Path(normgrade.__file__).parent
KEYWORDS = {"_": 1, "n_": 2, "N_": 1}  # the number of texts of each
CLICK = """
Usage:
Options
Commands
Error: {message}
Try '{command} {option}' for help.
Show this message and exit.
Show the version and exit.
Missing option
Missing command.
Option {name!r} does not take a value.
Invalid value: {message}
Invalid value for {param_hint}: {message}
required
""".strip().splitlines()  # texts of click itself
CLICK_COUNTS = (
    ("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments."),
    ("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"),
)


def messages() -> Catalog:
    """Return a catalogue of all messages, none translated."""
    catalogue = Catalog(project="normgrade", charset="utf-8", fuzzy=False)
    for path in sorted(SOURCES.rglob("*.py")):
        for message in marked(ast.parse(path.read_text(encoding="utf-8"))):
            catalogue.add(message, locations=[(path.relative_to(SOURCES).as_posix(), 0)])
    for path in sorted(SOURCES.rglob("*.jinja")):
        template = Environment().parse(path.read_text(encoding="utf-8"))
        for _line, _function, texts in extract_from_ast(template, tuple(KEYWORDS), babel_style=False):
            message = texts[0] if len(texts) == 1 else texts
            catalogue.add(message, locations=[(path.relative_to(SOURCES).as_posix(), 0)])
    for message in helps():
        catalogue.add(message, locations=[("help", 0)])
    for situation in SITUATIONS.values():
        for message in (situation.claim, situation.hint):
            catalogue.add(message, locations=[("suite/situations.py", 0)])
    for one in CLICK:
        catalogue.add(one, locations=[("click", 0)])
    for one_or_many in CLICK_COUNTS:
        catalogue.add(one_or_many, locations=[("click", 0)])
    return catalogue


def marked(tree: ast.Module) -> Iterator[str | tuple[str, ...]]:
    """Yield the marked messages in source order. Babel's own search skips the values of a message and f-strings."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        count = KEYWORDS.get(call.func.id, 0) if isinstance(call.func, ast.Name) else 0
        texts = [each.value for each in call.args[:count] if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        if count and len(texts) == count:
            yield texts[0] if count == 1 else tuple(texts)


def helps() -> Iterator[str]:
    """Yield the help texts of the commands and their options."""
    yield cli.lang_option.help or ""
    for command in (cli.normgrade, *cli.every_command().values()):
        yield cli.help_of(command)
        yield from (param.help for param in command.params if isinstance(param, click.Option) and param.help)


def file_of(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "normgrade.po"


def updated(language: str) -> Catalog:
    """Return the catalogue of a language with the present messages, and the translations that still apply."""
    path = file_of(language)
    old = read_po(io.BytesIO(path.read_bytes()), locale=language) if path.exists() else Catalog(locale=language)
    header = "# The messages of normgrade; tests/catalogue.py keeps the list of them."
    new = Catalog(locale=language, project="normgrade", charset="utf-8", fuzzy=False, header_comment=header)
    for message in messages():
        if message.id:
            known = old.get(message.id)
            kept = known.string if known and known.pluralizable == message.pluralizable else None
            new.add(message.id, kept or (("",) if message.pluralizable else ""), locations=message.locations)
    return new


def as_po(catalogue: Catalog) -> bytes:
    file = io.BytesIO()
    write_po(file, catalogue, width=0, sort_by_file=True, include_lineno=False, ignore_obsolete=True)
    lines = file.getvalue().decode().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(('"POT-Creation-Date', '"PO-Revision-Date', '"Generated-By'))).encode()


def strings_of(message: Message) -> Sequence[str]:
    """Return the translation of a message; if it has a number, one for each form."""
    return (message.string,) if isinstance(message.string, str) else message.string or ("",)


def main() -> None:
    for language in LANGUAGES:
        if language != ENGLISH:
            catalogue = updated(language)
            file_of(language).parent.mkdir(parents=True, exist_ok=True)
            file_of(language).write_bytes(as_po(catalogue))
            left = [message.id for message in catalogue if message.id and not all(strings_of(message))]
            print(f"{language}: {len(catalogue)} messages, {len(left)} of them not translated", *map(repr, left), sep="\n  ")
    compile_catalogues()


if __name__ == "__main__":
    main()
