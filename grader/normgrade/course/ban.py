"""What a submission may not use: the one rule, for whoever searches a source and whoever runs it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import translate
from functools import cache


@dataclass(frozen=True, slots=True)
class Ban:
    """Glob patterns of full dotted names, such as "torch.nn.*Norm*". `allowed` overrides `banned`."""

    banned: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()

    def against(self, *names: str) -> str | None:
        """The first pattern that bans something that goes by all of these names; None if nothing does, or if one of them is allowed.

        >>> Ban(("torch.*norm*", "numpy"), ("torch.norm",)).against("torch.layer_norm")
        'torch.*norm*'
        """
        if any(map(one_of(self.allowed).match, names)):
            return None
        found = [match.lastindex for match in map(one_of(self.banned).match, names) if match and match.lastindex]
        return self.banned[min(found) - 1] if found else None


@cache
def one_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Matches what any of the patterns does; the number of its group says which."""
    return re.compile("|".join(f"({translate(pattern)})" for pattern in patterns) or "(?!)")
