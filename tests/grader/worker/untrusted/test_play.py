"""Tests of playing a probe: its results and errors are observed, and its changes are undone before the next play."""

from __future__ import annotations

import inspect
import linecache
import math
import subprocess
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from normgrade.language.places import Absent
from normgrade.probes.results import Estimate
from normgrade.worker.untrusted import play as play_module
from normgrade.worker.untrusted.exceptions import MESSAGE_LIMIT
from normgrade.worker.untrusted.play import MODULES, Backend, Failures, backend, execute, given, in_words, load, play, raise_cause
from normgrade.worker.untrusted.play import to_value as value_of
from normgrade.worker.wire.observation import NO_SUCH_PROBE, Array, Cause, Error, Foreign, Frame, Observation, Reason, Request, Value

X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


def to_value(thing: object, size_limit_bytes: int | None = None) -> Value:
    """Convert an object of PyTorch to a value that can travel."""
    return value_of(thing, backend("torch"), size_limit_bytes)


def loaded(source: str, name: str = "played") -> ModuleType:
    return load(source, f"{name}.py", name)


def called(source: str, *args: Any, **options: Any) -> Observation:
    """Return the observation of a call of `f` in this source."""
    return play(loaded(source), Request("function_call", {"function": "f", "args": list(args), "kwargs": {}}), **options)


def result(source: str, *args: Any, **options: Any) -> Value:
    observation = called(source, *args, **options)
    assert observation.error is None, observation.error
    return observation.values["result"]


def error(source: str) -> Error:
    observation = called(source)
    assert observation.error is not None and observation.values == {}
    return observation.error


# Loading


def test_loaded_source_is_a_findable_module() -> None:
    source = "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass Fields:\n    alpha: float = 1.0\n"
    module = loaded(source, "with_fields")
    assert module.Fields().alpha == 1.0 and sys.modules["with_fields"] is module
    assert linecache.getline("with_fields.py", 3) == "@dataclass\n"


def test_main_block_is_not_run() -> None:
    assert not hasattr(loaded("if __name__ == '__main__':\n    ran = True\n"), "ran")


def test_our_own_future_imports_do_not_leak() -> None:
    assert loaded("def f(x: int): ...\n").f.__annotations__ == {"x": int}


def test_a_source_that_raises_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        loaded("1 / 0\n")


# Playing


def test_function_gets_tensors_and_returns_numbers() -> None:
    value = result("def f(x):\n    return x * 2\n", Array(X, "float32"))
    assert isinstance(value, Array) and value.dtype == "float32" and (value.values == 2 * X).all()


def test_own_probe_is_preferred_to_a_generic_one() -> None:
    probes = load("def function_call(impl, function, args, kwargs):\n    return {'own': impl.f()}\n", "probes.py", "own_probes")
    assert called("def f():\n    return 7\n", probes=probes) == Observation({"own": 7})


def test_generic_probe_is_found() -> None:
    probes = load("", "probes.py", "empty_probes")
    assert called("def f():\n    return 7\n", probes=probes) == Observation({"result": 7})


def test_unknown_probe_is_an_error() -> None:
    observation = play(loaded(""), Request("no_such_probe", {}))
    assert observation.error == Error(
        Cause.RAISED,
        'there is no probe "no_such_probe"',
        (NO_SUCH_PROBE, "AttributeError", "Exception", "BaseException"),
    )


def test_a_probe_that_returns_no_mapping_is_an_error() -> None:
    probes = load("def listed(impl):\n    return [1]\n", "probes.py", "listing_probes")
    error = play(loaded(""), Request("listed", {}), probes).error
    assert error is not None and error.types[0] == "TypeError"
    assert error.message == "a probe must return a dict from places to values, but this one returned a list"


def test_error_lines_are_those_of_the_traced_module() -> None:
    probes = load("def f(impl):\n    impl.g()\n", "probes.py", "traced_probes")
    broken = loaded("\n\ndef g():\n    1 / 0\n")
    errors = [play(broken, Request("f", {}), probes, traced=traced).error for traced in (None, probes)]
    assert [[frame.line for frame in error.frames] for error in errors if error is not None] == [[4], [2]]


def test_error_in_one_step_keeps_earlier_observations() -> None:
    source = """
import torch
class Layer(torch.nn.Module):
    def forward(self, x):
        if x.numel() == 2:
            raise ValueError("too few")
        return x
"""
    step = {"do": "train", "scattered": False, "upstream": None}
    steps = [{**step, "x": Array(X, "float32")}, {**step, "x": Array(X[0], "float32")}, {**step, "x": Array(X, "float32")}]
    story = {"layer": "Layer", "args": [], "kwargs": {}, "state": {}, "watch": [], "steps": steps}
    observation = play(loaded(source), Request("layer_story", story))
    assert list(observation.values) == ["step 1 · output", "step 1 · input left alone"]
    frames = (Frame(6, "forward", 'raise ValueError("too few")', 13, 27),)
    assert observation.error == Error(Cause.RAISED, "too few", ("ValueError", "Exception", "BaseException"), frames, 2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_new_tensors_have_the_dtype_of_the_play(dtype: str) -> None:
    value = result("import torch\ndef f():\n    return torch.ones(2)\n", dtype=dtype)
    assert isinstance(value, Array) and value.dtype == dtype
    assert torch.get_default_dtype() is torch.float32


SPOIL = """
import random, torch, numpy as np

def f(spoil):
    if spoil:
        torch.set_default_dtype(torch.float16)
        torch.set_grad_enabled(False)
        torch.set_num_threads(2)
        torch.use_deterministic_algorithms(True, warn_only=True)
        torch.autograd.set_detect_anomaly(True, check_nan=False)
        torch.set_flush_denormal(True)
        torch.manual_seed(7), random.seed(7), np.random.seed(7)
    x = torch.ones(1, requires_grad=True)
    return (
        str(torch.get_default_dtype()),
        (x * 2).requires_grad,
        torch.get_num_threads(),
        torch.are_deterministic_algorithms_enabled(),
        torch.is_anomaly_enabled(),
        (torch.tensor(1e-40) * torch.tensor(1.0)).item() > 0,
        torch.rand(()).item(),
        random.random(),
        float(np.random.rand()),
    )
"""


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_settings_are_restored_before_the_next_play() -> None:
    module = loaded(SPOIL)

    def settings(spoil: bool) -> list[Any]:
        observation = play(module, Request("function_call", {"function": "f", "args": [spoil], "kwargs": {}}))
        assert observation.error is None
        return [value.values.item() if isinstance(value, Array) else value for value in observation.values.values()]

    before = settings(spoil=False)
    spoilt = settings(spoil=True)
    assert before[:6] == ["torch.float32", True, 1, False, False, True]
    assert all(one != other for one, other in zip(before, spoilt, strict=True) if (one, other) != (True, True))
    assert settings(spoil=False) == before
    assert torch.get_default_dtype() is torch.float32


# Values


@pytest.mark.parametrize("value", [None, True, False, 0, -5, 2**63 - 1, "", "text"])
def test_scalars_stay_as_they_are(value: Value) -> None:
    assert to_value(value) == value and type(to_value(value)) is type(value)


@pytest.mark.parametrize("value", [0.1, -0.0, math.inf, math.nan])
def test_float_becomes_an_array(value: float) -> None:
    found = to_value(value)
    assert isinstance(found, Array) and found.dtype == found.values.dtype.name == "float64"
    np.testing.assert_array_equal(found.values, np.asarray(value), strict=True)


@pytest.mark.parametrize("value", [0.5, torch.tensor(0.5), np.float32(0.5)])
def test_estimate_is_an_array_with_standard_error(value: object) -> None:
    seen = to_value(Estimate(value, torch.tensor(0.25)))
    assert isinstance(seen, Array)
    assert (seen.values.item(), seen.values.shape, seen.dtype, seen.error) == (0.5, (), "float64", 0.25)


@pytest.mark.parametrize("value", [2**63, -(2**63), 10**400])
def test_a_huge_int_is_described(value: int) -> None:
    assert to_value(value) == Foreign(Reason.SIZE, "int")


def test_a_long_text_is_cut() -> None:
    assert to_value("x" * 10**5) == "x" * MESSAGE_LIMIT


class Odd(int):
    pass


class Worded(str):
    pass


class Wrapped(torch.Tensor):
    pass


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ([1, 2], "list"),
        ({}, "dict"),
        (object(), "object"),
        (1j, "complex"),
        (Odd(3), "Odd"),
        (Worded("x"), "Worded"),
        (len, "builtin_function_or_method"),
        (torch.nn.Linear(1, 1), "Linear"),
        (np.array([object()]), "ndarray"),
        (np.array(["x"]), "ndarray"),
        (np.array([1j]), "ndarray"),
        (type("N" * 300, (), {})(), "N" * 100),
    ],
)
def test_other_things_are_described(value: object, kind: str) -> None:
    assert to_value(value) == Foreign(Reason.TYPE, kind)


@pytest.mark.parametrize(
    ("absent", "seen"),
    [
        (Absent("weight"), Absent("weight")),
        (Absent("weight", ("gamma", "beta")), Absent("weight", ("gamma", "beta"))),
        (Absent("w" * 300, ("g" * 300,)), Absent("w" * 100, ("g" * 100,))),
        (Absent("weight", ("ten chars.",) * 10**4), Absent("weight", ("ten chars.",) * 200)),
    ],
)
def test_names_of_absent_parameters_are_cut(absent: Absent, seen: Absent) -> None:
    assert to_value(absent) == seen


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_plain_tensors_and_arrays_become_numbers(dtype: str, shape: tuple[int, ...]) -> None:
    numbers = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    for value in (to_value(torch.from_numpy(numbers)), to_value(numbers)):
        assert isinstance(value, Array) and value.dtype == dtype
        assert value.values.dtype == numbers.dtype and value.values.shape == shape and (value.values == numbers).all()


def test_numpy_scalars_become_scalar_arrays() -> None:
    value = to_value(np.float64(0.5))
    assert isinstance(value, Array) and (value.dtype, value.values.shape, float(value.values)) == ("float64", (), 0.5)


def test_bfloat16_is_widened_exactly() -> None:
    value = to_value(torch.tensor([1.0, 0.1], dtype=torch.bfloat16))
    assert isinstance(value, Array) and value.dtype == "bfloat16" and value.values.dtype == np.float32
    assert value.values.tolist() == [1.0, 0.10009765625]


@pytest.mark.parametrize(
    "tensor",
    [
        torch.nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]])),
        torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True) * 1,
        torch.tensor([[1.0, 3.0], [2.0, 4.0]]).T,
        torch.tensor([1.0, 9.0, 2.0, 9.0, 3.0, 9.0, 4.0])[::2].reshape(2, 2),
        torch._neg_view(-torch.tensor([[1.0, 2.0], [3.0, 4.0]])),
    ],
)
def test_tensors_of_every_history_become_numbers(tensor: torch.Tensor) -> None:
    value = to_value(tensor)
    assert isinstance(value, Array) and value.values.tolist() == [[1.0, 2.0], [3.0, 4.0]] and value.values.flags.c_contiguous


def test_numbers_do_not_change_with_the_tensor_afterwards() -> None:
    tensor, numbers = torch.ones(2), np.ones(2)
    values = to_value(tensor), to_value(numbers)
    tensor.zero_()
    numbers.fill(0)
    assert all(isinstance(value, Array) and value.values.tolist() == [1.0, 1.0] for value in values)


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        (torch.ones(2, dtype=torch.complex64), Foreign(Reason.FORM, "Tensor", "complex64", (2,), "torch.strided", "cpu")),
        (torch.ones(2, 2).to_sparse(), Foreign(Reason.FORM, "Tensor", "float32", (2, 2), "torch.sparse_coo", "cpu")),
        (torch.ones(3, device="meta"), Foreign(Reason.FORM, "Tensor", "float32", (3,), "torch.strided", "meta")),
        (torch.ones(2).as_subclass(Wrapped), Foreign(Reason.SUBCLASS, "Wrapped")),
    ],
)
def test_tensors_that_are_not_plain_are_described(tensor: torch.Tensor, expected: Foreign) -> None:
    assert to_value(tensor) == expected


def test_too_large_tensor_is_described_not_copied() -> None:
    tensor = Foreign(Reason.SIZE, "Tensor", "float32", (3,), "torch.strided", "cpu")
    array = Foreign(Reason.SIZE, "ndarray", "float32", (3,))
    assert to_value(torch.ones(3), size_limit_bytes=11) == tensor and to_value(np.ones(3, np.float32), size_limit_bytes=11) == array
    assert isinstance(to_value(torch.ones(3), size_limit_bytes=12), Array) and isinstance(to_value(np.ones(3, np.float32), 12), Array)


def test_a_small_tensor_that_looks_large_is_described() -> None:
    expected = Foreign(Reason.SIZE, "Tensor", "float32", (10**12,), "torch.strided", "cpu")
    assert to_value(torch.ones(1).expand(10**12), size_limit_bytes=1000) == expected


# Inputs


def test_arrays_become_tensors_at_any_depth() -> None:
    found = given({"x": [Array(X, "float32"), (Array(X, "bfloat16"), 3)], "n": None, "s": "text"}, backend("torch"))
    first, (second, three) = found["x"]
    assert torch.equal(first, torch.from_numpy(X)) and second.dtype is torch.bfloat16
    assert (three, found["n"], found["s"]) == (3, None, "text") and isinstance(found["x"][1], tuple)


def test_changed_tensor_leaves_the_request_unchanged() -> None:
    array = Array(X.copy(), "float32")
    given(array, backend("torch")).zero_()
    assert (array.values == X).all()


@pytest.mark.parametrize("seed", [0, 1, 7, 42, 123, 1234, 2024, 2025, 2026])
def test_setting_a_common_seed_is_visible(seed: int) -> None:
    source = "import torch\n\ndef f(seed):\n    before = torch.get_rng_state()\n    torch.manual_seed(seed)"
    source += "\n    return torch.equal(before, torch.get_rng_state())\n"
    seen = play(load(source, "seeding.py"), Request("function_call", {"function": "f", "args": [seed], "kwargs": {}}))
    assert seen.values["result"] is False


# The execution of cells: what fails is left out, and nothing else


def executed(source: str) -> tuple[ModuleType, Failures]:
    module, failed = ModuleType("submission"), Failures()
    module.__file__ = "mine.py"
    execute(source, module, failed)
    return module, failed


def ran(source: str) -> tuple[ModuleType, dict[str, str]]:
    module, failed = executed(f"# In[1]:\n{source}")
    return module, in_words(failed)


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("assert False, 'mine\\nand more'", "AssertionError: mine"),
        ("raise SystemExit", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("await f()", "SyntaxError: 'await' outside function (mine.py, line 2)"),
        ("return 3", "SyntaxError: 'return' outside function (mine.py, line 2)"),
    ],
)
def test_statement_that_fails_is_left_out(statement: str, why: str) -> None:
    module, failed = ran(f"{statement}\nx = 3")
    assert failed == {"2": why} and module.x == 3


def test_source_without_cells_raises() -> None:
    with pytest.raises(AssertionError):
        executed("assert False\nx = 3")


def test_stand_ins_for_ipython() -> None:
    module, failed = ran("get_ipython().run_line_magic('matplotlib', 'inline')\ncolab = 'colab' in str(get_ipython())\ndisplay(3)")
    assert failed == {} and module.colab is False


def test_future_of_one_cell_counts_for_the_next() -> None:
    module, failed = ran("from __future__ import annotations\n# In[2]:\ndef f(x: Nothing): return x")
    assert failed == {} and module.f(3) == 3


def test_endless_loops_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_module, "WITHIN_S", 0.2)
    before = sys.gettrace()
    module, failed = ran("while True:\n    pass\ndef f():\n    while True:\n        pass\nf()\nx = 3")
    assert {*failed} == {"2", "7"} and failed["2"] == "TimeoutError: no end after 0.1 s"
    assert module.x == 3 and sys.gettrace() is before


def test_last_definition_counts() -> None:
    assert ran("class A: x = 1\n# In[2]:\nassert False\n# In[3]:\nclass A: x = 2")[0].A.x == 2


@pytest.mark.parametrize(
    ("source", "raised"),
    [
        ("assert False\nclass A(missing): pass", NameError),
        ("assert False\nA = missing", NameError),
        ("assert False", AssertionError),
        ("assert False\nclass A: pass", None),
        ("class A: pass\nclass A(missing): pass", None),
        ("x = 1", None),
    ],
)
def test_exception_that_left_a_name_undefined(source: str, raised: type[BaseException] | None) -> None:
    module, failed = executed(f"# In[1]:\n{source}")
    if raised is None:
        raise_cause(module, ["A"], failed)
    else:
        with pytest.raises(raised):
            raise_cause(module, ["A"], failed)


def test_message_that_cannot_be_read() -> None:
    assert ran("class E(Exception):\n    def __str__(self): raise self\nraise E")[1] == {"4": "E: its message could not be read"}


# The libraries that submissions are written with: both offer all functions, and NumPy needs no PyTorch


ASKED = [name for name, value in vars(Backend).items() if inspect.isfunction(value) and not name.startswith("_")]


@pytest.mark.parametrize("name", MODULES)
def test_library_has_every_function(name: str) -> None:
    found = backend(name)
    for asked in ASKED:
        wanted = [each for each in inspect.signature(getattr(Backend, asked)).parameters if each != "self"]
        assert [*inspect.signature(getattr(found, asked)).parameters] == wanted
    assert found.probes.function_call and found.EXAMPLE


def test_numpy_does_not_import_pytorch() -> None:
    code = "import sys\nfrom normgrade.worker.untrusted import zygote\nzygote.warm_up('numpy')\n"
    code += "print('torch' in sys.modules, zygote.example_works('numpy'))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False True\n"
