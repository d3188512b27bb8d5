"""JSON documents checked against the schemas among the fixtures."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[1] / "fixtures"


def faults(document: Any, schema: str) -> list[str]:
    """Return the sentences of `jsonschema` about a document that does not follow the schema of that name."""
    rules = json.loads((FIXTURES / f"{schema}.schema.json").read_text(encoding="utf-8"))
    validator = import_module("jsonschema").Draft202012Validator(rules)  # by name, because it has no types
    return [error.message for error in validator.iter_errors(document)]
