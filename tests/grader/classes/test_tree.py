"""The Python files under a path, everything that is left out with a reason, and zip archives of strangers."""

from __future__ import annotations

import json
import os
import stat
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from normgrade.classes import tree as limits
from normgrade.classes import tree as module
from normgrade.classes.hand_ins import LeftOut
from normgrade.classes.tree import MIB, Budget, File, Sparing, Spent, TooManyMembers, Tree, members, path_of, tree_of, trees_of
from normgrade.inspection.source import LIMIT_BYTES
from normgrade.language.errors import UsageError

CELL = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": "x = 1"}]}).encode()
LINK = "It is a symbolic link, which is not read: replace it with the file itself."
TAR = "It is an archive of another kind than zip: unpack it first."
BROKEN = "It cannot be read (it is damaged): ask for it once more."


def zipped(files: dict[str | ZipInfo, bytes | str]) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content, ZIP_DEFLATED)
    return file.getvalue()


def put(folder: Path, files: dict[str, bytes | str]) -> Path:
    """Write files into the folder "class", and return it."""
    for name, content in files.items():
        path = folder / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / "class"


def put_zip(folder: Path, files: dict[str | ZipInfo, bytes | str]) -> Path:
    path = folder / "class.zip"
    path.write_bytes(zipped(files))
    return path


def paths(tree: Tree) -> list[str]:
    return [file.path for file in tree.files]


def read(path: Path) -> Tree:
    return tree_of(path, Budget())


# Files that are read


def test_files_are_read_in_folders_and_archives(tmp_path: Path) -> None:
    inner = zipped({"hw/x.py": "3", "deeper.zip": zipped({"x.py": "4"})})
    found = read(put(tmp_path, {"b/x.py": "1", "a/y.PY": "2", "a/hw.zip": inner, "x.py": ""}))
    assert found.files == [
        File("class/a/hw.zip/deeper.zip/x.py", b"4"),
        File("class/a/hw.zip/hw/x.py", b"3"),
        File("class/a/y.PY", b"2"),
        File("class/b/x.py", b"1"),
        File("class/x.py", b""),
    ]
    assert (found.left_out, found.others) == ([], [])


def test_an_archive_is_a_path(tmp_path: Path) -> None:
    found = read(put_zip(tmp_path, {"a/": "", "a/x.py": "1", "a/hw.zip": zipped({"y.py": "2"})}))
    assert found.files == [File("class.zip/a/hw.zip/y.py", b"2"), File("class.zip/a/x.py", b"1")]


def test_a_single_file_is_a_path(tmp_path: Path) -> None:
    folder = put(tmp_path, {"a/x.py": "1", "b/y.ipynb": CELL})
    assert read(folder / "a" / "x.py").files == [File("a/x.py", b"1")]
    assert read(folder / "b" / "y.ipynb").files == [File("b/y.ipynb", b"# In[1]:\nx = 1\n")]


def test_a_path_may_be_here_or_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(put(tmp_path, {"a/x.py": "1"}) / "a")
    assert [paths(read(Path(path))) for path in (".", "..", "x.py")] == [["a/x.py"], ["class/a/x.py"], ["a/x.py"]]


def test_a_link_as_path_is_followed(tmp_path: Path) -> None:
    put(tmp_path, {"x.py": "1"})
    (tmp_path / "link").symlink_to("class")
    assert paths(read(tmp_path / "link")) == ["link/x.py"]


def through(*names: str) -> list[tuple[list[str], list[LeftOut]]]:
    return [(paths(tree), tree.left_out) for tree in trees_of([Path(name) for name in names], Budget())]


def test_a_link_that_a_pattern_passes_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(put(tmp_path, {"anna/x.py": "1", "bo/hw/x.py": "2"}))
    Path("eve").symlink_to("anna")
    Path("mal").mkdir()
    Path("mal/x.py").symlink_to("../anna/x.py")
    Path("bo/own").symlink_to("../anna")
    why = "Its path leads through a symbolic link: pass the file or the folder itself."
    for name, told in {"eve": "class/eve", "eve/x.py": "eve/x.py", "mal/x.py": "mal/x.py", "bo/own/x.py": "own/x.py"}.items():
        assert through("anna/x.py", name) == [(["anna/x.py"], []), ([], [LeftOut(told, why)])]
    assert through("mal/x.py") == [([], [LeftOut("mal/x.py", why)])]


def test_a_link_above_the_class_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, {"a/x.py": "1", "b/x.py": "2"})
    (tmp_path / "link").symlink_to("class")
    monkeypatch.chdir(tmp_path)
    assert through("link/a", "link/b/x.py") == [(["a/x.py"], []), (["b/x.py"], [])]
    assert through("link") == [(["link/a/x.py", "link/b/x.py"], [])]


def test_long_files_are_read_up_to_the_limit(tmp_path: Path) -> None:
    long = "#" * 10 * LIMIT_BYTES
    found = read(put(tmp_path, {"x.py": long, "hw.zip": zipped({"y.py": long})}))
    assert [len(file.content) for file in found.files] == [LIMIT_BYTES + 1] * 2


def test_notebooks_are_their_code_whatever_their_name(tmp_path: Path) -> None:
    found = read(put(tmp_path, {"a.ipynb": CELL, "b.py": b"\n" + CELL, "c.py": b"{1}", "d.ipynb": b"{"}))
    assert [file.content for file in found.files] == [b"# In[1]:\nx = 1\n", b"# In[1]:\nx = 1\n", b"{1}"]
    why = "The notebook is damaged, since its JSON cannot be read: open it in Jupyter, and save it again."
    assert found.left_out == [LeftOut("class/d.ipynb", why)]


PASSED_OVER = [".git/a.py", "__MACOSX/a.py", "a/__pycache__/b.py", ".ipynb_checkpoints/a.ipynb", "node_modules/a.py", ".venv/b/a.py"]
PASSED_OVER += ["venv/lib/a.py", "lib/site-packages/a.py", "._a.py", ".DS_Store", ".hidden.zip"]


def test_files_of_tools_are_passed_over(tmp_path: Path) -> None:
    folder = put(tmp_path, dict.fromkeys(PASSED_OVER, "x"))
    archive = put_zip(tmp_path, dict.fromkeys(PASSED_OVER, "x"))
    for found in (read(folder), read(archive)):
        assert (found.files, found.left_out, found.others) == ([], [], [])


def test_other_files_are_only_counted(tmp_path: Path) -> None:
    found = read(put(tmp_path, {"a.txt": "", "b/c.docx": "", "hw.zip": zipped({"d.csv": ""})}))
    assert sorted(found.others) == ["class/a.txt", "class/b/c.docx", "class/hw.zip/d.csv"]


def test_only_the_listing_beside_submissions_is_read(tmp_path: Path) -> None:
    name = "submission_metadata.yml"
    found = read(put(tmp_path, {f"hw/{name}": "1", f"hw/submission_7/{name}": "2", "hw/submission_7/a.zip": zipped({f"b/{name}": "3"})}))
    assert found.listings == {"class/hw": b"1"}
    assert sorted(found.others) == [f"class/hw/submission_7/a.zip/b/{name}", f"class/hw/submission_7/{name}"]


def test_names_that_are_not_utf_8_stay_apart(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    for raw in (b"Jos\xe9", b"Jos\xe8", "José".encode(), "Jose\u0301".encode()):
        path = os.path.join(os.fsencode(folder), raw)
        os.makedirs(path)
        with open(os.path.join(path, b"x.py"), "wb") as file:
            file.write(raw)
    found = read(folder)
    assert len(set(paths(found))) == 4
    assert all(os.fsencode(file.path) == b"class/" + file.content + b"/x.py" for file in found.files)


# Files that are left out


def test_special_files_are_left_out(tmp_path: Path) -> None:
    folder = put(tmp_path, {"a/x.py": "1"})
    (folder / "b.py").symlink_to("a/x.py")
    (folder / "c").symlink_to("a")
    (folder / "d.py").symlink_to("nothing")
    os.mkfifo(folder / "e.py")
    found = read(folder)
    assert paths(found) == ["class/a/x.py"]
    pipe = "It is a named pipe, which is not read: replace it with the file itself."
    assert found.left_out == [LeftOut(f"class/{name}", LINK) for name in ("b.py", "c", "d.py")] + [LeftOut("class/e.py", pipe)]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files_are_left_out(tmp_path: Path) -> None:
    folder = put(tmp_path, {"a.py": "1", "b/x.py": "1", "c.py": "1"})
    (folder / "a.py").chmod(0)
    (folder / "b").chmod(0)
    found = read(folder)
    (folder / "b").chmod(0o700)
    why = "It cannot be read because of its permissions: make it readable."
    assert paths(found) == ["class/c.py"] and sorted(each.origin for each in found.left_out) == ["class/a.py", "class/b"]
    assert {each.why for each in found.left_out} == {why}


def test_a_folder_that_cannot_be_listed_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = put(tmp_path, {"a/x.py": "1", "b/x.py": "1"})

    def scandir(path: str) -> object:
        if path.endswith("/a"):
            raise PermissionError(13, "Permission denied")
        return listed(path)

    listed = os.scandir
    monkeypatch.setattr(os, "scandir", scandir)
    found = read(folder)
    assert paths(found) == ["class/b/x.py"]
    assert found.left_out == [LeftOut("class/a", "It cannot be read because of its permissions: make it readable.")]


def test_members_that_lead_elsewhere_are_left_out(tmp_path: Path) -> None:
    link = ZipInfo("link.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    out = "Its path in the archive leads out of the archive: pack it again."
    found = read(put_zip(tmp_path, {"a.py": "1", "/b.py": "2", "../c.py": "3", "C:/d.py": "4", link: "/etc/passwd", ".git/../e.py": "5"}))
    assert paths(found) == ["class.zip/a.py"]
    assert found.left_out == [
        LeftOut("class.zip/b.py", out),
        LeftOut("class.zip/../c.py", out),
        LeftOut("class.zip/C:/d.py", out),
        LeftOut("class.zip/link.py", "It is a symbolic link, and links are not followed: pack the file itself."),
        LeftOut("class.zip/.git/../e.py", out),
    ]


def test_long_names_in_an_archive_are_left_out(tmp_path: Path) -> None:
    found = read(put_zip(tmp_path, {"a" * 256 + ".py": "1", "b/" * 2100 + "x.py": "2", "c.py": "3"}))
    assert paths(found) == ["class.zip/c.py"] and [each.why for each in found.left_out] == ["Its name is too long: shorten it."] * 2


@pytest.mark.parametrize("suffix", ["tar", "tar.gz", "tgz", "7z", "rar", "py.gz", "TAR.BZ2", "xz"])
def test_other_archives_are_left_out(tmp_path: Path, suffix: str) -> None:
    found = read(put(tmp_path, {f"hw.{suffix}": "1", "x.py": "2", "hw.zip": zipped({f"hw.{suffix}": "3"})}))
    assert paths(found) == ["class/x.py"]
    assert found.left_out == [LeftOut(f"class/hw.{suffix}", TAR), LeftOut(f"class/hw.zip/hw.{suffix}", TAR)]


DAMAGED = {
    "empty": b"",
    "two bytes": b"PK",
    "text": b"not a zip",
    "cut off": zipped({"x.py": "1" * 100})[:-30],  # it holds the time, so it is no name of a test
    "only an end": b"PK\5\6" + b"\xff" * 18,
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED.keys())
def test_broken_archives_are_left_out(tmp_path: Path, content: bytes) -> None:
    found = read(put(tmp_path, {"a.zip": content, "b.py": "1"}))
    assert paths(found) == ["class/b.py"] and found.left_out == [LeftOut("class/a.zip", BROKEN)]


def test_a_broken_member_leaves_the_others(tmp_path: Path) -> None:
    content = zipped({"a.py": "x = 1\n" * 50, "b.py": "y = 2\n" * 50})
    start = content.index(b"a.py") + len("a.py")
    found = read(put(tmp_path, {"hw.zip": content[:start] + b"\xff" * 4 + content[start + 4 :]}))
    assert paths(found) == ["class/hw.zip/b.py"] and found.left_out == [LeftOut("class/hw.zip/a.py", BROKEN)]


def test_archives_are_opened_four_deep(tmp_path: Path) -> None:
    content = zipped({"x.py": "1"})
    for _depth in range(4):
        content = zipped({"hw.zip": content, "x.py": "1"})
    found = read(put(tmp_path, {"hw.zip": content}))
    assert [path.count("hw.zip") for path in paths(found)] == [4, 3, 2, 1]
    why = "It lies in 4 archives, one in the other: unpack them first."
    assert found.left_out == [LeftOut("class/hw.zip/hw.zip/hw.zip/hw.zip/hw.zip", why)]


# Limits


def test_bombs_are_unpacked_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LIMIT_ARCHIVE_BYTES", 10**6)
    monkeypatch.setattr(limits, "UNPACKED_INSIDE", 2 * 1024**2)
    bomb = zipped({"x.zip": bytes(10**7), "x.py": "1"})
    many = zipped({f"{number}.py": bytes(10**6) for number in range(50)})
    found = read(put(tmp_path, {"a.zip": bomb, "b.zip": many, "c.py": "1"}))
    assert paths(found) == ["class/a.zip/x.py", "class/c.py"]
    assert found.left_out == [
        LeftOut("class/a.zip/x.zip", "It is an archive of more than 64 MiB in an archive: unpack it first."),
        LeftOut("class/b.zip", "It has more than 2 MiB to unpack, and none of it is read: unpack it, or pass it as a path of its own."),
    ]


def test_one_archive_cannot_use_up_the_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ENTRIES_INSIDE", 10)
    many = zipped({f"{number}.py": "" for number in range(11)})
    nested = zipped({"x.py": "", "y.zip": many})
    found = tree_of(put(tmp_path, {"a.zip": many, "b.zip": nested, "c.py": "1"}), Budget(entries=14))
    why = "It has more than 10 files, and none of it is read: unpack it, or pass it as a path of its own."
    assert paths(found) == ["class/c.py"] and found.left_out == [LeftOut("class/a.zip", why), LeftOut("class/b.zip", why)]


def test_beyond_the_limits_the_rest_is_not_read(tmp_path: Path) -> None:
    why = "It has more than {}, and the rest is not read: pass its parts in several calls."
    archive = put_zip(tmp_path, {f"{number}.py": bytes(1000) for number in range(9)})
    assert tree_of(archive, Budget(entries=8)).left_out == [LeftOut("class.zip", why.format("8 files"))]
    assert len(tree_of(archive, Budget(entries=9)).files) == 9
    found = tree_of(archive, Budget(kept=5000))
    assert len(found.files) == 5 and found.left_out == [LeftOut("class.zip", why.format("0 MiB of Python files"))]
    folder = put(tmp_path, {"a/x.py": "1", "b/x.py": "2"})
    found = tree_of(folder, Budget(entries=3))
    assert paths(found) == ["class/a/x.py"] and found.left_out == [LeftOut("class", why.format("3 files"))]


def test_a_huge_directory_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("normgrade.classes.tree.LIMIT_DIRECTORY_BYTES", 1000)
    found = read(put(tmp_path, {"a.zip": zipped({f"{number}.py": "" for number in range(100)}), "b.py": ""}))
    why = "It has too many files, and none of it is read: unpack it, or pass it as a path of its own."
    assert paths(found) == ["class/b.py"] and found.left_out == [LeftOut("class/a.zip", why)]


# Paths that are none


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nothing", "does not exist: check the name."),
        ("dangling", "is a link to nothing: pass the path of the folder or the file itself."),
        ("pipe.py", "holds no hand-ins: pass a folder, a zip file, a Python file or a notebook."),
        ("x.txt", "holds no hand-ins: pass a folder, a zip file, a Python file or a notebook."),
    ],
)
def test_other_paths_are_refused(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "dangling").symlink_to("nothing")
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "x.txt").touch()
    with pytest.raises(UsageError) as raised:
        read(tmp_path / name)
    assert str(raised.value) == f'"{tmp_path / name}" {why}'


WHOLE = zipped({"Anna Li_7_assignsubmission_file_/x.py": "x = 1\n" * 9, "b/hw.zip": zipped({"y.py": "1", "z.ipynb": CELL}), "c/": ""})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), min_size=1, max_size=6), st.integers(0, len(WHOLE)))
def test_no_damage_of_an_archive_is_an_error(tmp_path: Path, changes: list[tuple[int, int]], end: int) -> None:
    content = bytearray(WHOLE)
    for place, value in changes:
        content[place] = value
    (tmp_path / "class.zip").write_bytes(content[:end] if end % 4 == 0 else content)
    assert isinstance(read(tmp_path / "class.zip"), Tree)


# Zip archives of strangers, and the limits of reading


OUT = "Its path in the archive leads out of the archive: pack it again."


def archive_of(*infos: ZipInfo | str, content: bytes = b"x = 1\n", method: int = ZIP_DEFLATED) -> ZipFile:
    file = BytesIO()
    with ZipFile(file, "w", method) as archive:
        for info in infos:
            archive.writestr(info, content, method)
    return ZipFile(file)


def member(name: str, **fields: int) -> ZipInfo:
    made = ZipInfo(name)
    for field, value in fields.items():
        setattr(made, field, value)
    return made


@pytest.mark.parametrize(
    ("raw", "system", "path"),
    [
        ("Zoë/x.py".encode(), 3, "Zoë/x.py"),
        ("李/x.py".encode(), 3, "李/x.py"),
        (b"Jos\xe9/x.py", 3, os.fsdecode(b"Jos\xe9/x.py")),
        ("李/x.py".encode("gbk"), 3, os.fsdecode("李/x.py".encode("gbk"))),
        (b"Anna\\hw\\x.py", 0, "Anna/hw/x.py"),
        (b"Anna\\hw.py", 3, "Anna\\hw.py"),
    ],
)
def test_names_without_the_flag_keep_their_bytes(raw: bytes, system: int, path: str) -> None:
    assert path_of(member(raw.decode("cp437"), create_system=system), with_slashes=True) == path


def test_names_with_the_flag_are_utf_8() -> None:
    assert path_of(member("Zoë/x.py", flag_bits=0x800, create_system=3), with_slashes=True) == "Zoë/x.py"
    assert path_of(member("李/x.py", create_system=3), with_slashes=True) == "李/x.py"  # which an extra field can tell


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (member("a/b.py"), ""),
        (member("a/./b.py"), ""),
        (member("/etc/b.py"), OUT),
        (member("../b.py"), OUT),
        (member("a/../../b.py"), OUT),
        (member("C:/b.py"), OUT),
        (member("c:b.py"), OUT),
        (member("a\\..\\b.py", create_system=0), OUT),
        (member("\\\\host\\b.py", create_system=0), OUT),
        (
            member("b.py", external_attr=(stat.S_IFLNK | 0o777) << 16),
            "It is a symbolic link, and links are not followed: pack the file itself.",
        ),
        (member("b.py", external_attr=(stat.S_IFREG | 0o644) << 16), ""),
    ],
    ids=lambda each: repr(each.filename) if isinstance(each, ZipInfo) else None,
)
def test_members_that_lead_elsewhere_are_refused(given: ZipInfo, why: str) -> None:
    (found,) = members(archive_of(given))
    assert found.refusal == why


def test_encrypted_members_are_refused() -> None:
    archive = archive_of("b.py")
    archive.infolist()[0].flag_bits |= 1
    assert [found.refusal for found in members(archive)] == ["It is encrypted: pack it again without a password."]


@pytest.mark.parametrize(("method", "refused"), [(ZIP_STORED, False), (ZIP_DEFLATED, False), (ZIP_BZIP2, True)])
def test_methods_that_unpack_without_a_limit_are_refused(method: int, refused: bool) -> None:
    (found,) = members(archive_of("b.py", method=method))
    assert found.refusal == ("It is compressed in an unusual way: pack it again as an ordinary zip file." if refused else "")


def test_folders_are_no_members() -> None:
    assert [found.path for found in members(archive_of("a/", "a/b.py", member("c\\", create_system=0)))] == ["a/b.py"]


def test_only_the_beginning_of_a_content_is_unpacked() -> None:
    (found,) = members(archive_of("b.py", content=bytes(3 * module.PIECE_BYTES)))
    assert len(found.read(10)) == 10
    assert len(found.read(2 * module.PIECE_BYTES + 1)) == 2 * module.PIECE_BYTES + 1
    assert len(found.read(10**9)) == 3 * module.PIECE_BYTES


def test_a_directory_is_only_read_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    file = archive_of(*(f"{number}.py" for number in range(100))).fp
    assert isinstance(file, BytesIO)
    content = file.getvalue()
    assert len(ZipFile(Sparing(BytesIO(content))).infolist()) == 100
    monkeypatch.setattr(module, "LIMIT_DIRECTORY_BYTES", 1000)
    with pytest.raises(TooManyMembers):
        ZipFile(Sparing(BytesIO(content)))


def test_backslashes_separate_folders_where_nothing_else_does() -> None:
    both = [member("anna\\hw\\", create_system=3), member("anna\\hw\\x.py", create_system=3), member("x.py", create_system=3)]
    assert [found.path for found in members(archive_of(*both))] == ["anna/hw/x.py", "x.py"]
    assert [found.path for found in members(archive_of(*both[1:], "bo/y.py"))] == ["anna\\hw\\x.py", "x.py", "bo/y.py"]


# Limits


def test_each_limit_is_named() -> None:
    with pytest.raises(Spent, match=r"^more than 3 files$"):
        Budget(entries=3).enter(4)
    with pytest.raises(Spent, match=r"^more than 2 MiB of Python files$"):
        Budget(kept=2 * MIB).keep(2 * MIB + 1)
    with pytest.raises(Spent, match=r"^more than 512 MiB to unpack$"):
        Budget().inside().unpack(512 * MIB + 1)


def test_limits_count_everything_together() -> None:
    budget = Budget(entries=3, kept=3)
    budget.enter(2)
    budget.keep(3)
    with pytest.raises(Spent):
        budget.enter(2)
    with pytest.raises(Spent):
        budget.keep(1)


def test_a_whole_call_may_unpack_any_number_of_bytes() -> None:
    budget = Budget()
    budget.unpack(10**15)
    assert budget.is_whole and not budget.inside().is_whole


def test_an_archive_inside_counts_when_it_is_taken() -> None:
    budget = Budget(entries=100, kept=100)
    own = budget.inside()
    own.enter(60)
    own.keep(70)
    assert (budget.entries, budget.kept) == (100, 100)
    budget.charge(own)
    assert (budget.entries, budget.kept) == (40, 30)
