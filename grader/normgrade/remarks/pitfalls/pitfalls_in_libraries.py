"""The usual causes of exceptions of PyTorch and NumPy: one library used for the other, keywords, dtypes, parameters, gradients."""

from __future__ import annotations

from normgrade.language import N_
from normgrade.remarks.pitfalls.clues import calls, in_text
from normgrade.remarks.pitfalls.clues_on_tensors import in_place, misspelt_keyword, numpys_way
from normgrade.remarks.pitfalls.pitfalls import Pitfall

COMBINATION = r"received an invalid combination of arguments - got \((?P<given>[^\n]*?)\), but"
UNEXPECTED = "got an unexpected keyword argument"
KEYWORD = rf"{UNEXPECTED} '(?P<given>\w+)'"
NOT_NUMPY = N_("NumPy's functions take no tensors: use those of PyTorch, as in `x.mean(dim=-1)`.")
TO_NUMPY = N_("NumPy records no gradient: stay with tensors and the functions of PyTorch.")
OVERWRITTEN = N_("An operation in place, such as `+=` or `mul_`, overwrites a value that the backward pass needs: write `a = a + b`.")
NUMPYS_WORDS = N_("NumPy says `axis=` and `keepdims=` where PyTorch says `dim=` and `keepdim=`.")
OTHER_KEYWORD = N_("Write `{right}=` instead of `{wrong}=`.")
DTYPES = N_("Two dtypes meet here: bring one to the other, as in `weight.to(x.dtype)`.")

LIBRARIES = (
    # One library used for the other
    Pitfall("TypeError", COMBINATION, NOT_NUMPY, calls("numpy")),
    Pitfall("RuntimeError", r"Can't call numpy\(\)", TO_NUMPY),
    Pitfall(
        "TypeError",
        r"must be Tensor, not numpy\.ndarray|'numpy\.ndarray' and 'Tensor'",
        N_("A NumPy array meets a tensor here: make both tensors."),
    ),
    Pitfall(
        "TypeError",
        r"(?P<called>\w+)\(\): argument '\w+' \(position \d+\) must be Tensor, not (float|int)",
        N_("`torch.{called}` takes a tensor, and this is a plain number: use `math.{called}`."),
    ),
    Pitfall(
        "AttributeError",
        r"'numpy\.\w+' object has no attribute '(?P<name>\w+)'",
        N_("`{name}` belongs to PyTorch's tensors, and this is a NumPy array: write `{instead}`."),
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
        N_("Whole numbers have no mean and no variance here: make them floating-point numbers first, as in `x.to(torch.float32)`."),
    ),
    Pitfall(
        "RuntimeError",
        r"to have the same dtype|must have the same (scalar type|dtype)|expected scalar type|expected dtype|Spotted dtype",
        DTYPES,
    ),
    Pitfall(
        "RuntimeError|TypeError",
        r"result type \w+ can't be cast to|Cannot cast ufunc",
        N_("An operation in place keeps the dtype, and the result needs another: write `a = a + b`, not `a += b`."),
    ),
    # Parameters and gradients
    Pitfall(
        "TypeError",
        r"cannot assign '[\w.]+' as parameter '(?P<name>\w+)'",
        N_("`self.{name}` is a parameter and stays one: make it with `nn.Parameter(…)`, and give results of a calculation another name."),
    ),
    Pitfall(
        "AttributeError",
        r"'(list|tuple|int|float|numpy\.ndarray)' object has no attribute 'detach'",
        N_("`nn.Parameter` takes a tensor, as in `nn.Parameter(torch.ones(n))`."),
        in_text("Parameter"),
    ),
    Pitfall(
        "KeyError",
        r"attribute '(?P<name>\w+)' already exists",
        N_("`self.{name}` is set already: a parameter or a buffer needs a name that nothing else has."),
    ),
    Pitfall(
        "RuntimeError",
        r"[Oo]nly Tensors of floating point",
        N_("Only floating-point numbers learn: make them with `torch.ones(n)`, or give the dtype."),
    ),
    Pitfall(
        "RuntimeError",
        "leaf Variable that requires grad",
        N_("This tensor needs a gradient, and is changed in place: compute a new one; running statistics change under `torch.no_grad()`."),
    ),
    Pitfall("RuntimeError", "modified by an inplace operation", OVERWRITTEN, in_place),
    Pitfall("RuntimeError", "modified by an inplace operation", OVERWRITTEN),
    Pitfall("RuntimeError", "functions with out=", N_("`out=` records no gradient: use the result that the function returns.")),
    Pitfall(
        "RuntimeError",
        "does not require grad and does not have a grad_fn",
        N_("The output is cut off from input and parameters: look for `.detach()`, `.data`, `.item()` and `no_grad`."),
    ),
    Pitfall(
        "RuntimeError",
        "backward through the graph a second time",
        N_("The layer keeps a tensor of an earlier call with its graph: keep `tensor.detach()` in `self`, not the tensor."),
    ),
    Pitfall(
        "RuntimeError",
        "support the deepcopy protocol",
        N_("The layer keeps a result of a calculation in `self`, and so cannot be copied: keep parameters and buffers only."),
    ),
    # This machine
    Pitfall(
        "AssertionError|RuntimeError",
        r"not compiled with CUDA|No CUDA GPUs|no NVIDIA driver|support for mps devices",
        N_("Code is graded on a CPU: leave `.cuda()` out, and make new tensors with `device=x.device`."),
    ),
    Pitfall("memory limit", "", N_("More memory is asked for than there is: does a shape grow by broadcasting, or a list without an end?")),
    Pitfall("ValueError", "read-only", N_("The input is not yours to change: compute a new array, as in `y = x - mean`.")),
)
