"""The tier `linux`: Landlock forbids reading hidden files. It needs neither privileges nor namespaces."""

from __future__ import annotations

from normgrade.language import N_
from normgrade.worker.walls.shut import Shut


class Linux(Shut):
    """Walls of the kernel: Landlock."""

    name = "linux"
    forbidding = True
    promises: tuple[str, ...] = (
        *Shut.promises,
        N_("the kernel forbids reading any file except for the libraries; the course and normgrade cannot be read"),
    )
    loses: tuple[str, ...] = (
        N_("existence: your code can find out if a file or process exists, its size, its age, its owner, and the target of a link"),
        N_("machine: your code can find out the name of the host, its kernel, its processor and its uptime"),
    )
