"""The choice of submissions that can be compared with right code, and of the most similar right code."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from steps_case import NORM, case, edited

from normgrade.worker.wire.messages import RecordQuestion
from normgrade.worker.wire.observation import Record, Recording

WRONG = edited((", correction=0", ""))
OTHER = """import torch

def norm(x, weight, bias, eps):
    centred = x - x.mean(-1, keepdim=True)
    root = ((centred**2).mean(-1, keepdim=True) + eps).sqrt()
    return centred / root * weight + bias
"""


def test_a_wrong_submission_is_compared_with_the_reference() -> None:
    found = case(WRONG).search()
    assert found is not None and found.wrong == {"result"} and found.base.source.text == NORM


@pytest.mark.parametrize(
    "source",
    [
        WRONG.replace("x.mean(", "x.half().mean("),  # half precision takes part
        WRONG.replace("def norm(", "def vmap(x): ...\n\ndef norm("),  # the record may be incomplete
        WRONG.replace("x - mean)", "x - mean) * (float('nan') if x.dtype == torch.float64 else 1)"),
        WRONG.replace("return y * weight + bias", "return (y * weight + bias)[:, : 5 if x.dtype == torch.float32 else 2]"),
        WRONG.replace("return y", "return 1 / 0 if x.dtype == torch.float64 else y"),
    ],
)
def test_some_submissions_cannot_be_searched(source: str) -> None:
    assert case(source).search() is None


@pytest.mark.parametrize("records", [(), (Record(9999, 0, "float64", np.ones(1)),)])
def test_an_answer_with_other_places_is_no_record(records: tuple[Record, ...]) -> None:
    own = case(WRONG)

    def forged(question: RecordQuestion) -> Recording:
        return replace(own.submission(question), records=records)

    assert replace(own, submission=forged).search() is None


def test_the_most_similar_alternative_is_searched_first() -> None:
    likest = case(OTHER.replace("+ eps", "- eps"), NORM, NORM.replace("y * weight", "weight * y"), OTHER)
    first = likest.search()
    assert first is not None
    assert likest.searches_elsewhere(first)[0].base.source.text == OTHER
    assert case(WRONG, NORM, WRONG).searches_elsewhere(first) == []  # the wrong one is similar to no alternative
