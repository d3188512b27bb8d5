"""An exercise as its `exercise.toml` describes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from normgrade.course.ban import Ban
from normgrade.course.layout import Files
from normgrade.course.settings import Credit, Reveal
from normgrade.course.signature import Signature
from normgrade.course.tensor_library import Library


@dataclass(frozen=True, slots=True)
class Limits:
    """The time and memory that a submission may use.

    - `answer_s`: seconds for one answer, above 0 and up to 3600.
    - `total_s`: seconds for all answers of one grading together, above 0 and up to 3600.
    - `memory_mib`: MiB of memory beyond what Python, NumPy and PyTorch already hold, from 16 to 1048576.
    """

    answer_s: float = 5.0
    total_s: float = 30.0
    memory_mib: int = 1024


@dataclass(frozen=True, slots=True)
class Exercise(Files):
    """One task of a course, and its files. `Course.exercise` reads one and checks every value.

    - `title`, `group`: texts for people, in the current language.
    - `level`: its difficulty, from 1 to 4.
    - `order`: its place in the course, from 0 to 9999.
    - `minutes`: the time of someone who has written the layer before and looks nothing up; by default it follows from the level.
    - `importance`: how much of the field and of interviews depends on it, from 1 to 5.
    - `points`: the points that a submission can earn, from 1 to 1000.
    - `defines`: the contract, one signature for each class or function that the learner's file must define.
    - `banned`, `allowed`: globs of full dotted names, as in `"torch.nn.*Norm*"`. `allowed` overrides `banned`.
    - `hints`: texts for people, in the order in which they are given.
    - `places`: words for the places of its own probes, by template.
    - `limits`: the time and memory that a submission may use.
    - `reveal`: how much a report says, `"full"`, `"claims"` or `"score"`.
    - `credit`: the way to earn points: `"claims"` counts claims that hold; `"mistakes"` also gives all points minus the cost of the named
      mistakes, if that is more.
    - `spread`: right alternatives whose rounding is allowed as well as the reference's.
    - `left_out`: situations that make no sense here, with reasons; `left_out_habits`: habits that change nothing here.
    - `after`: the slugs of exercises that are best done before it. It is advice: nothing is ever locked.
    - `courtesy`: situations that do not decide whether a submission passes.

    >>> from normgrade.course.course import Course
    >>> exercise = Course.find().exercise("layer_norm")
    >>> exercise.level, exercise.points, exercise.reveal
    (1, 20, 'full')
    >>> str(exercise.defines[0])
    'LayerNorm(normalized_shape, eps=1e-05, elementwise_affine=True, bias=True)'
    """

    title: str
    group: str
    level: int
    order: int
    points: int
    defines: tuple[Signature, ...]
    banned: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict, hash=False)
    limits: Limits = Limits()
    reveal: Reveal = "full"
    credit: Credit = "mistakes"
    spread: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict, hash=False)
    left_out_habits: Mapping[str, str] = field(default_factory=dict, hash=False)
    after: tuple[str, ...] = ()
    courtesy: tuple[str, ...] = ()
    minutes: int = 10
    importance: int = 3

    def leaves_out(self, *names: str) -> bool:
        """Return if a situation with one of these names is left out."""
        return not self.left_out.keys().isdisjoint(names)

    @property
    def ban(self) -> Ban:
        """The names that a submission may not use."""
        return Ban(self.banned, self.allowed)

    @property
    def written_with(self) -> Library:
        """The library that it is written with: NumPy if PyTorch is banned as a whole."""
        return Library.TORCH if self.ban.against("torch") is None else Library.NUMPY


def by_worth(exercises: Sequence[Exercise]) -> list[Exercise]:
    """Return the exercises, the one to begin with first: important ones before others, then easy ones, and those that open many others."""
    opens = Counter(slug for exercise in exercises for slug in exercise.after)
    return sorted(exercises, key=lambda each: (-each.importance, each.level, -opens[each.slug], each.order))
