"""The rule for names that a submission may not use, both for the search of its source and for its run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import translate
from functools import cache

# The operations of PyTorch that the grader itself calls. It plays every probe in the process in which the ban is enforced.
NEEDED = "clone copy_ detach equal expand lift_fresh mul new_empty_strided ones_like sum transpose view".split()


@dataclass(frozen=True, slots=True)
class Ban:
    """Glob patterns of full dotted names, such as "torch.nn.*Norm*". `allowed` overrides `banned`."""

    banned: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()

    def against(self, *names: str) -> str | None:
        """Return the first pattern that bans one of these names of an object; None if none does, or if one of the names is allowed.

        >>> Ban(("torch.*norm*", "numpy"), ("torch.norm",)).against("torch.layer_norm")
        'torch.*norm*'
        """
        found = [match.lastindex for match in map(one_of(self.banned).match, names) if match and match.lastindex]
        if not found or any(map(one_of(self.allowed).match, names)):
            return None
        return self.banned[min(found) - 1]


@cache
def one_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Compile a pattern that matches any of the patterns; the number of its group says which one."""
    return re.compile("|".join(f"({translate(pattern)})" for pattern in patterns) or "(?!)")


def needed_operation(pattern: str) -> str | None:
    """Return the name of the first operation of NEEDED that a pattern bans; None if there is none."""
    names = (f"{prefix}.{operation}" for operation in NEEDED for prefix in ("torch", "torch.ops.aten"))
    return next((name for name in names if Ban((pattern,)).against(name)), None)
