"""Sources, and the requests that tests of the oracle make of them."""

from __future__ import annotations

import numpy as np

from normgrade.language.places import Place
from normgrade.oracle.expected import Expected
from normgrade.oracle.oracle import Oracle
from normgrade.suite.story import Part, call, request
from normgrade.worker.wire.observation import Array, Playable, Value
from normgrade.worker.wire.requests import Action, LayerStep, LayerStory, TypedRequest, typed

MINE = bytes(32)  # the key of a user
U = 2.0**-24
KEY = [0, "test_output", 0]
X = np.random.default_rng(0).standard_normal((5, 8), dtype=np.float32)
NORM = """
import torch
from torch import nn

class Norm(nn.Module):
    def __init__(self, size, eps=1e-5):
        super().__init__()
        if size < 2:
            raise ValueError("too small")
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, x):
        if x.dim() == 1:
            raise ValueError("too few dimensions")
        self.calls += 1
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        mean, var = wide.mean(-1, keepdim=True), wide.var(-1, keepdim=True, correction=0)
        return ((wide - mean) / torch.sqrt(var + self.eps) * self.weight).to(x.dtype)
"""
FUNCTIONS = """
import torch

def mean(x): return x.mean(-1)
def same(x): return x.clone()
def shifted(x): return (x + 1e4) - 1e4
def constant(x): return torch.tensor([1.0, 3.0])
def zero(x): return x - x
def positive(x): return x > 0
def rank(x): return x.dim()
def nothing(x): return None
def listed(x): return [x]
def over_zero(x): return x / 0
def dtype(x): return str(x.dtype)
def odd(x): return x / (1.0 if x.dtype is torch.float32 or x[0].item() == 1.0 else 0.0)
"""


def asked(*story: Part) -> TypedRequest:
    return request(story, "Norm", KEY)


def called(oracle: Oracle, function: str, x: np.ndarray = X) -> Expected:
    """Return the expected result of one of the functions."""
    return oracle.expectation(FUNCTIONS, asked(call(function, x))).places[Place("result")]


def numbers(value: Value) -> np.ndarray:
    assert isinstance(value, Array)
    return value.values


def spread(place: Expected) -> np.ndarray:
    assert place.spread is not None
    return place.spread


STORY = LayerStory(
    "Layer",
    (3, 0.1),
    state={"weight": Array(np.ones(100, np.float32), "float32"), "count": Array(np.array(3), "int64")},
    steps=[LayerStep(Action.TRAIN, Array(np.full(100, 2.0, np.float16), "float16"))],
)


def numbers_of(request: Playable) -> tuple[Array, Array, Array]:
    """Return the weight, the count and the input of a story."""
    story = typed(request)
    assert isinstance(story, LayerStory) and story.steps[0].x is not None
    return story.state["weight"], story.state["count"], story.steps[0].x
