"""Modules that keep their asserts and docstrings, which `python -O` and PYTHONOPTIMIZE leave out.

A hidden suite needs its asserts to fail and its docstrings for its claims, and the help of a command is its docstring. So all modules
of normgrade and all hidden suites are compiled without optimisation.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType


class Loader(SourceFileLoader):
    """A loader that compiles a module from its source, because the code in Python's cache may be optimised."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = compile(self.get_data(path), path, "exec", dont_inherit=True, optimize=0)
        return code


class Finder:
    """A finder of the modules in one folder and below it, for our own loader."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of that module, as Python finds it, with our own loader; None if the module lies elsewhere."""
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or not isinstance(spec.loader, SourceFileLoader) or not Path(spec.loader.path).is_relative_to(self.folder):
            return None
        spec.loader = Loader(spec.loader.name, spec.loader.path)
        return spec


@contextmanager
def unoptimised(folder: Path) -> Iterator[None]:
    """Have modules in this folder keep their asserts and docstrings during the block."""
    finder = Finder(folder)
    if sys.flags.optimize:
        sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        if sys.flags.optimize:
            sys.meta_path.remove(finder)
