"""The tier `namespaces`: hidden files do not exist in the worker's own view of the machine. It needs namespaces, but no Landlock."""

from __future__ import annotations

from normgrade.language import N_
from normgrade.worker.walls.shut import Shut


class Namespaces(Shut):
    """Walls of the kernel: the worker's own view of the machine."""

    name = "namespaces"
    own_view = True
    promises: tuple[str, ...] = (
        *Shut.promises,
        N_("hidden files, including the course and normgrade, do not exist; host name, network, processes and messages are separate"),
        N_("all processes end with the first one"),
    )
    loses: tuple[str, ...] = (
        N_("second wall: files are hidden, but nothing else prevents reading them"),
        N_("machine: your code can find out its kernel, its processor and its uptime"),
    )
