"""Tests of synchronised batch norm in two processes connected by gloo, against PyTorch's batch norm on the whole batch, in float64.

The exercise's probes play the ranks in turn in one process, as in grading; they are compared with both.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
import torch.distributed
from torch import Tensor, nn

from normgrade.course.course import Course

EXERCISE = Course.find().exercise("sync_batch_norm")
ANSWERS = {path.stem: path for path in (EXERCISE.reference, *EXERCISE.alternatives)}
SIZES = [(4, 2), (1, 3), (5, 1)]  # the number of samples of rank 0 and rank 1, step by step
REST = (3, 2, 5)  # channels, height and width
EPS, MOMENTUM = 0.01, 0.3
BUFFERS = ("running_mean", "running_var", "num_batches_tracked")

# The program of both processes. It trains one layer after the other on its part of the batches and saves all tensors. At the end, only
# rank 0 evaluates.
RANK = """
import importlib.util, sys
from datetime import timedelta

import numpy as np, torch
from torch import distributed
from torch.distributed.nn.functional import all_reduce

folder, rank, eps, momentum = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
meeting = {"init_method": f"file://{folder}/store", "rank": rank, "world_size": 2, "timeout": timedelta(seconds=120)}
distributed.init_process_group("gloo", **meeting)
given, seen = np.load(f"{folder}/given.npz"), {}
for source in sys.argv[5:]:
    spec = importlib.util.spec_from_file_location("answer", source)
    answer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(answer)
    layer = answer.SyncBatchNorm(given["weight"].size, all_reduce, eps, momentum)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(given["weight"]))
        layer.bias.copy_(torch.from_numpy(given["bias"]))
    step = 0
    while f"x {step} {rank}" in given:
        x = torch.from_numpy(given[f"x {step} {rank}"]).requires_grad_()
        layer.weight.grad = layer.bias.grad = None
        output = layer(x.clone())
        output.backward(torch.from_numpy(given[f"upstream {step} {rank}"]))
        tensors = {"output": output.detach(), "gradient": x.grad, "weight": layer.weight.grad, "bias": layer.bias.grad}
        tensors |= {name: buffer.clone() for name, buffer in layer.named_buffers() if name in layer.state_dict()}
        seen |= {f"{source} {step} {name}": tensor.numpy() for name, tensor in tensors.items()}
        step += 1
    if rank == 0:
        seen[f"{source} evaluated"] = layer.eval()(x).detach().numpy()
np.savez(f"{folder}/seen {rank}.npz", **seen)
distributed.destroy_process_group()
"""


class Step(NamedTuple):
    """The input and the upstream gradient of one step, for one rank or for all together."""

    x: Tensor
    upstream: Tensor


Seen = dict[str, np.ndarray]


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.fixture(scope="module")
def numbers() -> tuple[dict[str, Tensor], list[list[Step]]]:
    """Return weight and bias, and the batch of each rank in each step. The batches of the ranks have very different means."""
    generator = torch.Generator().manual_seed(0)

    def drawn(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    steps = [[Step(drawn(size, *REST) * (1 + rank) + 3 * drawn(1, REST[0], 1, 1), drawn(size, *REST)) for rank, size in enumerate(sizes)]
             for sizes in SIZES]  # fmt: skip
    return {"weight": drawn(REST[0]), "bias": drawn(REST[0])}, steps


@pytest.fixture(scope="module")
def by_gloo(numbers: Any, tmp_path_factory: pytest.TempPathFactory) -> list[Seen]:
    """Return the tensors that both processes saved, for all answers."""
    if not (torch.distributed.is_available() and torch.distributed.is_gloo_available()):
        pytest.skip("PyTorch was built without gloo")
    folder, (learnt, steps) = tmp_path_factory.mktemp("gloo"), numbers
    given = {name: value.numpy() for name, value in learnt.items()}
    for number, ranks in enumerate(steps):
        for rank, step in enumerate(ranks):
            given |= {f"x {number} {rank}": step.x.numpy(), f"upstream {number} {rank}": step.upstream.numpy()}
    np.savez(folder / "given.npz", **given)
    command = [sys.executable, "-c", RANK, str(folder)]
    rest = [str(EPS), str(MOMENTUM), *map(str, ANSWERS.values())]
    processes = [subprocess.Popen([*command, str(rank), *rest], stderr=subprocess.PIPE, text=True) for rank in range(2)]
    try:
        said = [process.communicate(timeout=300)[1] for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0, 0], said
    return [dict(np.load(folder / f"seen {rank}.npz")) for rank in range(2)]


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"of_sync_batch_norm_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def world(answer: ModuleType, ranks: int = 2, momentum: float | None = MOMENTUM) -> Any:
    assert EXERCISE.probes is not None
    return loaded(EXERCISE.probes).world(answer, REST[0], ranks, EPS, momentum)


def filled(layer: Any, learnt: dict[str, Tensor]) -> Any:
    with torch.no_grad():
        for name, value in learnt.items():
            getattr(layer, name).copy_(value)
    return layer


def together(ranks: Sequence[Step]) -> Step:
    """Return the whole batch."""
    return Step(*(torch.cat(each) for each in zip(*ranks, strict=True)))


def close(got: np.ndarray | Tensor, right: np.ndarray | Tensor) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(right), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("name", ANSWERS)
def test_two_processes_are_batch_norm_on_the_whole_batch(name: str, by_gloo: list[Seen], numbers: Any) -> None:
    learnt, steps = numbers
    whole = filled(nn.BatchNorm2d(REST[0], EPS, MOMENTUM), learnt)
    for number, ranks in enumerate(steps):
        x, upstream = together(ranks)
        x = x.clone().requires_grad_()
        whole.zero_grad()
        output = whole(x)
        output.backward(upstream)
        assert x.grad is not None
        ours = [{what: seen[f"{ANSWERS[name]} {number} {what}"] for what in ("output", "gradient", "weight", "bias", *BUFFERS)}
                for seen in by_gloo]  # fmt: skip
        close(np.concatenate([each["output"] for each in ours]), output.detach())
        assert x.grad is not None
        close(np.concatenate([each["gradient"] for each in ours]), x.grad)
        for parameter in ("weight", "bias"):
            close(ours[0][parameter] + ours[1][parameter], getattr(whole, parameter).grad)
        for each in ours:
            for buffer in BUFFERS:
                close(each[buffer], getattr(whole, buffer))
    close(by_gloo[0][f"{ANSWERS[name]} evaluated"], whole.eval()(steps[-1][0].x).detach())


@pytest.mark.parametrize("name", ANSWERS)
def test_ranks_played_in_turn_equal_two_processes(name: str, by_gloo: list[Seen], numbers: Any) -> None:
    learnt, steps = numbers
    played = world(loaded(ANSWERS[name]))
    filled(played.rank_0, learnt)
    for number, ranks in enumerate(steps):
        leaves = [step.x.clone().requires_grad_() for step in ranks]
        played.zero_grad()
        output = played(*(leaf.clone() for leaf in leaves))
        output.backward(torch.cat([step.upstream for step in ranks]))
        right = [{what: seen[f"{ANSWERS[name]} {number} {what}"] for what in ("output", "gradient")} for seen in by_gloo]
        close(output.detach(), np.concatenate([each["output"] for each in right]))
        for leaf, each in zip(leaves, right, strict=True):
            assert leaf.grad is not None
            close(leaf.grad, each["gradient"])
        for what, tensor in {"weight": played.rank_0.weight.grad, "bias": played.rank_0.bias.grad}.items():
            close(tensor, by_gloo[0][f"{ANSWERS[name]} {number} {what}"])
        for rank, layer in enumerate((played.rank_0, *played.others)):
            for buffer in BUFFERS:
                close(getattr(layer, buffer), by_gloo[rank][f"{ANSWERS[name]} {number} {buffer}"])


@pytest.mark.parametrize("shape", [(3,), (3, 2), (3, 2, 5), (3, 2, 1, 4)])
@pytest.mark.parametrize("sizes", [(4,), (1, 1), (2, 5, 1), (1, 3, 1, 2)])
def test_ranks_are_the_formula_in_numpy(sizes: tuple[int, ...], shape: tuple[int, ...]) -> None:
    torch.manual_seed(len(shape) + sum(sizes))
    batches = [torch.randn(size, *shape) + 5 * torch.randn(1, *shape) for size in sizes]
    played = world(loaded(EXERCISE.reference), len(sizes), None)
    layer = getattr(played, "rank_0", played)
    filled(layer, {"weight": torch.randn(3), "bias": torch.randn(3), "num_batches_tracked": torch.tensor(3)})
    output = played(*batches).detach()
    layer = getattr(played, "rank_0", played)
    rows = np.concatenate([each.transpose(0, 1).flatten(1).numpy() for each in batches], 1)
    mean, var = rows.mean(1, keepdims=True), rows.var(1, keepdims=True)
    right = (rows - mean) / np.sqrt(var + EPS) * layer.weight.detach().numpy()[:, None] + layer.bias.detach().numpy()[:, None]
    close(output.transpose(0, 1).flatten(1), right)
    close(layer.running_mean, 0.25 * mean[:, 0])
    close(layer.running_var, 0.75 + 0.25 * rows.var(1, ddof=1))


def test_a_single_value_on_all_ranks_together_is_refused() -> None:
    with pytest.raises(ValueError, match="more than one value per channel over all ranks"):
        world(loaded(EXERCISE.reference), 1)(torch.randn(1, 3))


Forward = Callable[[Any, Tensor], Any]


def answering(forward: Forward) -> ModuleType:
    """Return an answer with this forward pass."""

    class SyncBatchNorm(nn.Module):
        def __init__(self, num_features: int, all_reduce: Callable[[Any], Tensor], eps: float, momentum: float) -> None:
            super().__init__()
            self.all_reduce = all_reduce
            self.factor = nn.Parameter(torch.ones(()))

        def forward(self, x: Tensor) -> Any:
            return forward(self, x)

    module = ModuleType("answer")
    module.SyncBatchNorm = SyncBatchNorm  # type: ignore[attr-defined]
    return module


def less_often(layer: Any, x: Tensor) -> Any:
    return layer.all_reduce(layer.all_reduce(x.sum(0))) + x if len(x) > 2 else layer.all_reduce(x.sum(0)) + x


def of_other_forms(layer: Any, x: Tensor) -> Any:
    return layer.all_reduce(x).sum() + x


def of_numbers(layer: Any, x: Tensor) -> Any:
    return x / layer.all_reduce(len(x))


@pytest.mark.parametrize(
    ("forward", "error", "message"),
    [
        (less_often, RuntimeError, "rank 1 calls all_reduce at least 2 times, rank 0 only 1 times: the one would wait for ever"),
        (of_other_forms, RuntimeError, "call 1 of all_reduce gets tensors of different form on different ranks"),
        (of_numbers, TypeError, "all_reduce takes a tensor, but was given a int"),
    ],
)
def test_calls_that_differ_between_ranks_are_errors(forward: Forward, error: type[Exception], message: str) -> None:
    for gradients in (True, False):
        with pytest.raises(error, match=message), torch.set_grad_enabled(gradients):
            world(answering(forward))(torch.randn(2, 3), torch.randn(4, 3))


def test_all_reduce_is_an_error_outside_of_training() -> None:
    played = world(answering(lambda layer, x: layer.all_reduce(x.sum(0)) + x)).eval()
    with pytest.raises(RuntimeError, match="all_reduce is called outside of training"):
        played(torch.randn(2, 3), torch.randn(4, 3))


def test_calls_may_depend_on_changed_earlier_results() -> None:
    """Play Σ over ranks of (x · Σ over ranks of x²), with every result doubled in place."""

    def forward(layer: Any, x: Tensor) -> Any:
        total = layer.all_reduce(x.square().sum(0)).mul_(2)
        return x + layer.all_reduce((x * total).sum(0)).mul_(2)

    batches = [torch.randn(size, 3, requires_grad=True) for size in (2, 1, 4)]
    world(answering(forward), 3)(*batches).sum().backward()
    whole = torch.cat(batches).detach().requires_grad_()
    total = (whole + 2 * (whole * 2 * whole.square().sum(0)).sum(0)).sum()
    total.backward()  # type: ignore[no-untyped-call]
    assert whole.grad is not None
    close(torch.cat([each.grad for each in batches if each.grad is not None]), whole.grad)


def test_attributes_change_once_for_each_call() -> None:
    """Change plain attributes, in place or by assignment, before the first call of all_reduce and after the last."""

    def forward(layer: Any, x: Tensor) -> Any:
        layer.calls = [*getattr(layer, "calls", []), len(x)]
        total = layer.all_reduce(x.sum(0))
        layer.kept = getattr(layer, "kept", torch.zeros(3)) + 0
        layer.kept += total.detach()
        layer.output = x - total
        return layer.output

    played = world(answering(forward))
    first, second = torch.ones(2, 3, requires_grad=True), torch.ones(4, 3)
    for _ in range(2):
        played(first, second).sum().backward()
        with torch.inference_mode():
            played(first, second)
    assert played.rank_0.calls == [2] * 4 and played.others[0].calls == [4] * 4
    close(played.rank_0.kept, torch.full((3,), 24.0))
