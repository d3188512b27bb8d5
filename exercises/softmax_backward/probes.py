"""How your functions are looked at, beyond calling them and going back from a random gradient."""

import numpy as np


def there_and_back(impl, x, dy, dtype=None):
    """Call `forward` on x, then `backward` on this very dy. With a dtype, both are rounded to it, and results are compared as float32."""
    if dtype is None:
        y, cache = impl.forward(x)
        return {"y": y, "gradient of x": impl.backward(dy, cache)[0]}
    y, cache = impl.forward(x.astype(dtype))
    return {"y": y.astype(np.float32), "gradient of x": impl.backward(dy.astype(dtype), cache)[0].astype(np.float32)}


def huge(impl, x, dy, power):
    """Call both on x times a power of ten: so far apart that each row has one weight of 1 and else zeros. See where the large ones are."""
    y, cache = impl.forward((x * 10.0**power).astype(x.dtype))
    (dx,) = impl.backward(dy, cache)
    finite = bool(np.isfinite(y).all() and np.isfinite(dx).all())
    return {"weights of one half and more": (y > 0.5).astype(np.int64), "all of y and of the gradient is finite": finite}
