"""The names of students."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from normgrade.classes.reading.students import Person, names_of

IDS = st.sampled_from(["", "7", "8", "9) (7"])
PEOPLE = st.builds(Person, st.sampled_from(["A", "A (7)", "A (7) (7)", "Participant", "B\\", "B\udce9"]), IDS, st.just("0 class"))


def test_a_name_needs_no_id() -> None:
    assert list(names_of([Person("Anna Li", "7"), Person("Bo", "8")]).values()) == ["Anna Li", "Bo"]


def test_two_people_of_one_name_are_told_by_id() -> None:
    assert list(names_of([Person("Anna Li", "8"), Person("Anna Li", "7")]).values()) == ["Anna Li (7)", "Anna Li (8)"]


def test_one_person_has_other_ids_in_other_assignments() -> None:
    assert set(names_of([Person("Anna Li", "7", "0 hw1"), Person("Anna Li", "1043", "1 hw2")]).values()) == {"Anna Li"}


def test_a_name_shared_on_the_roster_has_its_id() -> None:
    named = names_of([Person("Anna Li", "7"), Person("Bo", "8"), Person("Cy")], ["Anna Li", "Cy"])
    assert list(named.values()) == ["Anna Li (7)", "Bo", "Cy"]


def test_participants_are_told_by_number() -> None:
    assert list(names_of([Person("Participant", "7", "0 hw1"), Person("Participant", "8", "1 hw2")]).values()) == [
        "Participant 7",
        "Participant 8",
    ]


@settings(deadline=None)
@given(st.lists(PEOPLE))
def test_two_people_never_have_one_name(people: list[Person]) -> None:
    named = names_of(people)
    assert len(set(named.values())) == len(set(people))
