"""Names of things that are kept: digests of all that they depend on."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version

from normgrade.course.package import digest_of_sources


def fingerprint(*parts: str | bytes) -> str:
    """Return the name under which something is kept on this machine: its parts decide it, our own sources, and the libraries' versions."""
    return digest_of(digest_of_sources(), *versions(), *parts)


@cache
def versions() -> tuple[str, str]:
    """Return the versions of NumPy and PyTorch, which are read once: each is in a file of many lines."""
    return version("numpy"), version("torch")


def digest_of(*parts: str | bytes) -> str:
    """Return a name that other parts do not have."""
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()
