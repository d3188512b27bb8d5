"""The tier `container`: the tier `linux` inside namespaces of its own, where hidden files do not even exist."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from normgrade.language import N_, _
from normgrade.sandbox import libraries
from normgrade.sandbox.kernel import Missing, call, prctl
from normgrade.sandbox.linux import Linux

NEW_MOUNTS, NEW_HOST_NAME, NEW_IPC = 0x20000, 0x4000000, 0x8000000
NEW_USERS, NEW_PROCESSES, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
NO_SETUID, BIND, RECURSIVE, PRIVATE = 0x2, 0x1000, 0x4000, 0x40000
DETACH = 2
PACKAGE = Path(__file__).parents[1]
FELL = 96  # exit code of a process that could not enter its namespaces; its parent goes on without them
PLACES = ("/mnt", "/tmp", "/srv", "/media", "/run", "/var", "/home")  # any folder of which a namespace may have a view of its own


class Container(Linux):
    """Walls of namespaces around the zygote, and those of `linux` around every worker."""

    name = "container"
    promises: tuple[str, ...] = (
        *Linux.promises,
        N_("hidden files do not exist; network, processes and messages are its own"),
        N_("everything ends with the first process"),
    )
    loses: tuple[str, ...] = ()

    def __init__(self, inside: bool = False) -> None:
        """`inside` says that bubblewrap has set everything up."""
        super().__init__()
        self.inside = inside
        self.tell_fd = -1
        self.bound: list[Path] = []

    def readable(self) -> list[Path]:
        return self.bound

    def prepare(self) -> None:
        """Go on in a child, in namespaces of its own, unless that is done already."""
        if self.inside:
            self.bound = libraries.readable()
            mount("none", PACKAGE, "tmpfs", NO_SETUID)  # over normgrade itself, now that it is imported
        else:
            self.enter()
        super().prepare()

    def enter(self) -> None:
        reason, self.tell_fd = os.pipe()
        child = os.fork()
        if child:
            os.close(self.tell_fd)
            self.tell_fd = -1
            follow(child, reason)
        os.close(reason)
        self.bound = libraries.readable()
        try:
            unshare()
            as_first_process()
            change_root(build_root(self.bound))
        except OSError as error:
            self.give_up(_("no namespaces ({error}); let users have namespaces of their own, or install bubblewrap", error=error))
        importlib.invalidate_caches()
        importlib.util.find_spec("normgrade_looks_at_every_folder_again")  # the workers may not list all of them

    def give_up(self, reason: str) -> None:
        if self.tell_fd < 0:
            raise Missing(reason)
        os.write(self.tell_fd, reason.encode())
        os._exit(FELL)


def follow(child: int, reason: int) -> None:
    """End as the child ends; Missing where it could not begin."""
    code = ended(os.waitpid(child, 0)[1])
    if code != FELL:
        os._exit(code)
    raise Missing(os.read(reason, 1000).decode(errors="replace"))


def ended(status: int) -> int:
    """The exit code as a shell gives it."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def unshare() -> None:
    """New namespaces of every kind; a user who is not root takes one of users too, in which to have the right to the others."""
    kinds = NEW_MOUNTS | NEW_HOST_NAME | NEW_IPC | NEW_PROCESSES | NEW_NETWORK
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        call("unshare", kinds)
    else:
        call("unshare", kinds | NEW_USERS)
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path("/proc/self", name).write_text(text)
    mount("none", "/", "", RECURSIVE | PRIVATE)


def as_first_process() -> None:
    """Go on in a child, the first process of the new namespace, which nothing outlasts; it ends with its parent."""
    prctl("PR_SET_PDEATHSIG", signal.SIGKILL)
    child = os.fork()
    if child:
        os._exit(ended(os.waitpid(child, 0)[1]))
    prctl("PR_SET_PDEATHSIG", signal.SIGKILL)


def build_root(bound: Sequence[Path]) -> Path:
    """An empty file system in which these files and folders are seen at their places, and a view of the processes of this namespace."""
    free = [Path(place) for place in PLACES if os.path.isdir(place) and not any(Path(place) in path.parents for path in bound)]
    if not free:
        raise Missing(_("libraries lie in every folder that could be the new root: {folders}", folders=", ".join(PLACES)))
    root = free[0]
    mount("none", root, "tmpfs", NO_SETUID)
    for path in bound:
        if path.exists() and path.parts[1] != "proc":
            target = root / path.relative_to("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.mkdir(exist_ok=True) if path.is_dir() else target.touch()
            mount(path, target, "", BIND | RECURSIVE)
    for path in Path("/").iterdir():
        if path.is_symlink() and not (root / path.name).exists():
            (root / path.name).symlink_to(os.readlink(path))
    (root / "proc").mkdir()
    mount("proc", root / "proc", "proc", NO_SETUID)
    return root


def change_root(root: Path) -> None:
    """Make it the root, and let go of the old one."""
    os.chdir(root)
    call("pivot_root", b".", b".")
    call("umount2", b".", DETACH)
    os.chdir("/")


def mount(source: str | Path, target: str | Path, kind: str, flags: int) -> None:
    call("mount", os.fsencode(source), os.fsencode(target), kind.encode(), flags, None)


def bubblewrap(program: str) -> list[str]:
    """What to put before Python's command to run it inside bubblewrap.

    What Python needs to start is there, and normgrade without its course: the zygote imports it, and hides it then.
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
    return [*arguments, "--"]
