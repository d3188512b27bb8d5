"""The contents of `exercise.toml` and `course.toml`, and the messages about a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest
from written_course import LAYER_NORM, Write

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise, Limits
from normgrade.course.settings import Minimum, Settings
from normgrade.course.signature import Signature
from normgrade.language.errors import CourseError


def refused(course: Course, slug: str = "layer_norm") -> str:
    """Return the message about the exercise, after the path of its exercise.toml."""
    with pytest.raises(CourseError) as caught:
        course.exercise(slug)
    path = course.root / "exercises" / slug / "exercise.toml"
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value).removeprefix(f"{path}: ")


def refused_settings(course: Course) -> str:
    """Return the message about course.toml, after its path."""
    with pytest.raises(CourseError) as caught:
        _ = course.settings
    path = course.root / "course.toml"
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value).removeprefix(f"{path}: ")


# exercise.toml


def test_keys_of_exercise_toml_have_defaults(write: Write, tmp_path: Path) -> None:
    assert write().exercise("layer_norm") == Exercise(
        slug="layer_norm",
        course=tmp_path,
        title="Layer normalisation",
        group="Feature normalisation",
        level=1,
        order=20,
        minutes=5,
        importance=3,
        points=20,
        defines=(Signature.parse("LayerNorm(dim)"),),
        banned=(),
        hints=(),
        limits=Limits(answer_s=5.0, total_s=30.0),
        reveal="full",
    )


def test_all_keys_of_exercise_toml_are_read(write: Write) -> None:
    numbers = "points = 7\nminutes = 40\nimportance = 5\n"
    text = LAYER_NORM + numbers + 'banned = ["a.*"]\nhints = ["One.", "Two."]\nreveal = "score"\n[limits]\nanswer_s = 1\ntotal_s = 2.5\n'
    exercise = write(text).exercise("layer_norm")
    assert (exercise.points, exercise.banned, exercise.hints, exercise.reveal) == (7, ("a.*",), ("One.", "Two."), "score")
    assert (exercise.minutes, exercise.importance) == (40, 5)
    assert exercise.limits == Limits(1.0, 2.5)


@pytest.mark.parametrize("key", ["title", "group", "level", "order", "defines"])
def test_a_missing_key_is_named(write: Write, key: str) -> None:
    without = "".join(f"{line}\n" for line in LAYER_NORM.splitlines() if not line.startswith(key))
    assert refused(write(without)) == f"{key}: is missing."


def test_an_unknown_key_is_named_with_the_allowed_ones(write: Write) -> None:
    known = (
        "after, allowed, banned, courtesy, credit, defines, group, habits, hints, importance, left_out, level, limits, "
        "minutes, order, points, reveal, spread, title"
    )
    assert refused(write(LAYER_NORM + "levl = 1\n")) == f'levl: unknown key. Did you mean "level"? Allowed are {known}.'


def test_an_unknown_key_is_named_with_its_table(write: Write) -> None:
    says = 'limits.answer: unknown key. Did you mean "answer_s"? Allowed are answer_s, memory_mib, total_s.'
    assert refused(write(LAYER_NORM + "[limits]\nanswer = 1\n")) == says


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("title = 3", "title: must be a text that is not empty, not 3."),
        ("level = 5", "level: must be a whole number from 1 to 4, not 5."),
        ("level = true", "level: must be a whole number from 1 to 4, not True."),
        ('order = "20"', "order: must be a whole number from 0 to 9999, not '20'."),
        ("points = 1001", "points: must be a whole number from 1 to 1000, not 1001."),
        ('hints = "one"', "hints: must be a list of texts, not 'one'."),
        ("banned = {}", "banned: must be a list of texts, not {}."),
        ('reveal = "all"', """reveal: must be "full" or "claims" or "score", not 'all'."""),
        ("limits = 5", "limits: must be a table, not 5."),
        ("limits.answer_s = 0", "limits.answer_s: must be a number of seconds above 0 and up to 3600, not 0."),
        ("defines = []", "defines: must be a list of at least one signature, not []."),
        ('defines = "f(x)"', "defines: must be a list of texts, not 'f(x)'."),
        (
            'defines = ["LayerNorm"]',
            'defines: must be a list of signatures such as "LayerNorm(normalized_shape, eps=1e-5)" '
            "('LayerNorm' cannot be read), not ['LayerNorm'].",
        ),
        (
            'defines = ["f(*x)"]',
            'defines: must be a list of signatures such as "LayerNorm(normalized_shape, eps=1e-5)" '
            "('f(*x)' has more than names and defaults), not ['f(*x)'].",
        ),
    ],
)
def test_a_wrong_value_is_named_with_the_allowed_ones(write: Write, line: str, why: str) -> None:
    others = [known for known in LAYER_NORM.splitlines() if known.split(" ")[0] != line.split(" ")[0]]
    assert refused(write("\n".join([*others, line]))) == why


def test_broken_toml_is_named_with_its_place(write: Write) -> None:
    assert refused(write("title = \n")) == "not valid TOML: Invalid value (at line 1, column 9)."


def test_a_file_that_is_no_text_is_named(write: Write, tmp_path: Path) -> None:
    course = write()
    (tmp_path / "exercises/layer_norm/exercise.toml").write_bytes(b"title = '\xff'")
    assert refused(course) == "not UTF-8: byte 10 is 0xff."


def test_a_file_that_cannot_be_read_is_named(write: Write, tmp_path: Path) -> None:
    course = write()
    path = tmp_path / "exercises/layer_norm/exercise.toml"
    path.unlink()
    path.mkdir()
    assert refused(course) == "cannot be read (Is a directory)."


# course.toml


def test_a_course_needs_no_course_toml(write: Write) -> None:
    assert write().settings == Settings(title="normgrade", reveal="full", banned=())


def test_all_keys_of_course_toml_are_read(write: Write) -> None:
    course = write(course='title = "Norms"\nreveal = "claims"\nbanned = ["torch.nn.*Norm*"]\nminimum = { hints = 1, mistakes = 2 }\n')
    assert course.settings == Settings("Norms", "claims", ("torch.nn.*Norm*",), minimum=Minimum(hints=1, mistakes=2))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("reveals = 1", 'reveals: unknown key. Did you mean "reveal"? Allowed are banned, credit, languages, minimum, reveal, title.'),
        ("credit = 1", 'credit: must be "mistakes" or "claims", not 1.'),
        ("minimum.hints = -1", "minimum.hints: must be a whole number from 0 to 1000, not -1."),
        (
            "minimum.hint = 1",
            'minimum.hint: unknown key. Did you mean "hints"? Allowed are alternatives, hints, mistakes, mistakes_of_level_1, questions.',
        ),
        ("= 1", "not valid TOML: Invalid statement (at line 1, column 1)."),
    ],
)
def test_a_wrong_course_toml_is_explained(write: Write, text: str, why: str) -> None:
    assert refused_settings(write(course=text)) == why


def test_an_exercise_may_override_the_reveal_of_the_course(write: Write) -> None:
    write(course='reveal = "claims"')
    course = write(LAYER_NORM + 'reveal = "full"\n', slug="open")
    assert (course.exercise("layer_norm").reveal, course.exercise("open").reveal) == ("claims", "full")


def test_an_exercise_may_override_the_credit_of_the_course(write: Write) -> None:
    write(course='credit = "claims"')
    course = write(LAYER_NORM + 'credit = "mistakes"\n', slug="open")
    assert (course.exercise("layer_norm").credit, course.exercise("open").credit) == ("claims", "mistakes")
    assert Settings().credit == "mistakes"


def test_the_bans_of_the_course_hold_in_every_exercise(write: Write) -> None:
    course = write(LAYER_NORM + 'banned = ["own.*"]\n', course='banned = ["a.*", "b.*"]')
    assert course.exercise("layer_norm").banned == ("a.*", "b.*", "own.*")


def test_an_exercise_may_allow_banned_names(write: Write) -> None:
    exercise = write(LAYER_NORM + 'allowed = ["a.one", "b.*"]\n', course='banned = ["a.*", "b.*"]').exercise("layer_norm")
    assert [bool(exercise.ban.against(name)) for name in ("a.one", "a.two", "b.one", "c.one")] == [False, True, False, False]


@pytest.mark.parametrize("where", ["exercise", "course"])
@pytest.mark.parametrize(
    ("pattern", "name"), [("torch.*", "torch.clone"), ("torch.ops.aten.*", "torch.ops.aten.clone"), ("torch.su?", "torch.sum")]
)
def test_a_ban_that_would_stop_the_grader_is_refused(where: str, pattern: str, name: str, write: Write) -> None:
    text = f'banned = ["{pattern}"]'
    course = write(LAYER_NORM + text) if where == "exercise" else write(LAYER_NORM, course=text)
    with pytest.raises(CourseError) as caught:
        course.exercise("layer_norm")
    path = course.root / ("exercises/layer_norm/exercise.toml" if where == "exercise" else "course.toml")
    assert str(caught.value) == (
        f'{path}: banned: "{pattern}" also bans `{name}`, which the grader itself calls: ban a more specific name, '
        'or ban "torch" if PyTorch must not be imported at all.'
    )


@pytest.mark.parametrize(("bans", "there"), [('banned = ["a.*", "b.*"]', "a.*, b.*"), ("", "none")])
def test_only_banned_names_can_be_allowed(write: Write, bans: str, there: str) -> None:
    course = write(LAYER_NORM + 'allowed = ["c.*"]\n', course=bans)
    assert refused(course) == f'allowed: "c.*" is not banned; banned are {there}.'
