"""Examples of how to call each command, for its `--help`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from normgrade.language import N_, _

EXAMPLES: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "normgrade": (
            ("normgrade init my-norms", N_("begin")),
            ("normgrade", N_("what to do next, in my-norms")),
            ("normgrade check", N_("grade what is started")),
        ),
        "init": (
            ("normgrade init my-norms", N_("begin in a new folder")),
            ("normgrade init", N_("in this one, or add what is new")),
        ),
        "list": (("normgrade list", N_("exercises, points, where you stand")),),
        "show": (
            ("normgrade show layer_norm", N_("the task")),
            ("normgrade show layer_norm --answers", N_("with its answers")),
            ("normgrade show layer_norm --stub > layer_norm.py", N_("begin without a workspace")),
        ),
        "check": (
            ("normgrade check layer_norm", N_("grade layer_norm.py")),
            ("normgrade check", N_("grade what is started")),
            ("normgrade check -v layer_norm", N_("with every difference")),
            ("normgrade check --seed random layer_norm", N_("on new inputs")),
            ("normgrade check try.py --exercise layer_norm", N_("a file of another name")),
            ("normgrade check --format html --output report.html", N_("as a page with pictures")),
        ),
        "try": (
            ('normgrade try layer_norm "LayerNorm(4)" "[[1, 2, 3, 6]]"', N_("both outputs")),
            ('normgrade try batch_norm "BatchNorm(2)" x.npy --eval', N_("an array that NumPy saved")),
            ('normgrade try softmax "softmax(dim=0)" "[[1, 2], [3, inf]]"', N_("a function")),
        ),
        "watch": (
            ("normgrade watch", N_("the exercise to go on with")),
            ("normgrade watch layer_norm", N_("another one")),
        ),
        "hint": (("normgrade hint layer_norm", N_("one hint, and how many are left")),),
        "solution": (
            ("normgrade solution layer_norm", N_("the answer, beside yours")),
            ("normgrade solution layer_norm einsum_statistics", N_("another right way")),
            ("normgrade solution layer_norm --spoil", N_("before it has passed")),
        ),
        "reset": (("normgrade reset layer_norm", N_("begin again; your file is kept")),),
        "progress": (("normgrade progress", N_("attempts, mistakes, what is next")),),
        "review": (
            ("normgrade review", N_("those that are due")),
            ("normgrade review --all", N_("all that you ever made")),
        ),
        "interview": (
            ("normgrade interview", N_("begin, or go on")),
            ("normgrade interview --minutes 60 --level 2", N_("longer, and easier")),
            ("normgrade interview --end", N_("end it, and see how it went")),
        ),
        "explain": (
            ("normgrade explain unbiased-variance", N_("right and wrong numbers")),
            ("normgrade explain eps-missing --exercise rms_norm", N_("of one exercise")),
        ),
        "repro": (
            ("normgrade repro layer_norm", N_("of the first check that fails")),
            ("normgrade repro layer_norm test_gradients", N_("of that one")),
            ("python -m pdb repro_layer_norm.py", N_("step through it")),
        ),
        "verify": (
            ("normgrade verify", N_("the whole course")),
            ("normgrade verify layer_norm --seeds 20", N_("one, on twenty draws")),
            ("normgrade verify --mutants", N_("and every slip of the pen")),
            ("normgrade verify --habits", N_("and every bad habit")),
            ("normgrade verify rms_norm --mistake eps-missing", N_("one mistake in full")),
            ("normgrade verify rms_norm --only test_eps", N_("one check alone")),
            ("normgrade verify --course my-course", N_("your own")),
        ),
        "new": (
            ('normgrade new weight_norm "WeightNorm(weight, dim=0)"', N_("a layer, in this course")),
            ('normgrade new softmax "softmax(x, dim=-1)" --course my-course', N_("a function, in your own")),
            ("normgrade new layer_norm_backward --numpy", N_("forward and backward, in NumPy")),
        ),
        "warm": (
            ("normgrade warm", N_("the whole course")),
            ("normgrade warm layer_norm rms_norm", N_("two exercises")),
            ("normgrade warm --cores 2", N_("with less of the machine")),
        ),
        "doctor": (("normgrade doctor", N_("which walls hold here, and why")),),
        "completion": (
            ("normgrade completion bash >> ~/.bashrc", N_("for bash")),
            ("normgrade completion zsh >> ~/.zshrc", N_("for zsh")),
            ("normgrade completion fish > ~/.config/fish/completions/normgrade.fish", N_("for fish")),
        ),
    }
)
LONGEST = 50  # columns; below a longer command its explanation takes a line of its own


def examples(command: str) -> str:
    """Return the examples of a command, a line each, in a block that click does not wrap; "" for a command without examples."""
    lines = EXAMPLES.get(command, ())
    if not lines:
        return ""
    width = max((len(line) for line, _does in lines if len(line) <= LONGEST), default=0)
    said = (f"  {line:{width}}  {_(does)}" if len(line) <= LONGEST else f"  {line}\n  {'':{width}}  {_(does)}" for line, does in lines)
    return "\n".join(["\b", _("Examples:"), *said])
