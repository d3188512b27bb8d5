"""Hidden suite of `rms`."""

import pytest
from normgrade.suite import call, probe, randn, uniform


@pytest.mark.kind("interface")
@pytest.mark.points(1)
def test_call(observe):
    """It can be called and returns a tensor of its input's shape."""
    result = observe(call("rms", randn(2, 3)))["result"]
    assert result.dtype == "float32", f"the result should be of dtype float32, but is of {result.dtype}"


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint("Average over the last dimension.")
@pytest.mark.parametrize("shape", [(4, 3), (2, 5, 3)])
def test_rows(agree, shape):
    """Every row is divided by its own root mean square."""
    agree(call("rms", randn(*shape) * uniform(0.5, 2.0, *shape[:-1], 1), eps=0.1))


@pytest.mark.kind("edge")
@pytest.mark.points(2)
@pytest.mark.hint("Take the last dimension, wherever it is.")
def test_alone(agree):
    """A row alone gives what it gives among others."""
    agree(probe("row_by_row", x=randn(3, 4)))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
def test_half_precision(agree):
    """Half-precision input comes back in its own dtype, from float32 squares."""
    agree(call("rms", (randn(4, 8) * 300).astype("float16")))
