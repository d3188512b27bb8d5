"""Hidden suite of `ada_in`.

Content and style differ in height, width and number of positions. Every feature map has a mean and a scale of its own, so that statistics
over the wrong numbers show. Where eps is not the point, the inputs are so large that it cannot matter.
"""

import numpy as np
from shared import channels

from normgrade.suite import call, claim, evaluate, function, ones, probe, randn, use


def maps(*shape, scale=1.0):
    """Random feature maps, each with a mean and a deviation of its own, around `scale`."""
    return channels(*shape) * np.float32(scale)


def ada_in(*args, **kwargs):
    return call("adaptive_instance_norm", *args, **kwargs)


def typical():
    """Images of the same size and of different ones; with a large eps and with the usual one."""
    image = randn(2, 3, 4, 5)
    illegal = [[image, image[0]], [image[0], image], [image[0], image[0]], [image, image[..., None]], [image[..., None], image]]
    return [
        use(
            function("adaptive_instance_norm", 0.1),
            [maps(4, 3, 5, 2), maps(4, 3, 3, 6)],
            [maps(2, 5, 3, 4), maps(2, 5, 2, 7)],
            [],
            illegal=illegal,
        ),
        use(
            function("adaptive_instance_norm"),
            [maps(3, 2, 4, 6), maps(3, 2, 4, 6)],
            [maps(2, 4, 5, 3), maps(2, 4, 6, 1)],
            [],
            illegal=illegal,
        ),
    ]


def real():
    """Feature maps of three hundred channels."""
    return [
        use(function("adaptive_instance_norm"), [maps(2, 96, 3, 4), maps(2, 96, 4, 3)], [maps(1, 300, 2, 2), maps(1, 300, 3, 2)], []),
    ]


@claim("formula", points=3, hint="y = σ(s) · (c − μ(c)) / σ(c) + μ(s), each statistic over height and width: dim=(2, 3), keepdim=True.")
def test_transfer(agree):
    """Every channel of every sample loses its own mean and deviation, and gets those of the style's."""
    agree(ada_in(maps(2, 3, 5, 4, scale=100), maps(2, 3, 5, 4, scale=100)))
    agree(ada_in(maps(2, 70, 4, 3, scale=100), maps(2, 70, 4, 3, scale=100)))
    agree(ada_in(maps(2, 3, 4, 6, scale=1e8), maps(2, 3, 4, 6)))
    agree(ada_in(maps(2, 3, 4, 6), maps(2, 3, 4, 6, scale=1e10)))


@claim(
    "formula",
    points=2,
    hint="Both variances are divided by n, the number of positions: correction=0. Content and style need not have the same n.",
)
def test_different_sizes(agree):
    """Content and style may differ in height and width; both variances are biased."""
    for content, style in (
        ((2, 4, 3, 5), (2, 4, 36, 37)),
        ((2, 4, 7, 6), (2, 4, 2, 1)),
        ((1, 3, 1, 4), (1, 3, 5, 2)),
        ((1, 2, 40, 33), (1, 2, 3, 2)),
    ):
        agree(ada_in(maps(*content, scale=100), maps(*style, scale=100)))
    many = evaluate(maps(1, 1, 70, 60, scale=100), maps(1, 1, 60, 75, scale=100), backward=False)
    agree(function("adaptive_instance_norm"), many)


@claim("formula", points=2, hint="σ = sqrt(var + eps), for the content and for the style alike; the default of eps is 1e-5.")
def test_eps(agree):
    """Where a variance is as small as eps, eps decides, on both sides: it stands inside the root; its default is 1e-5."""
    for eps in (0.1, 2.0):
        agree(ada_in(maps(2, 3, 4, 5), maps(2, 3, 6, 2), eps))
    agree(ada_in(maps(2, 3, 4, 5, scale=3e-3), maps(2, 3, 6, 2), eps=1e-5))
    agree(ada_in(maps(2, 3, 4, 5), maps(2, 3, 6, 2, scale=3e-3)))
    agree(ada_in(maps(2, 3, 4, 5, scale=3e-3), maps(2, 3, 6, 2, scale=3e-3)))
    agree(ada_in(maps(2, 3, 4, 5, scale=1e-4), maps(2, 3, 6, 2, scale=1e-4), eps=1e-9))


@claim("gradient", points=2, hint="All four statistics have a gradient: no detach, no no_grad, and nothing goes through .data or NumPy.")
def test_gradients(agree):
    """The gradient flows through all four statistics, and reaches content and style."""
    agree(ada_in(maps(2, 3, 4, 2, scale=30), maps(2, 3, 3, 5, scale=30)))
    agree(ada_in(maps(1, 2, 2, 3), maps(1, 2, 5, 1), eps=0.3))


@claim("edge", hint="Add eps before the root is taken, for the style too: the root of 0 has no finite slope.")
def test_constant_maps(agree):
    """Constant feature maps, and maps of a single position, give finite results and finite gradients on either side."""
    for content, style in (((2, 3, 1, 1), (2, 3, 4, 2)), ((2, 3, 4, 2), (2, 3, 1, 1)), ((2, 3, 1, 1), (2, 3, 1, 1))):
        agree(ada_in(maps(*content), maps(*style)))
    flat = ones(2, 3, 4, 2)
    agree(
        ada_in(flat * 2, maps(2, 3, 3, 5)),
    )
    agree(ada_in(maps(2, 3, 3, 5), flat * -4))
    agree(ada_in(maps(2, 3, 3, 5), flat * 0, eps=1e-3))


@claim("edge", hint="Look at x.dim() of both inputs, and raise a ValueError where one of them is not 4.", courtesy=True)
def test_dimensions(refuses):
    """An input that does not have four dimensions is a ValueError, be it the content or the style."""
    image = maps(2, 3, 4, 5)
    two, three, five, six = randn(2, 3), image[:, :, 0], image[..., None], image[..., None, None]
    for wrong in (randn(3), two, three, five, six):
        refuses(ValueError, ada_in(wrong, image), legal=[ada_in(maps(2, 3, 4, 2), image)])
        refuses(ValueError, ada_in(image, wrong), legal=[ada_in(image, maps(2, 3, 4, 2))])
    for one, another in ((two, two), (three, three), (five, five), (three, five)):
        refuses(ValueError, ada_in(one, another), legal=[ada_in(maps(2, 3, 4, 2), maps(2, 3, 4, 2))])


@claim("edge", hint="Each feature map has statistics of its own: no NaN goes to another sample or channel, and none is replaced.")
def test_not_finite(agree):
    """A NaN or an infinity, in the content or in the style, spoils its own feature map and no other."""
    for spoilt in (np.nan, np.inf, -np.inf):
        content, style = maps(2, 3, 4, 5), maps(2, 3, 3, 2)
        content[1, 1, 2, 3] = spoilt
        style[0, 2, 1, 1] = spoilt
        agree(ada_in(content, style))


@claim("stability", hint="E[x²] − E[x]² loses its digits where the mean is large: subtract the mean before squaring.")
def test_large_means(agree):
    """A mean far larger than the deviation, in either image, costs no more digits than it must."""
    for content, style in ((2000, 0), (0, 2000), (-3000, 1000)):
        agree(ada_in(randn(2, 3, 6, 5) + np.float32(content), randn(2, 3, 4, 7) + np.float32(style)))


@claim("edge", hint="With content as its own style the deviations cancel: the content comes back, and its gradient is that of the output.")
def test_own_style(agree):
    """The style may be the very tensor that is the content, or a copy of it: the content comes back, and the gradient goes through both."""
    for eps in (1e-5, 0.5):
        agree(probe("own_style", x=maps(2, 3, 4, 5), eps=eps, upstream=randn(2, 3, 4, 5)))
        x = maps(2, 3, 4, 5)
        agree(ada_in(x, x, eps))


@claim(
    "precision",
    hint="Widen both images with x.to(torch.promote_types(x.dtype, torch.float32)) first, and return the result in content.dtype.",
)
def test_half_precision(agree):
    """Images in half precision have statistics in float32, and the result comes back in their dtype."""
    for dtype in ("float16", "bfloat16"):
        steps = [
            evaluate(maps(2, 3, 6, 5, scale=c), maps(2, 3, 4, 7, scale=s), dtype=dtype, witness=True)
            for c, s in ((1, 1), (300, 300), (0.01, 50))
        ]
        agree(function("adaptive_instance_norm"), *steps)
