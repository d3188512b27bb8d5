"""Landlock, which lets a process read certain files. Everything else that the kernel can restrict is forbidden."""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from normgrade.language import _
from normgrade.worker.walls.kernel import Missing, call

READ_FILE, READ_DIR = 1 << 2, 1 << 3
PATH_BENEATH = 1
VERSION = 1
ATTRIBUTES = struct.Struct("=QQQ")  # rights on files, on network ports, and on resources that only equally restricted processes may reach
RULE = struct.Struct("=Qi")  # rights, a file descriptor


class Rights(NamedTuple):
    """The rights that this kernel can restrict, as three sets of bits."""

    files: int
    network: int
    scoped: int


def abi() -> int:
    """Return the version of Landlock in this kernel. Raises Missing if it cannot be used."""
    try:
        return call("landlock_create_ruleset", None, 0, VERSION)
    except OSError as error:
        if error.errno == errno.EOPNOTSUPP:
            raise Missing(_("Landlock is disabled in this kernel; boot it with `landlock` in the list `lsm=`")) from error
        if error.errno == errno.ENOSYS:
            raise Missing(_("this kernel does not support Landlock; use Linux 5.13 or later")) from error
        raise Missing(_("Landlock cannot be used ({error}); a container's profile may forbid it", error=error)) from error


@cache
def known() -> Rights:
    """Return all rights that this kernel can restrict. Each bit is tried, so that a restriction of a newer kernel is included."""
    return Rights(*(sum(1 << bit for bit in range(64) if accepts(field, 1 << bit)) for field in range(3)))


def accepts(field: int, right: int) -> bool:
    """Return True if the kernel knows this right, which belongs to one of the three sets."""
    try:
        os.close(create(*(right if number == field else 0 for number in range(3))))
    except OSError:
        return False
    return True


def create(*attributes: int) -> int:
    """Create a set of rules, and return its file descriptor.

    An older kernel accepts this structure too if the fields that it does not know are 0.
    """
    packed = ATTRIBUTES.pack(*attributes)
    return call("landlock_create_ruleset", packed, len(packed), 0)


def ruleset(readable: Iterable[Path]) -> int:
    """Return a set of rules that allows reading these files, and everything in these folders. The caller closes it."""
    rules = create(*known())
    for path in readable:
        allow(rules, path)
    return rules


def allow(rules: int, path: Path) -> None:
    """Add one file or folder to the rules, if it exists."""
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights = READ_FILE | READ_DIR if stat.S_ISDIR(os.fstat(fd).st_mode) else READ_FILE
        call("landlock_add_rule", rules, PATH_BENEATH, RULE.pack(rights, fd), 0)
    finally:
        os.close(fd)


def restrict(rules: int) -> None:
    """Restrict this process and its children permanently. The process must have given up gaining privileges before."""
    call("landlock_restrict_self", rules, 0)
