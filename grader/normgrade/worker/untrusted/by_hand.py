"""Run-time enforcement of the rule that an exercise is written by hand: banned parts of PyTorch raise, by any name.

This is a rule of the exercise, not a wall: code that sets out to break it can. Inspection has searched the source already.
"""

from __future__ import annotations

import ctypes
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from types import FunctionType, ModuleType
from typing import Any

import torch

from normgrade.course.ban import Ban
from normgrade.language import _
from normgrade.probes import layers
from normgrade.worker.untrusted.stopping import (
    SUBMISSION,
    Banned,
    ByHand,
    find_in_numpy,
    forbid_imports,
    raising,
    stop,
    stop_numpy,
    stop_when_imported,
)

KEYS = (  # dispatch keys whose kernels a processor can run; an operation under any other key ends in one of these
    *("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional"),
    *("FuncTorchBatched", "FuncTorchBatchedDecomposition"),
    *("CPU", "MkldnnCPU", "NestedTensorCPU", "QuantizedCPU", "SparseCPU", "SparseCsrCPU"),
)
FUNCTIONAL = "torch.nn.functional"
IN_PYTHON = {  # modules with Python versions of operations and functions
    *(FUNCTIONAL, "torch.masked._ops"),
    *("torch.nn.utils.parametrizations", "torch.nn.utils.spectral_norm", "torch.nn.utils.weight_norm"),
    *("torch.autograd.forward_ad", "torch.distributions.categorical", "torch.distributions.transforms", "torch.nn.utils.clip_grad"),
    *("torch._refs", "torch._refs.nn.functional", "torch._decomp.decompositions", "torch._decomp.decompositions_for_jvp"),
}
PAST_DISPATCH = (
    *("_jit_to_static_module", "_fuse_to_static_module"),  # the modules that they return have kernels of their own
    "_enter_dual_level",  # computes derivatives forward, with kernels of its own
)


def kernels() -> Mapping[str, Sequence[tuple[str, str]]]:
    """Return the name and the key of every operation's kernels, by the operation's dotted name. It takes some milliseconds."""
    found = defaultdict(list)
    for key in KEYS:
        for name in torch._C._dispatch_get_registrations_for_dispatch_key(key):
            operation, _dot, variant = name.partition(".")
            if not variant or not key.startswith("Composite"):  # a composite kernel of a variant ends in kernels of the operation
                found[f"torch.ops.{operation.replace('::', '.')}"].append((name, key))
    return {operation: kept for operation, kept in found.items() if any(not key.startswith("FuncTorch") for _name, key in kept)}


KERNELS = kernels()


def against_stand_in(ban: Ban, name: str) -> str | None:
    """Return the pattern that bans the operation, function or layer of that name, and so its Python version; None if there is none."""
    bare = name.lstrip("_")
    alike = ((f"torch.ops.aten.{name}", f"torch.{name}"), (f"{FUNCTIONAL}.{bare}",), (f"torch.nn.{bare}",))
    return next(filter(None, (ban.against(*names) for names in alike)), None)


def enforce(ban: Ban) -> None:
    """Make the banned parts of PyTorch raise, and banned modules impossible to import, in this process and for good."""
    stop_operations(ban)
    for function, dotted, rule in functions_in(loaded(), ban):
        stop(function, dotted, rule)
    stop_when_imported(lambda module: banned_functions(module, ban) if module.__name__ in IN_PYTHON else ())
    stop_numpy(ban)
    for name in PAST_DISPATCH:
        if pattern := ban.against(f"torch._C.{name}"):
            setattr(torch._C, name, raising(f"torch._C.{name}", pattern))
    forbid_subclasses(ban)
    forbid_imports(ban)
    if pattern := ban.against(ENGINE):
        layers.CALLING.set(partial(none_in_between, pattern))


def find_banned(ban: Ban) -> None:
    """Find everything that is banned, so that workers that are forked from here need not."""
    banned_operations(ban)
    functions_in(loaded(), ban)
    find_in_numpy(ban)


def loaded() -> frozenset[str]:
    """Return the modules of IN_PYTHON that are imported already."""
    return frozenset(IN_PYTHON & sys.modules.keys())


@cache
def functions_in(modules: frozenset[str], ban: Ban) -> tuple[Banned, ...]:
    """Return every banned function of these modules, with its dotted name and the pattern that bans it."""
    return tuple(found for name in sorted(modules) for found in banned_functions(sys.modules[name], ban))


def stop_operations(ban: Ban) -> None:
    """Replace every kernel of a banned operation by one that raises."""
    libraries: dict[str, Any] = {}
    with warnings.catch_warnings(action="ignore"):  # PyTorch warns that there is a kernel already
        for operation, pattern in banned_operations(ban):
            refusing = raising(usual_name(operation), pattern)
            for full_name, key in KERNELS[operation]:
                namespace, _colons, name = full_name.partition("::")
                if namespace not in libraries:
                    libraries[namespace] = torch._C._dispatch_library("IMPL", namespace, "", __file__, 0)
                libraries[namespace].impl(name, key, refusing)
    for library in libraries.values():  # kernels live as long as their library: it stays for good, out of reach of Python code
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))


@cache
def banned_operations(ban: Ban) -> tuple[tuple[str, str], ...]:
    """Return every banned operation, with the pattern that bans it."""
    return tuple((operation, pattern) for operation in KERNELS if (pattern := ban.against(*names_of(operation))))


def names_of(operation: str) -> tuple[str, ...]:
    short = operation.removeprefix("torch.ops.aten.")
    return (operation,) if short == operation else (operation, f"torch.{short}")


def usual_name(operation: str) -> str:
    """Return the name by which a learner knows an operation."""
    *_, name = names_of(operation)
    return name if hasattr(torch, name.removeprefix("torch.")) else operation


def banned_functions(module: ModuleType, ban: Ban) -> Iterator[Banned]:
    """Yield the functions of a module that do a banned operation in Python. Functions that only call a banned operation raise anyway."""
    for name, thing in vars(module).items():
        own = getattr(thing, "__module__", None) == module.__name__
        only_calls = module.__name__ == FUNCTIONAL and f"torch.ops.aten.{name}" in KERNELS
        if not own or only_calls or name.endswith("_backward"):  # PyTorch reads the source of such functions for derivatives of others
            continue
        if pattern := against_stand_in(ban, name):
            for function in functions_of(thing):
                yield function, f"{module.__name__}.{name}", pattern


def functions_of(thing: object) -> Iterator[FunctionType]:
    """Yield the function, and all functions that it wraps; for a class, those of its methods."""
    for each in vars(thing).values() if isinstance(thing, type) else (thing,):
        while isinstance(each, FunctionType):
            yield each
            each = getattr(each, "__wrapped__", None)


def forbid_subclasses(ban: Ban) -> None:
    """Make a class of the submission raise if it inherits from a banned layer, because constructor and state would be the library's."""

    def refuse(heir: type, /, **keywords: Any) -> None:
        for base in heir.__bases__ if heir.__module__ == SUBMISSION else ():
            names = f"torch.nn.{base.__qualname__}", f"{base.__module__}.{base.__qualname__}"
            if names[1].startswith("torch.nn.") and (pattern := ban.against(*names)):
                why = _(
                    "this inherits from `{name}`, which the exercise bans (by the rule `{pattern}`): it must be written by hand",
                    name=names[0] if hasattr(torch.nn, base.__qualname__) else names[1],
                    pattern=pattern,
                )
                raise ByHand(why)

    torch.nn.Module.__init_subclass__ = classmethod(refuse)  # type: ignore[assignment]


# Backward passes: autograd may compute no gradient while a layer is called. The layer's own backward pass comes later.
#
# The gradient of a plain sum is a normalisation: that of `logsumexp` is softmax. Every request for a gradient starts a backward pass,
# through `backward()`, `torch.autograd.grad`, `torch.func` or TorchScript alike, and PyTorch numbers all passes of a process.

ENGINE = "torch._C._ImperativeEngine.run_backward"  # its name in a ban
NUMBERS: list[int] = []
NUMBER_OF_THIS = torch._C._current_graph_task_id  # taken before a submission could replace it
RUN = torch.autograd.Variable._execution_engine.run_backward


class Numbered(torch.autograd.Function):
    """A function that does nothing forward; backward it notes the number of the pass, without any operation, since all may be banned."""

    @staticmethod
    def forward(context: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> torch.Tensor:
        NUMBERS.append(NUMBER_OF_THIS())
        return gradient


LEAF, ONE = torch.zeros((), requires_grad=True), torch.ones(())
ROOT = Numbered.apply(LEAF)  # type: ignore[no-untyped-call]


def next_number() -> int:
    """Run a backward pass, which takes some microseconds, and return its number."""
    RUN((ROOT,), (ONE,), True, False, (LEAF,), allow_unreachable=True, accumulate_grad=False)
    return NUMBERS.pop()


def compiled() -> int:
    """Return how many graphs `torch.compile` has compiled so far. It runs backward passes of its own to find the backward graphs."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    return dynamo.counters["aot_autograd"]["total"] if dynamo else 0


@contextmanager
def none_in_between(pattern: str) -> Iterator[None]:
    """Raise ByHand, by the rule `pattern`, if a backward pass begins in the block, unless `torch.compile` compiles a graph there."""
    before, compiled_before = next_number(), compiled()
    yield
    if next_number() != before + 1 and compiled() == compiled_before:
        why = _(
            "autograd computed a gradient during this call, which the exercise bans (by the rule `{pattern}`): it must be written by hand",
            pattern=pattern,
        )
        raise ByHand(why)
