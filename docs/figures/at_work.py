"""Draws the loss curves of labs, and tells them in the prompts: `python docs/figures/at_work.py [--write] [SLUG]…`.

For every exercise with a lab, `exercises/SLUG/lab.svg` has the losses of its small networks with the reference, and without any norm. The
section "At work" of the prompt shows it; what `normgrade lab SLUG` plays with a learner's layer is the same.
"""

from __future__ import annotations

import math
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from runpy import run_path

import torch

from draw import Figure, Line, drawn
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.learner.lab.curves import ABOVE
from normgrade.probes.lab import runs
from normgrade.probes.lab.bench import Bench
from of_prompts.references import reference

TITLES = {"en": "At work", "zh": "放进网络"}
BEFORE = {"en": "Contract", "zh": "接口要求"}  # the section that follows
LAST = 5  # steps, whose mean is the loss at the end
LOSS = re.compile(r"(?<![\d.])\d+\.\d(?!\d)")  # as the section tells it, with one decimal
SAME = 0.3  # of a loss: training without a norm is chaotic, so by so much it differs between processors
KINDS = {
    "language model": {"en": "A small language model", "zh": "一个小型语言模型"},
    "classifier": {"en": "A small classifier of pictures", "zh": "一个小型图像分类器"},
}


@dataclass(frozen=True)
class Ran:
    """One bench of a lab, and the losses of each step with the reference and without any norm."""

    bench: Bench
    normed: Sequence[float]
    bare: Sequence[float]

    @property
    def begins(self) -> float:
        return self.normed[0]

    @property
    def ends(self) -> float:
        return sum(self.normed[-LAST:]) / LAST

    @property
    def bare_ends(self) -> float:
        return sum(self.bare[-LAST:]) / LAST


def ran(exercise: Exercise) -> list[Ran]:
    """Return the runs of an exercise's lab."""
    assert exercise.lab is not None
    lab, found = run_path(str(exercise.lab))["LAB"], []
    for number, bench in enumerate(lab):
        losses = [runs.trained(reference(exercise.slug), lab, number, bare)["loss"].tolist() for bare in (False, True)]
        found.append(Ran(bench, *losses))
    return found


def figure(exercise: Exercise, found: Sequence[Ran]) -> Figure:
    """Return the picture of the losses."""

    def points(losses: Sequence[float]) -> list[tuple[float, float]]:
        return [(float(step), loss) for step, loss in enumerate(losses) if math.isfinite(loss)]

    lines = [Line("no norm", points(found[0].bare)), *(Line(each.bench.name or exercise.title, points(each.normed)) for each in found)]
    return Figure("Loss in a small network", "step", "loss", lines, top=ABOVE * found[0].begins)


def section(exercise: Exercise, found: Sequence[Ran], language: str) -> str:
    """Return the section of a prompt that shows and tells the curves."""
    return "\n\n".join((f"## {TITLES[language]}", *told(exercise, found, language))) + "\n"


def told(exercise: Exercise, found: Sequence[Ran], language: str) -> Iterator[str]:
    """Yield the paragraphs of the section: the picture, and a few sentences."""
    first, count = found[0], len(found[0].bench.network(None).sublayers)
    how = {"kind": KINDS[first.bench.kind][language], "count": count, "steps": first.bench.steps, "rate": f"{first.bench.rate:g}"}
    begins, bare_ends = f"{first.begins:.1f}", f"{first.bare_ends:.1f}"
    if language == "en":
        ends = ", ".join(f"at {each.ends:.1f} with {each.bench.name or 'the reference'}" for each in found)
        yield f"![The loss at each step, with the reference and without a norm: it begins at {begins}, and ends {ends}](lab.svg)"
        yield wrapped(
            "{kind} with {count} sublayers learns for {steps} steps of Adam at the rate {rate}.".format(**how)
            + f" Its loss begins at {begins}, and ends {ends}, and at {bare_ends} without any norm."
            + " On another processor the losses are slightly different."
            + f" `normgrade lab {exercise.slug}` plays the same with your layer, and shows the sizes of activations and gradients, too."
        )
        return
    ends = "，".join(f"{f'用 {each.bench.name} ' if each.bench.name else '用参考实现'}时最终为 {each.ends:.1f}" for each in found)
    yield f"![每一步的损失，用参考实现与不用归一化对比：从 {begins} 开始，{ends}](lab.svg)"
    yield (
        "{kind}，{count} 个子层，用 Adam（学习率 {rate}）训练 {steps} 步。".format(**how)
        + f"损失从 {begins} 开始，{ends}，完全不用归一化时最终为 {bare_ends}。在别的处理器上，损失会略有不同。"
        f"`normgrade lab {exercise.slug}` 用你的层做同样的实验，并给出激活与梯度的大小。"
    )


def says(told: str, measured: str) -> bool:
    """Return True if two sections have the same words, and losses that differ no more than between processors.

    >>> says("It ends at 1.0, and at 2.5 without any norm.", "It ends at 1.1,\\nand at 2.3 without any norm.")
    True
    >>> says("It ends at 1.0.", "It ends at 2.0.") or says("It ends at 1.0.", "It begins at 1.0.")
    False
    """
    words = [LOSS.sub("…", " ".join(text.split())) for text in (told, measured)]
    losses = zip(*([float(loss) for loss in LOSS.findall(text)] for text in (told, measured)), strict=False)
    return words[0] == words[1] and all(abs(one - other) <= SAME * other for one, other in losses)


def wrapped(text: str, width: int = 150) -> str:
    """Return a paragraph in lines of this width."""
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def section_of(prompt: str, language: str) -> str:
    """Return the section of a prompt that tells the curves; empty if it has none."""
    found = re.search(rf"^## {TITLES[language]}\n.*?(?=^## )", prompt, flags=re.DOTALL | re.MULTILINE)
    return found[0] if found else ""


def with_section(prompt: str, language: str, text: str) -> str:
    """Return a prompt with this section before its contract, in the place of the one that it has."""
    prompt = prompt.replace(section_of(prompt, language), "")
    begin = re.search(rf"^## {BEFORE[language]}\n", prompt, re.MULTILINE)
    assert begin is not None, f'there is no section "{BEFORE[language]}"'
    return f"{prompt[: begin.start()]}{text}\n{prompt[begin.start() :]}"


def main(arguments: Sequence[str]) -> int:
    """Print what the labs show, and with --write also draw and tell it. Return 1 if a prompt says anything else."""
    torch.set_num_threads(1)
    writes, slugs, wrong = "--write" in arguments, [each for each in arguments if not each.startswith("--")], False
    for exercise in Course.find():
        if exercise.lab is None or (slugs and exercise.slug not in slugs):
            continue
        found = ran(exercise)
        if writes:
            (exercise.folder / "lab.svg").write_text(drawn(figure(exercise, found)), encoding="utf-8")
        for language in TITLES:
            path, text = Path(exercise.prompt_in(language)), section(exercise, found, language)
            prompt = path.read_text(encoding="utf-8")
            if writes:
                path.write_text(prompt := with_section(prompt, language, text), encoding="utf-8")
            print(text)
            if not says(section_of(prompt, language), text):
                print(f"! {path} does not say it")
                wrong = True
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
