"""The names of students, those that a listing of Gradescope tells, and the roster of a class."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normgrade.classes.hand_ins import HandIn, LeftOut
from normgrade.classes.students import Roster, Submitter, names_of, read_roster, submitters, submitters_in
from normgrade.language.errors import UsageError

IDS = st.sampled_from(["", "7", "8", "9) (7"])
STUDENTS = st.tuples(st.sampled_from(["A", "A (7)", "A (7) (7)", "Participant", "B\\", "B\udce9"]), IDS, st.just("0 class"))


def named(*students: tuple[str, ...], shared: Sequence[str] = ()) -> list[str]:
    """Return the names of students, each given by name, id, and the folder in which the id is the only one."""
    hand_ins = [HandIn(name, "", "", b"", id, among=among[0] if among else "") for name, id, *among in students]
    return list(names_of(hand_ins, shared).values())


def test_a_name_needs_no_id() -> None:
    assert named(("Anna Li", "7"), ("Bo", "8")) == ["Anna Li", "Bo"]


def test_two_people_of_one_name_are_told_by_id() -> None:
    assert named(("Anna Li", "8"), ("Anna Li", "7")) == ["Anna Li (7)", "Anna Li (8)"]


def test_one_person_has_other_ids_in_other_assignments() -> None:
    assert set(named(("Anna Li", "7", "0 hw1"), ("Anna Li", "1043", "1 hw2"))) == {"Anna Li"}


def test_a_name_shared_on_the_roster_has_its_id() -> None:
    assert named(("Anna Li", "7"), ("Bo", "8"), ("Cy", ""), shared=["Anna Li", "Cy"]) == ["Anna Li (7)", "Bo", "Cy"]


def test_participants_are_told_by_number() -> None:
    assert named(("Participant", "7", "0 hw1"), ("Participant", "8", "1 hw2")) == ["Participant 7", "Participant 8"]


@settings(deadline=None)
@given(st.lists(STUDENTS))
def test_two_people_never_have_one_name(students: list[tuple[str, ...]]) -> None:
    assert len(set(named(*students))) == len(set(students))


# The listing of Gradescope

LISTING = """\
submission_12:
  :submitters:
  - :name: Anna Li
    :sid: 314
    :email: anna@example.org
  :created_at: 2026-11-02 10:00:00.5 Z
  :score: !ruby/object:BigDecimal 18:0.7e1
  :results:
    :tests: &tests
    - !ruby/hash:Hash
      :name: "\\e[31mtest"
submission_13:
  :submitters:
  - :name: 李 Bo
    :email: bo@example.org
  - :name: "Zo\\xeb"
    :sid: '0315'
    :email:
  :results: *tests
submission_14:
  :submitters: []
"""
BOTH = {
    "submission_12": (Submitter("Anna Li", "314", "anna@example.org"),),
    "submission_13": (Submitter("李 Bo", "bo@example.org", "bo@example.org"), Submitter("Zoë", "0315")),
    "submission_14": (),
}
DAMAGED = "It is damaged, so the students have no names: download it from Gradescope again."


@pytest.fixture
def reader() -> None:
    pytest.importorskip("yaml", reason='PyYAML reads the listing and is not installed: pip install -e ".[dev]" -c constraints.txt')


@pytest.mark.usefixtures("reader")
def test_each_submission_has_its_students() -> None:
    assert submitters(LISTING.encode()) == BOTH


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("entry", ["7", "{}", "{':submitters': 7}", "{':submitters': [7, {}, {':name': ' '}]}"])
def test_an_entry_of_another_form_names_nobody(entry: str) -> None:
    assert submitters(f"submission_1: {entry}".encode()) == {"submission_1": ()}


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "listing", [b"", b"7", b"- a", b"a: [", b"a: *b", b"\xff\xfe\x00", b"[" * 2000, b"? {a: b}\n: c", b"a: !!python/object:os.system x"]
)
def test_a_damaged_listing_names_nobody(listing: bytes) -> None:
    found = submitters_in({"class": listing})
    assert found == ({}, [LeftOut("class/submission_metadata.yml", DAMAGED)])


@pytest.mark.usefixtures("reader")
def test_nothing_of_python_is_made() -> None:
    found = submitters(b"submission_1:\n  :submitters:\n  - :name: !!python/object/apply:os.getcwd []\n")
    assert found == DAMAGED


@pytest.mark.usefixtures("reader")
def test_submissions_are_found_by_their_folder() -> None:
    found, _left_out = submitters_in({"class.zip/hw1": LISTING.encode(), "class.zip/hw2": b"submission_12: {}"})
    assert found["class.zip/hw1/submission_12"] == BOTH["submission_12"] and found["class.zip/hw2/submission_12"] == ()


def test_without_pyyaml_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    why = "It tells the names of the students, and PyYAML is needed to read it: `pip install 'normgrade[classes]'`."
    assert submitters_in({"class": LISTING.encode()}) == ({}, [LeftOut("class/submission_metadata.yml", why)])


# The roster


PLAIN = "login,email,name\nanna,anna@example.org,Anna Li\nbo,bo@example.org,Bo Wu\n"
MOODLE = (
    "Identifier,Full name,Email address,Status,Grade,Maximum grade,Last modified (grade)\n"
    "Participant 12345,Anna Li,anna@example.org,Submitted,7,10,-\nParticipant 7,Bo Wu,bo@example.org,No submission,,10,-\n"
)
GERMAN = "\ufeffID;Vollständiger Name;Status\nTeilnehmer/in 12345;Anna Li;-\nTeilnehmer/in 7;Jörg Maß;-\n"
BLIND = "Identifier,Status,Grade\nParticipant 12345,No submission,\nParticipant 7,No submission,\n"
CANVAS = (
    "Student,ID,SIS Login ID,Section,Homework 3 (991)\n,,,,Manual Posting\n    Points Possible,,,,10\n"
    '"Li, Anna",501,anna1,A,7\n"Wu, Bo",502,bo2,A,\n"Student, Test",503,,A,\n'
)
GITHUB = '"identifier","github_username","github_id","name"\n"Anna Li","anna-li","1","NAME"\n"","bobray","2",""\n'
HALVES = "Last name\tFirst name\tNumber\nLi\tAnna\t0012\nWu\tBo\t0013\n"


def read(folder: Path, text: str | bytes) -> Roster:
    path = folder / "roster.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_roster(path)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (PLAIN, ["Anna Li", "Bo Wu"]),
        (MOODLE, ["Anna Li", "Bo Wu"]),
        (GERMAN, ["Anna Li", "Jörg Maß"]),
        (GERMAN.removeprefix("\ufeff").encode("latin-1"), ["Anna Li", "Jörg Maß"]),
        (BLIND, ["Participant 12345", "Participant 7"]),
        (CANVAS, ["Li, Anna", "Wu, Bo"]),
        (HALVES, ["Anna Li", "Bo Wu"]),
        ("sep=;\nname;id\nAnna Li;0047\n", ["Anna Li"]),
        (GITHUB.replace("NAME", ""), ["Anna Li", "bobray"]),
        (GITHUB.replace("NAME", "Anna B. Li"), ["Anna B. Li", "bobray"]),
        ("last name,first name,email\n,,a@b.org\nLi,,\n", ["a@b.org", "Li"]),
        ("name,room\n,7\n", ["7"]),
        ("who\r\nanna\r\n\r\nbo\r\n", ["anna", "bo"]),
        ("姓名,学号\n李,1\n王,2\n", ["李", "王"]),
        ("no,mail\n1,a@b.org\n2,c@d.org\n", ["1", "2"]),
        ("name,id\nAnna Li,7\nAnna Li,8\nBo,9\n", ["Anna Li (7)", "Anna Li (8)", "Bo"]),
        ("name,mail\nAnna Li,a@b.org\nAnna Li,c@d.org\n", ["Anna Li (a@b.org)", "Anna Li (c@d.org)"]),
    ],
)
def test_every_kind_of_list_names_the_students(tmp_path: Path, text: str | bytes, names: list[str]) -> None:
    assert [row.name for row in read(tmp_path, text).rows] == names


@pytest.mark.parametrize(
    ("text", "known", "name"),
    [
        (PLAIN, ["ANNA"], "Anna Li"),
        (PLAIN, ["Anna@Example.org"], "Anna Li"),
        (PLAIN, ["", "anna  li"], "Anna Li"),
        (PLAIN, ["lianna"], None),
        (PLAIN, ["annali"], "Anna Li"),
        (PLAIN, ["", " "], None),
        (MOODLE, ["12345", "Somebody"], "Anna Li"),
        (MOODLE, ["7", "Somebody"], "Bo Wu"),
        (MOODLE, ["Participant 12345"], "Anna Li"),
        (GERMAN, ["12345"], "Anna Li"),
        (BLIND, ["7"], "Participant 7"),
        (CANVAS, ["501", "x"], "Li, Anna"),
        (CANVAS, ["", "lianna"], "Li, Anna"),
        (CANVAS, ["", "bo2"], "Wu, Bo"),
        (CANVAS, ["", "A"], None),
        (CANVAS, ["503"], None),
        (HALVES, ["", "Anna Li"], "Anna Li"),
        (HALVES, ["", "Li Anna"], "Anna Li"),
        (HALVES, ["", "lianna"], "Anna Li"),
        (HALVES, ["12"], None),
        ("name,id\nAnna Li,7\nAnna Li,8\n", ["8", "Anna Li"], "Anna Li (8)"),
        ("name,id\nAnna Li,7\nAnna Li,8\n", ["", "Anna Li"], None),
    ],
)
def test_a_text_of_only_one_row_finds_it(tmp_path: Path, text: str, known: list[str], name: str | None) -> None:
    found = read(tmp_path, text).row_of(*known)
    assert (found.name if found else None) == name


def test_names_of_several_students_are_known(tmp_path: Path) -> None:
    assert read(tmp_path, "name,id\nAnna Li,7\nAnna Li,8\nBo,9\n").shared == {"Anna Li"}


@pytest.mark.parametrize("text", ["", "name,id\n", "name,id\n,\n"])
def test_a_file_without_students_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError) as raised:
        read(tmp_path, text)
    assert str(raised.value) == (
        f'The roster "{tmp_path / "roster.csv"}" lists no student: it needs a row of titles, and a row for each student.'
    )


@settings(deadline=None)
@given(content=st.binary(max_size=60) | st.text(',;\t"\n aé1@', max_size=60).map(str.encode))
def test_no_file_is_too_strange(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    try:
        roster = read(tmp_path_factory.getbasetemp(), content)
    except UsageError:
        return
    assert roster.rows and roster.row_of("a") in (None, *roster.rows)


def test_rows_without_a_name_are_counted(tmp_path: Path) -> None:
    roster = read(tmp_path, GITHUB.replace("NAME", "Anna Li"))
    assert roster.nameless == 1
    found = roster.row_of("", "bobray", "")
    assert found is not None and found.name == "bobray"
