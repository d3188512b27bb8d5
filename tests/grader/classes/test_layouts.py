"""The student of a file in each layout and in patterns of a course's own, and the exercise and the attempt that its name tells."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from normgrade.classes.hand_ins import HandIn, printable_name
from normgrade.classes.layouts import Names, Rank, best_layout, placing
from normgrade.language.errors import UsageError

SLUGS = ["batch_norm", "layer_norm"]
NAMES = Names(SLUGS)
FOLDERS = st.text(st.characters(exclude_characters="\0/", categories=("L", "N", "P", "S", "Z", "Cs")), min_size=1, max_size=8)


def place(layout: str, *paths: str, names: Names = NAMES) -> HandIn | None:
    """Return the hand-in of the last path."""
    return placing(layout, paths, names, 0)(paths[-1])


def parts(layout: str, path: str) -> tuple[str, str, str] | None:
    """Return the student, the part of the path that tells the exercise, and the path above."""
    found = place(layout, path)
    return None if found is None else (found.student, found.file, found.among.removeprefix("0 "))


@pytest.mark.parametrize(
    ("path", "student", "id", "file"),
    [
        ("c/Anna Li_12345_assignsubmission_file_/layer_norm.py", "Anna Li", "12345", "layer_norm.py"),
        ("c/Anna Li_12345_assignsubmission_file/src/layer_norm.py", "Anna Li", "12345", "src/layer_norm.py"),
        ("c/Anna Li_12345_assignsubmission_file_layer_norm.py", "Anna Li", "12345", "layer_norm.py"),
        ("c/Anna Li_12345_assignsubmission_file_hw.zip/layer_norm.py", "Anna Li", "12345", "hw.zip/layer_norm.py"),
        ("c/Participant_7_assignsubmission_file_/x.py", "Participant", "7", "x.py"),
        ("c/Team 1-Anna Li_7_assignsubmission_file_/x.py", "Team 1-Anna Li", "7", "x.py"),
        ("all.zip/hw/c.zip/Siobhán O'Brien_7_assignsubmission_file_/x.py", "Siobhán O'Brien", "7", "x.py"),
        ("Anna_Li_7_assignsubmission_file_/x.py", "Anna_Li", "7", "x.py"),
        ("c/李\n\udce9_7_assignsubmission_file_/x.py", "李\n\udce9", "7", "x.py"),
        ("c/Anna_7_assignsubmission_file_/Bo_8_assignsubmission_file_/x.py", "Anna", "7", "Bo_8_assignsubmission_file_/x.py"),
    ],
)
def test_moodle(path: str, student: str, id: str, file: str) -> None:
    found = place("moodle", path)
    assert found is not None and (found.student, found.file, found.id) == (student, file, id)
    assert (found.among, found.folder) == (f"0 {path.partition(f'{student}_{id}')[0]}", f"{student}_{id}_assignsubmission_file_")


@pytest.mark.parametrize(
    "path", ["c/Anna Li_7_assignsubmission_onlinetext_/x.py", "c/Anna Li_assignsubmission_file_/x.py", "c/layer_norm.py"]
)
def test_other_folders_are_not_of_moodle(path: str) -> None:
    assert place("moodle", path) is None


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("lianna_123_45_layer_norm.py", ("lianna", "layer_norm.py", "123", False, 45)),
        ("lianna_LATE_123_45_layer_norm-1.py", ("lianna", "layer_norm-1.py", "123", True, 45)),
        ("lianna_123_45_hw.zip/src/layer_norm.py", ("lianna", "hw.zip/src/layer_norm.py", "123", False, 45)),
        ("lianna_123_45_my_1_2_x.py", ("lianna", "my_1_2_x.py", "123", False, 45)),
        ("李_123_45_LATE_x.py", ("李", "LATE_x.py", "123", False, 45)),
        ("anon_x1Y2z_45_layer_norm.py", ("anon_x1Y2z", "layer_norm.py", "", False, 45)),
        ("LATE_anon_x1Y2z_45_layer_norm.py", ("anon_x1Y2z", "layer_norm.py", "", True, 45)),
        ("lianna_123_layer_norm.py", None),
    ],
)
def test_canvas(name: str, found: tuple[str, str, str, bool, int] | None) -> None:
    hand_in = place("canvas", f"class.zip/all/{name}")
    assert (hand_in and (hand_in.student, hand_in.file, hand_in.id, hand_in.late, hand_in.upload)) == found
    assert hand_in is None or hand_in.among == ""


@pytest.mark.parametrize(
    ("layout", "path", "found"),
    [
        ("gradescope", "all/export/submission_12/src/layer_norm.py", ("submission_12", "src/layer_norm.py", "all/export/")),
        ("gradescope", "submission_12/layer_norm.py", ("submission_12", "layer_norm.py", "")),
        ("gradescope", "all/my_submission_12/layer_norm.py", None),
        ("nbgrader", "course/submitted/anna/hw1/layer_norm.py", ("anna", "hw1/layer_norm.py", "course/submitted/")),
        ("nbgrader", "submitted/anna/hw1/a/layer_norm.py", ("anna", "hw1/a/layer_norm.py", "submitted/")),
        ("nbgrader", "submitted/anna/layer_norm.py", None),
        ("classroom", "hw1-submissions/hw1-octocat/src/x.py", ("octocat", "src/x.py", "hw1-submissions/hw1-")),
        ("classroom", "all/hw-1-submissions/hw-1-o-cat/x.py", ("o-cat", "x.py", "all/hw-1-submissions/hw-1-")),
        ("classroom", "hw1-submissions/hw2-octocat/x.py", None),
    ],
)
def test_systems_with_a_folder_for_each_student(layout: str, path: str, found: tuple[str, str, str] | None) -> None:
    assert parts(layout, path) == found


@pytest.mark.parametrize(
    ("path", "student"),
    [
        ("class/alice_layer_norm.py", "alice"),
        ("class/Layer-Norm_alice (1).py", "alice"),
        ("class/alice_layer_norm-1.py", "alice"),
        ("class/alice_b_layer_norm.ipynb", "alice_b"),
        ("class/alice.zip/src/layer_norm.py", "alice"),
        ("class/layer_norm.py", None),
        ("class/layer_norm (1).py", None),
        ("class/alice.py", None),
        ("class/alice/bob_layer_norm.py", None),
    ],
)
def test_files_without_folders(path: str, student: str | None) -> None:
    found = place("flat", path)
    assert (found.student if found else None) == student


@pytest.mark.parametrize(
    ("path", "student"),
    [("class/alice.py", "alice"), ("class/alice-1.py", "alice-1"), ("class/alice_layer_norm.py", "alice"), ("class/layer_norm.py", None)],
)
def test_with_one_exercise_files_are_named_for_students(path: str, student: str | None) -> None:
    found = place("flat", path, names=Names(SLUGS, "layer_norm"))
    assert (found.student if found else None) == student


@pytest.mark.parametrize(
    ("paths", "student", "file"),
    [
        (["class/alice/layer_norm.py"], "alice", "layer_norm.py"),
        (["class/alice/hw/a/layer_norm.py"], "alice", "hw/a/layer_norm.py"),
        (["class/alice.ZIP/hw/layer_norm.py"], "alice", "hw/layer_norm.py"),
        (["class.zip/alice/layer_norm.py"], "alice", "layer_norm.py"),
        (["class.zip/class/alice/x.py", "class.zip/class/bob/x.py"], "bob", "x.py"),
        (["all/class.zip/class/alice/x.py", "all/class.zip/class/bob/x.py"], "bob", "x.py"),
        (["class.zip/alice/hw/x.py", "class.zip/alice/tests/x.py", "class.zip/bob/x.py"], "bob", "x.py"),
        (["class.zip/alice/layer_norm/x.py", "class.zip/alice/batch_norm/x.py"], "alice", "batch_norm/x.py"),
        (["class/all/alice/x.py", "class/all/bob/x.py"], "all", "bob/x.py"),
        (["alice/layer_norm.py"], "alice", "layer_norm.py"),
        (["alice.zip/src/x.py", "alice.zip/layer_norm.py"], "alice", "layer_norm.py"),
        (["alice/layer_norm/a.py", "alice/batch_norm/a.py"], "alice", "batch_norm/a.py"),
        (["class/layer_norm.py", "class/alice/layer_norm.py"], "alice", "layer_norm.py"),
    ],
)
def test_one_folder_for_each_student(paths: list[str], student: str, file: str) -> None:
    found = place("folders", *paths)
    assert found and (found.student, found.file) == (student, file)


def test_files_beside_the_folders_are_nobodys() -> None:
    assert place("folders", "class/alice/layer_norm.py", "class/layer_norm.py") is None


@pytest.mark.parametrize(
    ("layout", "paths"),
    [
        ("moodle", ["c/A_7_assignsubmission_file_/layer_norm.py", "c/B_8_assignsubmission_file_/submission_1/submitted/a/b/layer_norm.py"]),
        ("canvas", ["c/a_1_2_layer_norm.py", "c/b_1_2_layer_norm.py"]),
        ("gradescope", ["c/submission_1/x.py", "c/submission_2/x.py"]),
        ("nbgrader", ["submitted/a/hw/x.py", "submitted/b/hw/x.py"]),
        ("classroom", ["hw-submissions/hw-a/x.py"]),
        ("flat", ["c/a_layer_norm.py", "c/b_layer_norm.py"]),
        ("flat", ["c/a.zip/layer_norm.py", "c/b.zip/layer_norm.py"]),
        ("folders", ["c/a/x.py", "c/b/submission_1/x.py", "c/c/A_7_assignsubmission_file_/x.py"]),
    ],
)
def test_the_layout_of_most_files_is_chosen(layout: str, paths: list[str]) -> None:
    assert best_layout(paths, NAMES) == layout


@settings(deadline=None)
@given(FOLDERS, FOLDERS)
def test_two_folders_are_never_one_student(one: str, other: str) -> None:
    assume(one != other and not {one[-4:].lower(), other[-4:].lower()} & {".zip"})
    for before, after in (("class/", "/layer_norm.py"), ("submitted/", "/hw/x.py"), ("class/", "_7_assignsubmission_file_/x.py")):
        paths = [f"{before}{each}{after}" for each in (one, other)]
        found = [placing(best_layout(paths, NAMES), paths, NAMES, 0)(path) for path in paths]
        students = [(printable_name(each.student), each.id) for each in found if each]
        assert len(students) == 2 and students[0] != students[1]


def test_an_unknown_layout_is_refused() -> None:
    with pytest.raises(UsageError) as raised:
        placing("moodel", [], NAMES, 0)
    assert str(raised.value) == (
        'There is no layout "moodel": choose moodle or canvas or gradescope or nbgrader or classroom or flat or folders, or a pattern such '
        'as "{student}/*/{exercise}.py". Did you mean "moodle"?'
    )


# Patterns of a course's own


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("{student}/*/{exercise}.py", "class/anna/hw/layer_norm.py", ("anna", "layer_norm", "class/")),
        ("{student}/*/{exercise}.py", "anna/hw/layer_norm.py", ("anna", "layer_norm", "")),
        ("{student}/**/{file}", "class/anna/a/b/x.py", ("anna", "a/b/x.py", "class/")),
        ("{student}/**/{file}", "class/anna/x.py", ("anna", "x.py", "class/")),
        ("hw3/{student}/**/{file}", "class/all/hw3/anna/x.py", ("anna", "x.py", "class/all/")),
        ("{student}_{id}/**/{exercise}/*.py", "class/anna_li_7/layer_norm/x.py", ("anna", "layer_norm", "class/")),
        ("{exercise}/{student}.py", "class/layer_norm/anna.py", ("anna", "layer_norm", "class/")),
        ("{student}.py", "class/anna.py", ("anna", ".py", "class/")),
        ("*/{student}.zip/**/*.py", "class/all/anna.zip/src/x.py", ("anna", ".zip/src/x.py", "class/")),
        ("hw*/{student}/*", "class/hw1/\n李\udce9/x.py", ("\n李\udce9", "x.py", "class/")),
        ("**/src/{student}/*", "class/a/b/src/anna/x.py", ("anna", "x.py", "class/")),
        ("{student}/hw1/**", "class/anna/hw1/src/x.py", ("anna", "hw1/src/x.py", "class/")),
        ("{student}/**/hw*/**/b/x.py", "class/anna/c/hw1/hw2/b/x.py", ("anna", "c/hw1/hw2/b/x.py", "class/")),
        ("{student}-*-b*.py", "class/anna-a-a-b-b1.py", ("anna", "-a-a-b-b1.py", "class/")),
        ("a.b/{student}/*", "class/aXb/anna/x.py", None),
        ("{student}/*/{exercise}.py", "class/layer_norm.py", None),
    ],
)
def test_a_pattern_finds_the_student(pattern: str, path: str, found: tuple[str, str, str] | None) -> None:
    assert parts(pattern, path) == found


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("*/{exercise}.py", "it needs {student} once, and every other field at most once"),
        ("{student}/{student}/*", "it needs {student} once, and every other field at most once"),
        ("{student}/{file}/{file}", "it needs {student} once, and every other field at most once"),
        ("{student}/{name}.py", "{name} is none of {student}, {exercise}, {id} and {file}"),
        ("{student}/{}.py", "{} is none of {student}, {exercise}, {id} and {file}"),
    ],
)
def test_a_bad_pattern_is_refused(pattern: str, why: str) -> None:
    with pytest.raises(UsageError) as raised:
        placing(pattern, [], NAMES, 0)
    good = "hw3/{student}/**/{file}"
    assert str(raised.value) == f'The pattern "{pattern}" of the layout is wrong: {why}. A good one is "{good}".'


def test_no_path_keeps_a_pattern_busy() -> None:
    start = time.process_time()
    assert place("{student}/**/a*b*c/**/{exercise}.py", "/".join(["abc" * 20] * 60) + "/x.txt") is None
    assert place("{student}*a*a*a/{file}", "class/" + "a" * 255) is None
    assert time.process_time() - start < 2


def test_a_pattern_can_tell_the_id() -> None:
    found = place("{student}_{id}/**/{exercise}/*.py", "class/anna_li_7/layer_norm/x.py")
    assert found is not None and (found.student, found.id, found.file) == ("anna", "li_7", "layer_norm")


# The exercise and the attempt that the name of a file tells


OTHERS = ["batch_norm", "generalized_batch_norm", "layer_norm", "layer_norm_backward", "norm_2"]
OF_OTHERS = Names(OTHERS)


def told(file: str, names: Names = OF_OTHERS, content: bytes = b"") -> list[tuple[str, Rank, int]]:
    """Return the exercises of a file, each with how surely it is known, and the attempt."""
    found = names.told(HandIn("Anna", "", f"c/Anna/{file}", content, file=file))
    return [(each.exercise, Rank(each.rank), each.attempt) for each in found]


@pytest.mark.parametrize(
    ("file", "slug", "rank", "attempt"),
    [
        ("layer_norm.py", "layer_norm", Rank.NAME, 1),
        ("Layer Norm.py", "layer_norm", Rank.NAME, 1),
        ("LayerNorm.ipynb", "layer_norm", Rank.NAME, 1),
        ("layer-norm (1).py", "layer_norm", Rank.NAME, 1),
        ("layer_norm(3).PY", "layer_norm", Rank.NAME, 1),
        ("layer_norm-2.py", "layer_norm", Rank.NAME, 3),
        ("norm_2.py", "norm_2", Rank.NAME, 1),
        ("norm-2.py", "norm_2", Rank.NAME, 1),
        ("hw/layer_norm/answer.py", "layer_norm", Rank.FOLDER, 1),
        ("batch_norm/layer_norm/src/answer.py", "layer_norm", Rank.FOLDER, 1),
        ("layer_norm-1.zip/answer.py", "layer_norm", Rank.FOLDER, 2),
        ("hw-3.zip/layer_norm.py", "layer_norm", Rank.NAME, 4),
        ("hw-3/layer_norm.py", "layer_norm", Rank.NAME, 1),
        ("my_layer_norm.py", "layer_norm", Rank.PART, 1),
        ("layer_norm_final-1.py", "layer_norm", Rank.PART, 2),
        ("layer_norm_backward_v2.py", "layer_norm_backward", Rank.PART, 1),
        ("my_generalized_batch_norm.py", "generalized_batch_norm", Rank.PART, 1),
        ("layer_norm_20261128.py", "layer_norm", Rank.PART, 1),
        ("layer_norm - Copy.py", "layer_norm", Rank.PART, 1),
    ],
)
def test_a_name_tells_exercise_and_attempt(file: str, slug: str, rank: Rank, attempt: int) -> None:
    assert told(file) == [(slug, rank, attempt)]


@pytest.mark.parametrize("file", ["answer.py", "mylayer_norm.py", "layer_normal.py", "hw/ex1.py", ".py", "norm.py"])
def test_other_names_tell_nothing(file: str) -> None:
    assert told(file) == []


def test_with_one_exercise_every_file_is_for_it() -> None:
    names = Names(OTHERS, "layer_norm")
    assert told("batch_norm.py", names) == [("layer_norm", Rank.ANY, 1)]
    assert told("x (1).py", names) == [("layer_norm", Rank.ANY, 1)]
    assert told("layer_norm.py", names) == [("layer_norm", Rank.NAME, 1)]


CONTRACTS = {"layer_norm": ["LayerNorm"], "softmax": ["softmax"], "min_max": ["min_max"]}
CONTRACTS |= {slug: ["forward", "backward"] for slug in ("layer_norm_backward", "softmax_backward")}


@pytest.mark.parametrize(
    ("content", "slugs"),
    [
        ("class LayerNorm:\n    pass\n", ["layer_norm"]),
        ("class LayerNorm:\n    pass\ndef softmax(x):\n    return x\n", ["layer_norm"]),  # a function that helps the class
        ("def softmax(x):\n    return x\ndef min_max(x):\n    return x\n", ["softmax", "min_max"]),
        ("def forward(x):\n    return x\ndef backward(x):\n    return x\n", []),  # two exercises have this contract
        ("def f():\n    class LayerNorm: pass\n", []),
        ("from answer import LayerNorm\n", []),
        ("class LayerNorm\n", []),
        ("class LayerNorm:  # \xe9\n    pass\n", []),
        ("raise SystemExit\n", []),
    ],
)
def test_other_names_leave_it_to_what_a_file_defines(content: str, slugs: list[str]) -> None:
    names = Names(CONTRACTS, None, lambda: CONTRACTS)
    assert told("hw-2/q1-1.py", names, content.encode("latin-1")) == [(slug, Rank.DEFINED, 2) for slug in slugs]
    assert told("min_max.py", names, content.encode("latin-1")) == [("min_max", Rank.NAME, 1)]


@pytest.mark.parametrize(
    ("stem", "part"),
    [
        ("alice_layer_norm", ("layer_norm", "alice")),
        ("Alice Li-LayerNorm", ("layer_norm", "Alice Li")),
        ("layer_norm_alice", ("layer_norm", "alice")),
        ("İ_layer_norm", ("layer_norm", "İ")),
        ("layer_norm", None),
        ("_layer_norm", None),
    ],
)
def test_the_other_part_of_a_name_is_kept(stem: str, part: tuple[str, str] | None) -> None:
    assert OF_OTHERS.part(stem) == part


def test_two_slugs_of_the_same_letters_stay_apart() -> None:
    names = Names(["ab_c", "a_bc"])
    assert [names.slug("ab_c"), names.slug("a_bc"), names.slug("A-BC")] == ["ab_c", "a_bc", "a_bc"]
