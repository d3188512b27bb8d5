"""Calls of a submission that an exercise's own probes make, as a learner would write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from normgrade.course.course import Course
from normgrade.remarks.call import call_in_words
from normgrade.remarks.own_call import functions_in, own_call
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import Action, LayerStep, LayerStory, OwnProbe

PROBES = """
from elsewhere import wrapped

def layer(impl, *args, **kwargs):
    with quiet():
        return impl.Layer(*args, **kwargs)

BUILDERS = {"a layer": layer}

def seen(impl, x, dim, more=None):
    return layer(impl, x.shape[-1], dim, keep=more)(x)

def of_kind(impl, kind, dim):
    if dim:
        return impl.Other(dim)
    return getattr(impl, kind)(dim, [torch.nn.Identity() for _ in range(dim)])

def handed(impl, x, constants):
    return wrapped(impl.norm, x, constants)

def again(impl, *sizes):
    return [layer(impl, *own(sizes))]

def nothing(impl, x):
    return wrapped(impl, x)
"""


@pytest.mark.parametrize(
    ("name", "given", "call"),
    [
        ("layer", ["3", "eps=0.1"], "Layer(3, eps=0.1)"),
        ("a layer", ["3", "[1, 2]"], "Layer(3, [1, 2])"),
        ("seen", ["x=(2, 3)", "dim=4", "more=True"], "Layer(x.shape[-1], 4, keep=True)"),
        ("of_kind", ["kind='PreNorm'", "dim=4"], "PreNorm(4, …)"),
        ("handed", ["x=(2, 3)", "constants=[1]"], "norm(…)"),
        ("again", ["3", "4"], "Layer(…)"),
        ("nothing", ["x=(2, 3)"], ""),
        ("gone", [], ""),
    ],
)
def test_a_probe_tells_the_call_of_a_learner(name: str, given: list[str], call: str, tmp_path: Path) -> None:
    probes = tmp_path / "probes.py"
    probes.write_text(PROBES, encoding="utf-8")
    assert own_call(probes, name, given) == call


def test_no_word_of_a_probe_is_in_a_call() -> None:
    course, x = Course.find(None), Array(np.zeros((2, 3, 4, 5), np.float32), "float32")
    fold, conv = course.exercise("fold_batch_norm"), course.exercise("weight_standardization")
    given = {"kind": "2d", "x": x, "numbers": {"weight": x}, "scattered": True, "upstream": "drawn"}
    assert call_in_words(OwnProbe("folded", given), None, fold) == "fold(conv, norm), with kind='2d', x=(2, 3, 4, 5), not contiguous"
    story = LayerStory("ws_conv", (4, 6, [3, 2]), {"groups": 2}, steps=[LayerStep.on(Action.EVALUATE, x)])
    assert call_in_words(story, 1, conv) == "WSConv2d(4, 6, [3, 2], groups=2), input (2, 3, 4, 5), in evaluation mode"
    both = LayerStory("both", (), {"eps": 0.1}, steps=[LayerStep.on(Action.TRAIN, x, x)])
    words = call_in_words(both, 1, course.exercise("rms_norm_fused_add"))
    assert words == "add_rms_norm(…), with eps=0.1, input (2, 3, 4, 5) (2, 3, 4, 5)"


def test_probes_and_builders_tell_a_call_or_nothing() -> None:
    for exercise in Course.find(None):
        contract = {each.name for each in exercise.defines} | {"backward"}
        if (probes := exercise.probes) is None:
            continue
        for name, function in functions_in(probes).items():
            if [each.arg for each in function.args.args[:1]] == ["impl"]:
                call = own_call(probes, name, [f"kind={exercise.defines[0].name!r}"])
                assert call == "" or call.partition("(")[0] in contract, (exercise.slug, name, call)
