"""Run-time enforcement of the rule that an exercise is written by hand: what it bans raises.

Functions written in Python are changed themselves, so that every reference raises. This is a rule of the exercise, not a wall: code that
sets out to break it can. Inspection has searched the source already.
"""

from __future__ import annotations

import _thread
import builtins
import importlib
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType, ModuleType
from typing import Any

from normgrade.course.ban import Ban
from normgrade.language import _

SUBMISSION = "submission"  # the name of the submission's module
DOTTED = {"numpy": "numpy", "numpy.ma.extras": "numpy.ma"}  # modules of NumPy, and the dotted name under which their functions are known
STARTERS = ("start_new_thread", "start_new", "start_joinable_thread", "_start_new_thread", "_start_joinable_thread")  # of threads
Banned = tuple[FunctionType, str, str]  # a function, its dotted name, and the pattern that bans it


class ByHand(Exception):
    """A use of something that the exercise bans."""


def stop(function: FunctionType, name: str, pattern: str) -> None:
    """Make the function object itself raise."""
    function.__kwdefaults__ = {"error": partial(by_hand, name, pattern)}
    function.__code__ = code_that_raises(function.__code__.co_freevars)


@cache
def code_that_raises(free_names: tuple[str, ...]) -> CodeType:
    """Return code that raises and has these free variables: Python replaces a function's code only by one with as many."""
    return raising_error.__code__.replace(co_freevars=free_names)


def raising_error(*args: Any, error: Callable[[], ByHand], **kwargs: Any) -> Any:
    raise error()


def raising(name: str, pattern: str) -> Callable[..., Any]:
    return partial(raising_error, error=partial(by_hand, name, pattern))


def by_hand(name: str, pattern: str) -> ByHand:
    why = _(
        "this calls `{name}`, which the exercise bans (by the rule `{pattern}`): it must be written by hand",
        name=name,
        pattern=pattern,
    )
    return ByHand(why)


def stop_when_imported(banned_functions: Callable[[ModuleType], Iterable[Banned]]) -> None:
    """Stop the banned functions of modules that are imported later, or again, as soon as they are loaded."""
    execute = SourceFileLoader.exec_module

    def exec_module(loader: SourceFileLoader, module: ModuleType) -> None:
        execute(loader, module)
        for banned in banned_functions(module):
            stop(*banned)

    SourceFileLoader.exec_module = exec_module  # type: ignore[assignment,method-assign]


def forbid_threads() -> None:
    """Let no thread start. The strongest walls allow none, and a verdict must not depend on the walls."""
    for module in (_thread, threading):
        vars(module).update({name: no_thread for name in STARTERS if hasattr(module, name)})


def no_thread(*_args: Any, **_kwargs: Any) -> int:
    raise RuntimeError("can't start new thread")  # as Python says it behind walls that allow none


# Libraries that are banned as a whole, such as "torch"


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


# Functions of NumPy


def stop_numpy(ban: Ban) -> None:
    """Make the banned functions of NumPy raise, in this process and for good."""
    for banned in find_in_numpy(ban):
        stop(*banned)
    stop_when_imported(lambda module: banned_functions(module, ban))


@cache
def find_in_numpy(ban: Ban) -> tuple[Banned, ...]:
    """Return every banned function of the modules that are imported already. It takes a millisecond."""
    return tuple(banned for name in DOTTED if name in sys.modules for banned in banned_functions(sys.modules[name], ban))


def banned_functions(module: ModuleType, ban: Ban) -> Iterator[Banned]:
    """Yield every banned function of this module, if it is one of NumPy's."""
    dotted = DOTTED.get(module.__name__)
    for name, thing in vars(module).items() if dotted else ():
        function = getattr(thing, "__wrapped__", thing)  # NumPy wraps most of its functions
        pattern = ban.against(f"{dotted}.{name}") if isinstance(function, FunctionType) else None
        if pattern:
            yield function, f"{dotted}.{name}", pattern
