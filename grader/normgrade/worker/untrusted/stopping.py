"""Tools that make functions written in Python raise. They change the function objects themselves, so that every reference raises."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable, Iterable
from functools import cache, partial
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType, ModuleType
from typing import Any

from normgrade.language import _

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
