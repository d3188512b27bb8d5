"""The tier `container`: hidden files do not exist in the worker's own view of the machine, and Landlock forbids reading them too."""

from __future__ import annotations

from normgrade.worker.walls.linux import Linux
from normgrade.worker.walls.namespaces import Namespaces
from normgrade.worker.walls.shut import Shut


class Container(Shut):
    """Walls of the kernel: the worker's own view of the machine, and Landlock."""

    name = "container"
    own_view = forbidding = True
    promises: tuple[str, ...] = tuple(dict.fromkeys(Linux.promises + Namespaces.promises))
    loses: tuple[str, ...] = Namespaces.loses[1:]
