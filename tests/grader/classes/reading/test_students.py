"""The names of students, and those that a listing of Gradescope tells."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normgrade.classes.hand_ins import HandIn, LeftOut
from normgrade.classes.reading.students import Submitter, names_of, submitters, submitters_in

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
