"""Tests of `torch.compile` in a worker."""

from __future__ import annotations

import doctest

import pytest
import torch

from normgrade.worker.untrusted import uncompiled


def test_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "compile", torch.compile)
    monkeypatch.setattr(torch.nn.Module, "compile", torch.nn.Module.compile)
    uncompiled.leave_uncompiled()
    layer = torch.nn.Linear(2, 1)
    layer.compile(fullgraph=True)
    assert torch.compile(layer, dynamic=True) is layer
    assert torch.compile(mode="reduce-overhead")(len) is len


def test_the_examples_in_the_docstrings_hold() -> None:
    ran = doctest.testmod(uncompiled)
    assert ran.attempted and not ran.failed
