"""The hand-ins of a class, from paths on: real-looking trees, and everything that can be wrong in them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from normgrade.classes.collecting import about, handed_in, latest, nobodys, of_replaced, others, undecided, without_exercise
from normgrade.classes.hand_ins import HandedIn, HandIn, LeftOut
from normgrade.classes.layouts import Rank
from normgrade.classes.students import read_roster
from normgrade.classes.tree import Tree
from normgrade.language.errors import UsageError

SLUGS = ["batch_norm", "layer_norm", "layer_norm_backward"]
LISTING = """\
submission_12:
  :submitters:
  - {":name": Anna Li, ":sid": "314", ":email": a@b.org}
  - {":name": Bo Wu, ":sid": "315", ":email": c@d.org}
submission_13:
  :submitters:
  - {":name": Anna Li, ":sid": "316", ":email": e@f.org}
"""
Collect = Callable[..., HandedIn]


@pytest.fixture
def collect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Collect:
    """Return a function that writes files, each with its own path as content, and collects the hand-ins of the folders that are named."""
    monkeypatch.chdir(tmp_path)

    def collected(*paths: str, passed: str = "", contents: dict[str, str] | None = None, **options: Any) -> HandedIn:
        for path in paths:
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text((contents or {}).get(path, path), encoding="utf-8", errors="surrogateescape")
        folders = passed.split() or dict.fromkeys(path.split("/")[0] for path in paths)
        roster = options.pop("roster", None)
        known = read_roster(Path(roster)) if roster else None
        return handed_in([Path(folder) for folder in folders], SLUGS, **options, roster=known)

    return collected


def told(found: HandedIn) -> list[tuple[str, str, str]]:
    return [(each.student, each.exercise, each.origin) for each in found.hand_ins]


def why(found: HandedIn) -> list[str]:
    return [each.why for each in found.left_out]


# Layouts


def test_moodle_tells_students_and_ids(collect: Collect) -> None:
    anna, bo = "class/Anna Li_7_assignsubmission_file_/layer_norm.py", "class/Bo_8_assignsubmission_file_/Layer Norm (1).py"
    assert collect(anna, bo) == HandedIn(
        (
            HandIn("Anna Li", "layer_norm", anna, anna.encode(), "7", folder="Anna Li_7_assignsubmission_file_"),
            HandIn("Bo", "layer_norm", bo, bo.encode(), "8", folder="Bo_8_assignsubmission_file_"),
        ),
        layouts=(("class", "moodle"),),
        students={"Anna Li": "7", "Bo": "8"},
    )


def test_moodle_hides_names_from_graders(collect: Collect) -> None:
    found = collect("c/Participant_7_assignsubmission_file_/layer_norm.py", "c/Participant_8_assignsubmission_file_/layer_norm.py")
    assert [(each.student, each.id) for each in found.hand_ins] == [("Participant 7", "7"), ("Participant 8", "8")]


def test_of_attempts_on_canvas_the_last_counts(collect: Collect) -> None:
    names = ["bo_1_20_layer_norm.py", "bo_1_21_layer_norm-1.py", "bo_LATE_1_19_layer_norm-2.py", "anna_2_22_batch_norm.py"]
    found = collect(*(f"c/{name}" for name in names))
    assert found.hand_ins == (
        HandIn("anna", "batch_norm", f"c/{names[3]}", f"c/{names[3]}".encode(), "2"),
        HandIn("bo", "layer_norm", f"c/{names[2]}", f"c/{names[2]}".encode(), "1", attempt=3, late=True),
    )
    gone = "2 files are not graded, because their students have later or better named ones for the exercises "
    assert found.left_out == (LeftOut("c", f"{gone}(c/{names[0]}, c/{names[1]})."),)


def test_of_equal_attempts_on_canvas_the_last_upload_counts(collect: Collect) -> None:
    found = collect("c/bo_1_9_layer_norm.py", "c/bo_1_10_layer_norm.py")
    assert told(found) == [("bo", "layer_norm", "c/bo_1_10_layer_norm.py")]


def test_ids_on_canvas_tell_people_apart_everywhere(collect: Collect) -> None:
    found = collect("hw1/li_7_1_layer_norm.py", "hw2/li_8_2_layer_norm.py")
    assert [each.student for each in found.hand_ins] == ["li (7)", "li (8)"]


def test_ids_on_moodle_are_of_one_assignment(collect: Collect) -> None:
    found = collect("hw1/Anna_7_assignsubmission_file_/layer_norm.py", "hw2/Anna_99_assignsubmission_file_/batch_norm.py")
    assert [(each.student, each.exercise, each.id) for each in found.hand_ins] == [
        ("Anna", "batch_norm", "99"),
        ("Anna", "layer_norm", "7"),
    ]


def test_two_people_of_one_name_are_two_students(collect: Collect) -> None:
    found = collect("c/Anna_7_assignsubmission_file_/layer_norm.py", "c/Anna_8_assignsubmission_file_/layer_norm.py")
    assert [each.student for each in found.hand_ins] == ["Anna (7)", "Anna (8)"]


def test_gradescope_names_everybody_in_a_group(collect: Collect) -> None:
    pytest.importorskip("yaml", reason='PyYAML reads the listing and is not installed: pip install -e ".[dev]" -c constraints.txt')
    files = ["e/submission_12/layer_norm.py", "e/submission_13/src/layer_norm.py", "e/submission_14/layer_norm.py"]
    listing = "e/submission_metadata.yml"
    found = collect(*files, listing, contents={listing: LISTING})
    assert [(each.student, each.id, each.origin) for each in found.hand_ins] == [
        ("Anna Li (314)", "314", files[0]),
        ("Anna Li (316)", "316", files[1]),
        ("Bo Wu", "315", files[0]),
        ("submission_14", "", files[2]),
    ]
    assert found.left_out == ()


def test_without_pyyaml_submissions_have_numbers(collect: Collect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    found = collect("e/submission_12/layer_norm.py", "e/submission_metadata.yml")
    assert told(found) == [("submission_12", "layer_norm", "e/submission_12/layer_norm.py")]
    said = "It tells the names of the students, and PyYAML is needed to read it: `pip install 'normgrade[classes]'`."
    assert found.left_out == (LeftOut("e/submission_metadata.yml", said),)


def test_a_listing_in_a_submission_names_nobody(collect: Collect) -> None:
    listing = "e/submission_13/submission_metadata.yml"
    found = collect("e/submission_12/layer_norm.py", "e/submission_13/layer_norm.py", listing, contents={listing: LISTING})
    assert [each.student for each in found.hand_ins] == ["submission_12", "submission_13"]


@pytest.mark.parametrize(
    ("layout", "files"),
    [
        ("nbgrader", ["submitted/anna/hw/layer_norm.py", "submitted/bo/hw/layer_norm.py"]),
        ("classroom", ["hw-submissions/hw-anna/src/layer_norm.py", "hw-submissions/hw-bo/layer_norm.py"]),
        ("flat", ["c/anna_layer_norm.py", "c/layer-norm_bo.py"]),
        ("folders", ["c/anna/layer_norm.py", "c/bo/hw/layer_norm/answer.py"]),
    ],
)
def test_other_layouts_tell_students(collect: Collect, layout: str, files: list[str]) -> None:
    found = collect(*files)
    assert [each.student for each in found.hand_ins] == ["anna", "bo"] and found.layouts[0][1] == layout


def test_each_path_has_its_own_layout(collect: Collect) -> None:
    found = collect("hw1/Anna_7_assignsubmission_file_/layer_norm.py", "submitted/bo/hw/layer_norm.py", "hw2/cy_1_2_layer_norm.py")
    assert [each.student for each in found.hand_ins] == ["Anna", "bo", "cy"]
    assert found.layouts == (("hw1", "moodle"), ("submitted", "nbgrader"), ("hw2", "canvas"))


def test_folders_of_students_may_be_passed_one_by_one(collect: Collect) -> None:
    files = ["c/Anna_7_assignsubmission_file_/layer_norm.py", "c/Bo_8_assignsubmission_file_/layer_norm.py", "d/cy/layer_norm.py"]
    found = collect(*files, passed="c/Bo_8_assignsubmission_file_ d/cy")
    assert [each.student for each in found.hand_ins] == ["Bo", "cy"]
    found = handed_in([Path(file) for file in files], SLUGS)
    assert [each.student for each in found.hand_ins] == ["Anna", "Bo", "cy"]


def test_a_layout_can_be_named(collect: Collect) -> None:
    file = "c/anna/bo/layer_norm.py"
    assert [each.student for each in collect(file).hand_ins] == ["anna"]
    found = collect(file, layout="*/{student}/{exercise}.py")
    assert [each.student for each in found.hand_ins] == ["bo"] and found.layouts == (("c", "*/{student}/{exercise}.py"),)


# Exercises


def test_the_best_name_counts_before_the_last_path(collect: Collect) -> None:
    found = collect("a/anna/layer_norm.py", "b/anna/my_layer_norm.py", "b/bo/layer_norm.py", "a/bo/layer_norm.py")
    assert told(found) == [("anna", "layer_norm", "a/anna/layer_norm.py"), ("bo", "layer_norm", "b/bo/layer_norm.py")]


def test_one_exercise_takes_every_file(collect: Collect) -> None:
    found = collect("c/anna/hw.py", "c/bo/hw.py", "c/bo/layer_norm.py", exercise="layer_norm")
    assert told(found) == [("anna", "layer_norm", "c/anna/hw.py"), ("bo", "layer_norm", "c/bo/layer_norm.py")]
    assert [each.student for each in collect("d/anna.py", "d/bo.py", exercise="layer_norm").hand_ins] == ["anna", "bo"]


def test_two_different_files_are_not_graded(collect: Collect) -> None:
    found = collect("c/anna/a/layer_norm.py", "c/anna/b/layer_norm.py", "c/bo/layer_norm.py")
    assert told(found) == [("bo", "layer_norm", "c/bo/layer_norm.py")]
    said = "2 files for layer_norm: c/anna/a/layer_norm.py and c/anna/b/layer_norm.py. Keep one of them."
    assert found.left_out == (LeftOut("c/anna/a/layer_norm.py", said), LeftOut("c/anna/b/layer_norm.py", said))


def test_two_equal_files_are_one(collect: Collect) -> None:
    files = ["c/anna/a/layer_norm.py", "c/anna/b/layer_norm.py", "c/bo/layer_norm.py"]
    found = collect(*files, contents=dict.fromkeys(files, "x = 1"))
    assert [each.origin for each in found.hand_ins] == [files[0], files[2]] and found.left_out == ()


def test_files_without_an_exercise_are_named_together(collect: Collect) -> None:
    found = collect("c/anna/layer_norm.py", *(f"c/anna/{name}.py" for name in "dabc"))
    assert found.left_out == (
        LeftOut(
            "c",
            "4 Python files are not named for an exercise, and define the names of none (c/anna/a.py, c/anna/b.py, c/anna/c.py, …). "
            "Name the exercise with --exercise SLUG.",
            ("c/anna/a.py", "c/anna/b.py", "c/anna/c.py", "c/anna/d.py"),
        ),
    )


def test_nobodys_files_and_others_are_named_together(collect: Collect) -> None:
    found = collect("c/anna/layer_norm.py", "c/bo/layer_norm.py", "c/layer_norm.py", "c/anna/notes.txt", "c/mark\nsheet.xlsx")
    assert why(found) == [
        "2 other files are not Python (c/anna/notes.txt, c/mark·sheet.xlsx).",
        "1 Python file is nobody's (c/layer_norm.py). Name the layout of the paths with --layout.",
    ]


CLASSES = "class LayerNorm:\n    pass\n\n\nclass BatchNorm:\n    pass\n"


def test_file_of_another_name_is_for_its_definitions(collect: Collect) -> None:
    files = ["c/anna/hw1_q1.py", "c/bo/层归一化.py", "c/bo/batch_norm.py", "c/cy/solution.py"]
    contents = {files[0]: "class LayerNorm: pass", files[1]: CLASSES, files[3]: "open('ran', 'w')\n" + CLASSES}
    found = collect(*files, contents=contents, contracts=lambda: {"layer_norm": ["LayerNorm"], "batch_norm": ["BatchNorm"]})
    assert told(found) == [
        ("anna", "layer_norm", files[0]),
        ("bo", "batch_norm", files[2]),
        ("bo", "layer_norm", files[1]),
        ("cy", "batch_norm", files[3]),
        ("cy", "layer_norm", files[3]),
    ]
    assert (found.left_out, found.ungraded, Path("ran").exists()) == ((), (), False)


def test_a_copy_of_a_browser_is_no_later_attempt(collect: Collect) -> None:
    found = collect("c/anna/layer_norm.py", "c/anna/layer_norm (1).py", "c/bo/layer_norm (1).py")
    assert told(found) == [("bo", "layer_norm", "c/bo/layer_norm (1).py")]
    assert found.left_out[0].why.startswith("2 files for layer_norm: ")
    flat = collect("d/cem.py", "d/cem (1).py", "d/li-1.py", "d/li-2.py", exercise="layer_norm")
    assert (flat.ungraded, [each.student for each in flat.hand_ins]) == (("cem",), ["li-1", "li-2"])


# Several files of one student, and files that are not graded


def file_of(path: str, content: bytes = b"", rank: Rank = Rank.NAME, tree: int = 0, attempt: int = 1, upload: int = 0) -> HandIn:
    return HandIn("Anna", "layer_norm", path, content, attempt=attempt, rank=rank, tree=tree, upload=upload)


WORST_FIRST = [
    file_of("1", rank=Rank.ANY, tree=9, attempt=9, upload=9),
    file_of("2", rank=Rank.PART, tree=9, attempt=9, upload=9),
    file_of("3", rank=Rank.FOLDER, tree=9, attempt=9, upload=9),
    file_of("4", tree=0, attempt=9, upload=9),
    file_of("5", tree=1, attempt=1, upload=9),
    file_of("6", tree=1, attempt=2, upload=1),
    file_of("7", tree=1, attempt=2, upload=2),
]


def test_name_goes_before_path_attempt_and_upload() -> None:
    for number in range(1, len(WORST_FIRST) + 1):
        several = WORST_FIRST[:number]
        assert latest(several[::-1]) == [several[-1]]


def test_of_many_equally_good_files_the_first_are_named() -> None:
    several = [file_of(name) for name in ("c/a\n.py", "c/b.py", "c/c.py", "c/d.py")]
    why = "4 files for layer_norm: c/a·.py, c/b.py and c/c.py. Keep one of them."
    assert list(undecided(several)) == [LeftOut(each.origin, why) for each in several]


ONE = {
    others: "1 file is not Python (c/b).",
    nobodys: "1 Python file is nobody's (c/b). Name the layout of the paths with --layout.",
    without_exercise: "1 Python file is not named for an exercise, and defines the names of none (c/b). "
    "Name the exercise with --exercise SLUG.",
    of_replaced: "1 file is not graded, because the student has a later or better named one for the exercise (c/b).",
}


@pytest.mark.parametrize(("says", "why"), ONE.items())
def test_one_file_is_named(says: Callable[[int, str], str], why: str) -> None:
    assert list(about(Tree("c"), ["c/b"], says)) == [LeftOut("c", why)]


def test_of_many_files_the_first_are_named() -> None:
    assert list(about(Tree("c"), ["c/d", "c/b", "c/a\n", "c/c"], others)) == [
        LeftOut("c", "4 other files are not Python (c/a·, c/b, c/c, …).", ("c/a\n", "c/b", "c/c", "c/d"))
    ]


def test_about_no_file_nothing_is_said() -> None:
    assert list(about(Tree("c"), [], others)) == []


# Nothing to grade


def test_unclear_files_are_shown(collect: Collect) -> None:
    with pytest.raises(UsageError) as raised:
        collect("c/a.py", "c/b.py", "c/c\n.py", "c/d.py")
    assert str(raised.value) == (
        "It is not clear whose the 4 Python files are, or for which exercises (c/a.py, c/b.py, c/c·.py, …). Name the layout with --layout, "
        'for example "{student}/**/{file}", or the exercise with --exercise SLUG.'
    )


def test_without_python_the_reasons_are_shown(collect: Collect) -> None:
    with pytest.raises(UsageError) as raised:
        collect("c/hw.rar", "c/notes.txt", "d.zip", contents={"d.zip": "no zip"})
    assert str(raised.value) == (
        'There is no Python file in "c" and "d.zip": pass the folder or the zip file of a class.\n'
        "c/hw.rar: It is an archive of another kind than zip: unpack it first.\n"
        "c: 1 file is not Python (c/notes.txt).\n"
        "d.zip: It cannot be read (it is damaged): ask for it once more."
    )


def test_many_paths_of_one_name_are_refused(collect: Collect) -> None:
    files = [f"{student}/hw1/layer_norm.py" for student in ("anna", "bo", "cy")]
    with pytest.raises(UsageError) as raised:
        collect(*files)
    assert str(raised.value) == (
        'All 3 paths seem to hold files of one student, "hw1". Pass the folder that they lie in, or name the layout with --layout, for '
        'example "{student}/*/{file}".'
    )
    assert [each.student for each in collect(*files, layout="{student}/*/{file}").hand_ins] == ["anna", "bo", "cy"]


# Rosters


def test_a_roster_tells_the_absent_and_the_strangers(collect: Collect, tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text(
        "Identifier,Full name\nParticipant 7,Anna Li\nParticipant 8,Bo Wu\nParticipant 9,Cy\n", encoding="utf-8"
    )
    files = ["c/Anna Li_7_assignsubmission_file_/layer_norm.py", "c/Wu Bo_8_assignsubmission_file_/layer_norm.py"]
    found = collect(*files, "c/Eve_66_assignsubmission_file_/layer_norm.py", roster="class.csv")
    assert [each.student for each in found.hand_ins] == ["Anna Li", "Eve", "Wu Bo"]
    assert (found.absent, found.strangers) == (("Cy",), ("Eve",))


def test_names_that_the_roster_has_twice_have_ids(collect: Collect, tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text("Identifier,Full name\nParticipant 7,Anna\nParticipant 8,Anna\n", encoding="utf-8")
    found = collect("c/Anna_7_assignsubmission_file_/layer_norm.py", roster="class.csv")
    assert [each.student for each in found.hand_ins] == ["Anna (7)"] and found.absent == ("Anna (8)",)


def test_everybody_without_a_graded_file_is_named(collect: Collect, tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text("login\nanna\nbo\ncy\ndan\n", encoding="utf-8")
    files = ["c/anna/a/layer_norm.py", "c/anna/b/layer_norm.py", "c/bo/my.py", "c/dan/notes.pdf", "c/eve/layer_norm.py", "c/fay/x.zip"]
    found = collect(*files, "c/gus/q.py", roster="class.csv")
    assert [each.student for each in found.hand_ins] == ["eve"]
    assert found.absent == ("anna", "bo", "cy", "dan")
    assert (found.strangers, found.ungraded) == (("eve",), ("fay", "gus"))
    assert sorted(found.students) == ["anna", "bo", "cy", "dan", "eve", "fay", "gus"]
    assert collect(*files, passed="c").ungraded == ("anna", "bo", "dan", "fay", "gus")


def test_roster_does_not_double_a_student_renamed(collect: Collect, tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text('Student,ID,Section\n"Ray, Bob",4700,A\n', encoding="utf-8")
    found = collect("c/raybob_4700_1_notes.py", "c/annali_4701_2_layer_norm.py", roster="class.csv")
    assert (found.absent, found.students) == (("Ray, Bob",), {"raybob": "4700", "annali": "4701"})


def test_who_handed_in_a_link_is_named(collect: Collect, tmp_path: Path) -> None:
    collect("c/bo_layer_norm.py", "c/cy/layer_norm.py")
    (tmp_path / "c" / "eve_layer_norm.py").symlink_to("../teacher.py")
    (tmp_path / "c" / "mal").symlink_to("cy")
    found = handed_in([*map(Path, ("c/bo_layer_norm.py", "c/eve_layer_norm.py", "c/mal/layer_norm.py"))], SLUGS)
    assert ([each.student for each in found.hand_ins], found.ungraded) == (["bo"], ("eve", "mal"))
    assert found.layouts == (("bo_layer_norm.py", "flat"),)


# Strangers' names


def test_hostile_names_are_students_of_their_own(collect: Collect) -> None:
    names = [
        "a\nb",
        "O'Brien",
        "李",
        "Zoe\u0301",
        "Zoé",
        os.fsdecode(b"Jos\xe9"),
        os.fsdecode(b"Jos\xe8"),
        r"Jos\xe9",
        "-rf",
        "$(x)",
        "a::error::b",
    ]
    found = collect(*(f"c/{name}/layer_norm.py" for name in names))
    assert len({each.student for each in found.hand_ins}) == len(names)
    assert {r"Jos\xe9", r"Jos\xe8", r"Jos\\xe9"} <= {each.student for each in found.hand_ins}
    for each in found.hand_ins:
        each.student.encode()
        assert each.origin == f"c/{each.student}/layer_norm.py"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
@given(st.binary(max_size=40), st.data())
def test_no_archive_is_an_error_of_another_kind(tmp_path: Path, content: bytes, data: st.DataObject) -> None:
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name in data.draw(st.lists(st.text("ab/._\\:-() 7é\udce9李", min_size=1, max_size=12), unique=True, max_size=4)):
            archive.writestr(
                name.encode(errors="surrogateescape").decode("latin-1")
                + data.draw(st.sampled_from([".py", ".ipynb", ".zip", "/layer_norm.py"])),
                content,
            )
    raw = bytearray(file.getvalue())
    for place, value in data.draw(st.lists(st.tuples(st.integers(0, len(raw) - 1), st.integers(0, 255)), max_size=3)):
        raw[place] = value
    (tmp_path / "class.zip").write_bytes(raw)
    try:
        found = handed_in([tmp_path / "class.zip"], SLUGS)
    except UsageError:
        return
    assert found.hand_ins or found.left_out
