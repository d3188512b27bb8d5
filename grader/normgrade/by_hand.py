"""The rule that an exercise is written by hand, kept while it runs: what is banned raises, by whatever name it is called.

It is a rule of the exercise and no wall: code that sets out to break it will. Inspection has searched the source already.
"""

from __future__ import annotations

import builtins
import importlib
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase, translate
from types import ModuleType
from typing import Any

import torch
from torch.nn import functional

from normgrade.language import _

OPERATIONS = tuple(  # each once: its variants come down to it
    name.removeprefix("aten::") for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::") and "." not in name
)
SUBMISSION = "submission"  # the name of its module
kept: list[torch.library.Library] = []  # a library takes its kernels with it


class ByHand(Exception):
    """The submission called what the exercise bans."""


class Rules:
    """Patterns of dotted names that are banned, and of names that are allowed all the same."""

    def __init__(self, banned: Sequence[str], allowed: Sequence[str]) -> None:
        self.banned = banned
        self.some_allowed, self.some_banned = (re.compile("|".join(map(translate, patterns)) or "(?!)") for patterns in (allowed, banned))

    def against(self, *names: str) -> str | None:
        """The pattern that bans what goes by all of these names."""
        if any(map(self.some_allowed.match, names)) or not any(map(self.some_banned.match, names)):
            return None
        return next(pattern for pattern in self.banned for name in names if fnmatchcase(name, pattern))

    def words(self) -> set[str]:
        """The longest word of every pattern for an operation: what matches has one of them. Everything has the empty one."""
        names = (pattern.removeprefix("torch.ops.aten.").removeprefix("torch.") for pattern in self.banned)
        return {max(re.split(r"[*?]|\[.*?\]", name), key=len) for name in names if "." not in name}


def enforce(rules: Rules) -> None:
    """Make banned operations and functions of PyTorch raise, and banned modules impossible to import, in this process for good."""
    library: Any = torch.library.Library("aten", "IMPL")  # type: ignore[no-untyped-call]
    kept.append(library)
    with warnings.catch_warnings(action="ignore"):  # PyTorch's, that there is a kernel already
        for operation, pattern in banned_operations(rules):
            library.impl(operation, raising(spelt(operation), pattern), "CPU")
    for name in sorted(set(dir(functional)) - set(OPERATIONS)):  # those with an operation of their own are stopped there
        if found := rules.against(f"torch.nn.functional.{name}"):
            setattr(functional, name, raising(f"torch.nn.functional.{name}", found))
    forbid_imports(rules)


def banned_operations(rules: Rules) -> Iterator[tuple[str, str]]:
    """Every banned operation, with the pattern that bans it."""
    words = rules.words()
    for operation in OPERATIONS:
        if any(word in operation for word in words) and (pattern := rules.against(f"torch.ops.aten.{operation}", f"torch.{operation}")):
            yield operation, pattern


def spelt(operation: str) -> str:
    """The name that a learner knows it by."""
    return f"torch.{operation}" if hasattr(torch, operation) else f"torch.ops.aten.{operation}"


def raising(name: str, pattern: str) -> Callable[..., Any]:
    def banned(*args: Any, **kwargs: Any) -> Any:
        why = _(
            "this calls `{name}`, which the exercise bans (by the rule `{pattern}`): it is to be written by hand",
            name=name,
            pattern=pattern,
        )
        raise ByHand(why)

    return banned


def forbid_imports(rules: Rules) -> None:
    """An exercise that bans a whole library has none to import; NumPy alone, for one. The grader's own code goes on with it."""
    if all("." in pattern for pattern in rules.banned):
        return
    genuine, genuine_module = builtins.__import__, importlib.import_module

    def refuse(name: str, importer: object) -> None:
        if importer == SUBMISSION and (pattern := rules.against(name.partition(".")[0])):
            why = _(
                "this imports `{name}`, which the exercise bans (by the rule `{pattern}`): it is to be written without",
                name=name,
                pattern=pattern,
            )
            raise ImportError(why)

    def guarded(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        refuse(name, (sys._getframe(1).f_globals if globals is None else globals).get("__name__"))
        return genuine(name, globals, locals, fromlist, level)

    def guarded_module(name: str, package: str | None = None) -> ModuleType:
        refuse(name, sys._getframe(1).f_globals.get("__name__"))
        return genuine_module(name, package)

    builtins.__import__, importlib.import_module = guarded, guarded_module
