"""The counterpart of a mistake in another program: the place that computes the same, told only if it is certain."""

from __future__ import annotations

import pytest

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.mistakes import Mistake, read_mistakes
from normgrade.pointing.counterpart import Caret, counterparts

INIT = """\
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.axes = tuple(range(-len(self.shape), 0))
        self.epsilon = eps
        self.weight = nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None

"""
FORWARD = """\
    def forward(self, inp):
        h = inp.to(torch.promote_types(inp.dtype, torch.float32))
        mu = torch.mean(h, self.axes, keepdim=True)
        sigma2 = torch.var(h, self.axes, unbiased=False, keepdim=True)
        out = (h - mu) * torch.rsqrt(sigma2 + self.epsilon)
        if self.weight is not None:
            out = self.weight * out
        if self.bias is not None:
            out = out + self.bias
        return out.to(inp.dtype)
"""
RIGHT = INIT + FORWARD
COURSE = Course.find()


def mistakes(slug: str) -> dict[str, Mistake]:
    return {mistake.name: mistake for mistake in read_mistakes(COURSE.exercise(slug))}


def pointed(name: str, source: str, slug: str = "layer_norm") -> list[str]:
    """Return the text that is underlined for a mistake."""
    lines = source.splitlines()
    found = counterparts(read_text(COURSE.exercise(slug).reference), mistakes(slug)[name].source, source)
    return [lines[caret.line - 1][caret.column - 1 : caret.column - 1 + caret.width] for caret in found]


@pytest.mark.parametrize(
    ("name", "old", "new", "places"),
    [
        ("unbiased-variance", "unbiased=False, ", "", ["var"]),
        ("unbiased-variance", "unbiased=False", "unbiased=True", ["True"]),
        ("eps-missing", " + self.epsilon", "", ["rsqrt"]),
        ("eps-ignored", "self.epsilon = eps", "self.epsilon = 1e-5", ["1e-5"]),
        ("eps-default-1e-6", "eps=1e-5", "eps=1e-6", ["1e-6"]),
        ("eps-outside-root", "* torch.rsqrt(sigma2 + self.epsilon)", "/ (sigma2.sqrt() + self.epsilon)", ["sqrt"]),
        ("eps-clamps-variance", "sigma2 + self.epsilon", "sigma2.clamp(min=self.epsilon)", ["clamp"]),
        ("numerator-not-centred", "(h - mu)", "h", ["h * torch.rsqrt(sigma2 + self.epsilon)"]),
        ("over-the-batch", "tuple(range(-len(self.shape), 0))", "0", ["0"]),
        ("mean-detached", "h - mu", "h - mu.detach()", ["detach"]),
        ("variance-detached", "sigma2 + ", "sigma2.detach() + ", ["detach"]),
        ("one-plus-weight", "self.weight * out", "(1 + self.weight) * out", ["(1 + self.weight) * out"]),
        ("weight-and-bias-swapped", "self.weight * out", "self.weight + out", []),
        ("weight-starts-at-zero", "torch.ones(", "torch.zeros(", ["zeros"]),
        ("input-changed", "(h - mu)", "h.sub_(mu)", ["sub_"]),
        ("float32-returned", "out.to(inp.dtype)", "out", ["out"]),
        ("computed-in-half", "inp.to(torch.promote_types(inp.dtype, torch.float32))", "inp.half()", ["half"]),
    ],
)
def test_a_mistake_is_found_in_another_spelling(name: str, old: str, new: str, places: list[str]) -> None:
    source = RIGHT.replace(old, new)
    assert source != RIGHT and pointed(name, source) == places


@pytest.mark.parametrize(
    ("slug", "name", "old", "new", "places"),
    [
        ("spectral_norm", "n-power-iterations-ignored", "range(self.n_power_iterations)", "range(1)", ["1"]),
        ("spectral_norm", "eps-missing", ".clamp(min=self.eps)", "", ["vector / torch.linalg.vector_norm(vector)"]),
        ("spectral_norm", "v-not-normalised", "self.unit(w.T @ self.u)", "w.T @ self.u", ["w.T @ self.u"]),
        ("spectral_norm", "eps-ignored", "self.eps = eps", "self.eps = 1e-12", ["1e-12"]),
        ("spectral_norm", "view-of-strided-weight", "weight.reshape(", "weight.view(", ["view"]),
        ("spectral_norm", "reshaped-to-transposed", "(weight.shape[0], -1)", "(-1, weight.shape[0])", ["reshape"]),
        ("spectral_norm", "no-gradient-at-all", "    def forward(", "    @torch.no_grad()\n    def forward(", ["no_grad"]),
        (
            "spectral_norm",
            "no-gradient-at-all",
            "    def forward(",
            "    @torch.inference_mode\n    def forward(",
            ["torch.inference_mode"],
        ),
        (
            "spectral_norm",
            "no-gradient-at-all",
            "    def forward(",
            "    @torch.set_grad_enabled(False)\n    def forward(",
            ["set_grad_enabled"],
        ),
        ("deep_norm", "alpha-as-integer", "self.alpha = alpha", "self.alpha = int(alpha)", ["int"]),
        ("deep_norm", "eps-1e-6", "nn.LayerNorm(dim)", "nn.LayerNorm(dim, eps=1e-6)", ["1e-6"]),
        ("deep_norm", "modules-only", "self.sublayer = sublayer", "self.sublayer = nn.Sequential(sublayer)", ["Sequential"]),
        ("deep_norm", "bias-expected", "if layer.bias is not None:", "if True:", ["True"]),
        ("deep_norm", "biases-scaled", "nn.init.zeros_(layer.bias)", "layer.bias.data.mul_(gain)", ["mul_"]),
        ("deep_norm", "orthogonal", "nn.init.xavier_normal_(", "nn.init.orthogonal_(", ["orthogonal_"]),
    ],
)
def test_calls_loops_and_initial_values_have_places(slug: str, name: str, old: str, new: str, places: list[str]) -> None:
    right = read_text(COURSE.exercise(slug).reference).replace("linear", "layer").replace("matrix", "w")
    assert right.count(old) == 1 and pointed(name, right.replace(old, new), slug) == places


@pytest.mark.parametrize(
    ("slug", "name", "old", "new", "places"),
    [
        ("softmax", "dtype-not-restored", "y.to(x.dtype)", "y", ["y"]),
        ("softmax", "input-overwritten", "torch.exp(wide - largest)", "torch.exp(wide.sub_(largest))", ["sub_"]),
        ("softmax", "always-float32", "x.to(torch.promote_types(x.dtype, torch.float32))", "x.float()", ["float"]),
        ("layer_norm_backward", "dweight-without-normed", "(wide * normed)", "(wide)", ["sum"]),
        (
            "layer_norm_backward",
            "mean-term-missing",
            "dnormed - along_ones - along_normed",
            "dnormed - along_normed",
            ["dnormed - along_normed"],
        ),
    ],
)
def test_a_mistake_is_found_in_a_function(slug: str, name: str, old: str, new: str, places: list[str]) -> None:
    right = read_text(COURSE.exercise(slug).reference).replace("dy", "g").replace("cache", "kept")
    assert right.count(old) == 1 and pointed(name, right.replace(old, new), slug) == places


def test_a_helper_does_not_return_the_result() -> None:
    """Return float32 from a helper, and the dtype of the input from the function."""
    helper = "import torch\n\ndef exps(x):\n    return torch.exp(x - x.amax(-1, keepdim=True))\n\n"
    source = helper + "def softmax(x, dim=-1):\n    e = exps(x.float())\n    return (e / e.sum(dim, keepdim=True)).to(x.dtype)\n"
    assert pointed("dtype-not-restored", source, "softmax") == []
    assert pointed("dtype-not-restored", source.replace(".to(x.dtype)", ""), "softmax") == ["e / e.sum(dim, keepdim=True)"]


def test_both_places_of_a_mistake_are_found_or_none() -> None:
    both = RIGHT.replace("self.weight * out", "self.weight + out").replace("out + self.bias", "self.bias * out")
    assert pointed("weight-and-bias-swapped", both) == ["self.weight + out", "self.bias * out"]


def test_a_mistake_made_in_another_way_has_no_place() -> None:
    by_hand = RIGHT.replace("torch.var(h, self.axes, unbiased=False, keepdim=True)", "((h - mu) ** 2).sum(-1, keepdim=True) / (len(h) - 1)")
    assert pointed("unbiased-variance", by_hand) == []


def test_another_change_of_shape_has_no_place() -> None:
    """Look for the same change of shape of the same value, since sources change shapes everywhere."""
    right = read_text(COURSE.exercise("spectral_norm").reference)
    strided = right.replace("weight.reshape(weight.shape[0], -1)", "torch.stack([row.view(-1) for row in weight])")
    assert strided != right and pointed("view-of-strided-weight", strided, "spectral_norm") == []


def test_two_fitting_places_give_none() -> None:
    twice = RIGHT.replace("unbiased=False, ", "").replace(
        "        out = (h", "        if h.dim() == 3:\n            sigma2 = h.var(-1, keepdim=True)\n        out = (h"
    )
    assert pointed("unbiased-variance", twice) == []


def test_a_right_computation_elsewhere_is_not_marked() -> None:
    """Keep the running variance of batch norm unbiased, while the normalising one is wrong."""
    reference = read_text(COURSE.exercise("batch_norm").reference)
    by_hand = reference.replace(
        "values.var(dims, keepdim=True, correction=0)", "(values - mean).square().sum(dims, keepdim=True) / (x.numel() // x.shape[1] - 1)"
    )
    assert by_hand != reference and pointed("unbiased-normalisation", by_hand, "batch_norm") == []


def test_a_shared_variance_is_marked_at_the_buffer() -> None:
    """Use one variance for both: it is right for the normalisation, and wrong for the running variance."""
    reference = read_text(COURSE.exercise("batch_norm").reference)
    shared = reference.replace("values.var(dims, correction=1)", "var.flatten()")
    assert shared != reference and pointed("biased-running-variance", shared, "batch_norm") == ["self.running_var"]


@pytest.mark.parametrize("slug", ["layer_norm", "batch_norm", "rms_norm"])
def test_nothing_is_marked_in_the_reference(slug: str) -> None:
    reference = read_text(COURSE.exercise(slug).reference)
    assert [name for name, mistake in mistakes(slug).items() if counterparts(reference, mistake.source, reference)] == []


@pytest.mark.parametrize("slug", ["layer_norm", "batch_norm", "rms_norm"])
def test_most_mistakes_are_found_at_their_edits(slug: str) -> None:
    reference = read_text(COURSE.exercise(slug).reference)
    known = [mistake for mistake in mistakes(slug).values() if mistake.edits]
    found = {mistake.name: counterparts(reference, mistake.source, mistake.source) for mistake in known}
    assert sum(map(bool, found.values())) > 0.7 * len(known)
    for mistake in known:
        before, after = reference.splitlines(), mistake.source.splitlines()
        assert all(after[caret.line - 1] not in before for caret in found[mistake.name]) or mistake.name == "shift-before-scale"


def test_a_place_is_counted_in_characters() -> None:
    source = RIGHT.replace("unbiased=False, ", "").replace("sigma2 = torch", "σ2 = sigma2 = torch")
    [caret] = counterparts(read_text(COURSE.exercise("layer_norm").reference), mistakes("layer_norm")["unbiased-variance"].source, source)
    line = source.splitlines()[caret.line - 1]
    assert caret == Caret(caret.line, line.index("var(") + 1, 3)


@pytest.mark.parametrize("source", ["def f(:\n", "", "x = " + "(" * 300 + ")" * 300, "class LayerNorm: pass\n"])
def test_a_source_without_information_has_no_place(source: str) -> None:
    reference = read_text(COURSE.exercise("layer_norm").reference)
    assert counterparts(reference, mistakes("layer_norm")["unbiased-variance"].source, source) == ()
