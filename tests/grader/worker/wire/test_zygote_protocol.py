"""Tests of the messages between grader and zygote."""

from __future__ import annotations

from normgrade.worker.wire.zygote_protocol import ANSWER, BROKEN, END, ENDED, KILLED, QUESTION, READY, START, STARTED


def test_question_holds_the_largest_budget() -> None:
    assert QUESTION.unpack(QUESTION.pack(START, 0, 2**20, 2**20)) == (START, 0, 2**20, 2**20)


def test_an_answer_holds_the_exit_code_of_a_signal() -> None:
    assert ANSWER.unpack(ANSWER.pack(KILLED, -9)) == (KILLED, -9)


def test_kinds_of_messages_differ() -> None:
    assert START != END and len({READY, STARTED, ENDED, KILLED}) == 4


def test_exit_code_for_no_answer_is_not_pythons() -> None:
    assert BROKEN not in (0, 1, 2, 120) and 0 < BROKEN < 126
