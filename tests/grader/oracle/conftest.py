"""An oracle with an empty cache."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracle_case import MINE

from normgrade.oracle.cache import Cache
from normgrade.oracle.oracle import Oracle


@pytest.fixture
def oracle(tmp_path: Path) -> Oracle:
    return Oracle(Cache(tmp_path, MINE))
