"""How your Fixup is looked at, beyond calling a block and going back through it: blocks and a classifier are initialised and measured.

Nothing here is secret, and every probe is played on the right answer too.
"""

import torch
from shared_probes import distance_from_normal_and_uniform, fingerprint, float64_by_default, spread_of_lengths

from normgrade.probes import Estimate, Place, fill, settings

HOLDERS = {"list": list, "tuple": tuple, "ModuleList": torch.nn.ModuleList, "Sequential": lambda blocks: torch.nn.Sequential(*blocks)}
WIDE = (14, 14, 9)  # channels of blocks that are only compared with each other


def steady_block(impl, channels):
    """A new block whose kernels are always the same numbers, and for which no random number is used up. Whether a convolution says that it
    has no bias, as that of PyTorch does, is its own affair."""
    with torch.random.fork_rng(devices=[]):
        block = impl.FixupBlock(channels)
    size = channels * channels * 9
    numbers = (torch.arange(2 * size) * 7 % 13 - 6.5) / (8 * channels)  # none is 0
    fill(block, {f"conv{number}.weight": kernel for number, kernel in enumerate(numbers.split(size), 1)})
    for module in block.modules():
        if module._parameters.get("bias", ...) is None:
            del module._parameters["bias"]
            module.bias = None
    return block


BUILDERS = {"steady_block": steady_block}


def network(impl, channels, biased=True):
    """A block for each of these numbers of channels, and a classifier, with numbers of which none is 0 or 1 where they begin."""
    blocks, classifier = [impl.FixupBlock(number) for number in channels], torch.nn.Linear(6, 4, bias=biased)
    with torch.no_grad():
        for module in (*blocks, classifier):
            for name, parameter in module.named_parameters():
                parameter.fill_(0.5 if parameter.dim() > 1 else 0.25 + len(name) / 8 + 2 * ("a" in name))
    return blocks, classifier


def initial_weights(impl, channels, held="list"):
    """Initialise, and measure the first convolution of every block: its standard deviation in units of He's, its mean, and whether its
    numbers are drawn one by one. Then measure all of them together, and how far they are from a normal and from a uniform distribution."""
    blocks, classifier = network(impl, channels)
    impl.fixup_init_(HOLDERS[held](blocks), classifier)
    kernels = [block.conv1.weight.detach() for block in blocks]
    seen = {}
    for number, kernel in enumerate(kernels, 1):
        seen |= measured(number, kernel)
    together = torch.cat([kernel.flatten() / he(kernel) for kernel in kernels])
    spread = together.std(correction=0)
    return seen | {
        "conv1 of all blocks · spread": Estimate(spread, spread / (2 * together.numel()) ** 0.5),
        "conv1 of all blocks · distance from normal and uniform": distance_from_normal_and_uniform(together),
    }


def random_numbers(impl):
    """Initialise two networks, and twice more from the same seed: each kernel has numbers of its own, which PyTorch's generator decides."""
    first, second = drawn(impl), drawn(impl)
    seen = {"kernels that share their numbers": len(first + second) - len({*first, *second})}
    torch.manual_seed(1)
    first = drawn(impl)
    torch.manual_seed(1)
    seen["the same seed gives the same numbers"] = drawn(impl) == first
    blocks, classifier = network(impl, WIDE)
    impl.fixup_init_(blocks, classifier)
    before = [block.conv1.weight.detach().clone() for block in blocks]
    impl.fixup_init_(blocks, classifier)
    again = [torch.equal(block.conv1.weight, kernel) for block, kernel in zip(blocks, before, strict=True)]
    return seen | {"kernels that a second call leaves as they are": sum(again)}


def default_dtype(impl):
    """Build a block where the default dtype is float64."""
    with float64_by_default():
        block = impl.FixupBlock(2)
    return {"parameters in the default dtype": sum(each.dtype == torch.float64 for each in block.parameters())}


def drawn(impl):
    """Initialise some blocks, and tell the random numbers of their first convolutions apart."""
    blocks, classifier = network(impl, WIDE)
    impl.fixup_init_(blocks, classifier)
    return [fingerprint(block.conv1.weight) for block in blocks]


def he(kernel):
    """He's standard deviation for a kernel (out, in, 3, 3)."""
    return (2 / kernel[0].numel()) ** 0.5


def measured(number, kernel):
    """What is expected of n random numbers has a standard error, and is compared with regard to it."""
    rows, n = kernel.flatten(1), kernel.numel()
    fans = sum(rows.shape)
    deviation, squares = kernel.std(correction=0), kernel.square().mean()
    spread = deviation / he(kernel)
    overlap = (rows @ rows.mT).square().sum() / (n * (fans + 1) * squares**2)  # 1, but for chance, if no number depends on another
    return {
        Place("conv1 of block {number} · spread", number=number): Estimate(spread, spread / (2 * n) ** 0.5),
        Place("conv1 of block {number} · mean", number=number): Estimate(kernel.mean(), deviation / n**0.5),
        Place("conv1 of block {number} · overlap of its rows", number=number): Estimate(overlap, 2 / fans),
        Place("conv1 of block {number} · spread of the lengths of its rows", number=number): spread_of_lengths(rows),
        Place("conv1 of block {number} · spread of the lengths of its columns", number=number): spread_of_lengths(rows.mT),
    }


def zeros(impl, channels, biased, held="list"):
    """Initialise what a failed training has left full of NaN: the second convolution of every block, and the classifier, with a bias or
    without."""
    blocks, classifier = network(impl, channels, biased)
    with torch.no_grad():
        for kernel in [*classifier.parameters(), *(each for block in blocks for each in (block.conv1.weight, block.conv2.weight))]:
            kernel.fill_(torch.nan)
    impl.fixup_init_(blocks=HOLDERS[held](blocks), classifier=classifier)
    seen = {Place("conv2 of block {number}", number=number): block.conv2.weight for number, block in enumerate(blocks, 1)}
    seen["conv1 of all blocks is finite"] = all(bool(block.conv1.weight.isfinite().all()) for block in blocks)
    return seen | {"weight of the classifier": classifier.weight, "bias of the classifier": classifier.bias}


def after_init(impl, channels, dtype, training):
    """Initialise a network in which one convolution of either kind is frozen, in evaluation the classifier too, and look at each parameter,
    which an optimiser may hold: it is the same object in the same dtype, and learns as before. Biases, scales, gradients, modes and
    PyTorch's settings are as they were."""
    blocks, classifier = network(impl, channels)
    modules = {f"block {number}": block for number, block in enumerate(blocks, 1)} | {"classifier": classifier}
    for module in modules.values():
        module.to(getattr(torch, dtype)).train(training)
    for frozen in (blocks[1].conv1, blocks[2].conv2, classifier):
        frozen.requires_grad_(frozen is classifier and training)
    before = by_name(modules)
    for each in before.values():
        each.grad = torch.ones_like(each)
    was = {name: (each.dtype, each.requires_grad, each.detach().clone()) for name, each in before.items()}
    others = others_settings()
    impl.fixup_init_(blocks, classifier)
    now = by_name(modules)

    def those(changed):
        return ", ".join(sorted(name for name, each in before.items() if changed(name, each)))

    def kept(name, each):
        return torch.equal(each.detach(), was[name][2])

    def scalar(name):
        return "conv" not in name and "classifier" not in name

    return {
        "parameters that were replaced": those(lambda name, each: now.get(name) is not each),
        "parameters that were added": ", ".join(sorted(now.keys() - before.keys())),
        "parameters in another dtype": those(lambda name, each: each.dtype != was[name][0]),
        "parameters that were frozen or freed": those(lambda name, each: each.requires_grad != was[name][1] or not each.is_leaf),
        "kernels and parameters of the classifier that are as before": those(lambda name, each: not scalar(name) and kept(name, each)),
        "biases and scales with new numbers": those(lambda name, each: scalar(name) and not kept(name, each)),
        "gradients left alone": all(each.grad is not None and bool((each.grad == 1).all()) for each in before.values()),
        "modes left alone": all(part.training == training for module in modules.values() for part in module.modules()),
        "PyTorch's settings left alone": others_settings() == others,
    }


def by_name(modules):
    """All parameters of these modules."""
    return {f"{kind} · {name}": each for kind, module in modules.items() for name, each in module.named_parameters()}


def others_settings():
    """Those settings of PyTorch that hold for everybody; random numbers are drawn, so their state may move on."""
    return {name: value for name, value in settings().items() if name != "random state"}
