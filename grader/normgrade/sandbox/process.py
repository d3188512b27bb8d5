"""The tier `process`: another process, limited where POSIX knows limits. It works on any platform."""

from __future__ import annotations

import sys
from pathlib import Path

MEMORY_BUDGET_BYTES = 1024**3  # beyond what the libraries hold already
CPU_LIMIT_S = 3900  # a backstop if the grader is gone: above the longest time that an exercise may grant
FILES = 64


class Process:
    """Walls of resource limits alone."""

    name = "process"
    promises = (
        "the grader holds tests, reference and expected values in another process",
        "endless loops, crashes, floods of output and too much memory end that process only",
        "no core dumps and no writing to files, where the platform has such limits",
    )
    loses = (
        "your code can read every file that you can read, the reference solutions among them",
        "your code can use the network and start processes",
        "your code can signal every process of yours",
    )

    def __init__(self) -> None:
        self.data_limit_bytes: int | None = None

    def prepare(self) -> None:
        """Measure what the libraries hold, so that the budget is the submission's alone."""
        held = data_bytes()
        self.data_limit_bytes = None if held is None else held + MEMORY_BUDGET_BYTES

    def enclose(self) -> None:
        if sys.platform == "win32":
            return
        import resource

        lower(resource.RLIMIT_CORE, 0)
        lower(resource.RLIMIT_FSIZE, 0)  # Python ignores SIGXFSZ, so that writing a file raises OSError
        lower(resource.RLIMIT_NOFILE, FILES)
        lower(resource.RLIMIT_CPU, CPU_LIMIT_S)
        if self.data_limit_bytes is not None:
            lower(resource.RLIMIT_DATA, self.data_limit_bytes)


def lower(limit: int, value: int) -> None:
    """Set a limit for good, unless a stricter one is set already."""
    import resource

    _, hard = resource.getrlimit(limit)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))


def data_bytes() -> int | None:
    """How much private memory this process has reserved; None where the platform does not say (Linux does)."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    for line in status.read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    return None
