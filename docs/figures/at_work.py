"""Draws the loss curves of labs, and tells them in the prompts: `python docs/figures/at_work.py [--write] [SLUG]…`.

For every exercise with a lab, `exercises/SLUG/lab.svg` has the losses of its small networks with the reference, and without any norm. The
section "At work" of the prompt shows it; what `normgrade lab SLUG` plays with a learner's layer is the same.
"""

from __future__ import annotations

import math
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from runpy import run_path
from statistics import fmean, stdev

import torch

from draw import Figure, Line, drawn
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from of_prompts.references import reference

EXERCISES = Course.find().root / "exercises"
sys.path.append(str(EXERCISES))
import shared_lab  # noqa: E402  (it lies beside the exercises, and their labs import it by this name)

TITLES = {"en": "At work", "zh": "放进网络"}
BEFORE = {"en": "Contract", "zh": "接口要求"}  # the section that follows
SEEDS = range(8)  # of the initial weights
ABOVE = 1.25  # times the first loss: a chart is no higher
LAST = 5  # steps, whose mean is the loss at the end
TOLD = re.compile(r"(?<![\d.])(\d+\.\d)(?: ± (\d+\.\d))?(?!\d)")  # a loss as the section tells it: mean and standard deviation
SPREADS, SAME = 4, 0.3  # training is chaotic: a loss on another processor is within so many deviations and so large a part of the mean
KINDS = {
    "language model": {"en": "A small language model", "zh": "一个小型语言模型"},
    "classifier": {"en": "A small classifier of pictures", "zh": "一个小型图像分类器"},
}


@dataclass(frozen=True)
class Runs:
    """The losses of each step in several runs of one network, which differ in their initial weights."""

    losses: Sequence[Sequence[float]]

    @property
    def begin(self) -> str:
        return with_spread([each[0] for each in self.losses])

    @property
    def end(self) -> str:
        return with_spread([fmean(each[-LAST:]) for each in self.losses])


@dataclass(frozen=True)
class Ran:
    """One bench of a lab, and its runs with the reference and without any norm."""

    bench: shared_lab.Bench
    normed: Runs
    bare: Runs


def with_spread(values: Sequence[float]) -> str:
    """Return the mean of several losses, and their standard deviation unless that is 0.0.

    >>> with_spread([1.0, 2.0, 3.0]), with_spread([1.0, 1.01]), with_spread([1.0])
    ('2.0 ± 1.0', '1.0', '1.0')
    """
    spread = f" ± {stdev(values):.1f}" if len(values) > 1 else ""
    return f"{fmean(values):.1f}{'' if spread == ' ± 0.0' else spread}"


def ran(exercise: Exercise, seeds: Iterable[int] = SEEDS) -> list[Ran]:
    """Return the runs of an exercise's lab."""
    assert exercise.lab is not None
    lab, module, seeds = run_path(str(exercise.lab))["LAB"], reference(exercise.slug), [*seeds]

    def runs_of(number: int, bare: bool) -> Runs:
        return Runs([shared_lab.trained(module, lab, number, bare, seed=seed)["loss"].tolist() for seed in seeds])

    return [Ran(bench, runs_of(number, False), runs_of(number, True)) for number, bench in enumerate(lab)]


def figure(exercise: Exercise, found: Sequence[Ran]) -> Figure:
    """Return the picture of the losses in the first run."""

    def points(losses: Sequence[float]) -> list[tuple[float, float]]:
        return [(float(step), loss) for step, loss in enumerate(losses) if math.isfinite(loss)]

    normed = (Line(each.bench.name or exercise.title, points(each.normed.losses[0])) for each in found)
    lines = [Line("no norm", points(found[0].bare.losses[0])), *normed]
    return Figure("Loss in a small network", "step", "loss", lines, top=ABOVE * found[0].normed.losses[0][0])


def section(exercise: Exercise, found: Sequence[Ran], language: str) -> str:
    """Return the section of a prompt that shows and tells the curves."""
    return "\n\n".join((f"## {TITLES[language]}", *told(exercise, found, language))) + "\n"


def told(exercise: Exercise, found: Sequence[Ran], language: str) -> Iterator[str]:
    """Yield the paragraphs of the section: the picture, and a few sentences."""
    first, slug = found[0], exercise.slug
    count, steps, rate = len(first.bench.network(None).sublayers), first.bench.steps, f"{first.bench.rate:g}"
    kind, begin, bare = KINDS[first.bench.kind][language], first.normed.begin, first.bare
    if language == "en":
        names = [each.bench.name or "the reference" for each in found]
        ends = ", ".join(f"at {each.normed.end} with {name}" for each, name in zip(found, names, strict=True))
        yield f"![The loss at each step of the first run, a line for each: no norm, {', '.join(names)}](lab.svg)"
        yield wrapped(
            f"{kind} with {count} sublayers learns for {steps} steps of Adam at the rate {rate}, eight times, each from other weights;"
            f" the numbers are means and standard deviations. Its loss begins at {begin}, and ends {ends}. Without any norm it begins"
            f" at {bare.begin}, and ends at {bare.end}. `normgrade lab {slug}` plays the first run with your layer, and shows the"
            " sizes of activations and gradients, too."
        )
        return
    names = [each.bench.name or "参考实现" for each in found]
    ends = "，".join(f"用{padded(name)}时最终为 {each.normed.end}" for each, name in zip(found, names, strict=True))
    yield f"![第一次训练中每一步的损失，各有一条曲线：不用归一化、{'、'.join(names)}](lab.svg)"
    yield (
        f"{kind}，{count} 个子层，用 Adam（学习率 {rate}）训练 {steps} 步，从不同的初始权重训练八次，给出均值和标准差。"
        f"损失从 {begin} 开始，{ends}。完全不用归一化时从 {bare.begin} 开始，最终为 {bare.end}。"
        f"`normgrade lab {slug}` 用你的层做其中的第一次训练，并给出激活与梯度的大小。"
    )


def padded(name: str) -> str:
    """Return a name as it stands in Chinese text: with spaces around it if it is not Chinese."""
    return f" {name} " if name.isascii() else name


def says(told: str, measured: str) -> bool:
    """Return True if two sections have the same words, and each measured mean is near the told one.

    >>> says("It ends at 1.0, and at 2.5 ± 0.5 without any norm.", "It ends at 1.1,\\nand at 4.0 without any norm.")
    True
    >>> says("It ends at 1.0 ± 0.1.", "It ends at 2.0.") or says("It ends at 1.0 ± 0.1.", "It begins at 1.0.")
    False
    """
    words = [TOLD.sub("…", " ".join(text.split())) for text in (told, measured)]
    losses = zip(*([(float(mean), float(spread or 0)) for mean, spread in TOLD.findall(text)] for text in (told, measured)), strict=False)
    return words[0] == words[1] and all(abs(one - other) <= SPREADS * spread + SAME * one for (one, spread), (other, _) in losses)


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
