"""Submissions as people really write them, wrong in several ways at once: their deviations, and the repair of each.

Each exercise has a folder with the submissions and a table, `deviations.toml`, in which an entry stands under the name of its file.
An entry has the `name` of a mistake, as in mistakes.toml; if no such mistake is known, it has `says`.
It has a `repair`, a list of [line, column, old text, new text] with line and column from 1.
A file with all repairs is right; with all but one it is wrong in that one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from normgrade.report.report import HALF_PRECISION, OTHER_DTYPE, WIDER_RETURNED

FOLDER = Path(__file__).parents[1] / "wild"
Repair = tuple[int, int, str, str]  # line and column from 1, the text there, and the right text
WIDER = """float32-returned returned-in-float32 output-in-float32 output-stays-float32 dtype-not-restored half-precision-not-restored
widened-by-the-weight widened-by-the-parameters"""
AS_WELL = {  # by finding: the mistakes that it explains as well
    HALF_PRECISION: {"no-upcast", "narrow-squares", "half-precision-statistics"},
    WIDER_RETURNED: {*WIDER.split()},
    OTHER_DTYPE: {*WIDER.split(), "results-in-float64"},
}


@dataclass(frozen=True, slots=True)
class Deviation:
    """One way in which a submission is wrong.

    name: its name in a perfect diagnosis; "" if no mistake of that kind is known.
    says: its description, if it has no name.
    """

    name: str
    says: str
    repairs: tuple[Repair, ...]

    @property
    def lines(self) -> set[int]:
        """The numbers of its lines."""
        return {line + number for line, _column, old, _new in self.repairs for number in range(old.count("\n") + 1)}


@dataclass(frozen=True, slots=True)
class Wild:
    """A wrong submission."""

    slug: str
    name: str
    deviations: tuple[Deviation, ...]

    @property
    def path(self) -> Path:
        return FOLDER / self.slug / f"{self.name}.py"

    @property
    def source(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def names(self) -> set[str]:
        """The names that a perfect diagnosis has."""
        return {deviation.name for deviation in self.deviations if deviation.name}

    def named_by(self, said: Collection[str]) -> set[str]:
        """Return the names of its mistakes that are `said`, or that a `said` finding explains as well."""
        return self.names & {*said}.union(*(AS_WELL.get(name, ()) for name in said))

    def mended(self, *kept: Deviation) -> str:
        """Return the source with all deviations repaired except for the `kept` ones."""
        return repaired(self.source, [repair for each in self.deviations if each not in kept for repair in each.repairs])


def repaired(source: str, repairs: Collection[Repair]) -> str:
    """Return the source with all repairs made. Two insertions at one place keep their order and come before a replacement there.

    Raise ValueError if the old text of a repair is not at its place.
    """
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    placed = [(starts[line - 1] + column - 1, old, new) for line, column, old, new in repairs]
    for at, old, new in sorted(placed, key=lambda each: (each[0], bool(each[1])))[::-1]:
        if source[at : at + len(old)] != old:
            raise ValueError(f"{old!r} does not stand at character {at}")
        source = source[:at] + new + source[at + len(old) :]
    return source


def wild_submissions() -> Iterator[Wild]:
    for table in sorted(FOLDER.glob("*/deviations.toml")):
        for name, entries in tomllib.loads(table.read_text(encoding="utf-8")).items():
            yield Wild(table.parent.name, name, tuple(map(deviation, entries)))


def deviation(entry: dict[str, object]) -> Deviation:
    name, says, repairs = entry.get("name", ""), entry.get("says", ""), entry["repair"]
    if not (isinstance(name, str) and isinstance(says, str) and isinstance(repairs, list)) or bool(name) == bool(says):
        raise ValueError(f"a deviation has a name or says what it is, and has repairs: {entry}")
    return Deviation(name, says, tuple((line, column, old, new) for line, column, old, new in repairs))
