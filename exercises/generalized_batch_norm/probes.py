"""The functions that your layer is given, and how the grader looks at what they are given and at what becomes of what they return.

Each function takes the channels of a batch, (C, n), and returns one number for each of them, (C,). `build(3, "mean", "half_range")` in a
hidden suite stands for a layer that is given two of these.
"""

import torch

from normgrade.probes import Place


def mean(channels):
    return channels.mean(1)


def standard_deviation(channels):
    """The biased one. Where it is 0, PyTorch takes 0 for its gradient."""
    return channels.std(1, correction=0)


def mean_distance(channels):
    """The mean absolute deviation."""
    return (channels - channels.mean(1, keepdim=True)).abs().mean(1)


def mid_range(channels):
    return (channels.amax(1) + channels.amin(1)) / 2


def half_range(channels):
    return (channels.amax(1) - channels.amin(1)) / 2


def quantile(channels):
    """What 70 % of the values lie below."""
    return channels.quantile(0.7, dim=1)


def superquantile_deviation(channels):
    """How far the mean of the largest 30 % of the values lies above the mean of all."""
    largest = channels.topk(-(-3 * channels.shape[1] // 10), dim=1).values
    return largest.mean(1) - channels.mean(1)


def upper_mean(channels):
    """The mean, plus what lies above it on average: this function is not symmetric."""
    center = channels.mean(1, keepdim=True)
    return (center + torch.relu(channels - center)).mean(1)


def root_mean_square(channels):
    """Around 0, and not around any statistic: it does change when a number is added to all values."""
    return torch.linalg.vector_norm(channels, dim=1) / channels.shape[1] ** 0.5


def nothing(channels):
    """No statistic at all: 0, which has no gradient."""
    return channels.new_zeros(len(channels))


FUNCTIONS = {
    each.__name__: each
    for each in (
        *(mean, standard_deviation, mean_distance, mid_range, half_range),
        *(quantile, superquantile_deviation, upper_mean, root_mean_square, nothing),
    )
}


def measured(impl, *args, **kwargs):
    """A `GeneralizedBatchNorm`; every text among its arguments stands for the function of that name."""
    args, kwargs = map(function, args), {name: function(each) for name, each in kwargs.items()}
    return impl.GeneralizedBatchNorm(*args, **kwargs)


def function(argument):
    return FUNCTIONS[argument] if isinstance(argument, str) else argument


BUILDERS = {"measured": measured}


class Recorder:
    """A function as an object that keeps what it is given and what it returns. It would take more arguments, and counts them."""

    def __init__(self, function):
        self.function, self.given, self.returned, self.copies, self.arguments = function, [], [], [], 0

    def __call__(self, channels, /, *others, **named):
        self.arguments = max(self.arguments, 1 + len(others) + len(named))
        result = self.function(channels)
        self.given.append(channels)
        self.returned.append(result)
        self.copies.append((channels.detach().clone(), result.detach().clone()))
        return result

    def left_alone(self, number):
        """Whether all that was given, or with 1 all that was returned, is as it was."""
        kept = self.returned if number else self.given
        return all(torch.equal(each, copies[number]) for each, copies in zip(kept, self.copies, strict=True))


def recorded(impl, x, statistic, deviation, gradients=True):
    """Build a layer, train it on x and on other numbers, evaluate it, and look at what the functions are given.

    The order of the values in a channel is free, so they are sorted. What was given and returned is kept to the end.
    """
    functions = {"statistic": Recorder(FUNCTIONS[statistic]), "deviation": Recorder(FUNCTIONS[deviation])}
    layer = impl.GeneralizedBatchNorm(x.shape[1], **functions).to(x.dtype)
    called = {name: [len(each.given)] for name, each in functions.items()}
    outputs = []
    with torch.set_grad_enabled(gradients):
        for training, numbers in ((True, x), (True, 1 - x.flip(0)), (False, x)):
            outputs.append(layer.train(training)(numbers.clone().requires_grad_(gradients)))
            for name, each in functions.items():
                called[name].append(len(each.given))
    seen = {Place("output of call {number}", number=str(number)): output for number, output in enumerate(outputs, 1)}
    for name, each in functions.items():
        built, first, second, evaluated = called[name]
        seen |= {
            Place("calls of {name} while the layer is built", name=name): built,
            Place("calls of {name} in training", name=name): f"{first - built}, {second - first}",
            Place("calls of {name} in evaluation", name=name): evaluated - second,
            Place("arguments of {name}", name=name): each.arguments,
            Place("what {name} is given is left alone", name=name): each.left_alone(0),
            Place("what {name} returns is left alone", name=name): each.left_alone(1),
        }
        if each.copies:
            seen[Place("what {name} is given, sorted", name=name)] = each.copies[0][0].sort(-1).values.to(x.dtype)
    return seen


def given_dtype(impl, x, dtype, parameters=None):
    """Call a layer on an input of that dtype, and look whether the functions are given a dtype as wide, and never less than float32."""
    functions = {"statistic": Recorder(mean), "deviation": Recorder(half_range)}
    layer = impl.GeneralizedBatchNorm(x.shape[1], **functions).to(getattr(torch, parameters or dtype))
    layer(x.to(getattr(torch, dtype)))
    wide = (torch.float64,) if dtype == "float64" else (torch.float32, torch.float64)
    return {
        Place("{name} is given a dtype that is wide enough", name=name): all(given.dtype in wide for given in each.given)
        for name, each in functions.items()
    }


def constants(impl, x, statistic, deviation, momentum=0.1, gradients=True):
    """The functions return the same tensors at each call: numbers that somebody has chosen, one of which may count for all channels.

    The layer is trained twice and evaluated. The tensors that the functions return stay as they were.
    """
    kept = {"statistic": statistic.clone().expand(x.shape[1]), "deviation": deviation.clone().expand(x.shape[1])}
    layer = impl.GeneralizedBatchNorm(x.shape[1], lambda _: kept["statistic"], lambda _: kept["deviation"], momentum=momentum)
    layer.to(x.dtype)
    x = x.clone().requires_grad_(gradients)
    with torch.set_grad_enabled(gradients):
        seen = {Place("output of call {number}", number=str(number)): layer.train(number < 3)(x) for number in (1, 2, 3)}
    for name, before in (("statistic", statistic), ("deviation", deviation)):
        seen[Place("what {name} returns is left alone", name=name)] = torch.equal(kept[name], before.expand(x.shape[1]))
    return seen
