"""Tests of recorded plays: which values are kept, which can be replaced, and that only numbers reach the grader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from normgrade.course.tensor_library import Library
from normgrade.worker.trusted.host import Host
from normgrade.worker.untrusted.on_record import play_on_record
from normgrade.worker.untrusted.rewriting import SpotKind, rewritten
from normgrade.worker.wire.messages import RecordQuestion
from normgrade.worker.wire.observation import MOST_OF_ALL, MOST_RECORDS, Array, Cause, Put, Record, Recording, Request

X = np.arange(6.0).reshape(2, 3)
CENTRED = "def f(x):\n    mean = x.mean(-1, keepdims=True)\n    return x - mean\n"
COUNTED = "import numpy as np\n\ndef f(x):\n    total = np.zeros(3)\n    for row in x:\n        total += row * 2\n    return total\n"


def request(*args: Any) -> Request:
    return Request("function_call", {"function": "f", "args": list(args), "kwargs": {}, "upstream": None})


X_IN = request(Array(X, "float64"))


def played(source: str, *puts: Put, keep: bool = True, library: Library = Library.TORCH, asked: Request = X_IN) -> Recording:
    return play_on_record(source, "f.py", asked, None, 10_000, library, puts, keep)


def text(source: str, record: Record) -> str:
    spot = rewritten(source).spots[record.place]
    return source.splitlines()[spot.line - 1][spot.column : spot.end_column]


def result(recording: Recording) -> np.ndarray:
    value = recording.values["result"]
    assert isinstance(value, Array)
    return value.values


def test_values_are_recorded_in_order() -> None:
    found = played(CENTRED)
    assert [text(CENTRED, each) for each in found.records] == ["x", "x.mean(-1, keepdims=True)", "x - mean"]
    assert found.records[1].values.tolist() == [[1.0], [4.0]] and found.error is None


def test_a_loop_counts_its_iterations() -> None:
    found = [each for each in played(COUNTED, library=Library.TORCH).records if text(COUNTED, each) == "total += row * 2"]
    assert found == [] or [each.iteration for each in found] == [0, 1]
    source = COUNTED.replace("import numpy as np", "import torch").replace("np.zeros(3)", "torch.zeros(3)")
    found = [each for each in played(source).records if text(source, each) == "total += row * 2"]
    assert [(each.iteration, each.values.tolist()) for each in found] == [(0, [0, 2, 4]), (1, [6, 10, 14])]


def test_value_can_be_replaced() -> None:
    mean = played(CENTRED).records[1]
    found = played(CENTRED, Put(mean.place, 0, Array(np.array([[2.0], [0.0]]), "float64")), keep=False)
    assert result(found).tolist() == [[-2, -1, 0], [3, 4, 5]] and found.records == ()


def test_tensor_updated_in_place_keeps_its_identity() -> None:
    source = "import torch\n\ndef f(x):\n    total = torch.zeros(3)\n    same = total\n    total += x[0]\n    return same\n"
    [place] = [number for number, spot in enumerate(rewritten(source).spots) if spot.kind is SpotKind.UPDATED]
    assert result(played(source, Put(place, 0, Array(np.full(3, 9.0), "float64")))).tolist() == [9, 9, 9]


def test_a_float_can_be_replaced() -> None:
    source = "def f(x):\n    n = 1 / x.shape[0]\n    return x * n\n"
    [record] = [each for each in played(source).records if text(source, each) == "1 / x.shape[0]"]
    assert result(played(source, Put(record.place, 0, Array(np.array(2.0), "float64")))).tolist() == (2 * X).tolist()


def test_the_last_records_are_kept() -> None:
    source = "def f(x):\n    for n in range(1000):\n        y = x * n\n    return y\n"
    records = played(source).records
    assert len(records) == MOST_RECORDS and records[-1].values.tolist() == (999 * X).tolist()
    wide = request(Array(np.ones(500), "float64"))
    assert sum(each.values.size for each in played(source, asked=wide).records) <= MOST_OF_ALL


def test_large_and_non_numeric_values_are_not_recorded() -> None:
    source = "def f(x):\n    large, whole, word = x.repeat(99, 9), x.long() + 1, 'a' + 'b'\n    return x\n"
    assert {text(source, each) for each in played(source).records} == {"x"}


def test_unreadable_value_is_harmless() -> None:
    source = "import torch\n\ndef f(x):\n    return torch.vmap(lambda row: row.mean() + row)(x) + x.to_sparse().sum() * 1\n"
    assert played(source).error is None


def test_a_source_that_raises_is_an_error() -> None:
    error = played("raise SystemExit(3)").error
    assert error is not None and error.cause is Cause.EXITED
    error = played("def f(x):\n    return x +\n").error
    assert error is not None and error.cause is Cause.NOT_LOADED and error.types[0] == "SyntaxError"
    error = played("def f(x):\n    return x / y\n").error
    assert error is not None and error.types[0] == "NameError"


# In workers


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with Host("process") as host:
        yield host


def test_a_worker_plays_its_submission_on_record(host: Host) -> None:
    with host.worker(CENTRED, "f.py") as worker:
        found = worker.record(RecordQuestion(X_IN, 4096))
        assert [each.values.shape for each in found.records] == [(2, 3), (2, 1), (2, 3)]
        assert "result" in worker.play(X_IN, 4096).values
        put = Put(found.records[1].place, 0, Array(np.zeros((2, 1)), "float64"))
        assert result(worker.record(RecordQuestion(X_IN, 4096, CENTRED, (put,)))).tolist() == X.tolist()


def test_another_source_of_the_course_is_played_on_record(host: Host) -> None:
    with host.worker("", "f.py") as worker:
        assert len(worker.record(RecordQuestion(X_IN, 4096, CENTRED)).records) == 5  # names too, each time they are read


def test_a_submission_that_ends_its_process_has_no_records(host: Host) -> None:
    with host.worker("import os\n\ndef f(x):\n    os._exit(0)\n", "f.py") as worker:
        found = worker.record(RecordQuestion(X_IN, 4096))
        assert found.records == () and found.error is not None and found.error.cause is Cause.EXITED
    with host.worker("1 / 0", "f.py") as worker:
        found = worker.record(RecordQuestion(X_IN, 4096))
        assert found.error is not None and found.error.cause is Cause.NOT_LOADED


FORGED = """
import os
from normgrade.worker.wire import framing, messages
from normgrade.worker.untrusted import on_record
from normgrade.worker.wire.observation import Observation, Recording

def f(x):
    import gc
    [replies] = [each for each in gc.get_objects() if type(each).__name__ == "Replies"]
    frame = {frame}
    framing.send(replies.answer, frame)
    os._exit(0)
"""


ANSWER = '{"values":{},"error":null,"records":{"table":[[0,0,0,%s]],"numbers":{"$array":["float64",[%d]]}}}'


@pytest.mark.parametrize(
    "frame",
    [
        "messages.encode(Observation(), replies.open)",
        "messages.encode(Recording(), replies.open + 1)",
        "framing.build(7, replies.open, b'" + ANSWER % ('"x"', 0) + "', [])",
        "framing.build(7, replies.open, b'" + ANSWER % ("9", 9) + "', [])",
        'b"no frame at all, however long it may be"',
    ],
)
def test_a_forged_answer_is_refused(host: Host, frame: str) -> None:
    with host.worker(FORGED.replace("{frame}", frame), "f.py") as worker:
        found = worker.record(RecordQuestion(X_IN, 4096))
        assert found.records == () and found.error is not None and found.error.cause is Cause.FORGED
