"""Plays of a probe on an implementation in this process: natively in a worker, in several arithmetics in the oracle."""

from __future__ import annotations
import __future__

import ast
import linecache
import random
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, partial
from importlib import import_module
from itertools import accumulate, islice
from types import FrameType, ModuleType, SimpleNamespace
from typing import Any, Protocol

import numpy as np

from normgrade.course.ban import Ban
from normgrade.course.tensor_library import Library
from normgrade.language import _
from normgrade.language.places import Absent, Place
from normgrade.language.text import in_cells
from normgrade.probes.results import Estimate, Stopped
from normgrade.worker import interrupts
from normgrade.worker.untrusted.exceptions import MESSAGE_LIMIT, describe, stops_the_process, wants_memory
from normgrade.worker.wire.observation import LINE_LIMIT, NAME_LIMIT, Array, Error, Foreign, Observation, Playable, Reason, Value, type_name
from normgrade.worker.wire.packing import DTYPES

NATIVE = nullcontext()
ERRORS, PRINTED = np.geterr(), np.get_printoptions()  # NumPy's settings when it is imported
SEED = 1_750_043_921  # of every random number generator before a play; not one that a submission would set itself
MODULES = {
    Library.TORCH: "normgrade.worker.untrusted.in_pytorch",
    Library.NUMPY: "normgrade.worker.untrusted.in_numpy",
}
WITHIN_S, LEAST_S = 4.0, 0.05  # for all cells, which is less than for an answer; for one statement, if no time is left
MOST_TOLD = 100  # statements
Failures = dict[ast.stmt, BaseException]


class Backend(Protocol):
    """The part of playing that depends on the library. `in_pytorch.py` and `in_numpy.py` implement it."""

    probes: ModuleType  # the generic probes
    EXAMPLE: str  # the source of a small submission, for the warm-up of a process; its output for `first_step` is zeros

    def settle(self, dtype: str, seed: int) -> None:
        """Reset the library's global settings before a play, seed its random numbers, and make this dtype the default."""

    def given(self, array: Array) -> Any:
        """Return an array of a request in the form in which a probe gets it."""

    def seen(self, thing: object, size_limit_bytes: int | None) -> Value | None:
        """Return a thing of the library's own as it may travel; None for any other thing."""

    def first_step(self) -> Playable:
        """Return a small request like those of every suite, which EXAMPLE can play."""

    def many_steps(self) -> Sequence[Playable]:
        """Return requests with everything that suites ask for; some raise."""

    def use_one_thread(self) -> None:
        """Make the library use one thread: several do not survive a fork, and do not always add numbers in the same order."""

    def find_banned(self, ban: Ban) -> None:
        """Find everything that is banned, so that workers that are forked from here need not."""

    def enforce(self, ban: Ban) -> None:
        """Make everything that is banned raise, in this process and for good."""


@cache
def backend(library: Library) -> Backend:
    """Return the backend of a library. The first call imports the library."""
    found: Backend = import_module(MODULES[library])
    return found


# Execution of a source. Of a notebook, statement after statement runs, and what fails is left out.


def load(source: str, file_name: str, name: str = "submission", failed: Failures | None = None) -> ModuleType:
    """Execute a source as a module. Dataclasses look for it in `sys.modules`, tracebacks and `jit.script` in `linecache`.

    The statements that fail in the cells of a notebook are added to `failed`.
    """
    module = ModuleType(name)
    module.__file__ = file_name
    sys.modules[name] = module
    linecache.cache[file_name] = (len(source), None, source.splitlines(keepends=True), file_name)
    execute(source, module, {} if failed is None else failed)
    return module


class Shell:
    """A stand-in for the shell of IPython: whatever it is asked to run does nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **options: None


def execute(source: str, module: ModuleType, failed: Failures, tree: ast.Module | None = None) -> None:
    """Execute a source, or a tree that was made of it, in a module.

    In cells, the statements that fail, or take more than half of the time that is left, are added to `failed`. Without cells, an exception
    is raised.
    """
    file_name = module.__file__ or ""
    if not in_cells(source):
        exec(compile(tree or source, file_name, "exec", dont_inherit=True, optimize=0), vars(module))
        return
    vars(module).update(get_ipython=Shell, display=lambda *args, **options: None)
    until, flags = time.monotonic() + WITHIN_S, 0
    for statement in (tree or ast.parse(source)).body:
        try:
            code = compile(ast.Module([statement], []), file_name, "exec", flags, dont_inherit=True, optimize=0)
            flags |= code.co_flags & __future__.annotations.compiler_flag  # it counts for all later cells
            with stopped_after(max((until - time.monotonic()) / 2, LEAST_S), file_name):
                exec(code, vars(module))
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: the submission has raised them
            failed[statement] = error


@contextmanager
def stopped_after(seconds: float, file_name: str) -> Iterator[None]:
    """Raise TimeoutError in the block after so many seconds, at the next line of this file: walls allow neither timers nor threads."""
    until, before = time.monotonic() + seconds, sys.gettrace()

    def trace(frame: FrameType, _event: str, _arg: object) -> Any:
        if time.monotonic() > until:
            raise TimeoutError(_("no end after {seconds:.1f} s", seconds=seconds))
        return trace if frame.f_code.co_filename == file_name else None

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def raise_cause(module: ModuleType, defines: Iterable[str], failed: Failures) -> None:
    """Raise the exception that left a name undefined which the module should define: that of the first statement with the name, if any."""
    for name in defines:
        if failed and not hasattr(module, name):
            raise failed[next((statement for statement in failed if has(statement, name)), next(iter(failed)))]


def has(statement: ast.stmt, name: str) -> bool:
    """Return True if a statement defines a name, or mentions it."""
    return any(name in (getattr(node, "name", ""), getattr(node, "id", "")) for node in ast.walk(statement))


def in_words(failed: Failures) -> dict[str, str]:
    """Return the class of each exception and the first line of its message, by the line of the statement that failed."""
    return {str(statement.lineno): in_a_line(describe(error, None)) for statement, error in islice(failed.items(), MOST_TOLD)}


def in_a_line(error: Error) -> str:
    return ": ".join(filter(None, (error.types[0], error.message.partition("\n")[0][:LINE_LIMIT])))


# Plays


def play(
    implementation: ModuleType,
    request: Playable,
    probes: ModuleType | None = None,
    size_limit_bytes: int | None = None,
    dtype: str = "float32",
    arithmetic: AbstractContextManager[object] = NATIVE,
    trusted: bool = False,
    traced: ModuleType | None = None,
    written_with: Library = Library.TORCH,
) -> Observation:
    """Play the probe that the request names. An exception in it becomes part of the observation.

    `written_with` names the library that the implementation is written with. `dtype` is its default while the probe runs, and `arithmetic`
    the context in which its operations are computed. A value of more than `size_limit_bytes` is described. If the code is `trusted`,
    KeyboardInterrupt, SystemExit and MemoryError are raised, since they concern this process. The lines of an exception are those of the
    module `traced`, by default of the implementation.
    """
    used = backend(written_with)
    filters, errors = [*warnings.filters], np.geterr()
    settle(used, dtype)
    try:
        own = getattr(probes, request.probe, None)
        probe, impl = (own, implementation) if own else (generic_probe(request.probe, used), with_builders(implementation, probes))
        with arithmetic, found_by_name(implementation):
            seen, error = places_of(probe(impl, **given(request.inputs, used))), None
    except BaseException as raised:  # SystemExit and KeyboardInterrupt too: a submission may raise them
        stop = raised if isinstance(raised, Stopped) else Stopped(None, {})
        cause = stop.__cause__ or raised
        if trusted and stops_the_process(cause):
            raise cause if not wants_memory(cause) else MemoryError from cause
        seen, error = stop.seen, describe(cause, (traced or implementation).__file__, stop.step)
    finally:
        used.settle("float32", SEED)
        warnings.filters[:] = filters  # type: ignore[index]
        np.seterr(**errors)
    if trusted:
        interrupts.raise_again()
    return Observation({Place.of(place): to_value(value, used, size_limit_bytes) for place, value in seen.items()}, error)


class NoSuchProbe(AttributeError):
    """A request for a probe that neither normgrade nor the exercise has."""


def generic_probe(name: str, used: Backend) -> Any:
    """Return normgrade's own probe of this name. Raises NoSuchProbe."""
    try:
        return getattr(used.probes, name)
    except AttributeError:
        raise NoSuchProbe(_('there is no probe "{name}"', name=name)) from None


def places_of(seen: object) -> Mapping[str, Any]:
    """Return the mapping from places to values that a probe returned. Raises TypeError if it is no mapping."""
    if isinstance(seen, Mapping):
        return seen
    raise TypeError(_("a probe must return a dict from places to values, but this one returned a {type}", type=type_name(seen)))


def with_builders(implementation: ModuleType, probes: ModuleType | None) -> Any:
    """Return the implementation with the BUILDERS of the exercise's own probes added by name: each builds a layer from it."""
    builders = {} if probes is None else getattr(probes, "BUILDERS", {})
    if not builders:
        return implementation
    return SimpleNamespace(**vars(implementation) | {name: partial(build, implementation) for name, build in builders.items()})


@contextmanager
def found_by_name(implementation: ModuleType) -> Iterator[None]:
    """Let Python find the module by its name during the block, which it must do to pickle objects that are defined in it."""
    name = implementation.__name__
    before = sys.modules.get(name)
    sys.modules[name] = implementation
    try:
        yield
    finally:
        if before is None:
            sys.modules.pop(name, None)
        else:
            sys.modules[name] = before


def settle(used: Backend, dtype: str) -> None:
    """Reset all global settings, and seed every random number generator."""
    random.seed(SEED)
    np.random.seed(SEED)
    np.seterr(**ERRORS)
    if np.get_printoptions() != PRINTED:
        np.set_printoptions(**PRINTED)
    used.settle(dtype, SEED)


def given(inputs: Any, used: Backend) -> Any:
    """Return the inputs of a probe. Every Array becomes the library's own kind of array."""
    match inputs:
        case Array():
            return used.given(inputs)
        case Mapping():
            return {name: given(value, used) for name, value in inputs.items()}
        case list() | tuple():
            return type(inputs)([given(value, used) for value in inputs])
        case _:
            return inputs


def to_value(thing: object, used: Backend, size_limit_bytes: int | None = None) -> Value:
    """Return a thing as it may travel: plain tensors and arrays as numbers, scalars and texts as such, others as a description."""
    match thing:
        case None | bool():
            return thing
        case _ if (own := used.seen(thing, size_limit_bytes)) is not None:
            return own
        case Estimate(value, error):
            return Array(np.asarray(float(value)), "float64", float(error))
        case float() if type(thing) is float:  # rounded like any number, so compared like any array
            return Array(np.asarray(thing), "float64")
        case int() | str() if type(thing) in (int, str):
            too_large = isinstance(thing, int) and abs(thing) >= 2**63
            return Foreign(Reason.SIZE, "int") if too_large else thing[:MESSAGE_LIMIT] if isinstance(thing, str) else thing
        case np.ndarray() | np.generic() if thing.dtype.name in DTYPES:
            name = thing.dtype.name
            if size_limit_bytes is not None and thing.nbytes > size_limit_bytes:
                return Foreign(Reason.SIZE, type_name(thing), name, thing.shape)
            return Array(np.array(thing, order="C"), name)
        case Absent(name, there):
            return Absent(name[:NAME_LIMIT], first_names(there))
        case _:
            return Foreign(Reason.TYPE, type_name(thing))


def first_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return as many of the names as a message has room for."""
    short = [name[:NAME_LIMIT] for name in names]
    return tuple(name for name, end in zip(short, accumulate(map(len, short)), strict=True) if end <= MESSAGE_LIMIT)
