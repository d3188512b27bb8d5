"""Hidden suite of `centring`."""

import pytest
from normgrade.suite import build, evaluate, randn, train


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint("num_features comes first, momentum has the default 0.1.")
def test_build(observe):
    """The layer can be built, and is an nn.Module."""
    observe(build(3))
    observe(build(num_features=3, momentum=0.2))


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint("Average over the batch, dimension 0.")
@pytest.mark.parametrize("size", [4, 5])
def test_training(agree, size):
    """In training every feature loses its mean over the batch, and is multiplied by its weight."""
    agree(build(3), train(randn(size, 3) + 1))


@pytest.mark.kind("state")
@pytest.mark.points(2)
@pytest.mark.hint("running ← (1 − momentum) · running + momentum · batch.")
def test_running_mean(agree):
    """The running mean follows the batches by the momentum, and evaluation uses it."""
    agree(build(3, momentum=0.3), train(randn(4, 3) + 1), train(randn(5, 3) - 1), evaluate(randn(2, 3)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
def test_steps(agree):
    """Training steps are counted."""
    agree(build(3).watching("steps"), train(randn(4, 3)), evaluate(randn(4, 3)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
def test_new_layer(agree):
    """A new layer's state dict has the contract's keys, shapes and initial values."""
    agree(build(3))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint("Raise a ValueError.")
def test_rank(refuses):
    """Inputs that are not (N, num_features) are ValueErrors."""
    refuses(ValueError, build(3), train(randn(4, 3)), train(randn(2, 4, 3)), legal=train(randn(4, 3)))
