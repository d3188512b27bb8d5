"""Courses: their places, the contents of their files, and the messages about a wrong file."""

from __future__ import annotations

import doctest
import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from normgrade.course.course import Course, Exercise, Limits, Minimum, Settings, carried
from normgrade.course.signature import Signature
from normgrade.language.errors import CourseError, UsageError

LAYER_NORM = """
title = "Layer normalisation"
group = "Feature normalisation"
level = 1
order = 20
defines = ["LayerNorm(dim)"]
"""
Write = Callable[..., Course]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a course of one complete exercise, with this `exercise.toml` and this `course.toml`."""

    def written(exercise: str = LAYER_NORM, course: str | None = None, slug: str = "layer_norm") -> Course:
        files = {
            f"exercises/{slug}/exercise.toml": exercise,
            f"exercises/{slug}/README.md": "",
            f"exercises/{slug}/{slug}.py": "",
            f"solutions/{slug}/reference.py": "",
            f"solutions/{slug}/mistakes.toml": "",
            f"tests/hidden/test_{slug}.py": "",
        }
        if course is not None:
            files["course.toml"] = course
        for name, content in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(content, encoding="utf-8")
        return Course(tmp_path)

    return written


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


# Finding a course


def test_a_named_course_is_found(monkeypatch: pytest.MonkeyPatch, write: Write, tmp_path: Path) -> None:
    write()
    monkeypatch.setenv("NORMGRADE_COURSE", "/elsewhere")
    assert Course.find(tmp_path).root == tmp_path


def test_the_course_is_found_by_the_variable(monkeypatch: pytest.MonkeyPatch, write: Write, tmp_path: Path) -> None:
    write()
    monkeypatch.setenv("NORMGRADE_COURSE", str(tmp_path))
    assert Course.find().root == tmp_path


@pytest.mark.parametrize("variable", [None, ""])
def test_the_carried_course_is_the_default(monkeypatch: pytest.MonkeyPatch, variable: str | None) -> None:
    monkeypatch.delenv("NORMGRADE_COURSE", raising=False)
    if variable is not None:
        monkeypatch.setenv("NORMGRADE_COURSE", variable)
    assert Course.find().root == carried()
    assert {"batch_norm", "layer_norm"} <= set(Course.find().slugs)


def test_a_course_stays_found_when_the_folder_changes(monkeypatch: pytest.MonkeyPatch, write: Write, tmp_path: Path) -> None:
    write()
    monkeypatch.chdir(tmp_path.parent)
    course = Course.find(Path(tmp_path.name))
    monkeypatch.chdir("/")
    assert course.exercise("layer_norm").stub.is_file() and os.path.isabs(course.root)


@pytest.mark.parametrize("way", ["other/../course", "link", "./course/"])
def test_every_path_to_a_course_leads_to_one_root(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    write().root.rename(tmp_path.parent / f"{tmp_path.name}-course")
    tmp_path.mkdir()
    (tmp_path.parent / f"{tmp_path.name}-course").rename(tmp_path / "course")
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "course", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    assert Course.find(Path(way)).root == tmp_path / "course"


@pytest.mark.parametrize("by_variable", [False, True])
def test_a_folder_without_exercises_is_no_course(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, by_variable: bool) -> None:
    monkeypatch.setenv("NORMGRADE_COURSE", str(tmp_path))
    with pytest.raises(UsageError) as caught:
        Course.find(None if by_variable else tmp_path)
    assert str(caught.value) == f'No course at "{tmp_path}": it has no folder "exercises". Name one with --course DIR or NORMGRADE_COURSE.'


# Exercises


def test_an_exercise_knows_its_files(write: Write, tmp_path: Path) -> None:
    exercise = write().exercise("layer_norm")
    assert exercise.file_name == "layer_norm.py"
    assert exercise.prompt == tmp_path / "exercises/layer_norm/README.md"
    assert exercise.stub == tmp_path / "exercises/layer_norm/layer_norm.py"
    assert exercise.reference == tmp_path / "solutions/layer_norm/reference.py"
    assert exercise.mistakes == tmp_path / "solutions/layer_norm/mistakes.toml"
    assert exercise.wrong == tmp_path / "solutions/layer_norm/wrong.toml"
    assert (exercise.shared_mistakes, exercise.shared_wrong) == (tmp_path / "solutions/mistakes.toml", tmp_path / "solutions/wrong.toml")
    assert exercise.suite == tmp_path / "tests/hidden/test_layer_norm.py"


def test_probes_and_alternatives_are_optional(write: Write, tmp_path: Path) -> None:
    exercise = write().exercise("layer_norm")
    assert exercise.probes is None and exercise.alternatives == ()
    probes = tmp_path / "exercises/layer_norm/probes.py"
    probes.touch()
    alternatives = tmp_path / "solutions/layer_norm/alternatives"
    alternatives.mkdir()
    for name in ("two_pass.py", "einsum.py", "notes.md"):
        (alternatives / name).touch()
    assert exercise.probes == probes
    assert exercise.alternatives == (alternatives / "einsum.py", alternatives / "two_pass.py")


def test_keys_of_exercise_toml_have_defaults(write: Write, tmp_path: Path) -> None:
    assert write().exercise("layer_norm") == Exercise(
        slug="layer_norm",
        course=tmp_path,
        title="Layer normalisation",
        group="Feature normalisation",
        level=1,
        order=20,
        points=20,
        defines=(Signature.parse("LayerNorm(dim)"),),
        banned=(),
        hints=(),
        limits=Limits(answer_s=5.0, total_s=30.0),
        reveal="full",
    )


def test_all_keys_of_exercise_toml_are_read(write: Write) -> None:
    text = LAYER_NORM + 'points = 7\nbanned = ["a.*"]\nhints = ["One.", "Two."]\nreveal = "score"\n[limits]\nanswer_s = 1\ntotal_s = 2.5\n'
    exercise = write(text).exercise("layer_norm")
    assert (exercise.points, exercise.banned, exercise.hints, exercise.reveal) == (7, ("a.*",), ("One.", "Two."), "score")
    assert exercise.limits == Limits(1.0, 2.5)


def test_exercises_come_in_their_order(write: Write) -> None:
    write(LAYER_NORM.replace("20", "30"), slug="a")
    write(slug="c")
    course = write(slug="b")
    assert [exercise.slug for exercise in course] == ["b", "c", "a"]
    assert course.slugs == ("a", "b", "c")


def after(*names: str) -> str:
    """Return an `exercise.toml` that comes after these exercises."""
    return f"{LAYER_NORM}after = {list(names)}\n"


def test_an_exercise_comes_after_its_predecessors(write: Write) -> None:
    write(after("c"), slug="a")
    write(slug="b")
    course = write(slug="c")
    assert [exercise.slug for exercise in course] == ["c", "a", "b"]
    assert course.exercise("a").after == ("c",) and course.exercise("b").after == ()


def test_an_unknown_predecessor_is_refused(write: Write) -> None:
    write(slug="batch_norm")
    course = write(after("batchnorm"))
    said = 'after: no exercise is named "batchnorm". Did you mean "batch_norm"? Name a folder in `exercises`, or leave it out.'
    assert refused(course) == said
    assert [exercise.slug for exercise in course] == ["batch_norm"]


def test_no_exercise_comes_after_itself(write: Write) -> None:
    write(after("b"), slug="a")
    write(after("a"), slug="b")
    write(after("a"), slug="c")
    course = write(after("layer_norm"))
    said = 'after: "{}" would come after itself: {}. Take one of these names out.'
    assert refused(course) == said.format("layer_norm", "layer_norm → layer_norm")
    assert refused(course, "a") == said.format("a", "a → b → a")
    assert [exercise.slug for exercise in course] == ["c"] and set(course.unfinished) == {"a", "b", "layer_norm"}


def test_an_exercise_after_an_unfinished_one_can_be_used(write: Write, tmp_path: Path) -> None:
    write("after = 3", slug="broken")
    (tmp_path / "exercises" / "empty").mkdir()
    course = write(after("broken", "empty"))
    assert [exercise.slug for exercise in course] == ["layer_norm"]
    assert [exercise.slug for exercise in Course(tmp_path, frozenset({"broken"}))] == ["layer_norm"]


def test_a_folder_without_exercise_toml_is_no_exercise(write: Write, tmp_path: Path) -> None:
    course = write()
    for name in ("draft", ".cache", "__pycache__"):
        (tmp_path / "exercises" / name).mkdir()
    (tmp_path / "exercises" / "README.md").touch()
    assert (course.slugs, course.folders) == (("layer_norm",), ("draft", "layer_norm"))
    assert course.unfinished == {"draft": f"{tmp_path}/exercises/draft: it has no file exercise.toml."}


def test_unusable_exercises_are_left_out_and_named(write: Write, tmp_path: Path) -> None:
    write(slug="whole")
    write(LAYER_NORM.replace("level = 1", "level = 9"), slug="wrong")
    course = write(slug="partly")
    (tmp_path / "solutions/partly/reference.py").unlink()
    assert [exercise.slug for exercise in course] == ["whole"]
    assert course.unfinished == {
        "partly": f'{tmp_path}/exercises/partly: the exercise "partly" needs the file {tmp_path}/solutions/partly/reference.py, '
        "which does not exist.",
        "wrong": f"{tmp_path}/exercises/wrong/exercise.toml: level: must be a whole number from 1 to 4, not 9.",
    }


def test_a_draft_is_unfinished_without_its_reference(edited_course: Callable[..., Course]) -> None:
    course = edited_course({"solutions/rms/reference.py": 'def rms(x, eps=1e-5):\n    raise NotImplementedError("TODO")\n'})
    assert "rms" not in [exercise.slug for exercise in course]
    assert course.unfinished == {"rms": f"{course.root}/solutions/rms/reference.py: the reference is still to be written."}
    assert course.exercise("rms").slug == "rms"


def test_a_wrong_course_toml_blames_no_exercise(write: Write) -> None:
    course = write(course="titel = 'Norms'")
    with pytest.raises(CourseError, match="titel: unknown key"):
        list(course)
    with pytest.raises(CourseError, match="titel: unknown key"):
        _ = course.unfinished


def test_an_excluded_folder_is_ignored(write: Write) -> None:
    write(slug="other")
    course = Course(write().root, frozenset({"other"}))
    assert [exercise.slug for exercise in course] == ["layer_norm"] == [*course.slugs] == [*course.folders]


def test_files_of_a_new_exercise_are_known(tmp_path: Path) -> None:
    assert [path.relative_to(tmp_path).as_posix() for path in Exercise.at(tmp_path, "new").needed] == [
        "exercises/new/exercise.toml", "exercises/new/README.md", "exercises/new/new.py", "solutions/new/reference.py",
        "solutions/new/mistakes.toml", "tests/hidden/test_new.py",
    ]  # fmt: skip


def test_a_near_miss_is_suggested(write: Write) -> None:
    with pytest.raises(UsageError) as caught:
        write().exercise("layernrom")
    assert str(caught.value) == 'No exercise named "layernrom". Did you mean "layer_norm"? `normgrade list` shows them all.'


def test_nothing_is_suggested_for_a_distant_name(write: Write) -> None:
    with pytest.raises(UsageError) as caught:
        write().exercise("zzz")
    assert str(caught.value) == 'No exercise named "zzz". `normgrade list` shows them all.'


@pytest.mark.parametrize(
    "missing",
    [
        "exercises/layer_norm/README.md",
        "exercises/layer_norm/layer_norm.py",
        "solutions/layer_norm/reference.py",
        "solutions/layer_norm/mistakes.toml",
        "tests/hidden/test_layer_norm.py",
    ],
)
def test_a_missing_file_is_named(write: Write, tmp_path: Path, missing: str) -> None:
    course = write()
    (tmp_path / missing).unlink()
    with pytest.raises(CourseError) as caught:
        course.exercise("layer_norm")
    folder = tmp_path / "exercises" / "layer_norm"
    assert str(caught.value) == f'{folder}: the exercise "layer_norm" needs the file {tmp_path / missing}, which does not exist.'


# exercise.toml


@pytest.mark.parametrize("key", ["title", "group", "level", "order", "defines"])
def test_a_missing_key_is_named(write: Write, key: str) -> None:
    without = "".join(f"{line}\n" for line in LAYER_NORM.splitlines() if not line.startswith(key))
    assert refused(write(without)) == f"{key}: is missing."


def test_an_unknown_key_is_named_with_the_allowed_ones(write: Write) -> None:
    known = (
        "after, allowed, banned, courtesy, credit, defines, envelope, group, habits, hints, left_out, level, limits, order, points, "
        "reveal, spread, title"
    )
    assert refused(write(LAYER_NORM + "levl = 1\n")) == f'levl: unknown key. Did you mean "level"? Allowed are {known}.'


def test_an_unknown_key_is_named_with_its_table(write: Write) -> None:
    says = 'limits.answer: unknown key. Did you mean "answer_s"? Allowed are answer_s, memory_mib, total_s.'
    assert refused(write(LAYER_NORM + "[limits]\nanswer = 1\n")) == says


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("title = 3", "title: must be a text that is not empty, not 3."),
        ('title = " "', "title: must be a text that is not empty, not ' '."),
        ("group = []", "group: must be a text that is not empty, not []."),
        ("level = 5", "level: must be a whole number from 1 to 4, not 5."),
        ("level = 0", "level: must be a whole number from 1 to 4, not 0."),
        ("level = 1.0", "level: must be a whole number from 1 to 4, not 1.0."),
        ("level = true", "level: must be a whole number from 1 to 4, not True."),
        ('order = "20"', "order: must be a whole number from 0 to 9999, not '20'."),
        ("points = 1001", "points: must be a whole number from 1 to 1000, not 1001."),
        ('hints = "one"', "hints: must be a list of texts, not 'one'."),
        ("hints = [1]", "hints: must be a list of texts, not [1]."),
        ("banned = {}", "banned: must be a list of texts, not {}."),
        ('reveal = "all"', """reveal: must be "full" or "claims" or "score", not 'all'."""),
        ("reveal = []", 'reveal: must be "full" or "claims" or "score", not [].'),
        ("limits = 5", "limits: must be a table, not 5."),
        ("limits.answer_s = 0", "limits.answer_s: must be a number of seconds above 0 and up to 3600, not 0."),
        ("limits.total_s = 3601", "limits.total_s: must be a number of seconds above 0 and up to 3600, not 3601."),
        ("limits.total_s = nan", "limits.total_s: must be a number of seconds above 0 and up to 3600, not nan."),
        ("limits.total_s = true", "limits.total_s: must be a number of seconds above 0 and up to 3600, not True."),
        ('limits.answer_s = "1"', "limits.answer_s: must be a number of seconds above 0 and up to 3600, not '1'."),
        ("defines = []", "defines: must be a list of at least one signature, not []."),
        ('defines = "f(x)"', "defines: must be a list of texts, not 'f(x)'."),
        (
            'defines = ["LayerNorm"]',
            'defines: must be a list of signatures such as "LayerNorm(normalized_shape, eps=1e-5)" '
            "('LayerNorm' is none), not ['LayerNorm'].",
        ),
        (
            'defines = ["f(*x)"]',
            'defines: must be a list of signatures such as "LayerNorm(normalized_shape, eps=1e-5)" '
            "('f(*x)' holds more than names and defaults), not ['f(*x)'].",
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
        ("title = 1", "title: must be a text that is not empty, not 1."),
        ("reveal = 1", 'reveal: must be "full" or "claims" or "score", not 1.'),
        ("credit = 1", 'credit: must be "mistakes" or "claims", not 1.'),
        ('banned = "x"', "banned: must be a list of texts, not 'x'."),
        ("minimum = 1", "minimum: must be a table, not 1."),
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
        f'{path}: banned: "{pattern}" bans `{name}` too, which the grader itself calls: name what is meant more closely, '
        'or ban "torch" where PyTorch is not to be imported at all.'
    )


@pytest.mark.parametrize(("bans", "there"), [('banned = ["a.*", "b.*"]', "a.*, b.*"), ("", "none")])
def test_only_banned_names_can_be_allowed(write: Write, bans: str, there: str) -> None:
    course = write(LAYER_NORM + 'allowed = ["c.*"]\n', course=bans)
    assert refused(course) == f'allowed: "c.*" is not banned; banned are {there}.'


def test_the_examples_in_docstrings_hold() -> None:
    found = doctest.testmod(import_module("normgrade.course.course"))
    assert found.attempted and not found.failed
