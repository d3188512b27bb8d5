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
        N_("the kernel forbids to read any file but the libraries; neither course nor normgrade can be read"),
    )
    loses: tuple[str, ...] = (
        N_("existence: your code can ask whether a file or process is there, how large and how old it is, whose it is, where a link leads"),
        N_("machine: your code can ask for the host's name, its kernel and processor, and how long it has been running"),
    )
