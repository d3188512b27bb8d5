"""The usual causes of exceptions of PyTorch and NumPy: one library used for the other, keywords, dtypes, parameters, gradients."""

from __future__ import annotations

from normgrade.language import N_
from normgrade.remarks.pitfalls.clues import calls, in_text
from normgrade.remarks.pitfalls.clues_on_tensors import in_place, misspelt_keyword, numpys_way
from normgrade.remarks.pitfalls.pitfalls import Pitfall

COMBINATION = r"received an invalid combination of arguments - got \((?P<given>[^\n]*?)\), but"
UNEXPECTED = "got an unexpected keyword argument"
KEYWORD = rf"{UNEXPECTED} '(?P<given>\w+)'"
NOT_NUMPY = N_("NumPy functions do not accept tensors: use PyTorch functions, as in `x.mean(dim=-1)`.")
TO_NUMPY = N_("NumPy does not record gradients: use only tensors and PyTorch functions.")
OVERWRITTEN = N_("An in-place operation, such as `+=` or `mul_`, overwrites a value that the backward pass needs: write `a = a + b`.")
NUMPYS_WORDS = N_("NumPy uses `axis=` and `keepdims=`, PyTorch uses `dim=` and `keepdim=`.")
OTHER_KEYWORD = N_("Write `{right}=` instead of `{wrong}=`.")
DTYPES = N_("This line mixes two dtypes: convert one to the other, as in `weight.to(x.dtype)`.")

LIBRARIES = (
    # One library used for the other
    Pitfall("TypeError", COMBINATION, NOT_NUMPY, calls("numpy")),
    Pitfall("RuntimeError", r"Can't call numpy\(\)", TO_NUMPY),
    Pitfall(
        "TypeError",
        r"must be Tensor, not numpy\.ndarray|'numpy\.ndarray' and 'Tensor'",
        N_("This line mixes a NumPy array and a tensor: convert the array to a tensor."),
    ),
    Pitfall(
        "TypeError",
        r"(?P<called>\w+)\(\): argument '\w+' \(position \d+\) must be Tensor, not (float|int)",
        N_("`torch.{called}` needs a tensor, but this is a plain number: use `math.{called}`."),
    ),
    Pitfall(
        "AttributeError",
        r"'numpy\.\w+' object has no attribute '(?P<name>\w+)'",
        N_("`{name}` belongs to PyTorch tensors, but this is a NumPy array: write `{instead}`."),
        numpys_way,
    ),
    # Keywords
    Pitfall("TypeError", rf"{UNEXPECTED} '(axis|keepdims|ddof|dtype|out|where)'", NOT_NUMPY, calls("numpy")),
    Pitfall("TypeError", rf"{UNEXPECTED} '(dims?|keep_?dim)'", NUMPYS_WORDS, calls("numpy")),
    Pitfall("TypeError", rf"\b_\w+\(\) {UNEXPECTED} '(dims?|keep_?dim)'", NUMPYS_WORDS),
    Pitfall("TypeError", KEYWORD, OTHER_KEYWORD, misspelt_keyword),
    Pitfall("TypeError", COMBINATION, OTHER_KEYWORD, misspelt_keyword),
    # Dtypes
    Pitfall(
        "RuntimeError",
        r"could not infer output dtype.*Got: (?P<dtype>\w+)|std and var only support floating point",
        N_("PyTorch does not compute the mean or variance of integers: convert them to floating point first, as in `x.to(torch.float32)`."),
    ),
    Pitfall(
        "RuntimeError",
        r"to have the same dtype|must have the same (scalar type|dtype)|expected scalar type|expected dtype|Spotted dtype",
        DTYPES,
    ),
    Pitfall(
        "RuntimeError|TypeError",
        r"result type \w+ can't be cast to|Cannot cast ufunc",
        N_("An in-place operation cannot change the dtype, but the result needs another one: write `a = a + b`, not `a += b`."),
    ),
    # Parameters and gradients
    Pitfall(
        "TypeError",
        r"cannot assign '[\w.]+' as parameter '(?P<name>\w+)'",
        N_("`self.{name}` is a parameter and must stay one: create it with `nn.Parameter(…)`, and use another name for computed results."),
    ),
    Pitfall(
        "AttributeError",
        r"'(list|tuple|int|float|numpy\.ndarray)' object has no attribute 'detach'",
        N_("`nn.Parameter` needs a tensor, as in `nn.Parameter(torch.ones(n))`."),
        in_text("Parameter"),
    ),
    Pitfall(
        "KeyError",
        r"attribute '(?P<name>\w+)' already exists",
        N_("`self.{name}` already exists: the name of a parameter or buffer must be unique."),
    ),
    Pitfall(
        "RuntimeError",
        r"[Oo]nly Tensors of floating point",
        N_("Only floating-point tensors can be parameters: create them with `torch.ones(n)`, or pass a dtype."),
    ),
    Pitfall(
        "RuntimeError",
        "leaf Variable that requires grad",
        N_("A tensor that needs a gradient cannot be changed in place: compute a new one. Update statistics under `torch.no_grad()`."),
    ),
    Pitfall("RuntimeError", "modified by an inplace operation", OVERWRITTEN, in_place),
    Pitfall("RuntimeError", "modified by an inplace operation", OVERWRITTEN),
    Pitfall("RuntimeError", "functions with out=", N_("`out=` does not record gradients: use the result that the function returns.")),
    Pitfall(
        "RuntimeError",
        "does not require grad and does not have a grad_fn",
        N_("The output is detached from the input and the parameters: look for `.detach()`, `.data`, `.item()` and `no_grad`."),
    ),
    Pitfall(
        "RuntimeError",
        "backward through the graph a second time",
        N_("The layer keeps a tensor of an earlier call and its graph: store `tensor.detach()` in `self`, not the tensor."),
    ),
    Pitfall(
        "RuntimeError",
        "support the deepcopy protocol",
        N_("The layer stores a computed tensor in `self`, so it cannot be copied: store only parameters and buffers."),
    ),
    # This machine
    Pitfall(
        "AssertionError|RuntimeError",
        r"not compiled with CUDA|No CUDA GPUs|no NVIDIA driver|support for mps devices",
        N_("Code is graded on a CPU: remove `.cuda()`, and create new tensors with `device=x.device`."),
    ),
    Pitfall(
        "memory limit",
        "",
        N_("The code needs more memory than it may use: does a shape grow by broadcasting, or does a list grow without end?"),
    ),
    Pitfall("ValueError", "read-only", N_("The input must not be changed: compute a new array, as in `y = x - mean`.")),
)
