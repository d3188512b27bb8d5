"""Plays of a probe on an implementation in this process: natively in a worker, in several arithmetics in the oracle."""

from __future__ import annotations

import linecache
import random
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import accumulate
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from normgrade.course.tensor_library import Library
from normgrade.language import _
from normgrade.language.places import Absent, Place
from normgrade.probes.results import Estimate, Stopped
from normgrade.worker import interrupts
from normgrade.worker.untrusted.exceptions import MESSAGE_LIMIT, describe, stops_the_process, wants_memory
from normgrade.worker.untrusted.executing import Failures, execute
from normgrade.worker.untrusted.written_with import Backend, backend
from normgrade.worker.wire.observation import NAME_LIMIT, Array, Foreign, Observation, Playable, Reason, Value, type_name
from normgrade.worker.wire.packing import DTYPES

NATIVE = nullcontext()
ERRORS, PRINTED = np.geterr(), np.get_printoptions()  # NumPy's settings when it is imported
SEED = 1_750_043_921  # of every random number generator before a play; not one that a submission would set itself


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
