"""Known mistakes: edits of the reference that apply exactly, one at a time or together."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest
from chinese import in_chinese
from hypothesis import given, settings
from hypothesis import strategies as st

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.mistakes import COST, Edit, Mistake, WrongAnswer, applied, by_token, read_mistakes, read_wrong, together
from normgrade.course.signature import Signature
from normgrade.language import speak
from normgrade.language.errors import CourseError

MOST_APART = {"softmax_backward": 0.07}  # of all pairs; there, many mistakes give another formula for the one gradient
REFERENCE = """
def normalise(x, eps):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, correction=0, keepdim=True)
    return (x - mean) / (var + eps) ** 0.5
"""
UNBIASED = """
[unbiased]
says = "Divide by n."
edit = [["correction=0", "correction=1"]]
"""
WRONG = """
[wrong.eps-twice]
what = "eps counts twice"
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
    [mistake] = read(exercise, f'[eps-outside]\nsays = "Inside."\nedit = {edits}\n')
    assert "(x - mean) / var ** 0.5 + eps" in mistake.source


def test_an_edit_does_not_change_another_edit(exercise: Exercise) -> None:
    [mistake] = read(exercise, '[n]\nsays = "s"\nedit = [["x - mean", "var + eps"], ["var + eps", "x - mean"]]\n')
    assert "return (var + eps) / (x - mean) ** 0.5" in mistake.source


def test_mistakes_come_in_the_order_of_the_file(exercise: Exercise) -> None:
    text = UNBIASED + UNBIASED.replace("unbiased", "another")
    assert [mistake.name for mistake in read(exercise, text)] == ["unbiased", "another"]


def test_a_file_without_mistakes_has_none(exercise: Exercise) -> None:
    assert read(exercise, "") == ()


def test_a_mistake_may_be_a_file(exercise: Exercise) -> None:
    path = exercise.mistakes.parent / "mistakes" / "other.py"
    path.parent.mkdir()
    path.write_text("# another way of getting it wrong: σ\n", encoding="utf-8")
    [mistake] = read(exercise, '[other]\nsays = "s"\nfile = "mistakes/other.py"\n')
    assert (mistake.source, mistake.edits) == ("# another way of getting it wrong: σ\n", ())


def test_every_mistake_of_the_course_can_be_read() -> None:
    for exercise in Course.find():
        mistakes = read_mistakes(exercise)
        reference = exercise.reference.read_text(encoding="utf-8")
        assert mistakes and all(mistake.source != reference for mistake in mistakes), exercise.slug


# Wrong files


@pytest.mark.parametrize(("old", "count"), [("correction=2", 0), ("x.", 2), ("eps", 2)])
def test_edited_text_must_occur_exactly_once(exercise: Exercise, old: str, count: int) -> None:
    expected = f"unbiased.edit: {old!r} must occur exactly once in reference.py, not {count} times."
    assert refused(exercise, UNBIASED.replace('"correction=0"', f'"{old}"')) == expected


def test_an_empty_text_occurs_everywhere_and_cannot_be_edited(exercise: Exercise) -> None:
    count = len(REFERENCE) + 1
    expected = f"unbiased.edit: '' must occur exactly once in reference.py, not {count} times."
    assert refused(exercise, UNBIASED.replace('"correction=0"', '""')) == expected


def test_edits_of_one_mistake_must_not_overlap(exercise: Exercise) -> None:
    text = UNBIASED.replace("edit = [", 'edit = [["x.var(-1, correction", "x.var(-1, unbiased"], ')
    assert refused(exercise, text) == "unbiased.edit: two of its replacements overlap."


def test_a_duplicate_name_is_refused(exercise: Exercise) -> None:
    assert refused(exercise, UNBIASED * 2) == 'not valid TOML: Cannot declare "unbiased" twice (at line 6, column 10).'


@pytest.mark.parametrize("ways", ["", 'edit = [["x", "y"]]\nfile = "f.py"', "edit = []"])
def test_a_mistake_has_edits_or_a_file(exercise: Exercise, ways: str) -> None:
    text = f'[n]\nsays = "s"\n{ways}\n'
    assert refused(exercise, text) == "n.edit: either `edit` or `file` is needed, and not both."


def test_a_missing_file_is_named(exercise: Exercise) -> None:
    path = exercise.mistakes.parent / "gone.py"
    expected = f"n.file: {path} cannot be read (No such file or directory)."
    assert refused(exercise, '[n]\nsays = "s"\nfile = "gone.py"\n') == expected


def test_a_remedy_is_short_in_every_language(exercise: Exercise) -> None:
    text = UNBIASED + 'remedy = "by n"\n'
    assert read(exercise, UNBIASED)[0].remedy == ""
    assert refused(exercise, text.replace("by n", "n" * 61)).startswith("unbiased.remedy: must be a text of at most 60 characters, not")
    translate(exercise, "by n", "除" * 61)
    assert read(exercise, text)[0].remedy == "by n"
    with pytest.raises(CourseError, match=r"/mistakes\.toml: unbiased\.remedy: its translation has more than 60 characters: 除{61}\.$"):
        read_mistakes(exercise, "zh")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (UNBIASED + "[n]\n", "n.says: is missing."),
        ('["eps-1e-5.0"]\n', '"eps-1e-5.0".says: is missing.'),
        (UNBIASED + "hint = 1\n", "unbiased.hint: unknown key. Allowed are cost, edit, file, remedy, says."),
        ('mistake = "n"\n', "mistake: must be a table, not 'n'."),
        ("[[mistake]]\n", "mistake: must be a table, not [{}]."),
        (
            '[n]\nsays = "s"\nedit = ["x", "y"]\n',
            """n.edit: must be a list of pairs, [["old", "new"], …], not ['x', 'y'].""",
        ),
        (
            '[n]\nsays = "s"\nedit = [["x"]]\n',
            """n.edit: must be a list of pairs, [["old", "new"], …], not [['x']].""",
        ),
        (
            '[n]\nsays = "s"\nedit = [["x", 1]]\n',
            """n.edit: must be a list of pairs, [["old", "new"], …], not [['x', 1]].""",
        ),
    ],
)
def test_a_wrong_entry_is_named_with_the_allowed_ones(exercise: Exercise, text: str, why: str) -> None:
    assert refused(exercise, text) == why


# Translations


def translate(exercise: Exercise, english: str, chinese: str) -> None:
    (exercise.mistakes.parent / "zh.toml").write_text(in_chinese("name", {english: chinese}), encoding="utf-8")


def test_texts_of_a_mistake_are_those_of_the_language(exercise: Exercise) -> None:
    translate(exercise, "Divide by n.", "应除以 n。")
    assert [read(exercise, UNBIASED)[0].says, read_mistakes(exercise, "zh")[0].says] == ["Divide by n.", "应除以 n。"]
    speak("zh")
    assert [mistake.says for language in ("", "en") for mistake in read_mistakes(exercise, language)] == ["应除以 n。", "Divide by n."]


# What exercises share


def share(exercise: Exercise, text: str) -> None:
    exercise.shared_mistakes.write_text(text, encoding="utf-8")


def test_a_mistake_takes_from_its_namesake_what_it_lacks(exercise: Exercise) -> None:
    share(exercise, '[unbiased]\nsays = "Another text."\nremedy = "by n"\ncost = 2\n\n[of-others]\nsays = "Not here."\n')
    [mistake] = read(exercise, UNBIASED)
    assert (mistake.name, mistake.says, mistake.remedy, mistake.cost) == ("unbiased", "Divide by n.", "by n", 2)
    [mistake] = read(exercise, UNBIASED.replace('says = "Divide by n."', "cost = 4"))
    assert (mistake.says, mistake.cost) == ("Another text.", 4)


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("cost = 0", "unbiased.cost: must be a whole number from 1 to 1000, not 0."),
        ("costs = 1", 'unbiased.costs: unknown key. Did you mean "cost"? Allowed are cost, edit, file, remedy, says.'),
    ],
)
def test_wrong_key_of_the_shared_file_names_that(key: str, why: str, exercise: Exercise) -> None:
    share(exercise, f"[unbiased]\n{key}\n")
    with pytest.raises(CourseError) as caught:
        read(exercise, UNBIASED)
    assert str(caught.value) == f"{exercise.shared_mistakes}: {why}"


def test_a_whole_wrong_answer_may_be_shared(exercise: Exercise) -> None:
    exercise.shared_mistakes.write_text(WRONG, encoding="utf-8")
    [answer] = read_answers(exercise, "[wrong.eps-twice]\n")
    assert answer == WrongAnswer("eps-twice", "eps counts twice", REFERENCE.replace("var + eps", "var + 2 * eps"))


# Wrong answers


def read_answers(exercise: Exercise, text: str) -> tuple[WrongAnswer, ...]:
    exercise.mistakes.write_text(UNBIASED + text, encoding="utf-8")
    return read_wrong(exercise)


def refused_answers(exercise: Exercise, text: str) -> str:
    """Return the message about mistakes.toml with these wrong answers, after its path."""
    with pytest.raises(CourseError) as caught:
        read_answers(exercise, text)
    assert str(caught.value).startswith(f"{exercise.mistakes}: ")
    return str(caught.value).removeprefix(f"{exercise.mistakes}: ")


def test_a_wrong_answer_is_the_reference_with_its_edits(exercise: Exercise) -> None:
    [answer] = read_answers(exercise, WRONG)
    assert answer == WrongAnswer("eps-twice", "eps counts twice", REFERENCE.replace("var + eps", "var + 2 * eps"))


def test_wrong_answers_come_in_the_order_of_the_file(exercise: Exercise) -> None:
    assert [answer.name for answer in read_answers(exercise, WRONG + WRONG.replace("eps-twice", "another"))] == ["eps-twice", "another"]


def test_wrong_answers_without_a_name_are_optional(exercise: Exercise) -> None:
    assert read_answers(exercise, "") == ()


def test_a_wrong_answer_may_be_a_file(exercise: Exercise) -> None:
    path = exercise.mistakes.parent / "wrong" / "other.py"
    path.parent.mkdir()
    path.write_text("# σ\n", encoding="utf-8")
    assert read_answers(exercise, '[wrong.n]\nwhat = "w"\nfile = "wrong/other.py"\n') == (WrongAnswer("n", "w", "# σ\n"),)


def test_every_wrong_answer_of_the_course_can_be_read() -> None:
    for exercise in Course.find():
        sources = [answer.source for answer in read_wrong(exercise)]
        assert sources and len({exercise.reference.read_text(encoding="utf-8"), *sources}) == len(sources) + 1, exercise.slug


def test_no_wrong_answer_is_a_known_mistake(exercise: Exercise) -> None:
    read_answers(exercise, WRONG)
    assert [mistake.name for mistake in read_mistakes(exercise)] == ["unbiased"]


GONE = "wrong.eps-twice.edit: {old!r} must occur exactly once in reference.py, not {count} times."
OVERLAPPING = WRONG.replace("edit = [", 'edit = [["(var + eps)", "var"], ')


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (WRONG.replace('"var + eps"', '"gone"'), GONE.format(old="gone", count=0)),
        (WRONG.replace('"var + eps"', '"var"'), GONE.format(old="var", count=3)),
        (OVERLAPPING, "wrong.eps-twice.edit: two of its replacements overlap."),
        (WRONG * 2, 'not valid TOML: Cannot declare "wrong.eps-twice" twice (at line 10, column 17).'),
        (WRONG + WRONG.replace("eps-twice", "unbiased"), "wrong.unbiased: a known mistake has this name; choose another."),
        (WRONG + 'says = "Once."\n', "wrong.eps-twice.says: unknown key. Allowed are courtesy, edit, file, what."),
        (
            WRONG.replace("edit", "edits"),
            'wrong.eps-twice.edits: unknown key. Did you mean "edit"? Allowed are courtesy, edit, file, what.',
        ),
        (WRONG + 'file = "f.py"\n', "wrong.eps-twice.edit: either `edit` or `file` is needed, and not both."),
        ("[wrong.n]\n", "wrong.n.what: is missing."),
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


def test_text_that_another_mistake_takes_away_is_gone() -> None:
    biased = ("correction=0", "correction=1")
    one, other = a_mistake("one", (" - mean", "")), a_mistake("other", ("x - mean", "x - 2 * mean"), biased)
    only = a_mistake("only", ("x - mean", "x - 2 * mean"))
    assert together(REFERENCE, [one, other]) == REFERENCE.replace(" - mean", "").replace(*biased)
    assert together(REFERENCE, [one, only]) is None, "nothing is left of it"


def place(reference: str, part: Edit) -> tuple[int, int]:
    """Return the range that a part replaces, without the space around its text."""
    text = reference[part.start : part.end]
    before, after = len(text) - len(text.lstrip()), len(text) - len(text.rstrip())
    return (part.start + before, part.end - after) if text.strip() else (part.start, part.end)


def are_about_one_place(reference: str, one: Mistake, other: Mistake) -> bool:
    """Return True if wherever two mistakes clash, one replaces all that the other replaces: code can have only one of them there."""
    own, others = ([place(reference, part) for edit in each.edits for part in by_token(reference, edit)] for each in (one, other))
    clashes = [(a, b) for a in own for b in others if (a[0] < b[1] and b[0] < a[1]) or a == b]
    return bool(clashes) and all((a[0] <= b[0] and b[1] <= a[1]) or (b[0] <= a[0] and a[1] <= b[1]) for a, b in clashes)


def apart(reference: str, pairs: Sequence[tuple[Mistake, Mistake]]) -> list[str]:
    """Return the pairs of mistakes that cannot be played together, except for those about one place."""
    clashing = ((one, other) for one, other in pairs if applied(reference, [*one.edits, *other.edits]) is None)
    found = ((one, other) for one, other in clashing if together(reference, [one, other]) is None)
    return [f"{one.name} + {other.name}" for one, other in found if not are_about_one_place(reference, one, other)]


@pytest.mark.parametrize("slug", Course.find().slugs)
def test_nearly_all_pairs_of_mistakes_combine(slug: str) -> None:
    """A learner may make both. If more pairs do not combine, write the edits of one another way."""
    exercise = Course.find().exercise(slug)
    pairs = [*combinations([mistake for mistake in read_mistakes(exercise) if mistake.edits], 2)]
    with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
        found = apart(exercise.reference.read_text(encoding="utf-8"), pairs)
    assert len(found) <= MOST_APART.get(slug, 0.03) * len(pairs), found


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


def test_a_mistake_has_its_own_or_the_usual_cost(exercise: Exercise) -> None:
    usual, cheap = read(exercise, UNBIASED + UNBIASED.replace("unbiased", "cheap") + "cost = 1\n")
    assert (usual.cost, cheap.cost) == (COST, 1)
    assert refused(exercise, UNBIASED + "cost = 0\n").startswith("unbiased.cost: must be ")
