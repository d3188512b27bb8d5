"""The choice among several files of one student."""

from __future__ import annotations

from normgrade.classes.hand_ins import LeftOut
from normgrade.classes.reading.choosing import Candidate, Choice, choice
from normgrade.classes.reading.file_names import Rank, Told
from normgrade.classes.reading.layouts import Place
from normgrade.classes.reading.students import Person
from normgrade.classes.reading.tree import File


def candidate(path: str, content: bytes = b"", rank: Rank = Rank.NAME, tree: int = 0, attempt: int = 1, number: int = 0) -> Candidate:
    return Candidate(Person("Anna"), File(path, content), Told("layer_norm", rank, attempt), Place("Anna", path, number=number), tree)


WORST_FIRST = [
    candidate("1", rank=Rank.ANY, tree=9, attempt=9, number=9),
    candidate("2", rank=Rank.PART, tree=9, attempt=9, number=9),
    candidate("3", rank=Rank.FOLDER, tree=9, attempt=9, number=9),
    candidate("4", tree=0, attempt=9, number=9),
    candidate("5", tree=1, attempt=1, number=9),
    candidate("6", tree=1, attempt=2, number=1),
    candidate("7", tree=1, attempt=2, number=2),
]


def test_name_goes_before_path_attempt_and_upload() -> None:
    for number in range(1, len(WORST_FIRST) + 1):
        several = WORST_FIRST[:number]
        assert choice(several[::-1]) == Choice(several[-1], tuple(several[:-1][::-1]), ())


def test_equal_files_are_one() -> None:
    several = [candidate("1", b"x"), candidate("2", b"x")]
    assert choice(several) == Choice(several[0], (), ())


def test_of_different_files_none_counts() -> None:
    several = [candidate(name, name.encode()) for name in ("c/a\n.py", "c/b.py", "c/c.py", "c/d.py")]
    why = "4 files for layer_norm: c/a·.py, c/b.py and c/c.py. Keep one of them."
    old = candidate("old", attempt=1, rank=Rank.PART)
    assert choice([old, *several]) == Choice(None, (old,), tuple(LeftOut(each.file.path, why) for each in several))
