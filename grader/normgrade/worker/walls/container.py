"""The tier `container`: what may not be read is not there, and Landlock forbids it all the same."""

from __future__ import annotations

from normgrade.worker.walls.linux import Linux
from normgrade.worker.walls.namespaces import Namespaces
from normgrade.worker.walls.shut import Shut


class Container(Shut):
    """Walls of the kernel, with a view of its own and with Landlock."""

    name = "container"
    own_view = forbidding = True
    promises: tuple[str, ...] = tuple(dict.fromkeys(Linux.promises + Namespaces.promises))
    loses: tuple[str, ...] = Namespaces.loses[1:]
