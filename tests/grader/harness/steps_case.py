"""A failing play of a wrong source, and workers in this process, for tests of the first wrong step."""

from __future__ import annotations

from types import ModuleType

import numpy as np

from normgrade.compare.played import Played, Result
from normgrade.diagnosis.steps.case import Case
from normgrade.diagnosis.steps.failing import failing_plays
from normgrade.diagnosis.steps.locate import locate
from normgrade.diagnosis.steps.replays import Answer, Replays
from normgrade.diagnosis.steps.sources import source_of
from normgrade.diagnosis.steps.step import Step
from normgrade.diagnosis.steps.substitution import StepSearch
from normgrade.oracle.expectation import expect
from normgrade.oracle.plays import play_natively
from normgrade.report.report import Check, Kind, Outcome
from normgrade.worker.untrusted.on_record import play_on_record
from normgrade.worker.untrusted.play import load
from normgrade.worker.wire.messages import RecordQuestion
from normgrade.worker.wire.observation import Array, Recording
from normgrade.worker.wire.requests import FunctionCall, TypedRequest

PLAYS = 4
NORM = """import torch

def norm(x, weight, bias, eps):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, correction=0)
    y = (x - mean) / torch.sqrt(var + eps)
    return y * weight + bias
"""


def numbers(*shape: int, seed: int = 0) -> Array:
    values = np.random.default_rng(seed).standard_normal(shape) * 1.3 + 0.4
    return Array(values.astype(np.float32), "float32")


def call(*shape: int, function: str = "norm", backward: bool = True) -> FunctionCall:
    """Return a call of a norm over the last axis."""
    upstream = numbers(*shape, seed=3) if backward else None
    return FunctionCall(function, [numbers(*shape), numbers(shape[-1], seed=1), numbers(shape[-1], seed=2), 0.3], upstream=upstream)


CALL = call(2, 5, 7)


def module(source: str) -> ModuleType:
    return load(source, "<steps>", "steps")


def played(source: str, right: str = NORM, request: TypedRequest = CALL) -> Played:
    """Play a source against the right one."""
    expectation = expect(module(right), request, plays=PLAYS)
    return Played(play_natively(module(source), request, None), expectation)


def failed(*plays: Played) -> Result:
    return Result(Check("test", "It is so.", Kind.FORMULA, Outcome.FAILED, 1), plays)


def in_this_process(own: str) -> Answer:
    """Return a function that answers as a worker with this source would."""

    def answer(question: RecordQuestion) -> Recording:
        source = own if question.source is None else question.source
        limit, every = question.size_limit_bytes, question.source is not None
        return play_on_record(source, "f.py", question.request, None, limit, puts=question.puts, keep=question.keep, every=every)

    return answer


def located(source: str, *right: str, request: TypedRequest = CALL) -> Step | None:
    """Return the first wrong step of a source."""
    sources = right or (NORM,)
    return locate([failed(played(source, sources[0], request))], source, sources, in_this_process(source), in_this_process(""))


def search(source: str, right: str = NORM, *others: str, request: TypedRequest = CALL) -> StepSearch:
    """Return the search for the wrong steps of a source, compared with a right one."""
    found = case(source, right, *others, request=request).search()
    assert found is not None
    return found


def case(source: str, right: str = NORM, *others: str, request: TypedRequest = CALL) -> Case:
    [failing] = failing_plays([failed(played(source, right, request))])
    return Case(failing, source_of(source), [right, *others], in_this_process(source), Replays(failing, in_this_process(""), 200))


def edited(*edits: tuple[str, str], source: str = NORM) -> str:
    for old, new in edits:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source
