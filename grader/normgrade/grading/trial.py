"""A trial: one play of a learner's file and of the reference, on an input of the learner's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from normgrade.compare.played import Played
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.tensor_library import Library
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.language.places import Place
from normgrade.oracle.draws import complete, initial, layout, rounded_to
from normgrade.oracle.oracle import Oracle
from normgrade.suite.story import Build, call, evaluate, request
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import Action, LayerStep, LayerStory, TypedRequest

if TYPE_CHECKING:
    from normgrade.grading.grader import Grader

OUTPUT = Place("output", step=1)
MOST_NUMBERS = 10_000_000  # of parameters and buffers
SEEDS = 1, 2  # of initial values: a layer is random if they differ


@dataclass(frozen=True)
class Trial:
    """One call on inputs of the learner's own: the build of the layer, its inputs, and the kind of call.

    A layer keeps the values that it was built with. With a `seed`, it is filled with random ones.
    """

    exercise: Exercise
    build: Build
    inputs: tuple[Array, ...]
    training: bool = True
    backward: bool = False
    seed: int | None = None

    @property
    def dtype(self) -> str:
        """The dtype of the first input, which the layer has, too."""
        return self.inputs[0].dtype if self.inputs else "float32"

    @property
    def has_mode(self) -> bool:
        return not self.build.is_function

    @property
    def how(self) -> str:
        """The mode of a layer, the inputs, and the numbers that nobody typed, in words."""
        mode = [_("training mode") if self.training else _("evaluation mode")] if self.has_mode else []
        inputs = [f"{each.dtype} {each.values.shape}" for each in self.inputs]
        upstream = [_("gradient of the output: 1, 2, 3, …")] if self.backward else []
        filled = [_("filled with random numbers, seed {seed}", seed=self.seed)] if self.has_mode and self.seed is not None else []
        return " · ".join((*mode, *inputs, *filled, *upstream))


def input_of(values: np.ndarray, dtype: str) -> Array:
    """Return an input in this dtype. If a number is too large for it, it becomes infinite, as in PyTorch."""
    with np.errstate(all="ignore"):
        return rounded_to(values, dtype)


def played(grader: Grader, trial: Trial, source: str, file_name: str) -> Played:
    """Play the source, and compare it with the reference."""
    oracle, exercise = grader.oracles[trial.exercise.slug], trial.exercise
    reference = read_text(exercise.reference)
    expectation = oracle.expectation(reference, asked(trial, oracle, reference), keep=False)
    with grader.worker(exercise, source, file_name) as worker:
        return Played(worker.play(expectation.request, expectation.size_bytes), expectation)


def asked(trial: Trial, oracle: Oracle, reference: str) -> TypedRequest:
    """Return the complete request that plays a trial."""
    build, key = trial.build, ["try", trial.seed]
    if not trial.inputs:
        return request([call(str(build.name), *build.arguments, **build.kwargs)], "", key)
    x, *more = trial.inputs
    step = LayerStep.on(Action.TRAIN if trial.training and trial.has_mode else Action.EVALUATE, x, *more)
    whole = request([filled(trial, oracle, reference), step], "", key)
    implementation, probes = oracle.modules(reference)
    whole = complete(implementation, whole, probes, oracle.written_with)
    return with_upstream(whole, oracle, reference) if trial.backward else whole


def filled(trial: Trial, oracle: Oracle, reference: str) -> Build:
    """Return the beginning of the story, with the values of parameters and buffers.

    A layer in float32 keeps its own initial values, to be compared with the reference's. If these are random, or have another dtype, both
    layers are filled with the reference's.
    """
    build = trial.build
    if build.is_function or trial.seed is not None:
        return build.to(trial.dtype)
    values, others = (initial_values(build, oracle, reference, seed) for seed in SEEDS)
    alike = all(np.array_equal(values[name].values, others[name].values, equal_nan=True) for name in values)
    if trial.dtype == "float32" and alike:
        return build.as_built()
    return build.to(trial.dtype).filled(**{name: each.values for name, each in values.items()})


def initial_values(build: Build, oracle: Oracle, reference: str, seed: int) -> Mapping[str, Array]:
    """Return the parameters and buffers of a new layer by name; nothing if the reference refuses to build it."""
    implementation, probes = oracle.modules(reference)
    import torch  # loads PyTorch

    torch.manual_seed(seed)
    story = request([build, evaluate(np.zeros(1, np.float32))], "", 0)
    assert isinstance(story, LayerStory)
    tensors = {name: tensor for name, tensor in layout(implementation, story, probes).items() if tensor is not None}
    if (total := sum(tensor.numel() for tensor in tensors.values())) > MOST_NUMBERS:
        raise UsageError(_("The layer has {total} numbers, but at most {most} can be tried.", total=total, most=MOST_NUMBERS))
    return {name: initial(tensor) for name, tensor in tensors.items()}


def with_upstream(whole: TypedRequest, oracle: Oracle, reference: str) -> TypedRequest:
    """Return the request with a backward pass from 1, 2, 3, … in the shape of the output; without one if the output is not a tensor."""
    output = oracle.natively(reference, whole).values.get(OUTPUT)
    if not isinstance(whole, LayerStory) or not isinstance(output, Array):
        return whole
    counted = np.arange(1, output.values.size + 1, dtype=np.float64).reshape(output.values.shape)
    upstream = rounded_to(counted, "float32" if oracle.written_with is Library.TORCH else output.dtype)
    return replace(whole, steps=[replace(step, upstream=upstream) for step in whole.steps])
