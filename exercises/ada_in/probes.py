"""How your function is looked at, beyond calling it on two images and going back through it."""

import torch


def own_style(impl, x, eps, upstream):
    """Give an image its own style: content and style are the same tensor object. Look at the result and at the gradient of the image."""
    leaf = x.clone().requires_grad_(True)
    image = leaf.clone()
    result = impl.adaptive_instance_norm(image, image, eps)
    seen = {"result": result, "argument left alone": torch.equal(image, leaf)}
    if isinstance(result, torch.Tensor) and result.shape == upstream.shape and result.requires_grad:
        (result * upstream).sum().backward()
    return seen | {"gradient of the image": leaf.grad}
