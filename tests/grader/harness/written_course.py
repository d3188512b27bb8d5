"""The files of a small course of one complete exercise, for tests that edit one of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from normgrade.course.course import Course

LAYER_NORM = """
title = "Layer normalisation"
group = "Feature normalisation"
level = 1
order = 20
defines = ["LayerNorm(dim)"]
"""
Write = Callable[..., Course]  # with the text of `exercise.toml`, of `course.toml`, and a slug


def write_course(root: Path, exercise: str = LAYER_NORM, course: str | None = None, slug: str = "layer_norm") -> Course:
    """Write a course of one complete exercise, or add one more, with this `exercise.toml` and this `course.toml`."""
    files = {
        f"exercises/{slug}/exercise.toml": exercise,
        f"exercises/{slug}/README.md": "",
        f"exercises/{slug}/{slug}.py": "",
        f"solutions/{slug}/reference.py": "",
        f"solutions/{slug}/mistakes.toml": "",
        f"tests/hidden/test_{slug}.py": "",
    }
    if course is not None:
        files["course.toml"] = course
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    return Course(root)
