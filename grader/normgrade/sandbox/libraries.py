"""What a submission may read: Python's own library, NumPy, PyTorch and what they need. Neither a course nor normgrade is among it."""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOTS = ("torch", "numpy")
SYSTEM = (
    "/dev/null", "/dev/urandom", "/proc/cpuinfo", "/sys/devices/system/cpu", "/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo",
)  # fmt: skip
NAME = re.compile(r"[A-Za-z0-9._-]+")


def readable() -> list[Path]:
    """Files and folders to be read with all that is in them, libraries one by one."""
    library = standard()
    entries = {Path(entry) for entry in sys.path if not entry.endswith(("lib-dynload", ".zip"))}
    others = {path for folder in library for path in folder.glob("*-packages")}
    closed = {Path(__file__).parents[1]} | entries - library | others
    found = [path for folder in sorted(library) for path in without(folder, closed)]
    found += [path for folder in sorted(loaded_from()) for path in without(folder, closed | {*folder.glob("python3*")})]
    found += [path for name in sorted(closure(ROOTS)) for path in parts_of(name)]
    return list(dict.fromkeys([*found, *map(Path, SYSTEM)]))


def standard() -> set[Path]:
    """Where Python's own library lies."""
    return {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}


def loaded_from() -> set[Path]:
    """The folders of the system's libraries in use; PyTorch may ask for further ones there."""
    mapped = {Path(line.split(maxsplit=5)[5]) for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
    return {path.parent for path in mapped if "-packages" not in str(path) and path.parent.name != "lib-dynload"}


def without(folder: Path, closed: Collection[Path]) -> Iterator[Path]:
    """The folder, or where something closed is in it, one by one what else is in it."""
    if any(path == folder or path in folder.parents for path in closed):
        return
    if not any(folder in path.parents for path in closed):
        yield folder
        return
    for entry in sorted(folder.iterdir()):
        yield from without(entry, closed)


def closure(names: Iterable[str]) -> set[str]:
    """The distributions of these names that are installed, and all that they need."""
    found: set[str] = set()
    rest = list(names)
    while rest:
        name = rest.pop()
        if name not in found and (installed := find(name)) is not None:
            found.add(name)
            rest += [match[0] for need in installed.requires or () if "extra ==" not in need and (match := NAME.match(need))]
    return found


def find(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def parts_of(name: str) -> Iterator[Path]:
    """The packages and modules of a distribution; of one that keeps no record, those that it names as its own."""
    installed = distribution(name)
    record, names = installed.read_text("RECORD"), installed.read_text("top_level.txt")
    tops = {line.partition("/")[0].partition(",")[0] for line in record.splitlines()} if record else set((names or name).split())
    for top in sorted(tops - {"", "..", "__pycache__"}):
        path = Path(str(installed.locate_file(top)))
        yield path if record or path.exists() else path.with_suffix(".py")
