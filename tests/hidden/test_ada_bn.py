"""Hidden suite of `ada_bn`.

Every batch has a mean and a scale of its own in every channel, so the variance between batches counts. Batches differ in size, and images
in height and width. Every model has statistics of its own beforehand, and most have several norms that see each other's output.
"""

import numpy as np
import pytest

from normgrade.suite import build, probe, randn, uniform, use

SIZES = (3, 2, 5)


def batch(*shape, offset=0.0, scale=1.0):
    """Random numbers (N, C, …) with a mean and a scale of its own for each channel."""
    per_channel = (1, shape[1], *[1] * (len(shape) - 2))
    random = randn(*shape) * uniform(0.4, 2.0, *per_channel) + uniform(-1.5, 1.5, *per_channel)
    return random * np.float32(scale) + np.float32(offset)


def rows(features, sizes=SIZES, **more):
    return [batch(size, features, **more) for size in sizes]


def images(channels, sizes=((2, 4, 3), (1, 5, 6), (3, 2, 4)), **more):
    return [batch(n, channels, *size, **more) for n, *size in sizes]


def adapted(model, batches, **more):
    return probe("adapted", model=model, batches=batches, **more)


def typical():
    """A perceptron, and norms of images with every switch: each adapts to its input, and then computes."""
    return [
        use(build("small").named("adapting"), batch(5, 4), batch(7, 4), fixed=[-1]),
        use(build("switches").named("adapting"), batch(4, 2, 3, 5), batch(5, 2, 4, 2), fixed=[1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Call `adapt(model, batches)` with a torch.nn.BatchNorm1d(3) as the model, and a list of tensors of shape (N, 3).",
    zh="调用 `adapt(model, batches)`：模型就是 torch.nn.BatchNorm1d(3)，batches 是由形状为 (N, 3) 的张量组成的列表。",
)
def test_call(observe):
    """The function can be called with a model and a list of batches.

    zh: 函数可以用一个模型和一个由批组成的列表来调用。
    """
    observe(adapted("one norm", rows(3)))


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint(
    "One mean and one variance per channel over all numbers of all batches; the variance is divided by n. The old statistics are gone.",
    zh="每个通道在所有批的所有数上求一个均值和一个方差，方差除以数的个数；旧的统计量不再起作用。",
)
def test_statistics(agree):
    """A norm gets the mean and the biased variance of everything that it sees, over all batches together.

    zh: 归一化层得到它所看到的全部数值的均值和有偏方差，所有批合在一起计算。
    """
    agree(adapted("one norm", rows(3)))
    agree(adapted("one norm", [batch(2, 3, 5), batch(4, 3, 2), batch(1, 3, 7)]))
    agree(adapted("one image norm", images(3, scale=30)))
    agree(adapted("one image norm", images(3, scale=0.01), dtype="float64"))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "What a norm sees depends on the norms before it: adapt these first, and let the model see the batches again for each norm.",
    zh="一个归一化层看到什么，取决于它之前的归一化层：先适配它们，再为每个归一化层让模型重新看一遍各批。",
)
def test_layer_by_layer(agree):
    """The statistics of a norm are those of what it sees once the norms before it are adapted.

    zh: 一个归一化层的统计量，是在它之前的归一化层都适配之后，它所看到的数值的统计量。
    """
    agree(adapted("two norms", rows(3)))
    agree(adapted("perceptron", rows(4, scale=2)))
    agree(adapted("classifier", images(2)))
    agree(adapted("deep", rows(3)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "model.modules() gives the order in which layers were registered. Hooks on the norms tell in which order they run.",
    zh="model.modules() 给出的是注册的顺序。在归一化层上挂钩子（hook），就能知道它们执行的顺序。",
)
def test_order_of_execution(agree):
    """The norms are adapted in the order in which they run, however they are registered.

    zh: 归一化层按执行的顺序适配，与注册的顺序无关。
    """
    agree(adapted("other order", rows(3)))
    agree(adapted("backwards", rows(3)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Put the whole model into evaluation mode while it sees the batches: its norms use the running statistics, and nothing is dropped.",
    zh="模型看各批时，整个模型都应处于评估模式：归一化层使用滑动统计量，也不丢弃任何东西。",
)
def test_evaluation_mode(agree):
    """A model in training mode is adapted as one in evaluation mode: its norms do not use the batch, and nothing is dropped.

    zh: 处于训练模式的模型与处于评估模式的一样适配：归一化层不使用批统计量，也不丢弃任何东西。
    """
    agree(adapted("two norms", rows(3), training=True))
    agree(adapted("dropping", rows(4), training=True))
    agree(adapted("classifier", images(2), training=True))
    agree(adapted("branches", rows(4), training=True))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Search model.modules(), the model itself included, for BatchNorm1d, 2d and 3d. Without buffers, or where it never runs, a norm stays.",
    zh="在 model.modules() 中（包括模型自身）查找 BatchNorm1d、2d 和 3d。没有缓冲区的，以及从不执行的归一化层保持不变。",
)
def test_every_norm(agree):
    """Batch norms of every kind are adapted, wherever they are. Those that do not track or never run are left alone, as are other layers.

    zh: 各种批归一化层，无论在模型中的什么位置，都会被适配。不跟踪的、从不执行的，以及其他的层，都保持不变。
    """
    agree(adapted("switches", images(2)))
    agree(adapted("volumes", [batch(2, 2, 3, 1, 4), batch(1, 2, 2, 2, 5)]))
    agree(adapted("over time", [batch(2, 5, 3), batch(3, 2, 3)]))
    agree(adapted("untracked", rows(4, (3, 4, 2))))
    agree(adapted("branches", rows(4)))
    agree(adapted("without norms", rows(4)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`for batch in batches` is all that may be done with them, as often as needed. One batch of one row will do: its variance is 0.",
    zh="对 batches 只能用 `for batch in batches`，次数不限。只有一批、一批只有一行也可以：方差为 0。",
)
def test_batches(agree):
    """The batches are anything that can be iterated again and again, such as a DataLoader, and may be one or many, large or small.

    zh: batches 可以是任何能反复迭代的对象，例如 DataLoader；批可以只有一个或有许多，可大可小。
    """
    agree(adapted("perceptron", rows(4, (1,)), form="tuple"))
    agree(adapted("two norms", rows(3, (6,)), by_name=True))
    agree(adapted("two norms", rows(3), form="loader"))
    agree(adapted("two norms", rows(3, (1, 2, 1, 3) * 10), form="again", by_name=True))
    agree(adapted("one image norm", images(3, [(1, 1, 1)])))
    agree(adapted("one image norm", images(3, [(4, 9, 10), (1, 20, 30), (7, 5, 3)], offset=4.0)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Between two norms the model may change a tensor in place. Use what the norm is given at once, or keep a copy of it.",
    zh="模型可能在两个归一化层之间原地改动张量。归一化层收到的输入应当立即使用，或者保存副本。",
)
def test_changed_in_place(agree):
    """A tensor that the model changes in place afterwards counts as the norm saw it.

    zh: 之后被模型原地改动的张量，按归一化层看到的数值计算。
    """
    agree(adapted("changed in place", rows(3)))
    agree(adapted("changed in place", rows(3, (1, 1, 2)), training=True))


@pytest.mark.kind("edge")
@pytest.mark.points(0)
@pytest.mark.hint(
    "Compute what the formula says, channel by channel: no nan_to_num, no nanmean, and no batch that is left out.",
    zh="逐个通道按公式计算：不用 nan_to_num 或 nanmean，也不要跳过任何一批。",
)
def test_nan(agree):
    """A NaN spoils the statistics of its own channel, and of what is computed from it.

    zh: NaN 只破坏它所在通道的统计量，以及由该通道算出的数值。
    """
    for where in (0, 1):
        spoilt = rows(3)
        spoilt[2 * where][2, where] = np.nan
        agree(adapted("two norms", spoilt))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Write down module.training of every module before, and put each of them back: model.train() would put all of them into one mode.",
    zh="事先记下每个模块的 module.training，事后逐个恢复：model.train() 会让所有模块进入同一种模式。",
)
def test_modes(agree):
    """Afterwards every module is in the mode in which it was, also where they differ.

    zh: 事后每个模块都处于原来的模式，各模块模式不同时也是如此。
    """
    for training in (True, False):
        for others in ((), ("1", "2", "5")):
            agree(probe("modes", model="perceptron", batches=rows(4), training=training, others=list(others), x=batch(6, 4)))
        others = ["0.1", "1", "1.0.around", "1.0.bn2", "1.1", "3.0"]
        agree(probe("modes", model="classifier", batches=images(2), training=training, others=others, x=batch(3, 2, 4, 3)))
    agree(probe("modes", model="without norms", batches=rows(4), training=True, others=["1"], x=batch(6, 4)))
    agree(probe("modes", model="untracked", batches=rows(4), training=False, others=["2"], x=batch(6, 4)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Change running_mean and running_var and nothing else: no momentum, no counter, no requires_grad, no gradient; remove your own hooks.",
    zh="只改动 running_mean 和 running_var：momentum、计数器、requires_grad 和梯度都不动；自己挂的钩子要移除。",
)
def test_nothing_else(agree):
    """Nothing else of the model changes: parameters, counters, what needs a gradient, gradients, attributes and hooks.

    zh: 模型的其他一切都不变：参数、计数器、哪些参数需要梯度、已有的梯度、属性和钩子。
    """
    agree(probe("what_stays", model="perceptron", batches=rows(4), frozen=["0.weight", "1.bias", "5.weight"]))
    agree(probe("what_stays", model="switches", batches=images(2), frozen=["2.weight"], gradients="no_grad"))
    agree(probe("what_stays", model="branches", batches=rows(4), frozen=["auxiliary.1.weight"]))
    agree(probe("what_stays", model="one norm", batches=rows(3), frozen=["bias"]))
    agree(probe("what_stays", model="untracked", batches=rows(4), frozen=[], gradients="no_grad"))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The statistics are buffers as before: plain numbers that belong to this model, which training moves and a state dict holds.",
    zh="统计量仍是原来那样的缓冲区：普通的数，属于这个模型，训练会更新它们，状态字典会保存它们。",
)
def test_afterwards(agree):
    """The model goes on as any other: it can be adapted to another domain, trained, copied and loaded.

    zh: 之后模型与其他模型一样继续使用：可以适配到另一个域，可以训练、拷贝和载入。
    """
    agree(probe("afterwards", model="perceptron", batches=rows(4), others=rows(4, (4, 2), offset=3.0), x=batch(6, 4)))
    agree(probe("afterwards", model="switches", batches=images(2), others=images(2, scale=3.0), x=batch(3, 2, 4, 3)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The new statistics are constants: collect them under torch.no_grad(), so that no graph leads through them.",
    zh="新的统计量是常数：在 torch.no_grad() 下收集，计算图就不会经过它们。",
)
def test_gradients(agree):
    """No gradient flows through the new statistics, neither to the parameters before them nor to the batches.

    zh: 没有梯度流经新的统计量，既不流向它们之前的参数，也不流向各批。
    """
    x, upstream = batch(6, 4), randn(6, 3)
    agree(probe("gradients_afterwards", model="perceptron", batches=rows(4), x=x, upstream=upstream))
    agree(probe("gradients_afterwards", model="perceptron", batches=rows(4), x=x, upstream=upstream, frozen=["0.weight", "4.weight"]))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "E[x²] − E[x]² loses its digits where the mean is large: subtract the mean before squaring, or sum in float64.",
    zh="均值很大时，E[x²] − E[x]² 会丢失有效数字：先减去均值再平方，或者用 float64 求和。",
)
def test_large_means(agree):
    """The variance stays accurate where the mean is much larger than the standard deviation.

    zh: 均值远大于标准差时，方差依然准确。
    """
    agree(adapted("one norm", rows(3, (4, 7, 2), offset=3000.0)))
    agree(adapted("two norms", rows(3, (5, 6), offset=-2000.0)))
    agree(adapted("one image norm", images(3, offset=5000.0)))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Widen what the norm sees with x.to(torch.promote_types(x.dtype, torch.float32)); copy_ then rounds to the dtype of the buffers.",
    zh="用 x.to(torch.promote_types(x.dtype, torch.float32)) 提升归一化层所见数值的精度；copy_ 再舍入为缓冲区的 dtype。",
)
def test_half_precision(agree):
    """Half-precision batches have statistics in float32, and the buffers keep their dtype, be it half precision, float32 or float64.

    zh: 半精度的批在 float32 中计算统计量；缓冲区保持自己的 dtype，无论是半精度、float32 还是 float64。
    """
    for dtype, scale in (("float16", 60), ("bfloat16", 1)):
        narrow = [np.round(each * 8) * scale / 8 for each in rows(3, (6, 9), offset=2.0)]
        agree(probe("in_half_precision", model="one norm", batches=narrow, dtype=dtype, model_dtype="float32"))
        agree(probe("in_half_precision", model="one norm", batches=narrow, dtype=dtype, model_dtype=dtype))
    agree(adapted("perceptron", rows(4), dtype="float64"))
