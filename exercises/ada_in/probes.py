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


def one_that_learns(impl, content, style, eps, upstream):
    """Let the content alone need a gradient, then the style alone. Look at the result and at that gradient."""
    seen = {}
    for learning in ("content", "style"):
        leaves = {"content": content.clone(), "style": style.clone()}
        leaves[learning].requires_grad_(True)
        result = impl.adaptive_instance_norm(leaves["content"].clone(), leaves["style"].clone(), eps)
        if isinstance(result, torch.Tensor) and result.shape == upstream.shape and result.requires_grad:
            (result * upstream).sum().backward()
        seen |= {f"result where the {learning} learns": result, f"gradient where the {learning} learns": leaves[learning].grad}
    return seen
