"""Targets of attacks: folders with secrets in them, restored before every attack."""

import hashlib
import os
import platform
import random
import secrets
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from normgrade.inspection.source import LIMIT_BYTES

Status = dict[str, Any]
STATEMENT = b"x = 1\n"
STARS = "\n".join(f"from m{number} import *" for number in range(1800))
READS = "; ".join(["x"] * 5000)


class Place:
    """Folders with secrets, all owned by the user and restored before every attack."""

    def __init__(self, base: Path, course: Path, secret: str) -> None:
        self.secret, self.won, self.mark = secret, f"gained-{secrets.token_hex(16)}", str(random.randrange(10**6, 10**7))
        self.course, self.folder, self.workspace, self.cache = (base / name for name in ("course", "folder", "workspace", "cache"))
        self.right = base / "right" / "rms.py"
        self.submission = self.workspace / "rms.py"
        self.link = base / "link"
        shutil.copytree(course, self.course, ignore=shutil.ignore_patterns("__pycache__"))
        suite = self.course / "tests/hidden/test_rms.py"
        suite.write_text(
            suite.read_text(encoding="utf-8").replace('claim("interface"', 'claim("edge"'), encoding="utf-8"
        )  # so that no check is skipped
        for name in ("tests/hidden/test_rms.py", "solutions/rms/reference.py", "solutions/rms/mistakes.toml"):
            with (self.course / name).open("a", encoding="utf-8") as file:
                file.write(f"\n# {secret}\n")
        self.right.parent.mkdir()
        self.link.symlink_to(f"/nowhere/{secret}")
        self.put_right()
        kept = self.cache / "ab" / ("ab" + "0" * 62)
        kept.parent.mkdir(parents=True)
        kept.write_bytes(hashlib.sha256(secret.encode()).digest() + secret.encode())
        self.cached: dict[Path, str] = {}  # digests of files that the grader itself wrote
        self.kept: dict[Path, dict[str, Status]] = {}
        self.copies: dict[Path, dict[Path, tuple[int, int, bytes]]] = {}

    def put_right(self) -> None:
        shutil.copy(self.course / "solutions/rms/reference.py", self.right)

    def fresh(self, submission: bytes) -> None:
        """Restore the folder and the workspace, put this submission there, and remember the contents of the course and the cache."""
        for folder in (self.folder, self.workspace):
            remove(folder)
            (folder / "inner").mkdir(parents=True)
            for name in ("canary.txt", "notes.txt", "inner/notes.txt"):
                (folder / name).write_text(f"{name}: {self.secret}\n" * 200, encoding="utf-8")
        self.submission.write_bytes(submission)
        self.kept = {folder: state(folder) for folder in self.folders}
        self.copies = {folder: contents(folder) for folder in (self.course, self.cache)}
        self.cached.clear()

    @property
    def folders(self) -> tuple[Path, ...]:
        return self.folder, self.workspace, self.cache, self.course

    def changed(self) -> list[str]:
        return [f"{folder.name}: {name}" for folder in self.folders for name in self.differences(folder)]

    def differences(self, folder: Path) -> list[str]:
        before, after = self.kept[folder], state(folder)
        names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        return [name for name in names if folder != self.cache or not self.own(name, before, after)]

    def own(self, name: str, before: Mapping[str, Status], after: Mapping[str, Status]) -> bool:
        """Return True if the grader made this change in the cache: it wrote this expectation, or an expectation below this folder."""
        now, path = after.get(name), self.cache / name
        if now is not None and now["kind"] == "folder":
            within = any(path in (written, *written.parents) for written in self.cached)
            return within and (name not in before or before[name] | {"mtime": 0, "links": 0} == now | {"mtime": 0, "links": 0})
        return now is not None and bool(self.cached.get(path) == now["content"])

    def repair(self) -> None:
        for folder, copy in self.copies.items():
            if self.differences(folder):
                remove(folder)
                for path, (mode, mtime_ns, content) in copy.items():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
                    path.chmod(mode)
                    os.utime(path, ns=(mtime_ns, mtime_ns))

    def fill_in(self, source: bytes, addresses: Mapping[str, object]) -> bytes:
        """Replace the @NAMES@ in an attack by the paths and numbers of this place and by the `addresses` of the watch."""
        values = {
            "SECRET": self.won, "CANARY": self.folder / "canary.txt", "SUITE": self.course / "tests/hidden/test_rms.py",
            "REFERENCE": self.course / "solutions/rms/reference.py", "CACHE": self.cache, "FOLDER": self.folder,
            "WORKSPACE": self.workspace, "SELF": self.submission, "MARK": self.mark, "GRADER": os.getpid(), "HOST": platform.node(),
            "LINK": self.link, "STARS": STARS, "READS": READS, **addresses,
        }  # fmt: skip
        for name, value in values.items():
            source = source.replace(f"@{name}@".encode(), str(value).encode())
        return filled_up(source)


def filled_up(source: bytes) -> bytes:
    """Replace `@STATEMENTS@` by statements up to the size limit of a submission, and `@STATEMENTS+@` by one statement more."""
    for token, more_bytes in ((b"@STATEMENTS@\n", 0), (b"@STATEMENTS+@\n", len(STATEMENT))):
        if token in source:
            room = LIMIT_BYTES + more_bytes - len(source.replace(token, b""))
            return source.replace(token, STATEMENT * (room // len(STATEMENT)))
    return source


def remove(folder: Path) -> None:
    """Remove a folder, even if its modes forbid it."""

    def again(function: Callable[[str], object], path: str, _: object) -> None:
        with suppress(OSError):
            os.chmod(os.path.dirname(path), 0o700)
            os.chmod(path, 0o700)
            function(path)

    shutil.rmtree(folder, onerror=again)


def state(folder: Path) -> dict[str, Status]:
    """Return the status of a folder and of everything below it, except for the times of access."""
    return {str(path.relative_to(folder)): status(path) for path in (folder, *sorted(folder.rglob("*")))}


def status(path: Path) -> Status:
    found = path.lstat()
    kind = "link" if path.is_symlink() else "folder" if path.is_dir() else "file" if path.is_file() else "special"
    content = os.readlink(path) if kind == "link" else digest(path) if kind == "file" else ""
    xattrs = {name: os.getxattr(path, name, follow_symlinks=False).hex() for name in os.listxattr(path, follow_symlinks=False)}
    return {
        "kind": kind, "mode": found.st_mode, "owner": [found.st_uid, found.st_gid], "links": found.st_nlink,
        "mtime": found.st_mtime_ns, "content": content, "xattrs": xattrs,
    }  # fmt: skip


def digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        return f"{type(error).__name__}"


def contents(folder: Path) -> dict[Path, tuple[int, int, bytes]]:
    """Return every file below a folder: its mode, the time of its last change in ns, and its content."""
    return {
        path: (path.stat().st_mode & 0o7777, path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()
    }
