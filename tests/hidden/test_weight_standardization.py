"""Hidden suite of `weight_standardization`.

The first weight is random, and free, so everything but `test_new_layer` fills in a weight. Every filter has a mean and a scale of its own,
and so has every input channel within a filter: statistics over the wrong dimensions show. No two sizes of a weight agree.
"""

import numpy as np

from normgrade.suite import build, claim, evaluate, ones, probe, randn, train, uniform, use


def ws_conv(*args, **kwargs):
    """The layer, whose first random numbers are none of the story's business."""
    return build(*args, **kwargs).named("ws_conv")


def filters(*shape):
    """Random filters: each has a mean and a scale of its own, and so has each of its input channels."""
    out_channels, inputs = shape[:2]
    sizes = ((out_channels, 1, 1, 1), (out_channels, inputs, 1, 1))
    numbers = randn(*shape)
    for each in sizes:
        numbers = numbers * uniform(0.5, 1.6, *each) + uniform(-0.8, 0.8, *each)
    return numbers


def far_filters(*shape):
    """Random filters with means of either sign, about three deviations large. Rounded to half precision, such a weight moves its
    standardised numbers further than a rounding of these does: whether they are rounded as well is up to the layer.
    """
    return filters(*shape) + (uniform(3.5, 4.5, shape[0], 1, 1, 1) * np.where(uniform(0, 1, shape[0], 1, 1, 1) > 0.5, 1, -1)).astype("f4")


def images(*shape):
    """Random images, each feature map of which has a mean of its own."""
    return randn(*shape) + uniform(-1, 1, *shape[:2], 1, 1)


def with_filters(shape, *args, scale=1.0, **kwargs):
    """A layer that has random filters of this shape."""
    out_channels, inputs, *size = shape
    groups = kwargs.get("groups", 1)
    layer = ws_conv(inputs * groups, out_channels, tuple(size) if size[0] != size[1] else size[0], *args, **kwargs)
    return layer.filled(weight=filters(*shape) * np.float32(scale))


def typical():
    """A layer as in a ResNet; one with groups and every other argument; a depthwise one without a bias."""
    both = ("weight", "bias")
    resnet = ws_conv(3, 4, 3, padding=1, eps=0.1).filled(weight=far_filters(4, 3, 3, 3))
    grouped = ws_conv(4, 6, (2, 3), (2, 1), (1, 2), (1, 2), 2, eps=1e-3).filled(weight=far_filters(6, 2, 2, 3))
    depthwise = ws_conv(5, 5, (3, 1), 2, (1, 0), groups=5, bias=False).filled(weight=far_filters(5, 1, 3, 1))
    return [
        use(resnet.drawn(*both), images(2, 3, 4, 5), images(3, 3, 3, 6), [1]),
        use(grouped.drawn(*both), images(2, 4, 5, 3), images(3, 4, 3, 4), [1]),
        use(depthwise.drawn("weight"), images(2, 5, 4, 3), images(1, 5, 3, 2), [1]),
    ]


def real():
    """A layer of seventy channels."""
    return [
        use(ws_conv(72, 70, 3, padding=1).filled(weight=far_filters(70, 72, 3, 3)), images(2, 72, 4, 5), images(1, 72, 6, 3), [1]),
    ]


@claim(
    "formula",
    points=2,
    hint="One mean and one variance for each output channel: over dimensions 1, 2 and 3 of the weight. Then F.conv2d with the result.",
)
def test_filters(agree):
    """Every filter loses its mean and is divided by its standard deviation; x is convolved with the result."""
    for shape in [(4, 3, 2, 2), (5, 2, 3, 4), (2, 7, 1, 1), (1, 3, 2, 3), (3, 1, 5, 2)]:
        agree(with_filters(shape), train(images(2, shape[1], 6, 7)), evaluate(images(3, shape[1], 5, 4)))
    agree(with_filters((2, 512, 3, 3)), evaluate(images(1, 512, 3, 3), backward=False))
    agree(with_filters((2, 4200, 1, 1)), evaluate(images(1, 4200, 1, 1), backward=False))
    agree(with_filters((2, 3, 1, 1)), *(evaluate(images(*shape), backward=False) for shape in ((4200, 3, 1, 1), (1, 3, 1, 4200))))


@claim("formula", hint="eps is added to the variance, inside the root: √(σ² + ε). A filter with a small variance shows it.")
def test_eps(agree):
    """eps is added to the variance of a filter, inside the root; unless it is given, it is 1e-5."""
    for eps, given in ((1e-5, {}), (1e-3, {"eps": 1e-3}), (0.5, {"eps": 0.5})):
        scale = uniform(0.3, 2.0, 4, 1, 1, 1) * np.float32(eps**0.5)
        small = ws_conv(3, 4, 2, **given).filled(weight=randn(4, 3, 2, 2) * scale)
        agree(small, train(images(2, 3, 4, 3)), evaluate(images(1, 3, 3, 5)))
    for eps, scale in ((0.0, 1e-4), (1e-14, 1e-6), (1e-7, 1e-3), (20.0, 3.0)):
        agree(with_filters((4, 3, 2, 2), scale=scale, eps=eps), train(images(2, 3, 4, 3)))


@claim("formula", hint="Hand stride, padding, dilation and groups on to F.conv2d. The zeros of the padding are those of nn.Conv2d.")
def test_convolution(agree):
    """stride, padding and dilation are those of nn.Conv2d, each an int or a pair, and the border is padded with zeros."""
    for size, stride, padding, dilation in (((3, 2), 2, 1, 1), (2, (1, 3), (0, 2), 1), (2, 1, (2, 0), (1, 2)), ((1, 3), (2, 1), 0, 2)):
        x = images(2, 3, 6, 7), images(1, 3, 5, 8)
        agree(ws_conv(3, 4, size, stride, padding, dilation), train(x[0]), evaluate(x[1]))


@claim(
    "formula", hint="With groups the weight is (out_channels, in_channels // groups, kh, kw). Its mean and variance are still per output."
)
def test_groups(agree):
    """With groups a filter sees a part of the input channels only, and still every output channel has its own mean and variance."""
    for shape, groups in (((6, 2, 3, 2), 2), ((6, 2, 2, 3), 3), ((4, 1, 2, 3), 4), ((6, 1, 3, 1), 3)):
        agree(with_filters(shape, groups=groups), train(images(2, shape[1] * groups, 5, 4)), evaluate(images(1, shape[1] * groups, 3, 6)))


@claim("formula", hint="The bias is added after the convolution, as it is. With bias=False it is None.")
def test_bias(agree):
    """The bias is added to each output channel as it is; with bias=False there is none."""
    for bias in (True, False):
        layer = with_filters((4, 3, 2, 2), bias=bias)
        if bias:
            layer = layer.filled(bias=[3.0, -20.0, 0.5, 400.0])
        agree(layer, train(images(2, 3, 4, 5)), evaluate(images(2, 3, 3, 4)))


@claim(
    "state",
    hint="`weight` (out_channels, in_channels // groups, kh, kw) and `bias` (out_channels,) or None, as in nn.Conv2d; draw the weight at "
    "random.",
)
def test_new_layer(agree):
    """A new layer has `weight` and `bias` as nn.Conv2d has them; its filters are random, none is constant, and the layer works at once."""
    for args, bias in (((3, 4, 3), True), ((3, 5, (1, 2)), True), ((4, 6, 2), False)):
        named = ("weight", "bias") if bias else ("weight",)
        agree(ws_conv(*args, bias=bias).drawn(*named))
        agree(probe("new", x=images(2, args[0], 5, 4), out_channels=args[1], bias=bias))
    agree(ws_conv(4, 6, 2, groups=2).drawn("weight", "bias"))


@claim(
    "state",
    points=0,
    hint="Compute the standardised weight anew in every call, as a new tensor, in both modes; the parameter stays as it is.",
)
def test_raw_weight(agree):
    """The parameter is the raw weight: a call leaves it as it is, in training and in evaluation, and reads it anew every time."""
    layer, x = with_filters((4, 3, 2, 2), scale=3.0), images(2, 3, 4, 5)
    agree(layer, train(x), evaluate(x), evaluate(x, gradients="no_grad"), train(x))


@claim(
    "gradient",
    points=2,
    hint="μ and σ come from the weight: leave both in the graph, without detach, data or no_grad. The gradient reaches x, weight and bias.",
)
def test_gradients(agree):
    """The gradient flows through mean and deviation, and reaches x, the raw weight and the bias."""
    for shape, groups in (((4, 3, 2, 2), 1), ((2, 3, 1, 3), 1), ((4, 2, 2, 1), 2)):
        agree(
            with_filters(shape, groups=groups),
            train(images(2, shape[1] * groups, 3, 4)),
            evaluate(images(1, shape[1] * groups, 5, 3)),
        )


@claim("edge", hint="The variance is 0 there, and eps alone stands under the root: 0 / √ε = 0. Divide by n, not by n − 1.")
def test_constant_filters(agree):
    """A filter whose weights are all equal, or a filter of one weight, becomes 0, and its output is the bias."""
    x = images(2, 3, 4, 5)
    weight = filters(4, 3, 2, 2)
    weight[1], weight[2] = 0.0, 0.5
    agree(ws_conv(3, 4, 2).filled(weight=weight), train(x), evaluate(x))
    agree(ws_conv(3, 2, 2).filled(weight=ones(2, 3, 2, 2) * 0.25), train(x), evaluate(x))
    agree(ws_conv(3, 3, 1, groups=3), train(x), evaluate(x))
    agree(ws_conv(1, 2, 1), train(x[:, :1]), evaluate(x[:, :1]))


@claim(
    "edge",
    points=0,
    hint="Nothing is replaced or clamped: a NaN in x reaches the outputs whose filter sees it, one in a filter its channel.",
)
def test_not_finite(agree):
    """A NaN or an infinity in x reaches the places whose filter sees it, and a NaN in a filter its output channel; no others."""
    for spoilt in (np.nan, np.inf, -np.inf):
        x = images(2, 3, 6, 5)
        x[1, 1, 2, 3] = spoilt
        good = images(2, 3, 6, 5)
        agree(with_filters((4, 3, 2, 2)), train(x, frozen=True), evaluate(x, gradients="no_grad"), train(good))
        for dtype in ("float16", "bfloat16"):
            agree(with_filters((4, 3, 2, 2)).to(dtype), evaluate(x, dtype=dtype, gradients="no_grad"))
    weight = filters(4, 3, 2, 2)
    weight[2, 1, 0, 1] = np.nan
    agree(ws_conv(3, 4, 2).filled(weight=weight), evaluate(images(2, 3, 4, 5), gradients="no_grad"))


@claim("stability", hint="E[w²] − E[w]² loses its digits where the mean is large: subtract the mean before squaring, or use var.")
def test_large_means(agree):
    """Filters whose mean is much larger than their deviation are standardised accurately, and so are very small and very large ones."""
    x = images(2, 3, 4, 5)
    for step in (train, evaluate):
        agree(ws_conv(3, 4, 2).filled(weight=randn(4, 3, 2, 2) + uniform(500, 3000, 4, 1, 1, 1)), step(x))
        agree(
            ws_conv(3, 4, 2).filled(weight=randn(4, 3, 2, 2) * np.array([1e-6, 1e-2, 1e3, 1e6], np.float32)[:, None, None, None]), step(x)
        )


@claim("precision", hint="Standardise self.weight.to(torch.promote_types(x.dtype, torch.float32)), and return the dtype of x.")
def test_half_precision(agree):
    """In half precision the weight is standardised in float32 all the same, and the output has the dtype of x."""
    for dtype in ("float16", "bfloat16"):
        for scale in (1.0, 1e-3, 3000.0):
            weight = far_filters(4, 3, 2, 2) * np.float32(scale)
            x, other = images(2, 3, 4, 5), images(1, 3, 3, 4)
            for layer in (ws_conv(3, 4, 2).to(dtype), ws_conv(3, 4, 2)):
                agree(layer.filled(weight=weight), train(x, dtype=dtype), evaluate(other, dtype=dtype, gradients="no_grad"))
        small = (randn(4, 3, 2, 2) * 30).round() * np.float32(2.0**-20)
        agree(ws_conv(3, 4, 2, eps=1e-9).to(dtype).filled(weight=small), train(images(2, 3, 4, 5), dtype=dtype))
        for weight in ((2 * randn(9, 3, 2, 2)).round() / 2 + 100, (60 * randn(5, 2, 3, 3)).round() * 16):  # half precision has all of them
            agree(probe("in_half_precision", weight=weight, dtype=dtype))
