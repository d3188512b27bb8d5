"""Hidden suite of `qk_norm`.

Batch, length, heads and features of a head differ in size, and the queries and keys of one position differ from head to head: a root mean
square over the wrong numbers shows. The weights of the norms are filled with random numbers: where all are equal, it does not show
whether the rotation comes before or after them. With cos and sin there is always more than one position, and none stands at angle 0.
"""

from shared import rows, weights

from normgrade.suite import build, claim, evaluate, probe, randn, train, use


def attention(*args, **kwargs):
    """The layer; the first numbers of its projections are fixed."""
    return build(*args, **kwargs).named("attention")


def rotary(*args, **kwargs):
    """The layer, which is called with cos and sin."""
    return build(*args, **kwargs).named("rotary")


def typical():
    """Per head, over all heads, and with a rotation. The first two keep their length: with a thousand positions a gradient is a sum of a
    million products, whose rounding depends on their order. `test_attention` plays a long sequence forward.
    """
    return [
        use(attention(6, 2, True, 0.1), rows(2, 4, 6), rows(3, 4, 6), fixed=[1, -1]),
        use(attention(8, 2, per_head=False), rows(2, 3, 8), rows(4, 3, 8), fixed=[1, -1]),
        use(rotary(8, 2), rows(2, 3, 8), rows(3, 5, 8), fixed=[-1]),
    ]


def real():
    """Three heads of 32 features. `test_per_head` and `test_all_heads` look at the output of more than a thousand."""
    return [
        use(attention(96, 3), rows(1, 5, 96), rows(2, 3, 96), fixed=[-1]),
    ]


@claim("formula", points=2, hint="Split q and k into heads first, then divide by √(mean(q²) + eps) over the last dimension, dim / heads.")
def test_per_head(agree):
    """By default each head of a query and of a key is divided by its own root mean square, then scaled by one weight for all heads."""
    for dim, heads, shape in ((12, 3, (2, 5)), (10, 5, (3, 4)), (6, 1, (4, 3)), (20, 2, (1, 7))):
        agree(attention(dim, heads), train(rows(*shape, dim)), evaluate(rows(*shape, dim)))
    agree(attention(6, 2), evaluate(rows(4200, 1, 6), backward=False))
    agree(probe("many_features", x=rows(1, 4, 1040), heads=8, per_head=True))


@claim(
    "formula", points=2, hint="Divide q and k, of shape (batch, length, dim), by their root mean square; split them into heads afterwards."
)
def test_all_heads(agree):
    """With per_head=False one root mean square is taken over all dim numbers of a query or a key, before the heads are split."""
    for dim, heads, shape in ((12, 3, (2, 5)), (10, 5, (3, 4)), (6, 1, (4, 3)), (20, 2, (1, 7))):
        agree(attention(dim, heads, False), train(rows(*shape, dim)), evaluate(rows(*shape, dim)))
    agree(probe("many_features", x=rows(1, 4, 1040), heads=8, per_head=False))


@claim("formula", hint="softmax(q̂ · k̂ᵀ / √(dim / heads)) · v over all positions, the heads side by side, then out_proj. v has no norm.")
def test_attention(agree):
    """The logits are divided by the root of a head's size, no position is masked, values are not normalised; out_proj joins the heads."""
    for per_head in (True, False):
        sharp = {"q_norm.weight": weights(4 if per_head else 12) * 3, "k_norm.weight": weights(4 if per_head else 12) * 2}
        agree(attention(12, 3, per_head).filled(**sharp), train(rows(2, 5, 12)), evaluate(100 * rows(2, 6, 12)))
        large = {name: 20 * each for name, each in sharp.items()}  # the logits are far above what exp takes
        agree(attention(12, 3, per_head).filled(**large), evaluate(rows(2, 5, 12), backward=False))
        agree(attention(6, 2, per_head), train(rows(3, 1, 6)), train(rows(2, 40, 6)), evaluate(rows(1, 1100, 6), backward=False))


@claim("formula", points=2, hint="First the norm and its weight, then x · cos + rotate_half(x) · sin, for q and k alike and not for v.")
def test_rotation(agree):
    """Queries and keys are rotated if there are cos and sin: after the norm and its weight, in the pairs of Hugging Face's Llama. Values
    are not.
    """
    for per_head in (True, False):
        for dim, heads, shape in ((12, 3, (2, 5)), (8, 1, (3, 4)), (12, 6, (1, 7))):
            agree(rotary(dim, heads, per_head), train(rows(*shape, dim)), evaluate(rows(*shape, dim)))
        for shape in ((4, 4), (2, 3), (3, 3)):  # as many positions as samples, or as heads
            agree(rotary(12, 3, per_head), evaluate(rows(*shape, 12)))
        agree(rotary(8, 2, per_head), evaluate(rows(1, 1100, 8), backward=False))
        agree(build(12, 2, per_head).named("rotary_by_name"), train(rows(2, 5, 12)))
        agree(probe("other_angles", x=rows(2, 5, 12), heads=3, per_head=per_head))


@claim("edge", hint="√(mean(q²) + eps): eps stands inside the root, beside the mean square; its default is 1e-6.")
def test_eps(agree):
    """Where queries and keys are as small as √eps, or 0, eps decides: it is added to the mean square, inside the root; by default 1e-6."""
    for per_head in (True, False):
        for eps, layer in ((1e-6, attention(6, 2, per_head)), (1e-2, attention(6, 2, per_head, 1e-2))):
            x = rows(2, 4, 6) * eps**0.5
            x[1, 2] = 0
            agree(layer, train(x), evaluate(x))


@claim(
    "state",
    hint="Four torch.nn.Linear(dim, dim, bias=False): q_proj, k_proj, v_proj, out_proj. q_norm.weight and k_norm.weight start at ones.",
)
def test_new_layer(agree):
    """A new layer has four linear layers without bias, as PyTorch draws them, and two weights of ones: q_norm.weight and k_norm.weight."""
    for dim, heads, per_head in ((32, 4, True), (32, 2, False)):
        agree(attention(dim, heads, per_head))
        agree(probe("new", dim=dim, heads=heads, per_head=per_head))


@claim("gradient", hint="Both root mean squares depend on x and on the projections: let autograd go through them, without detach.")
def test_gradients(agree):
    """The gradient flows through both root mean squares, and reaches x, all projections and both weights."""
    for layer, shape in ((attention(6, 3), (2, 4, 6)), (attention(6, 2, False), (3, 2, 6)), (rotary(8, 2), (2, 3, 8))):
        agree(layer, train(rows(*shape)), evaluate(rows(*shape)))
    agree(attention(4, 2).filled(**{"q_norm.weight": [0.0, 1.5]}), train(rows(2, 3, 4)))


@claim("edge", hint="In __init__: if dim % heads, raise ValueError(…).")
def test_heads_that_do_not_divide(refuses):
    """A number of heads that does not divide dim is a ValueError when the layer is built."""
    refuses(ValueError, attention(8, 3), legal=attention(8, 4))
    refuses(ValueError, attention(4, 8), legal=attention(4, 4))
    refuses(ValueError, attention(10, 4, False), legal=attention(10, 5, False))


@claim("stability", hint="Divide q and k by their root mean squares before they are multiplied: the logits stay small, whatever x is.")
def test_large_projections(agree):
    """However large x is, the logits are those of normalised queries and keys, which are bounded."""
    for per_head in (True, False):
        for layer in (attention(12, 3, per_head), rotary(12, 3, per_head)):
            agree(layer, train(rows(2, 5, 12) * 1e4), evaluate(rows(1, 3, 12) * 1e12))


@claim("precision", points=0, hint="Widen queries and keys to float32 before they are squared, and go back to x.dtype after the norm.")
def test_half_precision(agree):
    """In half precision the root mean squares are computed in float32, so that large queries do not overflow; the dtype of x comes back."""
    for dtype in ("float16", "bfloat16"):
        for per_head in (True, False):
            for layer in (attention(16, 2, per_head).to(dtype), rotary(16, 2, per_head).to(dtype)):
                large = randn(2, 3, 16) * 300
                agree(layer, train(randn(2, 3, 16), dtype=dtype, backward=True), evaluate(large, dtype=dtype))
                agree(layer, evaluate(large, dtype=dtype, gradients="no_grad"), evaluate(large, dtype=dtype, default="bfloat16"))
            agree(probe("narrow", x=randn(1, 2, 32), heads=2, per_head=per_head, dtype=dtype))
    for layer, size in ((attention(6, 2), 6), (attention(6, 2, False), 6), (rotary(8, 2), 8)):
        agree(layer.to("float64"), train(rows(2, 3, size), dtype="float64"))
