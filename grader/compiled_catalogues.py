"""A step of the build: the catalogues of messages are compiled, as Python's gettext reads them in no other form."""

from __future__ import annotations

import io
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LOCALE = Path(__file__).parent / "normgrade" / "language" / "locale"


class CompiledCatalogues(BuildHookInterface[Any]):
    """Compiles the catalogues before the files of the wheel are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        compile_catalogues()


def compile_catalogues() -> None:
    """Compile each catalogue that has changed since it was compiled. No reader sees half of a file."""
    for path in LOCALE.rglob("*.po"):
        compiled = path.with_suffix(".mo")
        content = as_mo(path.read_bytes(), path.parent.parent.name)
        if not compiled.exists() or compiled.read_bytes() != content:
            whole = path.with_suffix(f".{os.getpid()}")
            whole.write_bytes(content)
            whole.replace(compiled)


def as_mo(catalogue: bytes, language: str) -> bytes:
    """Return a compiled catalogue. The same messages give the same bytes."""
    file, read = io.BytesIO(), read_po(io.BytesIO(catalogue), locale=language)
    read.creation_date = read.revision_date = datetime(2000, 1, 1, tzinfo=UTC)
    write_mo(file, read)
    return file.getvalue()
