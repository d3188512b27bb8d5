"""Tests of the settings of PyTorch before every play, and of `torch.compile`. The values that travel are tested in test_play.py."""

from __future__ import annotations

import doctest

import pytest
import torch

from normgrade.worker.untrusted import in_pytorch
from normgrade.worker.untrusted.play import load, play
from normgrade.worker.wire.observation import Observation


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_settings_are_put_back(dtype: str) -> None:
    torch.set_grad_enabled(False)
    in_pytorch.settle(dtype, 3)
    assert torch.is_grad_enabled() and torch.get_default_dtype() is getattr(torch, dtype)
    drawn = torch.rand(2)
    in_pytorch.settle("float32", 3)
    assert torch.equal(drawn.float(), torch.rand(2, dtype=drawn.dtype).float())
    assert torch.get_default_dtype() is torch.float32


def test_the_example_can_be_played() -> None:
    module = load(in_pytorch.EXAMPLE, "example.py", "example")
    assert play(module, in_pytorch.first_step()).error is None
    ended: list[Observation] = [play(module, request) for request in in_pytorch.many_steps()]
    assert [each.error is None for each in ended] == [True, False, True]


def test_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "compile", torch.compile)
    monkeypatch.setattr(torch.nn.Module, "compile", torch.nn.Module.compile)
    in_pytorch.leave_uncompiled()
    layer = torch.nn.Linear(2, 1)
    layer.compile(fullgraph=True)
    assert torch.compile(layer, dynamic=True) is layer
    assert torch.compile(mode="reduce-overhead")(len) is len


def test_the_examples_in_the_docstrings_hold() -> None:
    ran = doctest.testmod(in_pytorch)
    assert ran.attempted and not ran.failed
