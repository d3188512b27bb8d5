"""The source of a submission: its file is read, up to a limit, decoded and parsed. Any failure is a finding."""

from __future__ import annotations

import ast
import codecs
import os
import re
import warnings
from pathlib import Path

from normgrade.course.files import LINK, NotPlain, TooLarge, read_plain
from normgrade.inspection.pasted import remedy
from normgrade.language import _
from normgrade.language.text import lines_of
from normgrade.language.visible import blank, in_columns
from normgrade.report.report import Finding, Rule

LIMIT_BYTES = 64 * 1024
ENCODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # as in PEP 263
ASCII = b"\\n" + bytes(range(32, 127)).replace(b"\\", b"")  # an escape, which must stay as it is, and ASCII
SHOWN_COLUMNS = 100  # of a source line in a message


def content_of(path: Path, slug: str) -> bytes | Finding:
    """Return the bytes of a submission's file, or a finding with the reason why it is not read. This never blocks, for any kind of path."""
    try:
        return read_plain(path, LIMIT_BYTES)
    except OSError as error:
        return no_file(unreadable(path, slug, error))


def unreadable(path: Path, slug: str, error: OSError) -> str:
    if isinstance(error, TooLarge):
        return too_large(path)
    if isinstance(error, NotPlain) and error.kind == LINK:
        return _(
            "{path} is a symbolic link to {target}, and links are not followed: replace the link with the file, or pass the file itself.",
            path=path,
            target=os.readlink(path),
        )
    if isinstance(error, NotPlain):
        return _("{path} is {special}, not a file: pass the path of a Python file.", path=path, special=_(error.kind))
    if isinstance(error, FileNotFoundError):
        return _(
            "{path} does not exist: check the name, or create the file with `normgrade show --stub {slug} > {name}`.",
            path=path,
            slug=slug,
            name=Path(path.name),
        )
    if isinstance(error, PermissionError):
        return _("{path} cannot be read because of its permissions: run `chmod u+r {path}`.", path=path)
    return _("{path} cannot be read ({error}): check the path, or pass another file.", path=path, error=error.strerror)


def too_large(path: Path) -> str:
    return _("{path} is larger than 64 KiB ({limit} bytes): submit only the code of this exercise.", path=path, limit=LIMIT_BYTES)


def decoded(path: Path, content: bytes) -> str | Finding:
    """Return the text of a file: in UTF-8, or in the encoding that a comment in its first lines names, as Python reads it."""
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    line, encoding = named_encoding(content[len(mark) :])
    if not keeps_ascii(encoding):
        text = _("This line declares the encoding {name}, which Python source cannot use: save the file as UTF-8.", name=encoding)
        return Finding(line, 1, Rule.FILE, text)
    try:
        return content[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        start = len(mark) + error.start
        text = _(
            "{path} is not {encoding}: byte {number} is 0x{byte:02x}. Save it as UTF-8 in your editor.",
            path=path,
            encoding=encoding.upper(),
            number=start + 1,
            byte=content[start],
        )
        before = lines_of(content[len(mark) : start].decode(encoding, "replace"))
        return Finding(len(before), len(before[-1]) + 1, Rule.FILE, text)


def named_encoding(content: bytes) -> tuple[int, str]:
    """Return the encoding that a comment in the first two lines names, and the line number; UTF-8 if none does."""
    for number, line in enumerate(content.split(b"\n")[:2], 1):
        if match := ENCODING.match(line):
            return number, match[1].decode("ascii")
        if line.split(b"#")[0].strip():  # code: comments after it do not count
            break
    return 1, "utf-8"


def keeps_ascii(encoding: str) -> bool:
    """Return True if Python knows an encoding, and ASCII characters have their usual bytes in it."""
    try:
        return ASCII.decode(encoding) == ASCII.decode()
    except (LookupError, UnicodeError):
        return False


def parse(source: str) -> ast.Module | Finding:
    """Return the syntax tree of a source, or a finding with the reason why Python cannot parse it."""
    if "\0" in source:
        before = lines_of(source[: source.index("\0")])
        text = _("The file contains a NUL byte, which is not allowed in Python source: save it again as plain text.")
        return Finding(len(before), len(before[-1]) + 1, Rule.FILE, text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is not an error
            return ast.parse(source)
    except SyntaxError as error:
        return not_python(source, error)
    except (RecursionError, MemoryError):
        return too_deep()
    except ValueError as error:
        return Finding(0, 0, Rule.SYNTAX, invalid(str(error)))


def not_python(source: str, error: SyntaxError) -> Finding:
    lines = lines_of(source)
    line = min(max(error.lineno or 1, 1), len(lines))
    column = min(max(error.offset or 1, 1), len(lines[line - 1]) + 1)
    said = "".join(filter(None, (invalid(error.msg), remedy(lines, line, column))))
    return Finding(line, column, Rule.SYNTAX, f"{said}\n{pointed_at(lines[line - 1], column)}")


def invalid(why: str) -> str:
    """Return the message with Python's reason why a source is invalid. Some of Python's reasons are questions."""
    if why.endswith("?"):
        return _("The file is not valid Python: {why}", why=why)
    return _("The file is not valid Python: {why}.", why=why)


def too_deep() -> Finding:
    text = _("The file is too deeply nested to be read: split its longest expressions or blocks into named steps.")
    return Finding(0, 0, Rule.SYNTAX, text)


def pointed_at(line: str, column: int) -> str:
    """Return the line with a caret under the column. A long line is cut around the column."""
    first = max(0, column - 1 - SHOWN_COLUMNS // 2) if len(line) > SHOWN_COLUMNS else 0
    before = ("…" if first else "") + in_columns(line[first : column - 1])
    after = in_columns(line[column - 1 : first + SHOWN_COLUMNS]) + ("…" if first + SHOWN_COLUMNS < len(line) else "")
    return f"    {before}{after}".rstrip() + f"\n    {blank(before)}^"


def position(lines: list[str], node: ast.AST) -> tuple[int, int]:
    """Return the line and column of a node, both from 1, in characters; the tree counts bytes."""
    line: int = getattr(node, "lineno", 1)
    offset: int = getattr(node, "col_offset", 0)
    return line, len(lines[line - 1].encode()[:offset].decode(errors="ignore")) + 1


def no_file(text: str) -> Finding:
    return Finding(0, 0, Rule.FILE, text)
