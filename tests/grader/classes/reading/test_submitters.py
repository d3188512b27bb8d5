"""The students that a listing of Gradescope names."""

from __future__ import annotations

import sys

import pytest

from normgrade.classes.hand_ins import LeftOut
from normgrade.classes.reading.submitters import Listed, Submitter, listed_in, submitters

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
    found = listed_in({"class": listing})
    assert found == Listed({}, (LeftOut("class/submission_metadata.yml", DAMAGED),))


@pytest.mark.usefixtures("reader")
def test_nothing_of_python_is_made() -> None:
    found = submitters(b"submission_1:\n  :submitters:\n  - :name: !!python/object/apply:os.getcwd []\n")
    assert found == DAMAGED


@pytest.mark.usefixtures("reader")
def test_submissions_are_found_by_their_folder() -> None:
    found = listed_in({"class.zip/hw1": LISTING.encode(), "class.zip/hw2": b"submission_12: {}"})
    assert (
        found.submitters["class.zip/hw1/submission_12"] == BOTH["submission_12"] and found.submitters["class.zip/hw2/submission_12"] == ()
    )


def test_without_pyyaml_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    why = "It tells the names of the students, and PyYAML is needed to read it: `pip install 'normgrade[classes]'`."
    assert listed_in({"class": LISTING.encode()}).left_out == (LeftOut("class/submission_metadata.yml", why),)
