"""Tests of similarity: scores, ranks, how usual a score is, and the answers that are not compared."""

from __future__ import annotations

from itertools import combinations

import pytest
from disguises import DISGUISES, TOGETHER, disguised
from hypothesis import given, settings
from hypothesis import strategies as st

from normgrade.classes.hand_ins import HandIn
from normgrade.classes.similar.answers import Answer, answer_of
from normgrade.classes.similar.fingerprints import Lines
from normgrade.classes.similar.similarity import LEAST_OWN, Similarity, joined, score
from normgrade.course.course import Course
from normgrade.course.files import read_text


def answer(student: str, *own: int, digest: str = "") -> Answer:
    return Answer(student, "", (digest or student).encode(), {each: (Lines(each, each),) for each in own})


def run(first: int, length: int = 10) -> range:
    return range(first, first + length)


def test_score_is_the_share_of_the_shorter_answer() -> None:
    similarity = Similarity.of([answer("B", *run(0, 20)), answer("A", *run(5, 10)), answer("C", *run(18, 8))])
    ranked = similarity.top(9)
    assert [(pair.one.student, pair.other.student, pair.shared, pair.score) for pair in ranked] == [
        ("A", "B", 10, 1.0),
        ("B", "C", 2, 0.25),
    ]
    assert [pair.of_both for pair in ranked] == [0.5, 2 / 26]


def test_equal_scores_rank_by_what_is_shared() -> None:
    own = {"D": run(0), "C": run(0), "B": run(100, 20), "A": run(100, 20), "E": run(0)}
    ranked = Similarity.of(answer(name, *numbers) for name, numbers in own.items()).top(3)
    assert [pair.one.student + pair.other.student for pair in ranked] == ["AB", "CD", "CE"]


def test_usual_is_counted_over_all_pairs() -> None:
    """A class of 12 answers: two share everything, one shares half with both, and the others share nothing."""
    answers = [answer("A", *run(0)), answer("B", *run(0)), answer("C", *run(5)), *(answer(f"D{n}", *run(100 * n)) for n in range(1, 10))]
    similarity = Similarity.of(answers)
    assert similarity.pairs == 66 and similarity.tells
    assert [similarity.as_high(score) for score in (1.0, 0.7, 0.5, 0.01, 0.0)] == [1, 1, 3, 3, 66]
    assert [similarity.reached_by(share) for share in (0.5, 63 / 66, 0.96, 1.0)] == [0.0, 0.0, 0.5, 1.0]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.frozensets(st.integers(0, 25), min_size=LEAST_OWN, max_size=14), min_size=2, max_size=9), st.integers(0, 100))
def test_index_finds_what_a_comparison_of_all_pairs_does(sets: list[frozenset[int]], percent: int) -> None:
    similarity = Similarity.of(answer(f"{number}", *own) for number, own in enumerate(sets))
    scores = sorted(score(len({*a.own} & {*b.own}), a, b) for a, b in combinations(similarity.compared, 2))
    assert [pair.score for pair in similarity.top(99)] == [each for each in scores[::-1] if each]
    assert similarity.as_high(percent / 100) == sum(each >= percent / 100 for each in scores)
    assert similarity.reached_by(1.0) == scores[-1] and similarity.reached_by(0.5) == scores[(len(scores) + 1) // 2 - 1]


def test_a_small_class_does_not_tell() -> None:
    assert [Similarity.of(answer(f"{n}", *run(0)) for n in range(size)).tells for size in (9, 10)] == [False, True]


def test_an_answer_with_little_own_is_not_compared() -> None:
    similarity = Similarity.of([answer("B", *run(0, LEAST_OWN)), answer("A", *run(0, LEAST_OWN - 1)), answer("C")])
    assert ([each.student for each in similarity.compared], similarity.short) == (["B"], ("A", "C"))


def test_identical_files_are_compared_once_and_named() -> None:
    answers = [answer(name, *run(0), digest=digest) for name, digest in (("D", "x"), ("B", "y"), ("A", "x"), ("C", "x"))]
    stubs = [answer("E", digest="z"), answer("F", digest="z")]
    similarity = Similarity.of([*answers, *stubs])
    assert similarity.identical == (("A", "C", "D"),)
    assert ([each.student for each in similarity.compared], similarity.short) == (["A", "B"], ("E", "F"))
    assert similarity.students == {*"ABCDEF"}


def test_a_pair_is_found_by_its_names() -> None:
    answers = [answer("A", *run(0), digest="x"), answer("B", *run(5)), answer("C", *run(0), digest="x"), answer("D")]
    similarity = Similarity.of(answers)
    for names, shared in ((("C", "B"), 5), (("B", "A"), 5), (("A", "C"), 10)):
        pair = similarity.of_students(*names)
        assert pair is not None and ((pair.one.student, pair.other.student), pair.shared) == (names, shared)
    assert similarity.of_students("A", "D") is similarity.of_students("X", "A") is None


def test_lines_of_a_pair_are_joined_where_they_touch() -> None:
    one = Answer("A", "", b"1", {1: (Lines(1, 2), Lines(9, 9)), 2: (Lines(3, 5),), 3: (Lines(4, 4),), 4: (Lines(20, 20),)})
    pair = Similarity((one, answer("B", 1, 2, 3)), (), ()).of_students("A", "B")
    assert pair is not None and pair.lines == ((Lines(1, 5), Lines(9, 9)), (Lines(1, 3),))
    assert joined([]) == ()


def test_a_class_without_answers_has_no_pairs() -> None:
    similarity = Similarity.of([])
    assert (similarity.pairs, similarity.top(3), similarity.as_high(0.5), similarity.reached_by(0.95)) == (0, [], 0, 0.0)


@pytest.mark.parametrize(
    ("disguise", "least"),
    [(name, {"reordered": 0.6, "dead code": 0.6}.get(name, 0.85)) for name in DISGUISES] + [(name, 0.4) for name in TOGETHER],
)
def test_a_disguised_copy_stays_alike(disguise: str, least: float, layer_norm: str) -> None:
    copy = disguised(layer_norm, *TOGETHER.get(disguise, (disguise,)))
    assert copy.split() != layer_norm.split()
    one, other = (answer_of(HandIn(name, "", "", source.encode()), ()) for name, source in (("A", layer_norm), ("B", copy)))
    assert isinstance(one, Answer) and isinstance(other, Answer)
    assert Similarity.of([one, other]).top(1)[0].score >= least


@pytest.fixture(scope="module")
def layer_norm() -> str:
    return read_text(Course.find().exercise("layer_norm").alternatives[-1])  # a loop
