"""Tests of the files that a submission may read: libraries, and nothing of the course or of normgrade."""

from __future__ import annotations

from pathlib import Path

import pytest

from normgrade.course.package import PACKAGE, carried
from normgrade.worker.walls import libraries


def test_only_libraries_are_readable() -> None:
    readable = libraries.readable()
    secret = [
        carried(),
        carried() / "solutions",
        carried() / "tests" / "hidden",
        PACKAGE,
        PACKAGE / "worker" / "launch.py",
        Path(__file__),
    ]
    for path in readable:
        assert not any(path == hidden or path in hidden.parents for hidden in secret), path
        assert path.name not in ("normgrade", "pytest", "_pytest", "hypothesis", "site-packages", "dist-packages"), path
    names = {path.name for path in readable}
    assert {"torch", "numpy", "sympy", "typing_extensions.py", "json", "lib-dynload"} <= names


def test_folders_above_the_paths_are_found() -> None:
    found = libraries.leading_to([Path("/a/b/c"), Path("/a/b/d"), Path("/a/e"), Path("/")])
    assert found == {Path("/"), Path("/a"), Path("/a/b")}


def test_folder_with_a_closed_part_is_listed_by_entry(tmp_path: Path) -> None:
    for name in ("a/b/c", "a/secret/x", "d"):
        (tmp_path / name).mkdir(parents=True)
    found = list(libraries.without(tmp_path, [tmp_path / "a" / "secret"]))
    assert found == [tmp_path / "a" / "b", tmp_path / "d"]
    assert list(libraries.without(tmp_path / "d", [tmp_path / "a" / "secret"])) == [tmp_path / "d"]
    assert list(libraries.without(tmp_path / "a" / "secret", [tmp_path / "a"])) == []


@pytest.mark.parametrize("name", ["libx.so", "libx.so.1", "libx-0.3.so.0.3.21", "libcrypto.so.1.0.2k"])
def test_library_is_recognised_by_name_and_content(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"\x7fELF and more")
    assert libraries.is_library(tmp_path / name)
    (tmp_path / "link.so").symlink_to(name)
    assert libraries.is_library(tmp_path / "link.so")
    for other, content in ((name, b"a script of the linker"), (f"{name}.txt", b"\x7fELF"), ("libx.sold", b"\x7fELF"), ("so", b"\x7fELF")):
        (tmp_path / other).write_bytes(content)
        assert not libraries.is_library(tmp_path / other), other


@pytest.mark.parametrize(
    ("folder", "whole"),
    [
        ("/lib", 1),
        ("/lib64", 1),
        ("/usr/lib/x86_64-linux-gnu", 1),
        ("/usr/lib32/a", 1),
        ("/usr/local/lib", 0),
        ("/home/lib", 0),
        ("/library", 0),
    ],
)
def test_the_folders_of_the_system_are_known(folder: str, whole: int) -> None:
    assert libraries.of_the_system(Path(folder)) == bool(whole)


def test_dependencies_of_a_distribution_are_found() -> None:
    found = libraries.closure(["torch"])
    assert {"torch", "sympy", "mpmath"} <= found and "pytest" not in found
    assert libraries.closure(["no-such-distribution"]) == set()


def test_distribution_has_packages_and_metadata() -> None:
    names = {path.name for path in libraries.parts_of("numpy")}
    assert "numpy" in names and any(name.endswith(".dist-info") for name in names)


def test_one_neighbour_of_each_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("lib.so", "b.txt", "a.txt"):
        (tmp_path / name).touch()
    monkeypatch.setattr(libraries, "loaded_from", lambda: {tmp_path, Path("/usr/lib")})
    assert libraries.neighbours([tmp_path / "lib.so"]) == [tmp_path / "a.txt"]
    assert libraries.neighbours([tmp_path / name for name in ("lib.so", "a.txt", "b.txt")]) == []
