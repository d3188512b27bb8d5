"""Tests that banned functions raise at run time, in every spelling, with a message that names the rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from normgrade.course.ban import Ban
from normgrade.course.course import Course
from normgrade.grading.grade import Submission, grade
from normgrade.grading.grading_options import Options
from normgrade.worker.trusted.host import Host
from normgrade.worker.untrusted.by_hand import ENGINE, next_number, none_in_between
from normgrade.worker.untrusted.stopping import ByHand
from normgrade.worker.wire.observation import Array, Error, Observation, Request
from normgrade.worker.wire.requests import Action, LayerStep, LayerStory

COURSE = Course.find()
HEAD = """
import torch
from torch import nn
from torch.nn import functional as F
x = torch.arange(24.0).reshape(4, 6)
y = x.clone().requires_grad_()
def f():
    return """


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """Yield a host whose zygote is prepared only for the ban of layer norm."""
    with Host(bans=[ban_of("layer_norm")]) as host:
        yield host


def ban_of(slug: str) -> Ban:
    return COURSE.exercise(slug).ban


def value_of(host: Host, expression: str, ban: Ban) -> Observation:
    with host.worker(HEAD + expression, "f.py", ban=ban) as worker:
        return worker.play(Request("function_call", {"function": "f", "args": [], "kwargs": {}}), 10_000)


def error_of(observation: Observation) -> Error:
    assert observation.error is not None, observation.values
    return observation.error


QUANTIZED, IN_PARTS = "torch.ops.quantized", "torch._decomp.decompositions"
SPELLINGS = {
    "nn.LayerNorm(6)(x)": "torch.layer_norm",
    "getattr(nn, 'Layer' + 'Norm')(6)(y)": "torch.layer_norm",
    "F.layer_norm(x, (6,))": "torch.layer_norm",
    "F.layer_norm(y, (6,)).sum().backward()": "torch.layer_norm",
    "vars(torch)['layer_' + 'norm'](x, (6,))": "torch.layer_norm",
    "torch.native_layer_norm(x, (6,), None, None, 1e-5)": "torch.native_layer_norm",
    "torch.ops.aten.native_layer_norm(x, (6,), None, None, 1e-5)": "torch.native_layer_norm",
    "torch.ops.aten.native_layer_norm.default(x, (6,), None, None, 1e-5)": "torch.native_layer_norm",
    "torch._C._VariableFunctions.layer_norm(x, (6,))": "torch.layer_norm",
    "torch.jit.script(nn.LayerNorm(6))(x)": "torch.layer_norm",
    "torch.jit.trace(nn.LayerNorm(6), x)(x)": "torch.layer_norm",
    "torch.vmap(lambda row: F.layer_norm(row, (6,)))(x)": "torch.layer_norm",
    "torch.vmap(lambda row: torch.rms_norm(row, (6,)))(x)": "torch.rms_norm",
    "torch.masked.normalize(x, 2, -1)": "torch.masked._ops.normalize",
    "F.layer_norm(torch.nested.nested_tensor([x]), (6,), y[0], y[1])": "torch.layer_norm",
    "torch.native_layer_norm(torch.nested.nested_tensor([x]), (6,), x[0], x[1], 1e-5)": "torch.native_layer_norm",
    "F.batch_norm(x[None, None].to_mkldnn(), x[0, :1], x[1, :1], x[2, :1], x[3, :1], True)": "torch.batch_norm",
    "torch.native_batch_norm(x, None, None, None, None, True, 0, 1e-5, out=(x * 0, x[0] * 0, x[0] * 0))": "torch.native_batch_norm",
    f"{QUANTIZED}.layer_norm(torch.quantize_per_tensor(x, 1e-6, 0, torch.qint32), [6], None, None, 0, 1e-8, 0)": f"{QUANTIZED}.layer_norm",
    "torch.ops.aten.layer_norm.default.redispatch(torch._C.DispatchKeySet(torch._C.DispatchKey.CUDA), x, (6,))": "torch.layer_norm",
    "torch.ops.aten.layer_norm.default.decompose(x, (6,))": "torch.layer_norm",
    "torch._weight_norm(x, x[:, :1], 0)": "torch._weight_norm",
    "torch.renorm(x, 2, 0, 1.0)": "torch.renorm",
    "getattr(nn.utils.parametrizations, 'weight' + '_norm')(nn.Linear(6, 6))": "torch.nn.utils.parametrizations.weight_norm",
    "getattr(nn.utils, 'spectral' + '_norm')(nn.Linear(6, 6))": "torch.nn.utils.spectral_norm.spectral_norm",
    "getattr(nn.utils.parametrizations, '_Spectral' + 'Norm')(x)": "torch.nn.utils.parametrizations._SpectralNorm",
    "torch._refs.native_layer_norm(x, (6,), None, None, 1e-5)": "torch._refs.native_layer_norm",
    "torch._refs.native_layer_norm.__wrapped__(x, (6,), None, None, 1e-5)": "torch._refs.native_layer_norm",
    "torch._refs._normalize(x, [1], 1e-5)": "torch._refs._normalize",
    f"{IN_PARTS}.native_batch_norm_helper(x, *[None] * 4, True, 0.1, 1e-5, False)": f"{IN_PARTS}.native_batch_norm_helper",
    "torch._decomp.decomposition_table[torch.ops.aten.native_batch_norm.default](x)": f"{IN_PARTS}.native_batch_norm",
    "torch._C._jit_to_static_module(torch.jit.script(nn.LayerNorm(6)).graph)": "torch._C._jit_to_static_module",
    "torch.func.grad(lambda z: F.layer_norm(z, (6,)).sum())(x)": "torch.layer_norm",
    "F.layer_norm(x.bfloat16(), (6,))": "torch.layer_norm",
    "torch.inference_mode()(lambda: F.layer_norm(x * 1, (6,)))()": "torch.layer_norm",
    "nn.GroupNorm(1, 6)(x)": "torch.group_norm",
    "nn.RMSNorm(6)(x)": "torch.rms_norm",
    "nn.BatchNorm1d(6)(x)": "torch.batch_norm",
    "F.batch_norm(x.T, None, None, training=True).T": "torch.batch_norm",
    "nn.InstanceNorm1d(4)(x[None])": "torch.instance_norm",
    "nn.LocalResponseNorm(2)(x[None])": "torch.nn.functional.local_response_norm",
    "getattr(F, 'norm' + 'alize')(x)": "torch.nn.functional.normalize",
    "nn.CosineSimilarity()(x, x)": "torch.cosine_similarity",
    "getattr(F, 'cosine_' + 'embedding_loss')(x, x, x[:, 0])": "torch.cosine_embedding_loss",
    "getattr(nn, 'Cosine' + 'EmbeddingLoss')()(x, x, x[:, 0])": "torch.cosine_embedding_loss",
    "torch.corrcoef(x)": "torch.corrcoef",
    "x.corrcoef()": "torch.corrcoef",
    "F.embedding(x.long(), torch.ones(24, 2), max_norm=1.0)": "torch.nn.functional._no_grad_embedding_renorm_",
    "torch.embedding_renorm_(x, x[0].long(), 1.0, 2.0)": "torch.embedding_renorm_",
    "nn.utils.clip_grad_norm_([y], 1.0)": "torch.nn.utils.clip_grad.clip_grad_norm_",
    "torch.func.jvp(lambda z: z.logsumexp(-1), (x,), (x,))": "torch.autograd.forward_ad.enter_dual_level",
    "torch._C._enter_dual_level()": "torch._C._enter_dual_level",
}


@pytest.mark.parametrize("expression", SPELLINGS)
def test_banned_call_raises_in_every_spelling(expression: str, host: Host) -> None:
    error = error_of(value_of(host, expression, ban_of("layer_norm")))
    assert error.types[0] == "ByHand"
    assert error.message.startswith(f"this calls `{SPELLINGS[expression]}`, which the exercise bans (by the rule `torch.")
    assert error.message.endswith("`): it must be written by hand")
    assert [frame.line for frame in error.frames][:1] == [8]


@pytest.mark.parametrize(
    "expression",
    [
        "x.var(dim=-1, correction=0) + x.mean(dim=-1) + x.std(-1)",
        "torch.var_mean(x, -1, correction=0)[0]",
        "torch.linalg.vector_norm(x, dim=-1) + x.norm(dim=-1)",
        "torch.einsum('ij,ij->i', x, x).rsqrt()",
        "F.softmax(x, -1) + F.relu(x) + F.linear(x, torch.ones(6, 6))",
        "nn.Linear(6, 6)(y).logsumexp(-1)",
        "torch.masked.var(x, -1) + torch.masked.mean(x, -1)",
        "torch.vmap(lambda row: row / torch.linalg.vector_norm(row))(x)",
        "F.embedding(x.long(), torch.ones(24, 2))",
        "torch.cov(x, correction=0).diagonal()",
    ],
)
def test_elementary_operations_are_allowed(expression: str, host: Host) -> None:
    assert value_of(host, expression, ban_of("layer_norm")).error is None


@pytest.mark.parametrize(
    ("slug", "expression", "allowed"),
    [
        ("deep_norm", "nn.LayerNorm(6)(y).sum()", True),
        ("deep_norm", "nn.BatchNorm1d(6)(x)", False),
        ("spectral_norm", "F.normalize(x)", True),
        ("spectral_norm", "nn.LayerNorm(6)(x)", False),
        ("spectral_norm", "nn.utils.parametrizations.spectral_norm(nn.Linear(6, 6)).weight", False),
    ],
)
def test_exceptions_from_a_ban_work(slug: str, expression: str, allowed: bool, host: Host) -> None:
    assert (value_of(host, expression, ban_of(slug)).error is None) == allowed


DISTRIBUTIONS = {
    "torch.distributions.Categorical(logits=x)": "torch.distributions.categorical.Categorical",
    "torch.distributions.RelaxedOneHotCategorical(torch.ones(1), logits=x)": "torch.distributions.categorical.Categorical",
    "torch.distributions.Multinomial(9, logits=x)": "torch.distributions.categorical.Categorical",
    "torch.distributions.transforms.SoftmaxTransform()(x)": "torch.distributions.transforms.SoftmaxTransform",
}


@pytest.mark.parametrize("expression", DISTRIBUTIONS)
def test_normalising_distributions_raise_in_softmax(expression: str, host: Host) -> None:
    error = error_of(value_of(host, expression, ban_of("softmax")))
    assert error.types[0] == "ByHand" and error.message.startswith(f"this calls `{DISTRIBUTIONS[expression]}`, which the exercise bans")
    assert value_of(host, expression, ban_of("layer_norm")).error is None


AUTOGRAD = "autograd computed a gradient during this call, which the exercise bans (by the rule `torch._C._ImperativeEngine.run_backward`)"
OWN = """
import torch
class Square(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(context, upstream):
        x = context.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            return torch.autograd.grad((x * x).sum(), x)[0] * upstream
class Layer(torch.nn.Module):
    def forward(self, x):
        return {}
Square.apply(torch.ones(3, requires_grad=True)).sum().backward()
"""


@pytest.mark.parametrize(
    ("expression", "refused"),
    [("Square.apply(x)", False), ("torch.autograd.grad(x.logsumexp(-1).sum(), x, create_graph=True)[0]", True)],
)
def test_autograd_inside_a_layer_call_is_refused(expression: str, refused: bool, host: Host) -> None:
    ones = Array(np.ones((2, 3), np.float32), "float32")
    step = LayerStep(Action.TRAIN, ones, upstream=ones)
    with host.worker(OWN.format(expression), "f.py", ban=ban_of("layer_norm")) as worker:
        seen = worker.play(LayerStory("Layer", [], steps=[step]), 10_000)
    assert (seen.error is not None) == refused
    if refused:
        assert error_of(seen).types[0] == "ByHand" and error_of(seen).step == 1
        assert error_of(seen).message == f"{AUTOGRAD}: it must be written by hand"


def test_autograd_inside_a_function_call_is_refused(host: Host) -> None:
    error = error_of(value_of(host, "torch.autograd.grad(y.logsumexp(-1).sum(), y)[0]", ban_of("layer_norm")))
    assert error.message == f"{AUTOGRAD}: it must be written by hand"


def test_check_fails_with_the_rule(tmp_path: Path, expectations: Path) -> None:
    path = tmp_path / "layer_norm.py"
    path.write_text(
        "from torch import nn\n\nclass LayerNorm(nn.Module):\n"
        "    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):\n        super().__init__()\n"
        "        self.inner = getattr(nn, 'Layer' + 'Norm')(normalized_shape, eps, elementwise_affine, bias)\n"
        "        self.weight, self.bias = self.inner.weight, self.inner.bias\n"
        "    def forward(self, x):\n        return self.inner(x)\n"
    )
    [report] = grade([Submission(COURSE.exercise("layer_norm"), path, path.name)], Options())
    said = [check.message for check in report.checks if check.outcome == "failed"]
    assert (report.outcome, report.earned, report.diagnoses) == ("failed", 0, ())
    assert "ByHand: this calls `torch.layer_norm`, which the exercise bans (by the rule `torch.layer_norm`)" in said[0]
    assert "line 9, in forward: return self.inner(x)" in said[0]
    assert not any(word in "".join(said).lower() for word in ("security", "sandbox", "attack"))


HEIRS = {
    "getattr(nn, 'Layer' + 'Norm')": "torch.nn.LayerNorm",
    "vars(nn)['BatchNorm1d']": "torch.nn.BatchNorm1d",
    "type(nn.GroupNorm(1, 2))": "torch.nn.GroupNorm",
    "nn.BatchNorm1d.__mro__[2]": "torch.nn.modules.batchnorm._NormBase",
}


@pytest.mark.parametrize("base", HEIRS)
def test_a_class_cannot_inherit_from_a_banned_layer(base: str, host: Host) -> None:
    source = f"from torch import nn\n\nclass LayerNorm({base}):\n    def forward(self, x):\n        return x\n"
    with host.worker(source, "f.py", ban=ban_of("layer_norm")) as worker:
        error = error_of(worker.play(Request("function_call", {"function": "LayerNorm", "args": [3], "kwargs": {}}), 10_000))
    assert error.types[0] == "ByHand"
    assert error.message.startswith(f"this inherits from `{HEIRS[base]}`, which the exercise bans (by the rule `torch.nn.")
    assert error.message.endswith("`): it must be written by hand")
    assert [frame.line for frame in error.frames][:1] == [3]


@pytest.mark.parametrize(
    ("slug", "classes"),
    [
        (
            "layer_norm",
            "class LayerNorm(nn.Module): pass\nclass Own(LayerNorm, nn.Linear): pass\nmade = Own(2, 2)",
        ),
        ("deep_norm", "class Own(nn.LayerNorm): pass\nmade = Own(6)(torch.zeros(2, 6))"),
        ("layer_norm", "from torch.nn.utils import parametrizations, fusion\nmade = nn.TransformerEncoderLayer(4, 2)"),
    ],
)
def test_other_classes_can_be_inherited_from(slug: str, classes: str, host: Host) -> None:
    source = f"import torch\nfrom torch import nn\n{classes}\ndef f():\n    return 1\n"
    with host.worker(source, "f.py", ban=ban_of(slug)) as worker:
        assert worker.play(Request("function_call", {"function": "f", "args": [], "kwargs": {}}), 10_000).error is None


NUMPY = "import numpy as np\ndef f():\n    return float(np.ones(3).sum())\n"


IMPORTS = ["import torch", "from torch import nn", "__import__('torch')", "import importlib; importlib.import_module('torch.nn')"]


@pytest.mark.parametrize("statement", IMPORTS)
def test_banned_torch_cannot_be_imported(statement: str, host: Host) -> None:
    with host.worker(f"{NUMPY}def g():\n    {statement}\n", "f.py", ban=Ban(("torch", "torch.*"))) as worker:
        request = {name: Request("function_call", {"function": name, "args": [], "kwargs": {}}) for name in "fg"}
        assert worker.play(request["f"], 100).error is None
        error = error_of(worker.play(request["g"], 100))
    assert error.types[:2] == ("BannedImport", "ImportError") and "ByHand" in error.types
    assert error.message.endswith("which the exercise bans (by the rule `torch`): the code must be written without it")


@pytest.mark.parametrize("pattern", ["torch.ops.aten.*", "torch.layer?norm", "torch.[kl]ayer_norm", "torch.*layer_norm"])
def test_every_kind_of_pattern_is_enforced(pattern: str, host: Host) -> None:
    error = error_of(value_of(host, "F.layer_norm(x, (6,))", Ban((pattern,))))
    assert error.types[0] == "ByHand", error


# Backward passes


GRADIENT = (
    r"^autograd computed a gradient during this call, which the exercise bans \(by the rule `torch\._C\._ImperativeEngine\.\*`\): "
    r"it must be written by hand$"
)
SCRIPT = """
def of(x: Tensor) -> Tensor:
    gradient = torch.autograd.grad([x.logsumexp(-1).sum()], [x])[0]
    assert gradient is not None
    return gradient
"""


def leaf() -> Tensor:
    return torch.ones(2, 3, requires_grad=True)


def total(x: Tensor) -> Tensor:
    return x.logsumexp(-1).sum()


def go_back(x: Tensor) -> None:
    x.backward()  # type: ignore[no-untyped-call]


def from_the_engine(x: Tensor) -> object:
    run = torch.autograd.Variable._execution_engine.run_backward
    return run((total(x),), (torch.ones(()),), False, False, (x,), allow_unreachable=True, accumulate_grad=False)


ASKS: dict[str, Callable[[], object]] = {
    "backward": lambda: go_back(total(leaf())),
    "grad": lambda: torch.autograd.grad(total(x := leaf()), x),
    "func.grad": lambda: torch.func.grad(total)(leaf()),
    "func.vjp": lambda: torch.func.vjp(total, leaf())[1](torch.ones(())),
    "func.jacrev": lambda: torch.func.jacrev(total)(leaf()),
    "functional.jacobian": lambda: resolve_name("torch.autograd.functional.jacobian")(total, leaf()),
    "the engine": lambda: from_the_engine(leaf()),
    "an operation": lambda: torch.ops.aten.grad([total(x := leaf())], [x]),
    "TorchScript": lambda: torch.jit.CompilationUnit(SCRIPT).of(leaf()),
}


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_gradient_is_noticed_through_every_interface(ask: Callable[[], object]) -> None:
    with pytest.raises(ByHand, match=GRADIENT), none_in_between("torch._C._ImperativeEngine.*"):
        ask()


NO_GRADIENT_SCRIPT = "def of(x: Tensor) -> Tensor:\n    return x.logsumexp(-1)\n"
NO_GRADIENT: dict[str, Callable[[], object]] = {
    "a layer": lambda: nn.Linear(3, 3)(leaf()),
    "checkpoint": lambda: checkpoint(total, leaf(), use_reentrant=False),
    "checkpoint by a backward pass in the backward pass": lambda: checkpoint(total, leaf(), use_reentrant=True),
    "vmap": lambda: torch.vmap(total)(leaf()),
    "TorchScript": lambda: torch.jit.CompilationUnit(NO_GRADIENT_SCRIPT).of(leaf()),
}


@pytest.mark.parametrize("call", NO_GRADIENT.values(), ids=NO_GRADIENT)
@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_call_without_a_gradient_is_accepted(call: Callable[[], object], mode: Callable[[], torch.enable_grad]) -> None:
    with mode(), none_in_between(ENGINE):
        call()


@pytest.mark.slow
def test_passes_of_the_compiler_are_not_counted() -> None:
    compiled = torch.compile(total, backend="aot_eager")
    with none_in_between(ENGINE):
        compiled(leaf())
    with pytest.raises(ByHand), none_in_between(ENGINE):
        go_back(compiled(leaf()))


def test_an_error_of_the_call_comes_first() -> None:
    with pytest.raises(ZeroDivisionError), none_in_between(ENGINE):
        go_back(total(leaf()))
        raise ZeroDivisionError


def test_passes_are_numbered_consecutively() -> None:
    first = next_number()
    assert [next_number(), next_number()] == [first + 1, first + 2]
