"""Hidden suite of `cosine_norm`.

The first weight is random, and free, so everything but `test_new_layer` fills in a weight. Rows of the input and rows of the weight have
lengths of their own, few of them near 1: a length that is missing, or taken over the wrong numbers, shows.
"""

import numpy as np
import pytest
from shared import rows

from normgrade.suite import build, evaluate, probe, randn, train, uniform, use, words


def cosine_linear(*args, **kwargs):
    """The layer, whose first random numbers are none of the story's business."""
    return build(*args, **kwargs).named("cosine_linear")


def of_length(lengths, size):
    """Rows in random directions: one of each of these lengths."""
    directions = randn(len(lengths), size)
    return directions / np.linalg.norm(directions, axis=-1, keepdims=True) * np.array(lengths, np.float32)[:, None]


def typical():
    """The layer as it is used: it has no switches, but sizes and eps."""
    return [
        use(cosine_linear(6, 4, eps=0.1), rows(5, 6), rows(2, 3, 6), [-1]),
        use(cosine_linear(3, 7), rows(2, 1, 2, 1, 2, 3), rows(3), [-1]),
    ]


def real():
    """A layer of a thousand features."""
    return [
        use(cosine_linear(1040, 5), rows(3, 1040), rows(1, 2, 1040), [-1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `CosineLinear(5, 3)` and call it on a tensor of shape (4, 5): a tensor of shape (4, 3) must come back.",
    zh="用 `CosineLinear(5, 3)` 构造，对形状为 (4, 5) 的张量调用：应当返回形状为 (4, 3) 的张量。",
)
def test_call(observe):
    """The layer can be built and called, and returns out_features numbers for each position, in the input's dtype.

    zh: 层可以构造和调用，每个位置返回 out_features 个数，dtype 与输入相同。
    """
    for step, shape in ((train, (4, 5)), (evaluate, (5,))):
        wanted = (*shape[:-1], 3)
        output = observe(build(5, 3), step(randn(*shape), backward=False))["step 1 · output"]
        assert output.dtype == "float32", words(
            f"the output should be float32, as the input is, but is {output.dtype}",
            zh=f"输出应当与输入一样是 float32，实际是 {output.dtype}",
        )
        assert output.values.shape == wanted, words(
            f"the output should have the shape {wanted}, but has {output.values.shape}",
            zh=f"输出的形状应当是 {wanted}，实际是 {output.values.shape}",
        )


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint(
    "Divide every position of x by its length over the last dimension, every row of the weight by its own, then multiply the two.",
    zh="把 x 的每个位置除以它在最后一维上的长度，把权重的每一行除以该行的长度，再把两者相乘。",
)
def test_cosines(agree):
    """Output k of a position is its dot product with row k of the weight, over the product of both lengths; nothing is added.

    zh: 一个位置的第 k 个输出，是它与权重第 k 行的点积，除以两者长度之积；什么也不加。
    """
    for shape, out_features in [((4, 7), 3), ((6, 5, 8), 2), ((2, 3, 5, 6), 9), ((4, 4), 4), ((3, 5), 1), ((2, 300), 3), ((2, 5), 40)]:
        agree(cosine_linear(shape[-1], out_features), train(rows(*shape)), evaluate(rows(*shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "max(length, eps), for x and for each row by itself: lengths above eps stay as they are, and eps is not added to them.",
    zh="对 x 和每一行分别取 max(长度, eps)：大于 eps 的长度保持原样，也不要加上 eps。",
)
def test_eps(agree):
    """A length below eps is replaced by eps, that of x and that of a row each by itself; a length above it is left as it is.

    zh: 小于 eps 的长度换成 eps，x 的长度和每一行的长度各自处理；大于 eps 的长度保持原样。
    """
    weight = of_length([0.05, 0.2, 0.35, 3.0], 6)
    layer = cosine_linear(6, 4, eps=0.25).filled(weight=weight)
    agree(layer, train(of_length([0.02, 0.2, 0.3, 5.0], 6)), evaluate(of_length([0.1, 0.6], 6)))
    without = cosine_linear(6, 2, eps=0.0).filled(weight=of_length([1e-9, 0.5], 6))
    agree(without, train(of_length([3e-10, 2.0], 6)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint("The default of eps is 1e-8: below that, a length counts as 1e-8.", zh="eps 的默认值是 1e-8：长度小于它时按 1e-8 计算。")
def test_default_eps(agree):
    """Unless it is given, eps is 1e-8: so small that it decides about nothing but vectors of nearly 0.

    zh: 不传 eps 时为 1e-8：它非常小，只对几乎为零的向量起作用。
    """
    weight = of_length([2e-9, 3e-8, 1e-6, 2.0], 6)
    agree(
        cosine_linear(6, 4).filled(weight=weight), train(of_length([5e-9, 4e-8, 1e-7, 1e-5, 1.0], 6)), evaluate(of_length([1e-9, 1e-6], 6))
    )


@pytest.mark.kind("state")
@pytest.mark.points(2)
@pytest.mark.hint(
    "`weight` is an nn.Parameter of shape (out_features, in_features), as in torch.nn.Linear, and the only one; draw its first numbers at "
    "random.",
    zh="`weight` 是形状为 (out_features, in_features) 的 nn.Parameter，与 torch.nn.Linear 相同，也是唯一的一个；它的初值随机抽取。",
)
def test_new_layer(agree):
    """A new layer's state dict has `weight` alone, a parameter whose rows point in different directions; the layer works with it at once.

    zh: 新建的层的状态字典中只有 `weight`，它是参数，各行指向不同的方向；层可以直接用它计算。
    """
    for out_features in (4, 12):
        agree(probe("new", x=rows(3, 6), out_features=out_features))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Both lengths depend on what is learnt or comes in: let autograd differentiate through them, without detach, item or no_grad.",
    zh="两个长度都依赖于输入或可学习的量：让 autograd 对它们求导，不要用 detach、item 或 no_grad。",
)
def test_gradients(agree):
    """The gradient flows through both lengths as well, and reaches input and weight.

    zh: 梯度也流经两个长度，并到达输入和权重。
    """
    for shape, out_features in [((5, 3), 4), ((4, 2, 9), 2), ((6,), 3)]:
        agree(cosine_linear(shape[-1], out_features), train(rows(*shape)), evaluate(rows(*shape)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "0 / eps is 0. For the gradient, guard the length where it still has a slope: torch.linalg.vector_norm then clamp, or clamp the sum of "
    "squares at eps² before sqrt.",
    zh="0 / eps 就是 0。要让梯度也有限：先 torch.linalg.vector_norm 再 clamp，或在 sqrt 之前把平方和的下限设为 eps²。",
)
def test_zero_vectors(agree):
    """A position of zeros, or a row of zeros, gives 0 and finite gradients.

    zh: 全零的位置或全零的行输出 0，梯度有限。
    """
    x, weight = rows(4, 6), rows(3, 6)
    x[1] = weight[2] = 0
    for step in (train, evaluate):
        agree(cosine_linear(6, 3, eps=0.5).filled(weight=weight), step(x))
        agree(cosine_linear(6, 3).filled(weight=weight), step(x))
        agree(cosine_linear(6, 3, eps=1e-15).filled(weight=weight), step(x))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Count the dimension from the end, dim=-1: then it does not matter how many come before it, if any.",
    zh="从末尾数维，dim=-1：这样前面有几维、甚至有没有，都无所谓。",
)
def test_number_of_dimensions(agree):
    """An input may have any number of dimensions: a single position of shape (in_features,), or many.

    zh: 输入可以有任意多维：可以只有一个位置，形状为 (in_features,)，也可以有很多维。
    """
    agree(cosine_linear(6, 4), train(rows(6)), evaluate(rows(6)), train(rows(2, 3, 1, 2, 6)), evaluate(rows(4, 6)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "A vector and its multiples point the same way: the cosine is 1, or −1 for the opposite way. No arccos follows, and no 1 − cos.",
    zh="一个向量与它的倍数指向相同的方向：余弦为 1，方向相反时为 −1。之后不再做任何运算，没有 arccos，也没有 1 − cos。",
)
def test_parallel_and_orthogonal(agree):
    """Multiples of a row give 1 or −1, what stands at right angles to it gives 0; a single feature is all sign.

    zh: 某一行的倍数给出 1 或 −1，与它垂直的向量给出 0；只有一个特征时，输出只剩符号。
    """
    weight = rows(3, 5)
    x = np.concatenate([weight * uniform(0.5, 3.0, 3, 1), -weight[:1] * 40])
    agree(cosine_linear(5, 3).filled(weight=weight), train(x, backward=False), evaluate(x, backward=False))
    agree(
        cosine_linear(4, 2).filled(weight=[[3.0, 4.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]]), train(np.diag([2.0, -3.0, 7.0, 0.5]).astype("f4"))
    )
    agree(cosine_linear(1, 2), train(uniform(-2, -0.5, 4, 1), backward=False), evaluate(uniform(0.5, 2, 3, 2, 1), backward=False))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Each position and each row has a length of its own: nothing is shared with longer ones; guard each by itself.",
    zh="每个位置、每一行都有自己的长度：不与更长的共用任何东西，也不要只给两个长度之积加下限。",
)
def test_magnitudes(agree):
    """Very short and very long vectors, in one input and in one weight, all give accurate cosines.

    zh: 同一个输入、同一个权重中，极短的和极长的向量都给出准确的余弦。
    """
    weight = of_length([1e-6, 1e-3, 1.0, 1e4, 1e8], 8)
    for step in (train, evaluate):
        agree(cosine_linear(8, 5).filled(weight=weight), step(of_length([1e-7, 1e-4, 0.5, 1e3, 1e9], 8)))
        agree(cosine_linear(8, 5).filled(weight=weight), step(of_length([1e8, 1e-5, 2.0], 8), gradients="no_grad"))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Widen x and the weight to float32 before anything is squared or multiplied, and cast the cosines back to x.dtype.",
    zh="在求平方和相乘之前，先把 x 和权重都提升到 float32，最后把余弦转换回 x.dtype。",
)
def test_half_precision(agree):
    """Half-precision input gets cosines that are computed in float32, and they come back in its own dtype, whatever the weight's.

    zh: 半精度的输入得到在 float32 中算出的余弦，并以自己的 dtype 返回，无论权重是什么 dtype。
    """
    for dtype in ("float16", "bfloat16"):
        for layer in (cosine_linear(48, 3, eps=1e-6).to(dtype), cosine_linear(48, 3, eps=1e-6)):
            agree(
                layer, train(randn(5, 48) * 300, dtype=dtype), evaluate(randn(5, 48) * 1e-4, dtype=dtype), evaluate(randn(48), dtype=dtype)
            )
        x = rows(4, 6)
        x[1] = 0
        agree(cosine_linear(6, 2).to(dtype), train(x, dtype=dtype))
        far = cosine_linear(6, 4).filled(weight=of_length([1e-6, 0.3, 40.0, 1e7], 6))  # which float16 does not hold
        agree(far, train(x, dtype=dtype), evaluate(x, dtype=dtype, gradients="no_grad"))
