"""The usual causes of exceptions in any Python class or function, and at the walls around a submission."""

from __future__ import annotations

from normgrade.language import N_
from normgrade.remarks.pitfalls.clues import (
    an_import,
    anywhere,
    debugger,
    forward_within,
    in_a_call,
    in_text,
    itself,
    late_super,
    loop_around,
    method_without_self,
    nearly_forward,
    never_set,
    no_raise,
    no_self_parameter,
    no_super,
    of_another_method,
    of_the_contract,
    of_the_layer,
    super_of_a_class,
    unwritten,
    without_self,
)
from normgrade.remarks.pitfalls.pitfalls import Pitfall

TOO_EARLY = r"cannot assign \w+ before Module\.__init__\(\) call"
WITHOUT_INIT = r"'(?P<owner>\w+)' object has no attribute '_(parameters|buffers|modules|\w+_hooks)'"
TOO_MANY = r"\A(?P<called>[\w.<>]+)\(\) takes (from )?\d+ .*positional arguments? but \d+ (was|were) given"
LACKING = r"\A(?P<called>[\w.<>]+)\(\) missing \d+ required positional arguments?: (?P<names>.*)"
UNKNOWN = r"\A(?P<called>[\w.<>]+)\(\) got an unexpected keyword argument '(?P<given>\w+)'"
NO_FORWARD = r'Module \[(?P<owner>\w+)\] is missing the required "forward" function'
UNDEFINED = r"name '(?P<name>\w+)' is not defined"

NO_DEBUGGER = N_("A debugger cannot be used while code is graded. Run `normgrade repro {slug}` to write a script that makes the same call.")
SELF = N_("The first parameter of a method is `self`: write `def {name}({parameters}):`.")

PYTHON = (
    # The class
    Pitfall("Exception", "", SELF, method_without_self),
    Pitfall(
        "AttributeError", TOO_EARLY, N_("`super({name})` is missing its second argument: write `super().__init__()`."), super_of_a_class
    ),
    Pitfall("AttributeError", TOO_EARLY, N_("`super().__init__()` is called too late: make it the first line of `__init__`."), late_super),
    Pitfall("AttributeError", TOO_EARLY, N_("Call `super().__init__()` on the first line of `__init__`."), no_super),
    Pitfall("AttributeError", WITHOUT_INIT, N_("Call `super().__init__()` on the first line of `__init__`."), no_super),
    Pitfall("TypeError", TOO_MANY, SELF, without_self),
    Pitfall("TypeError", TOO_MANY, N_("The exercise calls it as `{signature}`."), of_the_contract),
    Pitfall("TypeError", TOO_MANY, N_("The layer is called with its inputs: `forward` must accept `self` and each input."), of_the_layer),
    Pitfall("TypeError", LACKING, N_("The exercise calls it as `{signature}`: any other parameter needs a default."), of_the_contract),
    Pitfall(
        "TypeError",
        LACKING,
        N_("The layer is called only with its inputs: store {names} in `self`, or add a default."),
        of_the_layer,
    ),
    Pitfall("TypeError", UNKNOWN, N_("The exercise calls it as `{signature}`: use the same parameter names."), of_the_contract),
    Pitfall("NotImplementedError", NO_FORWARD, N_("A layer computes in `forward`: rename `{name}`."), nearly_forward),
    Pitfall(
        "NotImplementedError",
        NO_FORWARD,
        N_("`forward` is not a method of the class: indent it exactly like `def __init__`."),
        forward_within,
    ),
    Pitfall("NotImplementedError", NO_FORWARD, N_("Write the method `def forward(self, x):`, which computes the output.")),
    Pitfall("NotImplementedError", "", N_("`{name}` is not written yet: replace this line with your code."), unwritten),
    # Names
    Pitfall("NameError", UNDEFINED, N_("Add `{line}` at the top of the file."), an_import),
    Pitfall("NameError", UNDEFINED, N_("The first parameter of a method is `self`: add it to `{name}`."), no_self_parameter),
    Pitfall(
        "NameError",
        UNDEFINED,
        N_("`{name}` is defined only in `{method}`: write `self.{name} = {name}` there, and `self.{name}` here."),
        of_another_method,
    ),
    Pitfall(
        "UnboundLocalError",
        r"local variable '(?P<name>\w+)'",
        N_("`{name}` is assigned in this function, so it is a local variable: assign it before this line."),
    ),
    Pitfall(
        "AttributeError",
        r"'(?P<owner>\w+)' object has no attribute '(?P<name>\w+)'",
        N_("`self.{name}` is never set: set it in `__init__`."),
        never_set,
    ),
    Pitfall(
        "AttributeError", r"'NoneType' object has no", N_("This value is None: was it switched off, or is `return` missing in a function?")
    ),
    Pitfall(
        "TypeError",
        r"unsupported operand type.*'NoneType'",
        N_("One of the two values is None: was it switched off, or is `return` missing in a function?"),
    ),
    Pitfall(
        "TypeError",
        r"unsupported operand type.*'(builtin_function_or_method|method|function)'",
        N_("This is a function, not its result: add parentheses to call it."),
    ),
    Pitfall(
        "TypeError",
        r"has no len\(\)|'int' object is not (iterable|subscriptable)|must be an iterable, not int|concatenate tuple \(not \"int\"\)",
        N_("This value is an int, but the line needs a tuple: if it can be either, convert the int to a tuple first."),
    ),
    Pitfall("RecursionError", "", N_("`{name}` calls itself without end."), itself),
    Pitfall("ZeroDivisionError", "", N_("The divisor is 0 for this input: consider a single value, and an input of which nothing counts.")),
    # One file
    Pitfall(
        "ModuleNotFoundError|ImportError",
        r"No module named '(?P<name>[\w.]+)'|(?=attempted relative import)",
        N_("Only this file is graded, with Python, NumPy and PyTorch: if it needs code from another file, copy that code here."),
    ),
    # The walls
    Pitfall(
        "timed out|OSError|TorchDynamoException|ShortenTraceback",
        "",
        N_("Remove `torch.compile`: code is graded without a compiler."),
        anywhere("torch.compile"),
    ),
    Pitfall("BdbQuit|OSError|EOFError", "", NO_DEBUGGER, debugger),
    Pitfall("BdbQuit", "", NO_DEBUGGER),
    Pitfall("EOFError", "reading a line", N_("`input()` cannot be used while code is graded: take the value from an argument.")),
    Pitfall(
        "OSError",
        "",
        N_("Code is graded without access to files: use only the arguments."),
        in_text(r"\b(open|load|save|savez|loadtxt|savetxt|read_\w+|write_\w+|mkdir|listdir|fromfile|tofile)\("),
    ),
    Pitfall("OSError", "", N_("Code is graded without access to files, the network and other processes: remove this line."), no_raise),
    Pitfall("RuntimeError", "can't start new thread", N_("Code is graded in a single thread: compute one step after another.")),
    Pitfall("SystemExit|exited", "", N_("Remove `exit()`: end the function with `return`."), in_text(r"exit\b|\bquit\b|SystemExit")),
    Pitfall("timed out", "", N_("The loop that begins on line {line} was still running."), loop_around),
)
AT_LAST = (  # if no other cause is known
    Pitfall(
        "not loaded",
        "",
        N_('This call is made while the file is loaded: put your own tests under `if __name__ == "__main__":`.'),
        in_a_call,
    ),
)
