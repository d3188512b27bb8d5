"""Tests of the trial of a learner's own input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from normgrade.compare.played import Played
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.grading.trial import Trial, played
from normgrade.language.errors import UsageError
from normgrade.learner.typed_play import build_of, inputs_of
from normgrade.learner.workspace import find_course

Try = Callable[..., Played]


@pytest.fixture
def tried(expectations: Path) -> Try:
    """Return a function that tries a source of an exercise, by default its reference."""

    def play(exercise: Exercise, call: str, *inputs: str, source: str = "", dtype: str | None = None, **how: object) -> Played:
        trial = Trial(exercise, build_of(call, exercise), inputs_of(inputs, dtype), **how)  # type: ignore[arg-type]
        with open_grader([exercise], Options(), lambda exercises: {}) as grader:
            return played(grader, trial, source or read_text(exercise.reference), exercise.file_name)

    return play


def numbers(play: Played, place: str) -> list[float]:
    return [round(float(each), 4) for each in play.observation.values[place].values.ravel()]  # type: ignore[union-attr]


def test_layer_is_played_in_the_requested_mode(tiny: Course, tried: Try) -> None:
    centring, x = tiny.exercise("centring"), "[[1, 2], [3, 6]]"
    training, evaluation = tried(centring, "Centring(2)", x), tried(centring, "Centring(2)", x, training=False)
    assert training.differences == evaluation.differences == ()
    assert numbers(training, "step 1 · output") == [-1, -2, 1, 2] and numbers(evaluation, "step 1 · output") == [1, 2, 3, 6]
    assert "step 1 · gradient of input" not in training.observation.values


def test_a_mistake_is_a_difference_at_a_place(tiny: Course, tried: Try) -> None:
    centring = tiny.exercise("centring")
    doubled = read_text(centring.reference).replace("torch.ones(num_features)", "2 * torch.ones(num_features)")
    play = tried(centring, "Centring(2)", "[[1, 2], [3, 6]]", source=doubled)
    assert [each.place for each in play.differences] == ["step 1 · output", "step 1 · weight"]  # its own initial values are played
    assert tried(centring, "Centring(2)", "[[1, 2], [3, 6]]", source=doubled, seed=1).differences == ()  # filled, both are the same


def test_output_gradient_is_one_two_three(tiny: Course, tried: Try) -> None:
    play = tried(tiny.exercise("centring"), "Centring(2)", "[[1, 2], [3, 6]]", backward=True, training=False)
    assert play.differences == ()
    assert numbers(play, "step 1 · gradient of input") == [1, 2, 3, 4]
    assert numbers(play, "step 1 · gradient of weight") == [1 * 1 + 3 * 3, 2 * 2 + 4 * 6]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_the_layer_has_the_dtype_of_its_input(dtype: str, tiny: Course, tried: Try) -> None:
    play = tried(tiny.exercise("centring"), "Centring(2)", "[[1, 2], [3, 6]]", dtype=dtype)
    assert play.differences == () and play.observation.values["step 1 · weight"].dtype == dtype  # type: ignore[union-attr]


def test_a_function_is_called_with_its_inputs(tiny: Course, tried: Try) -> None:
    play = tried(tiny.exercise("rms"), "rms(eps=0.)", "[[3, 4]]", backward=True)
    assert play.differences == () and numbers(play, "step 1 · output") == [0.8485, 1.1314]


def test_refused_input_is_an_error_of_both(tiny: Course, tried: Try) -> None:
    play = tried(tiny.exercise("centring"), "Centring(2)", "[1, 2]")
    assert play.expectation.error is not None and play.observation.error is not None
    assert play.expectation.error.types[0] == play.observation.error.types[0] == "ValueError"


def test_a_layer_may_be_too_large(tiny: Course, tried: Try, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("normgrade.grading.trial.MOST_NUMBERS", 4)
    with pytest.raises(UsageError, match=r"^The layer has 5 numbers, but at most 4 can be tried\.$"):
        tried(tiny.exercise("centring"), "Centring(2)", "[[1, 2]]")


def test_untyped_numbers_are_described(tiny: Course) -> None:
    centring = tiny.exercise("centring")
    trial = Trial(centring, build_of("Centring(2)", centring), inputs_of(["[[1, 2]]"], None), backward=True, seed=3)
    assert trial.how == "training mode · float32 (1, 2) · filled with random numbers, seed 3 · gradient of the output: 1, 2, 3, …"


def test_random_initial_values_are_given_to_both_sides(tried: Try) -> None:
    spectral = find_course(None).exercise("spectral_norm")
    source = read_text(spectral.reference).replace("torch.randn(", "torch.rand(")
    assert source != read_text(spectral.reference)
    assert tried(spectral, "normed_linear(2, 3)", "[[1, 2]]", source=source).differences == ()


def test_a_backward_pass_by_hand_is_played_too(tried: Try) -> None:
    play = tried(find_course(None).exercise("softmax_backward"), "forward()", "[[1, 2, 4]]", backward=True)
    assert play.differences == () and np.isclose(sum(numbers(play, "step 1 · gradient of input")), 0, atol=1e-3)


def test_a_function_without_inputs_is_called_once(tried: Try) -> None:
    play = tried(find_course(None).exercise("deep_norm"), "deepnorm_coefficients(encoder_layers=12)")
    assert play.differences == () and "result.encoder_alpha" in play.observation.values
