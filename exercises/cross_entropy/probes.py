"""How your functions are used beyond calling them on one set of targets: on more rows, and where no row counts."""

import numpy as np

from normgrade.probes import Place, gradient_of


def forward(impl, *args, **named):
    """Call your `forward`. Where the logits have another number of rows than there are targets, these are repeated or cut off."""
    logits = named["logits"] if "logits" in named else args[0]
    targets = named["targets"] if "targets" in named else args[1]
    fitting = targets.copy() if len(targets) == len(logits) else np.resize(targets, len(logits))
    if "targets" in named:
        return impl.forward(*args, **named | {"targets": fitting})
    return impl.forward(args[0], fitting, *args[2:], **named) if "logits" not in named else impl.forward(fitting, **named)


BUILDERS = {"forward": forward}


def holder(impl, logits, targets):
    """Go forward and back once, and look at what holds the gradient."""
    _loss, cache = impl.forward(logits, targets)
    result = impl.backward(np.asarray(0.5, dtype=logits.dtype), cache)
    held = "tuple" if isinstance(result, tuple) else type(result).__name__
    return {
        Place("what holds the gradients"): held,
        gradient_of("input"): result[0] if isinstance(result, tuple | list) else result,
    }


def several_gradients(impl, logits, targets, upstream):
    """Go forward once, and back from each of these gradients of the loss, one after the other."""
    _loss, cache = impl.forward(logits, targets)
    results = [impl.backward(np.asarray(each, dtype=logits.dtype), cache) for each in upstream]
    gradients = [result[0] if isinstance(result, tuple | list) else result for result in results]
    return {Place("gradient from a dy of {dy}", dy=dy): gradient for dy, gradient in zip(upstream, gradients, strict=True)}


def targets_left_alone(impl, logits, targets, ignore_index):
    """Go forward and back, and compare the targets with what they were; they are also given read-only."""
    given, locked = targets.copy(), targets.copy()
    locked.flags.writeable = False
    losses = []
    for each in (given, locked):
        loss, cache = impl.forward(logits, each, ignore_index)
        impl.backward(np.asarray(1, dtype=logits.dtype), cache)
        losses.append(loss)
    return {"loss": losses[0], "loss of read-only targets": losses[1], "targets left alone": bool((given == targets).all())}


def integers(impl, logits, targets, upstream):
    """Go forward and back with targets of every integer dtype."""
    seen = {}
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        loss, cache = impl.forward(logits, targets.astype(dtype), 1, 0.1)
        result = impl.backward(np.asarray(upstream, dtype=logits.dtype), cache)
        seen[Place("loss of {dtype} targets", dtype=dtype)] = loss
        place = Place("gradient from a loss of {dtype} targets", dtype=dtype)
        seen[place] = result[0] if isinstance(result, tuple | list) else result
    return seen


def vocabulary(impl, logits, targets, columns, dtype="int64"):
    """Go forward and back on very many classes, and keep the gradients of some. The targets have this dtype."""
    loss, cache = impl.forward(logits, targets.astype(dtype))
    result = impl.backward(np.asarray(1, dtype=logits.dtype), cache)
    gradient = result[0] if isinstance(result, tuple | list) else result
    return {"loss": loss, gradient_of("input"): gradient[:, columns]}


def nothing_counts(impl, logits, targets, ignore_index):
    """Call your functions where every row is ignored."""
    with np.errstate(all="ignore"):
        loss, cache = impl.forward(logits, targets, ignore_index)
        result = impl.backward(np.asarray(1, dtype=logits.dtype), cache)
    return {"loss is NaN": bool(np.isnan(loss)), gradient_of("input"): result[0] if isinstance(result, tuple | list) else result}


def ignored_rows_spoilt(impl, logits, targets, ignore_index, label_smoothing, value):
    """Call your `forward` where ignored rows hold a value such as NaN, and where they hold nothing special."""
    spoilt = logits.copy()
    spoilt[targets == ignore_index] = value
    with np.errstate(all="ignore"):
        return {"loss": impl.forward(spoilt, targets, ignore_index, label_smoothing)[0]}
