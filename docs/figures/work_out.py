"""Writes the worked numbers of prompts, and prints all that were measured: `python docs/figures/work_out.py [--write] [SLUG]…`.

A module in `of_prompts` computes the numbers of one exercise with its reference: `worked()` those for x = [1, 2, 3, 6], which are a section
of the prompt, and `measured()` those of a run, each with the piece of text in which it stands.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

import torch

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from of_prompts.rows import block

FOLDER = Path(__file__).parent / "of_prompts"
TITLES = {"en": "In numbers", "zh": "用数字算一遍"}


def modules(slugs: Sequence[str] = ()) -> Iterator[tuple[Exercise, ModuleType]]:
    """Yield the exercises of these names, or all, that have a module here."""
    for exercise in Course.find():
        if (FOLDER / f"{exercise.slug}.py").exists() and (not slugs or exercise.slug in slugs):
            yield exercise, import_module(f"of_prompts.{exercise.slug}")


def section(module: ModuleType, language: str) -> str:
    """Return the section of a prompt with the worked numbers, in one language; empty if there are none."""
    if not hasattr(module, "worked"):
        return ""
    worked = module.worked()
    parts = f"## {TITLES[language]}", worked.before[language], block(worked.rows), worked.after[language]
    return "\n\n".join(filter(None, parts)) + "\n"


def with_section(prompt: str, language: str, text: str) -> str:
    """Return a prompt with another section of worked numbers. Its heading has to be there."""
    found = re.search(rf"^## {TITLES[language]}\n.*?(?=^## |\Z)", prompt, re.DOTALL | re.MULTILINE)
    assert found is not None, f'there is no section "{TITLES[language]}"'
    return prompt[: found.start()] + text + ("\n" if found.end() < len(prompt) else "") + prompt[found.end() :]


def missing(module: ModuleType, prompt: str, language: str) -> list[str]:
    """Return the measured pieces of text that do not stand in a prompt."""
    pieces = [each.told[language] for each in module.measured()] if hasattr(module, "measured") else []
    return [piece for piece in pieces if as_one_line(piece) not in as_one_line(prompt)]


def as_one_line(text: str) -> str:
    """Return a text without its line breaks. Chinese has no spaces in their place."""
    return re.sub(r"(?<=[^\x00-\x7f])\s*\n\s*(?=[^\x00-\x7f])", "", text).replace("\n", " ")


def main(arguments: Sequence[str]) -> int:
    """Print the numbers of these exercises, or of all; with --write, also write the sections. Return 1 if a prompt says anything else."""
    torch.set_num_threads(1)
    writes, slugs, wrong = "--write" in arguments, [each for each in arguments if not each.startswith("--")], False
    for exercise, module in modules(slugs):
        print(f"{exercise.slug}\n")
        for language in TITLES:
            path = exercise.prompt_in(language)
            prompt, text = path.read_text(encoding="utf-8"), section(module, language)
            if text and writes:
                prompt = with_section(prompt, language, text)
                path.write_text(prompt, encoding="utf-8")
            print(text)
            for piece in [text] * (text not in prompt) + missing(module, prompt, language):
                print(f"! {path} does not say: {piece}")
                wrong = True
        print("".join(f"· {each.told['en']}\n" for each in module.measured()) if hasattr(module, "measured") else "")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
