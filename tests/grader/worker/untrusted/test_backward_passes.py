"""Tests that a gradient computed while a layer is called is noticed, through any interface of PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from normgrade.worker.untrusted.backward_passes import ENGINE, next_number, none_in_between
from normgrade.worker.untrusted.stopping import ByHand

SAYS = (
    r"^autograd computed a gradient during this call, which the exercise bans \(by the rule `torch\._C\._ImperativeEngine\.\*`\): "
    r"it must be written by hand$"
)
SCRIPT = """
def of(x: Tensor) -> Tensor:
    gradient = torch.autograd.grad([x.logsumexp(-1).sum()], [x])[0]
    assert gradient is not None
    return gradient
"""


def leaf() -> Tensor:
    return torch.ones(2, 3, requires_grad=True)


def total(x: Tensor) -> Tensor:
    return x.logsumexp(-1).sum()


def go_back(x: Tensor) -> None:
    x.backward()  # type: ignore[no-untyped-call]


def from_the_engine(x: Tensor) -> object:
    run = torch.autograd.Variable._execution_engine.run_backward
    return run((total(x),), (torch.ones(()),), False, False, (x,), allow_unreachable=True, accumulate_grad=False)


ASKS: dict[str, Callable[[], object]] = {
    "backward": lambda: go_back(total(leaf())),
    "grad": lambda: torch.autograd.grad(total(x := leaf()), x),
    "func.grad": lambda: torch.func.grad(total)(leaf()),
    "func.vjp": lambda: torch.func.vjp(total, leaf())[1](torch.ones(())),
    "func.jacrev": lambda: torch.func.jacrev(total)(leaf()),
    "functional.jacobian": lambda: resolve_name("torch.autograd.functional.jacobian")(total, leaf()),
    "the engine": lambda: from_the_engine(leaf()),
    "an operation": lambda: torch.ops.aten.grad([total(x := leaf())], [x]),
    "TorchScript": lambda: torch.jit.CompilationUnit(SCRIPT).of(leaf()),
}


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_gradient_is_noticed_through_every_interface(ask: Callable[[], object]) -> None:
    with pytest.raises(ByHand, match=SAYS), none_in_between("torch._C._ImperativeEngine.*"):
        ask()


PLAIN_SCRIPT = "def of(x: Tensor) -> Tensor:\n    return x.logsumexp(-1)\n"
PLAIN: dict[str, Callable[[], object]] = {
    "a layer": lambda: nn.Linear(3, 3)(leaf()),
    "checkpoint": lambda: checkpoint(total, leaf(), use_reentrant=False),
    "checkpoint by a backward pass in the backward pass": lambda: checkpoint(total, leaf(), use_reentrant=True),
    "vmap": lambda: torch.vmap(total)(leaf()),
    "TorchScript": lambda: torch.jit.CompilationUnit(PLAIN_SCRIPT).of(leaf()),
}


@pytest.mark.parametrize("call", PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_call_without_a_gradient_is_accepted(call: Callable[[], object], mode: Callable[[], torch.enable_grad]) -> None:
    with mode(), none_in_between(ENGINE):
        call()


@pytest.mark.slow
def test_passes_of_the_compiler_are_not_counted() -> None:
    compiled = torch.compile(total, backend="aot_eager")
    with none_in_between(ENGINE):
        compiled(leaf())
    with pytest.raises(ByHand), none_in_between(ENGINE):
        go_back(compiled(leaf()))


def test_an_error_of_the_call_comes_first() -> None:
    with pytest.raises(ZeroDivisionError), none_in_between(ENGINE):
        go_back(total(leaf()))
        raise ZeroDivisionError


def test_passes_are_numbered_consecutively() -> None:
    first = next_number()
    assert [next_number(), next_number()] == [first + 1, first + 2]
