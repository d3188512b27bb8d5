"""How `normgrade` calls `forward` with different eps before it goes back. You may read it: it holds no expected value."""

from normgrade.probes import Place


def calls_apart(impl, x, weight, bias, dy, calls):
    """Call `forward` once for each of `calls`, the arguments after the arrays, and only then `backward`, in the same order."""
    results = [impl.forward(x.copy(), weight.copy(), bias.copy(), *arguments) for arguments in calls]
    seen = {}
    for number, (y, cache) in enumerate(results, 1):
        dx, dweight, dbias = impl.backward(dy.copy(), cache)
        seen[Place("y of call {number}", number=number)] = y
        seen[Place("gradient of x in call {number}", number=number)] = dx
        seen[Place("gradient of weight in call {number}", number=number)] = dweight
        seen[Place("gradient of bias in call {number}", number=number)] = dbias
    return seen
