"""A process's own view of the machine: namespaces, and a file system that contains only the libraries."""

from __future__ import annotations

import importlib.util
import os
import platform
import signal
import stat
import sys
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

from normgrade.course.package import PACKAGE
from normgrade.language import _
from normgrade.worker.walls import libraries
from normgrade.worker.walls.kernel import Missing, call, capabilities, namespaces, prctl

NEW_MOUNTS, NEW_HOST_NAME, NEW_IPC = 0x20000, 0x4000000, 0x8000000
NEW_USERS, NEW_PROCESSES, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
BIND, RECURSIVE, PRIVATE = 0x1000, 0x4000, 0x40000
DETACH, ALL_BELOW = 2, 0x8000
ADMINISTRATION = 1 << 21  # CAP_SYS_ADMIN
HOST = b"normgrade"  # the host's name inside the view
WAY = 0o111  # the mode of a folder on the way to a library: it can be passed through, and not listed
PLACES = ("/mnt", "/tmp", "/srv", "/media", "/run", "/var", "/home")  # folders where a new file system may be mounted


class View:
    """A view that is entered in a child process, which returns from `enter`. If that fails, `enter` raises Missing in the parent."""

    def __init__(self) -> None:
        self.tell_fd = -1

    def enter(self, bound: Iterable[Path]) -> dict[str, str]:
        """Enter a view that contains only these files and folders; return its namespaces. Raises Missing, in the parent, if that fails."""
        reason, self.tell_fd = os.pipe()
        child = os.fork()
        if child:
            os.close(self.tell_fd)
            self.tell_fd = -1
            follow(child, reason)
        os.close(reason)
        try:
            unshare()
            as_first_process()
            entered = namespaces()
            change_host_name()
            there = outermost({path for path in bound if path.exists()})
            change_root(build_root(there))
            seal(there, Path("/"))
            with suppress(OSError):  # kernels before 5.12 have no such call; the filter of system calls forbids writing too
                make_read_only(Path("/"))
        except OSError as error:
            self.give_up(_("namespaces cannot be used ({error}); enable user namespaces, or install bubblewrap", error=error))
        return entered

    def give_up(self, reason: str) -> None:
        """End this child, so that the parent raises Missing; if there is no such parent, raise Missing here."""
        if self.tell_fd < 0:
            raise Missing(reason)
        os.write(self.tell_fd, reason.encode())
        os._exit(1)


def follow(child: int, reason: int) -> None:
    """Wait for the child and end with its exit code. Raises Missing if the child gave up, and said a reason."""
    said = os.read(reason, 1000)
    code = ended(os.waitpid(child, 0)[1])
    if not said:
        os._exit(code)
    raise Missing(said.decode(errors="replace"))


def ended(status: int) -> int:
    """Return the exit code of a wait status as shells give it: 128 + n for signal n."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def unshare() -> None:
    """Enter new namespaces of every kind. If the right to that is missing, also enter a user namespace, which gives it."""
    kinds = NEW_MOUNTS | NEW_HOST_NAME | NEW_IPC | NEW_PROCESSES | NEW_NETWORK
    user, group = os.geteuid(), os.getegid()
    if user == 0 or capabilities() & ADMINISTRATION:
        call("unshare", kinds)
    else:
        call("unshare", kinds | NEW_USERS)
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path("/proc/self", name).write_text(text)
    mount("none", "/", "", RECURSIVE | PRIVATE)


def as_first_process() -> None:
    """Go on in a child, the first process of the new namespace: all others there end with it, and it ends with its parent."""
    prctl("PR_SET_PDEATHSIG", signal.SIGKILL)
    child = os.fork()
    if child:
        os._exit(ended(os.waitpid(child, 0)[1]))
    prctl("PR_SET_PDEATHSIG", signal.SIGKILL)


def change_host_name() -> None:
    """Change the host's name, and drop the old name from Python's cache."""
    call("sethostname", HOST, len(HOST))
    call("setdomainname", HOST, len(HOST))
    vars(platform).update(_uname_cache=None)


def build_root(there: Iterable[Path]) -> Path:
    """Build a new file system that contains only these files and folders, at their places; return its root."""
    root = free_place(there)
    show(there, root)
    for path in Path("/").iterdir():
        if path.is_symlink() and not (root / path.name).exists() and (root / path.resolve().relative_to("/")).exists():
            (root / path.name).symlink_to(os.readlink(path))
    return root


def free_place(bound: Iterable[Path]) -> Path:
    """Return a folder that is on the way to none of these, with a new, empty file system mounted on it."""
    on_the_way = libraries.leading_to(bound)
    for place in map(Path, PLACES):
        if place.is_dir() and place not in on_the_way:
            mount("none", place, "tmpfs", os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC)
            return place
    raise Missing(_("every folder that could be the new root contains libraries: {folders}", folders=", ".join(PLACES)))


def show(paths: Iterable[Path], root: Path) -> None:
    """Mount these files and folders below `root` too."""
    for path in paths:
        target = root / path.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.mkdir(exist_ok=True) if path.is_dir() else target.touch()
        mount(path, target, "", BIND | RECURSIVE)


def seal(paths: Iterable[Path], root: Path) -> None:
    """Make the folders below `root` that lead to these paths impossible to list. Python reads their contents before, for its imports."""
    importlib.invalidate_caches()
    importlib.util.find_spec("normgrade_looks_at_every_folder_again")  # without this, later imports would find nothing there
    for way in libraries.leading_to(paths):
        if way.is_relative_to(root):
            way.chmod(WAY)


def outermost(paths: Collection[Path]) -> list[Path]:
    """Return the paths that lie in none of the others, sorted."""
    inside = {folder for folder in {path.parent for path in paths} if any(above in paths for above in (folder, *folder.parents))}
    return sorted((path for path in paths if path.parent not in inside), key=str)


def make_read_only(root: Path) -> None:
    """Make everything that is mounted at `root` and below it read-only."""
    attributes = b"".join(value.to_bytes(8, sys.byteorder) for value in (os.ST_RDONLY | os.ST_NOSUID, 0, 0, 0))
    call("mount_setattr", -1, os.fsencode(root), ALL_BELOW, attributes, len(attributes))


def change_root(root: Path) -> None:
    """Make this folder the root of the file system, and detach the old root."""
    os.chdir(root)
    call("pivot_root", b".", b".")
    call("umount2", b".", DETACH)
    os.chdir("/")


def open_the_way(paths: Iterable[Path]) -> None:
    """Let the user nobody reach these files and folders.

    In a mount namespace of our own, each closed folder on the way to them is replaced by one that contains nothing else.
    """
    there = outermost({path for path in paths if path.exists()})
    closed = outermost({above for above in libraries.leading_to(there) if not above.stat().st_mode & stat.S_IXOTH})
    call("unshare", NEW_MOUNTS)
    mount("none", "/", "", RECURSIVE | PRIVATE)
    stage = free_place(there)
    show([path for path in there if not {*path.parents}.isdisjoint(closed)], stage)
    for folder in closed:
        mount(stage / folder.relative_to("/"), folder, "", BIND | RECURSIVE)
        seal([path for path in there if folder in path.parents], folder)
    call("umount2", os.fsencode(stage), DETACH)


def mount(source: str | Path, target: str | Path, kind: str, flags: int) -> None:
    """Mount a file system of this kind at `target`; with BIND, mount `source` there."""
    call("mount", os.fsencode(source), os.fsencode(target), kind.encode(), flags, None)


def bubblewrap(program: str) -> list[str]:
    """Return the command that runs Python inside bubblewrap, which may create namespaces even if other programs may not.

    Inside there are the files that Python needs to start, and normgrade without its course. The zygote enters a view of its own there too.
    """
    needed = [Path(sys.executable), Path(sys.prefix, "pyvenv.cfg"), Path("/usr/lib64"), PACKAGE]
    arguments = [program, "--unshare-all", "--cap-add", "CAP_SYS_ADMIN", "--die-with-parent", "--proc", "/proc"]
    for path in [*libraries.readable(), *needed]:
        if path.exists() and path.parts[1] != "proc":
            arguments += ["--dev-bind" if path.parts[1] == "dev" else "--ro-bind", str(path), str(path)]
    if (PACKAGE / "_course").exists():
        arguments += ["--tmpfs", str(PACKAGE / "_course")]
    for path in Path("/").iterdir():
        if path.is_symlink():
            arguments += ["--symlink", os.readlink(path), str(path)]
    for place in PLACES:
        arguments += ["--dir", place]
    return [*arguments, "--"]
