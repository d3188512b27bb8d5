"""The files that a submission may read: Python's own library, NumPy, PyTorch and dependencies; no course, and no file of normgrade."""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from normgrade.course.package import PACKAGE

ROOTS = ("torch", "numpy")
SYSTEM = (
    "/dev/null", "/dev/urandom", "/proc/cpuinfo", "/sys/devices/system/cpu", "/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo",
)  # fmt: skip
NAME = re.compile(r"[A-Za-z0-9._-]+")
SHARED = re.compile(r".+\.so(\.\d\w*)*")  # the name of a shared library, with its version or without
OF_THE_SYSTEM = re.compile(r"(/usr)?/lib(32|64|x32)?(/|$)")  # folders for the libraries of the system's packages; users keep no files there


def readable(roots: Iterable[str] = ROOTS) -> list[Path]:
    """Return the files and folders that may be read. A folder includes everything in it; shared libraries are listed one by one.

    From outside of Python's own library, these are the libraries in `roots` and everything that they need.
    """
    library = standard()
    entries = {Path(entry) for entry in sys.path if not entry.endswith(("lib-dynload", ".zip"))}
    others = {path for folder in library for path in folder.glob("*-packages")}
    closed = {PACKAGE} | entries - library | others
    found = [path for folder in sorted(library) for path in without(folder, closed)]
    for folder in sorted(loaded_from()):
        whole = of_the_system(folder)
        found += without(folder, closed | {*folder.glob("python3*")}) if whole else filter(is_library, sorted(folder.iterdir()))
    found += [path for name in sorted(closure(roots)) for path in parts_of(name)]
    return list(dict.fromkeys([*found, *map(Path, SYSTEM)]))


def leading_to(paths: Iterable[Path]) -> set[Path]:
    """Return the folders on the way to these files and folders. Many lie in the same folder, whose own parents are added once."""
    folders = {path.parent for path in paths}
    return folders.union(*(folder.parents for folder in folders))


def standard() -> set[Path]:
    """Return the folders of Python's own library."""
    return {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}


def loaded_from() -> set[Path]:
    """Return the folders of shared libraries in use that no Python package has installed. PyTorch may load further ones from there."""
    mapped = {Path(line.split(maxsplit=5)[5]) for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
    libraries = {path for path in mapped if SHARED.fullmatch(path.name)}
    return {path.parent for path in libraries if "-packages" not in str(path) and path.parent.name != "lib-dynload"}


def of_the_system(folder: Path) -> bool:
    """Return True if this folder holds libraries of the system's packages."""
    return OF_THE_SYSTEM.match(str(folder)) is not None


def is_library(path: Path) -> bool:
    """Return True for a shared library, by its name and its content. For a link, the name of its target counts too."""
    if not (SHARED.fullmatch(path.name) and SHARED.fullmatch(path.resolve().name) and path.is_file()):
        return False
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def neighbours(allowed: Collection[Path]) -> list[Path]:
    """Return one file that may not be read, if there is any, for each folder of libraries outside the system's."""
    known = {*allowed} | leading_to(allowed)
    beside = [sorted({*folder.iterdir()} - known) for folder in sorted(loaded_from()) if not of_the_system(folder)]
    return [found[0] for found in beside if found]


def without(folder: Path, closed: Collection[Path]) -> Iterator[Path]:
    """Yield the folder, or the open parts of it if something closed is in it; nothing if the folder is closed itself."""
    on_the_way = leading_to(closed)

    def parts(path: Path) -> Iterator[Path]:
        if path not in on_the_way:
            yield path
            return
        for entry in sorted(path.iterdir()):
            if entry not in closed:
                yield from parts(entry)

    return parts(folder) if {folder, *folder.parents}.isdisjoint(closed) else iter(())


def closure(names: Iterable[str]) -> set[str]:
    """Return the installed distributions of these names, and everything that they need."""
    found: set[str] = set()
    rest = list(names)
    while rest:
        name = rest.pop()
        with suppress(PackageNotFoundError):
            needs = distribution(name).requires or () if name not in found else ()
            found.add(name)
            rest += [match[0] for need in needs if "extra ==" not in need and (match := NAME.match(need))]
    return found


def parts_of(name: str) -> Iterator[Path]:
    """Yield the packages and modules of a distribution, with the shared libraries that came in its wheel."""
    installed = distribution(name)
    if named := installed.read_text("top_level.txt"):
        tops = {*named.split(), *(f"{module}.py" for module in named.split()), f"{name}.libs"}
    else:
        tops = {line.partition("/")[0].partition(",")[0] for line in (installed.read_text("RECORD") or name).splitlines()}
    described_in = getattr(installed, "_path", None)  # `importlib.metadata.version` reads it
    for path in [described_in, *(Path(str(installed.locate_file(top))) for top in sorted(tops - {"", "..", "__pycache__"}))]:
        if isinstance(path, Path) and path.exists():
            yield path
