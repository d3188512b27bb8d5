"""Known mistakes: edits of the reference that apply exactly, one at a time or together."""

from __future__ import annotations

import doctest
from importlib import import_module
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normgrade.course.course import Course, Exercise
from normgrade.course.mistakes import COST, Edit, Mistake, WrongAnswer, applied, read_mistakes, read_wrong, together
from normgrade.course.signature import Signature
from normgrade.language import speak
from normgrade.language.errors import CourseError

REFERENCE = """
def normalise(x, eps):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, correction=0, keepdim=True)
    return (x - mean) / (var + eps) ** 0.5
"""
KEYS = 'cost, edit, file, name, remedy, "remedy.zh", says, "says.zh"'
UNBIASED = """
[[mistake]]
name = "unbiased"
says = "Divide by n."
edit = [["correction=0", "correction=1"]]
"""
WRONG = """
[[wrong]]
what = "eps counts twice"
name = "eps-twice"
edit = [["var + eps", "var + 2 * eps"]]
"""


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    one = Exercise("normalise", tmp_path, "", "", 1, 1, 20, (Signature.parse("normalise(x, eps)"),))
    one.reference.parent.mkdir(parents=True)
    one.reference.write_text(REFERENCE)
    return one


def read(exercise: Exercise, text: str) -> tuple[Mistake, ...]:
    exercise.mistakes.write_text(text, encoding="utf-8")
    return read_mistakes(exercise)


def refused(exercise: Exercise, text: str) -> str:
    """Return the message about this mistakes.toml, after its path."""
    with pytest.raises(CourseError) as caught:
        read(exercise, text)
    assert str(caught.value).startswith(f"{exercise.mistakes}: ")
    return str(caught.value).removeprefix(f"{exercise.mistakes}: ")


def a_mistake(name: str, *edits: tuple[str, str]) -> Mistake:
    found = tuple(Edit(REFERENCE.index(old), REFERENCE.index(old) + len(old), new) for old, new in edits)
    source = applied(REFERENCE, found)
    assert source is not None
    return Mistake(name, "", source, found)


# Reading


def test_a_mistake_is_the_reference_with_its_edits(exercise: Exercise) -> None:
    [mistake] = read(exercise, UNBIASED)
    assert (mistake.name, mistake.says) == ("unbiased", "Divide by n.")
    assert mistake.source == REFERENCE.replace("correction=0", "correction=1")


def test_several_edits_are_made_at_once_in_any_order(exercise: Exercise) -> None:
    edits = '[["** 0.5", "** 0.5 + eps"], ["(var + eps)", "var"]]'
    [mistake] = read(exercise, f'[[mistake]]\nname = "eps-outside"\nsays = "Inside."\nedit = {edits}\n')
    assert "(x - mean) / var ** 0.5 + eps" in mistake.source


def test_an_edit_does_not_change_another_edit(exercise: Exercise) -> None:
    [mistake] = read(exercise, '[[mistake]]\nname = "n"\nsays = "s"\nedit = [["x - mean", "var + eps"], ["var + eps", "x - mean"]]\n')
    assert "return (var + eps) / (x - mean) ** 0.5" in mistake.source


def test_mistakes_come_in_the_order_of_the_file(exercise: Exercise) -> None:
    text = UNBIASED + UNBIASED.replace('"unbiased"', '"another"')
    assert [mistake.name for mistake in read(exercise, text)] == ["unbiased", "another"]


def test_a_file_without_mistakes_has_none(exercise: Exercise) -> None:
    assert read(exercise, "") == ()


def test_a_mistake_may_be_a_file(exercise: Exercise) -> None:
    path = exercise.mistakes.parent / "mistakes" / "other.py"
    path.parent.mkdir()
    path.write_text("# another way of getting it wrong: σ\n", encoding="utf-8")
    [mistake] = read(exercise, '[[mistake]]\nname = "other"\nsays = "s"\nfile = "mistakes/other.py"\n')
    assert (mistake.source, mistake.edits) == ("# another way of getting it wrong: σ\n", ())


def test_every_mistake_of_the_course_can_be_read() -> None:
    for exercise in Course.find():
        mistakes = read_mistakes(exercise)
        reference = exercise.reference.read_text(encoding="utf-8")
        assert mistakes and all(mistake.source != reference for mistake in mistakes), exercise.slug


# Wrong files


@pytest.mark.parametrize(("old", "count"), [("correction=2", 0), ("x.", 2), ("eps", 2)])
def test_edited_text_must_occur_exactly_once(exercise: Exercise, old: str, count: int) -> None:
    expected = f'mistake[1].edit: {old!r} of the mistake "unbiased" must occur exactly once in reference.py, not {count} times.'
    assert refused(exercise, UNBIASED.replace('"correction=0"', f'"{old}"')) == expected


def test_an_empty_text_occurs_everywhere_and_cannot_be_edited(exercise: Exercise) -> None:
    count = len(REFERENCE) + 1
    expected = f"""mistake[1].edit: '' of the mistake "unbiased" must occur exactly once in reference.py, not {count} times."""
    assert refused(exercise, UNBIASED.replace('"correction=0"', '""')) == expected


def test_edits_of_one_mistake_must_not_overlap(exercise: Exercise) -> None:
    text = UNBIASED.replace("edit = [", 'edit = [["x.var(-1, correction", "x.var(-1, unbiased"], ')
    assert refused(exercise, text) == 'mistake[1].edit: the edits of "unbiased" overlap.'


def test_a_duplicate_name_is_refused(exercise: Exercise) -> None:
    assert refused(exercise, UNBIASED * 2) == 'mistake: the name "unbiased" is given twice.'


@pytest.mark.parametrize("ways", ["", 'edit = [["x", "y"]]\nfile = "f.py"', "edit = []"])
def test_a_mistake_has_edits_or_a_file(exercise: Exercise, ways: str) -> None:
    text = f'[[mistake]]\nname = "n"\nsays = "s"\n{ways}\n'
    assert refused(exercise, text) == 'mistake[1].edit: the mistake "n" needs either `edit` or `file`.'


def test_a_missing_file_is_named(exercise: Exercise) -> None:
    path = exercise.mistakes.parent / "gone.py"
    expected = f'file: the mistake "n" names {path}, which cannot be read (No such file or directory).'
    assert refused(exercise, '[[mistake]]\nname = "n"\nsays = "s"\nfile = "gone.py"\n') == expected


def test_a_remedy_is_translated_and_short(exercise: Exercise) -> None:
    text = '[[mistake]]\nname = "n"\nsays = "s"\nremedy = "pass it"\n"remedy.zh" = "传入"\nedit = [["x - mean", "x"]]\n'
    assert read(exercise, text)[0].remedy == "pass it"
    assert read(exercise, UNBIASED)[0].remedy == ""
    speak("zh")
    assert read(exercise, text)[0].remedy == "传入"
    speak("en")
    assert refused(exercise, text.replace("pass it", "x" * 61)).startswith(
        "mistake[1].remedy: must be a text of at most 60 characters, not"
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (UNBIASED + '[[mistake]]\nsays = "s"\n', "mistake[2].name: is missing."),
        ('[[mistake]]\nname = "n"\n', "mistake[1].says: is missing."),
        (
            UNBIASED + "hint = 1\n",
            'mistake[1].hint: unknown key. Allowed are cost, edit, file, name, remedy, "remedy.zh", says, "says.zh".',
        ),
        ("[[mistakes]]\n", 'mistakes: unknown key. Did you mean "mistake"? Allowed is mistake.'),
        ('mistake = "n"\n', "mistake: must be a list of tables, not 'n'."),
        ('[mistake]\nname = "n"\n', "mistake: must be a list of tables, not {'name': 'n'}."),
        (
            '[[mistake]]\nname = "n"\nsays = "s"\nedit = ["x", "y"]\n',
            """mistake[1].edit: must be a list of pairs, [["old", "new"], …], not ['x', 'y'].""",
        ),
        (
            '[[mistake]]\nname = "n"\nsays = "s"\nedit = [["x"]]\n',
            """mistake[1].edit: must be a list of pairs, [["old", "new"], …], not [['x']].""",
        ),
        (
            '[[mistake]]\nname = "n"\nsays = "s"\nedit = [["x", 1]]\n',
            """mistake[1].edit: must be a list of pairs, [["old", "new"], …], not [['x', 1]].""",
        ),
    ],
)
def test_a_wrong_entry_is_named_with_the_allowed_ones(exercise: Exercise, text: str, why: str) -> None:
    assert refused(exercise, text) == why


# Wrong answers


def read_answers(exercise: Exercise, text: str) -> tuple[WrongAnswer, ...]:
    exercise.mistakes.write_text(UNBIASED, encoding="utf-8")
    exercise.wrong.write_text(text, encoding="utf-8")
    return read_wrong(exercise)


def refused_answers(exercise: Exercise, text: str) -> str:
    """Return the message about this wrong.toml, after its path."""
    with pytest.raises(CourseError) as caught:
        read_answers(exercise, text)
    assert str(caught.value).startswith(f"{exercise.wrong}: ")
    return str(caught.value).removeprefix(f"{exercise.wrong}: ")


def test_a_wrong_answer_is_the_reference_with_its_edits(exercise: Exercise) -> None:
    [answer] = read_answers(exercise, WRONG)
    assert answer == WrongAnswer("eps-twice", "eps counts twice", REFERENCE.replace("var + eps", "var + 2 * eps"))


def test_wrong_answers_come_in_the_order_of_the_file(exercise: Exercise) -> None:
    assert [answer.name for answer in read_answers(exercise, WRONG + WRONG.replace("eps-twice", "another"))] == ["eps-twice", "another"]


def test_without_a_file_there_are_no_wrong_answers(exercise: Exercise) -> None:
    assert not exercise.wrong.exists() and read_wrong(exercise) == ()


def test_a_wrong_answer_may_be_a_file(exercise: Exercise) -> None:
    path = exercise.wrong.parent / "wrong" / "other.py"
    path.parent.mkdir()
    path.write_text("# σ\n", encoding="utf-8")
    assert read_answers(exercise, '[[wrong]]\nwhat = "w"\nname = "n"\nfile = "wrong/other.py"\n') == (WrongAnswer("n", "w", "# σ\n"),)


def test_every_wrong_answer_of_the_course_can_be_read() -> None:
    for exercise in Course.find():
        sources = [answer.source for answer in read_wrong(exercise)]
        assert sources and len({exercise.reference.read_text(encoding="utf-8"), *sources}) == len(sources) + 1, exercise.slug


def test_no_wrong_answer_is_a_known_mistake(exercise: Exercise) -> None:
    read_answers(exercise, WRONG)
    assert [mistake.name for mistake in read_mistakes(exercise)] == ["unbiased"]


GONE = 'wrong[1].edit: {old!r} of the mistake "eps-twice" must occur exactly once in reference.py, not {count} times.'
OVERLAPPING = WRONG.replace("edit = [", 'edit = [["(var + eps)", "var"], ')


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (WRONG.replace('"var + eps"', '"gone"'), GONE.format(old="gone", count=0)),
        (WRONG.replace('"var + eps"', '"var"'), GONE.format(old="var", count=3)),
        (OVERLAPPING, 'wrong[1].edit: the edits of "eps-twice" overlap.'),
        (WRONG * 2, 'wrong: the name "eps-twice" is given twice.'),
        (WRONG + WRONG.replace("eps-twice", "unbiased"), 'wrong: the name "unbiased" is that of a known mistake.'),
        (WRONG + 'says = "Once."\n', "wrong[1].says: unknown key. Allowed are courtesy, edit, file, name, what."),
        (WRONG.replace("edit", "edits"), 'wrong[1].edits: unknown key. Did you mean "edit"? Allowed are courtesy, edit, file, name, what.'),
        (WRONG + 'file = "f.py"\n', 'wrong[1].edit: the mistake "eps-twice" needs either `edit` or `file`.'),
        (WRONG + '[[wrong]]\nwhat = "w"\n', "wrong[2].name: is missing."),
        ('[[wrong]]\nname = "n"\n', "wrong[1].what: is missing."),
        (UNBIASED, "mistake: unknown key. Allowed is wrong."),
    ],
)
def test_a_wrong_answer_with_a_wrong_entry_is_refused(exercise: Exercise, text: str, why: str) -> None:
    assert refused_answers(exercise, text) == why


# Several at once


def test_two_mistakes_in_different_places_are_combined() -> None:
    unbiased, no_eps = a_mistake("unbiased", ("correction=0", "correction=1")), a_mistake("no-eps", ("var + eps", "var"))
    both = REFERENCE.replace("correction=0", "correction=1").replace("var + eps", "var")
    assert together(REFERENCE, [unbiased, no_eps]) == together(REFERENCE, [no_eps, unbiased]) == both


def test_edits_of_the_same_text_cannot_be_combined() -> None:
    one, other = a_mistake("one", ("correction=0", "correction=1")), a_mistake("other", ("correction=0", "correction=2"))
    assert together(REFERENCE, [one, other]) is None


def test_edits_of_different_tokens_are_combined() -> None:
    one, other = a_mistake("one", ("-1, correction=0", "-1, correction=1")), a_mistake("other", ("-1, correction", "0, correction"))
    source = together(REFERENCE, [one, other])
    assert source is not None and "0, correction=1" in source


def test_edits_that_only_touch_are_combined() -> None:
    one, other = a_mistake("one", ("(var + eps)", "(var)")), a_mistake("other", (" ** 0.5", ""))
    source = together(REFERENCE, [one, other])
    assert source is not None and source.endswith("/ (var)\n")


def test_edits_that_break_the_syntax_cannot_be_combined() -> None:
    one, other = a_mistake("one", ("(x - mean)", "(x - mean")), a_mistake("other", ("(var + eps)", "var + eps"))
    assert together(REFERENCE, [one, other]) is None


def test_a_mistake_in_a_file_cannot_be_combined() -> None:
    file, edit = Mistake("file", "", "pass\n"), a_mistake("edit", ("correction=0", "correction=1"))
    assert together(REFERENCE, [file]) == "pass\n"
    assert together(REFERENCE, [file, edit]) is None and together(REFERENCE, [edit, file]) is None


def test_only_some_pairs_can_be_combined() -> None:
    var, eps, whole = a_mistake("var", ("x.var", "x.std")), a_mistake("eps", ("var + eps", "var")), a_mistake("whole", ("(var + eps)", "1"))
    file = Mistake("file", "", "pass\n")
    pairs = [pair for pair in combinations([var, eps, whole, file], 2) if together(REFERENCE, pair) is not None]
    assert pairs == [(var, eps), (var, whole)]


@given(st.lists(st.builds(Edit, st.integers(0, 20), st.integers(0, 20), st.text("ab", max_size=3)), max_size=4))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_edits_overlap_or_keep_everything_else(edits: list[Edit]) -> None:
    text = "0123456789ABCDEFGHIJ"
    edits = [Edit(min(edit.start, edit.end), max(edit.start, edit.end) + 1, edit.new) for edit in edits]
    touched = [index for edit in edits for index in range(edit.start, edit.end)]
    overlap = any(set(range(a.start, a.end)) & set(range(b.start, b.end)) for a, b in combinations(edits, 2))
    result = applied(text, edits)
    assert (result is None) == overlap
    if result is not None:
        kept = "".join(char for index, char in enumerate(text) if index not in touched)
        assert "".join(char for char in result if char not in "ab") == kept
        assert sum(map(len, (edit.new for edit in edits))) == len(result) - len(kept)


def test_the_examples_in_docstrings_hold() -> None:
    found = doctest.testmod(import_module("normgrade.course.mistakes"))
    assert found.attempted and not found.failed


def test_a_mistake_has_its_own_or_the_usual_cost(exercise: Exercise) -> None:
    usual, cheap = read(exercise, UNBIASED + UNBIASED.replace("unbiased", "cheap") + "cost = 1\n")
    assert (usual.cost, cheap.cost) == (COST, 1)
    assert refused(exercise, UNBIASED + "cost = 0\n").startswith("mistake[1].cost: must be ")
