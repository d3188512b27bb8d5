"""The packages that normgrade needs, in the versions that are installed here."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution

NEEDED = ("click", "jinja2", "numpy", "pytest", "rich", "torch")
NAME = re.compile(r"[A-Za-z0-9._-]+")


def requirements() -> str:
    """Return the packages to install, a line each."""
    return "".join(f"{name}\n" for name in NEEDED)


def constraints() -> str:
    """Return the versions of these packages, and of all that they need, a line each. Any build of a version will do."""
    versions: dict[str, str] = {}
    names = [*NEEDED]
    while names:
        name = re.sub(r"[-_.]+", "-", names.pop()).lower()
        if name in versions:
            continue
        try:
            found = distribution(name)
        except PackageNotFoundError:  # of another platform, or of an extra
            continue
        versions[name] = found.version.partition("+")[0]
        needed = (each for each in found.requires or () if "extra ==" not in each)
        names += [match[0] for match in map(NAME.match, needed) if match is not None]
    return "".join(f"{name}=={version}\n" for name, version in sorted(versions.items()))
