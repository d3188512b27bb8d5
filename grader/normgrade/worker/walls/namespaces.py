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
        N_("hidden files do not exist, the course and normgrade among them; host name, network, processes and messages are its own"),
        N_("everything ends with the first process"),
    )
    loses: tuple[str, ...] = (
        N_("second wall: files are out of sight, but nothing else forbids to read them"),
        N_("machine: your code can ask for its kernel and processor, and how long it has been running"),
    )
