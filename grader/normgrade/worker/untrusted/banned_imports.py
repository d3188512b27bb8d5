"""Run-time enforcement of the rule that an exercise is written without a library that it bans as a whole, such as "torch".

This is a rule of the exercise, not a wall: code that sets out to break it can. Inspection has searched the source already.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from types import ModuleType
from typing import Any

from normgrade.course.ban import Ban
from normgrade.language import _
from normgrade.worker.untrusted.stopping import ByHand

SUBMISSION = "submission"  # the name of the submission's module


class BannedImport(ImportError, ByHand):
    """An import by the submission of a library that the exercise bans."""


def forbid_loading(ban: Ban) -> None:
    """Make every import of a wholly banned library raise. The grader's own code must not need any of them.

    Python calls an audit hook before it loads a module, and no code can remove the hook again.
    """

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "import":
            refuse(ban, args[0])

    sys.addaudithook(hook)


def refuse(ban: Ban, name: str) -> None:
    """Raise BannedImport if the library of a module is banned."""
    if pattern := ban.against(name.partition(".")[0]):
        why = _(
            "this imports `{name}`, which the exercise bans (by the rule `{pattern}`): the code must be written without it",
            name=name,
            pattern=pattern,
        )
        raise BannedImport(why)


def forbid_imports(ban: Ban) -> None:
    """Make the submission's imports of a wholly banned library raise. The grader's own code can still import it."""
    if all("." in pattern for pattern in ban.banned):
        return
    genuine, genuine_module = builtins.__import__, importlib.import_module

    def guarded(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if (sys._getframe(1).f_globals if globals is None else globals).get("__name__") == SUBMISSION:
            refuse(ban, name)
        return genuine(name, globals, locals, fromlist, level)

    def guarded_module(name: str, package: str | None = None) -> ModuleType:
        if sys._getframe(1).f_globals.get("__name__") == SUBMISSION:
            refuse(ban, name)
        return genuine_module(name, package)

    builtins.__import__, importlib.import_module = guarded, guarded_module
