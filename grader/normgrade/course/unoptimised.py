"""Modules with their asserts and docstrings, which `python -O` and PYTHONOPTIMIZE leave out.

A hidden suite fails by its asserts and claims by its docstrings, and the help of a command is one. So all modules of normgrade and all
hidden suites are compiled as if nothing had been said of optimising.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType


class Loader(SourceFileLoader):
    """Compiles a module as it stands there. What Python has kept of it on the disk may be optimised."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = compile(self.get_data(path), path, "exec", dont_inherit=True, optimize=0)
        return code


class Finder:
    """Finds the modules of one folder, and of all below it, for our own loader."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The module of that name, as Python finds it; None if it lies elsewhere."""
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or not isinstance(spec.loader, SourceFileLoader) or not Path(spec.loader.path).is_relative_to(self.folder):
            return None
        spec.loader = Loader(spec.loader.name, spec.loader.path)
        return spec


@contextmanager
def unoptimised(folder: Path) -> Iterator[None]:
    """Meanwhile, modules in this folder keep their asserts and docstrings."""
    finder = Finder(folder)
    if sys.flags.optimize:
        sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        if sys.flags.optimize:
            sys.meta_path.remove(finder)
