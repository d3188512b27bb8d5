"""Zip archives of strangers, and the limits of reading."""

from __future__ import annotations

import os
import stat
from io import BytesIO
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest

from normgrade.classes.reading import archive as module
from normgrade.classes.reading.archive import MIB, Budget, Sparing, Spent, TooManyMembers, members, path_of

OUT = "Its path in the archive leads out of the archive: pack it again."


def zipped(*infos: ZipInfo | str, content: bytes = b"x = 1\n", method: int = ZIP_DEFLATED) -> ZipFile:
    file = BytesIO()
    with ZipFile(file, "w", method) as archive:
        for info in infos:
            archive.writestr(info, content, method)
    return ZipFile(file)


def info(name: str, **fields: int) -> ZipInfo:
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
    assert path_of(info(raw.decode("cp437"), create_system=system), with_slashes=True) == path


def test_names_with_the_flag_are_utf_8() -> None:
    assert path_of(info("Zoë/x.py", flag_bits=0x800, create_system=3), with_slashes=True) == "Zoë/x.py"
    assert path_of(info("李/x.py", create_system=3), with_slashes=True) == "李/x.py"  # which an extra field can tell


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (info("a/b.py"), ""),
        (info("a/./b.py"), ""),
        (info("/etc/b.py"), OUT),
        (info("../b.py"), OUT),
        (info("a/../../b.py"), OUT),
        (info("C:/b.py"), OUT),
        (info("c:b.py"), OUT),
        (info("a\\..\\b.py", create_system=0), OUT),
        (info("\\\\host\\b.py", create_system=0), OUT),
        (
            info("b.py", external_attr=(stat.S_IFLNK | 0o777) << 16),
            "It is a symbolic link, and links are not followed: pack the file itself.",
        ),
        (info("b.py", external_attr=(stat.S_IFREG | 0o644) << 16), ""),
    ],
    ids=lambda each: repr(each.filename) if isinstance(each, ZipInfo) else None,
)
def test_members_that_lead_elsewhere_are_refused(given: ZipInfo, why: str) -> None:
    (member,) = members(zipped(given))
    assert member.refusal == why


def test_encrypted_members_are_refused() -> None:
    archive = zipped("b.py")
    archive.infolist()[0].flag_bits |= 1
    assert [member.refusal for member in members(archive)] == ["It is encrypted: pack it again without a password."]


@pytest.mark.parametrize(("method", "refused"), [(ZIP_STORED, False), (ZIP_DEFLATED, False), (ZIP_BZIP2, True)])
def test_methods_that_unpack_without_a_limit_are_refused(method: int, refused: bool) -> None:
    (member,) = members(zipped("b.py", method=method))
    assert member.refusal == ("It is compressed in an unusual way: pack it again as an ordinary zip file." if refused else "")


def test_folders_are_no_members() -> None:
    assert [member.path for member in members(zipped("a/", "a/b.py", info("c\\", create_system=0)))] == ["a/b.py"]


def test_only_the_beginning_of_a_content_is_unpacked() -> None:
    (member,) = members(zipped("b.py", content=bytes(3 * module.PIECE_BYTES)))
    assert len(member.read(10)) == 10
    assert len(member.read(2 * module.PIECE_BYTES + 1)) == 2 * module.PIECE_BYTES + 1
    assert len(member.read(10**9)) == 3 * module.PIECE_BYTES


def test_a_directory_is_only_read_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    file = zipped(*(f"{number}.py" for number in range(100))).fp
    assert isinstance(file, BytesIO)
    content = file.getvalue()
    assert len(ZipFile(Sparing(BytesIO(content))).infolist()) == 100
    monkeypatch.setattr(module, "LIMIT_DIRECTORY_BYTES", 1000)
    with pytest.raises(TooManyMembers):
        ZipFile(Sparing(BytesIO(content)))


def test_backslashes_separate_folders_where_nothing_else_does() -> None:
    both = [info("anna\\hw\\", create_system=3), info("anna\\hw\\x.py", create_system=3), info("x.py", create_system=3)]
    assert [member.path for member in members(zipped(*both))] == ["anna/hw/x.py", "x.py"]
    assert [member.path for member in members(zipped(*both[1:], "bo/y.py"))] == ["anna\\hw\\x.py", "x.py", "bo/y.py"]


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
