"""Play a probe on an implementation in this process: natively in a worker, in several arithmetics in the oracle."""

from __future__ import annotations

import errno
import linecache
import random
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import accumulate
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import torch

from normgrade import probes as generic
from normgrade.language import _
from normgrade.language.places import Absent, Place
from normgrade.worker import interrupts
from normgrade.worker.observation import Array, Cause, Error, Foreign, Frame, Observation, Playable, Reason, Value

MESSAGE_LIMIT = 2000  # characters of a text
NAME_LIMIT = 100  # characters of a name
NATIVE = nullcontext()
SEED = 1_750_043_921  # of every random number generator before a play; not one that a layer would set itself
NO_MEMORY = "DefaultCPUAllocator: can't allocate memory"  # PyTorch raises a plain RuntimeError with this text
SAID_BY_HAND = "ByHand: "
FRAME_LIMIT = 5  # of the learner's frames, the innermost
PLAIN = {
    dtype: str(dtype)[6:]
    for dtype in (
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
        *(torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.bool),
    )
}


def load(source: str, file_name: str, name: str = "submission") -> ModuleType:
    """Execute a source as a module. Dataclasses look for it in `sys.modules`, tracebacks and `jit.script` in `linecache`."""
    module = ModuleType(name)
    module.__file__ = file_name
    sys.modules[name] = module
    linecache.cache[file_name] = (len(source), None, source.splitlines(keepends=True), file_name)
    exec(compile(source, file_name, "exec", dont_inherit=True), module.__dict__)
    return module


def play(
    implementation: ModuleType,
    request: Playable,
    probes: ModuleType | None = None,
    size_limit_bytes: int | None = None,
    dtype: torch.dtype = torch.float32,
    arithmetic: AbstractContextManager[object] = NATIVE,
    trusted: bool = False,
    traced: ModuleType | None = None,
) -> Observation:
    """Play the probe that the request names. An exception in it becomes part of the observation.

    `dtype` is PyTorch's default while the probe runs, and `arithmetic` the context in which its operations are computed. A description
    stands in for a value of more than `size_limit_bytes`. While `trusted` code is played, KeyboardInterrupt, SystemExit and MemoryError
    are raised instead, since they concern this process. The lines that an exception names are those of the module that is `traced`, by
    default of the implementation.
    """
    settle(dtype)
    try:
        own = getattr(probes, request.probe, None)
        probe, impl = (own, implementation) if own else (generic_probe(request.probe), with_builders(implementation, probes))
        inputs = to_tensors(request.inputs)
        with arithmetic, found_by_name(implementation):
            seen, error = places_of(probe(impl, **inputs)), None
    except BaseException as raised:  # SystemExit and KeyboardInterrupt too: a submission may raise them
        stop = raised if isinstance(raised, generic.Stopped) else generic.Stopped(None, {})
        cause = stop.__cause__ or raised
        if trusted and stops_the_process(cause):
            raise cause if not wants_memory(cause) else MemoryError from cause
        seen, error = stop.seen, describe(cause, (traced or implementation).__file__, stop.step)
    finally:
        torch.set_default_dtype(torch.float32)
    if trusted:
        interrupts.raise_again()
    return Observation({Place.of(place): to_value(value, size_limit_bytes) for place, value in seen.items()}, error)


class NoSuchProbe(AttributeError):
    """The request names a probe that neither normgrade nor the exercise has."""


def generic_probe(name: str) -> Any:
    """The probe of normgrade's own that goes by this name."""
    try:
        return getattr(generic, name)
    except AttributeError:
        raise NoSuchProbe(_('there is no probe "{name}"', name=name)) from None


def places_of(seen: object) -> Mapping[str, Any]:
    """What a probe returned, which is a mapping from places to values."""
    if isinstance(seen, Mapping):
        return seen
    raise TypeError(_("a probe returns a dict from places to values, and this one returned a {type}", type=type_name(seen)))


def with_builders(implementation: ModuleType, probes: ModuleType | None) -> Any:
    """The implementation, and beside its names those of BUILDERS in the exercise's own probes: each builds a layer with its help."""
    builders = {} if probes is None else getattr(probes, "BUILDERS", {})
    if not builders:
        return implementation
    return SimpleNamespace(**vars(implementation) | {name: partial(build, implementation) for name, build in builders.items()})


@contextmanager
def found_by_name(implementation: ModuleType) -> Iterator[None]:
    """Python finds the module by its name meanwhile, as it must to pickle what is defined there."""
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


def settle(dtype: torch.dtype) -> None:
    """Reset the global settings of PyTorch, and seed every random number generator."""
    random.seed(SEED)
    np.random.seed(SEED)
    torch.default_generator.manual_seed(SEED)  # the CPU's; torch.manual_seed seeds other devices too, and takes 1.5 ms
    torch.set_default_dtype(dtype)
    torch.set_grad_enabled(True)
    torch.set_num_threads(1)
    if torch.are_deterministic_algorithms_enabled():  # asked first, because the call below imports 800 modules
        torch.use_deterministic_algorithms(False)
    torch.autograd.set_detect_anomaly(False)
    torch.set_flush_denormal(False)


def to_tensors(inputs: Any) -> Any:
    """The inputs of a probe: every Array becomes a tensor."""
    match inputs:
        case Array(values, dtype):
            tensor = torch.from_numpy(np.array(values))
            return tensor.to(torch.bfloat16) if dtype == "bfloat16" else tensor  # which NumPy does not have
        case Mapping():
            return {name: to_tensors(value) for name, value in inputs.items()}
        case list() | tuple():
            return type(inputs)([to_tensors(value) for value in inputs])
        case _:
            return inputs


def to_value(thing: object, size_limit_bytes: int | None = None) -> Value:
    """A thing as it may travel: plain tensors and arrays as numbers, anything else but a scalar as its description."""
    match thing:
        case torch.Tensor():
            return tensor_value(thing, size_limit_bytes)
        case None | bool():
            return thing
        case generic.Estimate(torch.Tensor(ndim=dimensions) as value, error) if dimensions:
            seen = tensor_value(value, size_limit_bytes)
            return replace(seen, error=float(error)) if isinstance(seen, Array) else seen
        case generic.Estimate(value, error):
            return Array(np.asarray(float(value)), "float64", float(error))
        case float() if type(thing) is float:  # rounded like any number, so compared like any array
            return Array(np.asarray(thing), "float64")
        case int() | str() if type(thing) in (int, str):
            too_large = isinstance(thing, int) and abs(thing) >= 2**63
            return Foreign(Reason.SIZE, "int") if too_large else thing[:MESSAGE_LIMIT] if isinstance(thing, str) else thing
        case np.ndarray() | np.generic() if thing.dtype.name in PLAIN.values():
            name = thing.dtype.name
            if size_limit_bytes is not None and thing.nbytes > size_limit_bytes:
                return Foreign(Reason.SIZE, type_name(thing), name, thing.shape)
            return Array(np.array(thing, order="C"), name)
        case Absent(name, there):
            return Absent(name[:NAME_LIMIT], first_names(there))
        case _:
            return Foreign(Reason.TYPE, type_name(thing))


def tensor_value(tensor: torch.Tensor, size_limit_bytes: int | None) -> Array | Foreign:
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        return Foreign(Reason.SUBCLASS, type_name(tensor))
    if tensor.layout is not torch.strided or tensor.device.type != "cpu" or tensor.dtype not in PLAIN:
        return in_form(Reason.FORM, tensor)
    if size_limit_bytes is not None and tensor.numel() * tensor.element_size() > size_limit_bytes:
        return in_form(Reason.SIZE, tensor)
    plain = tensor.detach().resolve_neg()
    return Array(np.array((plain.float() if plain.dtype is torch.bfloat16 else plain).numpy(), order="C"), PLAIN[tensor.dtype])


def in_form(reason: Reason, tensor: torch.Tensor) -> Foreign:
    """A tensor that cannot be sent, described."""
    return Foreign(reason, type_name(tensor), str(tensor.dtype)[6:], tuple(tensor.shape), str(tensor.layout), str(tensor.device))


def describe(error: BaseException, file_name: str | None, step: int | str | None = None, cause: Cause = Cause.RAISED) -> Error:
    """An exception as it travels: the names of its classes along the MRO, a capped message, the frames of the learner's own file."""
    if isinstance(error, SystemExit):
        cause = Cause.EXITED
    if wants_memory(error):
        cause = Cause.OUT_OF_MEMORY
    try:
        message = str(error)
    except BaseException:
        message = _("its text could not be read")
    frames = [
        Frame(frame.lineno or 0, frame.name[:100], (frame.line or "")[:200])
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == file_name
    ]
    types = tuple(kind.__name__ for kind in type(error).__mro__ if kind is not object)
    if isinstance(error, RuntimeError) and SAID_BY_HAND in message:  # TorchScript wraps exceptions of operations
        types, message = ("ByHand", *types), message.rpartition(SAID_BY_HAND)[2].partition("\n")[0]
    return Error(cause, message[:MESSAGE_LIMIT], types, tuple(frames[-FRAME_LIMIT:]), step)


def stops_the_process(error: BaseException) -> bool:
    """Whether an exception concerns the process in which it was raised, not the code that raised it."""
    return not isinstance(error, Exception) or wants_memory(error)


def wants_memory(error: BaseException) -> bool:
    """Whether an exception of Python, the system or PyTorch says that memory is exhausted."""
    refused = isinstance(error, OSError) and error.errno == errno.ENOMEM
    return isinstance(error, MemoryError) or refused or (type(error) is RuntimeError and NO_MEMORY in str(error))


def type_name(thing: object) -> str:
    return f"{type(thing).__name__:.{NAME_LIMIT}}"


def first_names(names: Iterable[str]) -> tuple[str, ...]:
    """As many of the names as a message has room for."""
    short = [name[:NAME_LIMIT] for name in names]
    return tuple(name for name, end in zip(short, accumulate(map(len, short)), strict=True) if end <= MESSAGE_LIMIT)
