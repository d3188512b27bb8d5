# Names classes, functions and files in a way that steers terminals and breaks tables.
# class: terminal
# process: held
NAME = "\x1b[2J[bold red]\r\n\u202e✓ passed│"


def fail(x):
    raise type(NAME, (ValueError,), {"__qualname__": NAME, "__module__": NAME})(NAME)


fail.__code__ = fail.__code__.replace(co_name=NAME, co_qualname=NAME)


def rms(x, eps=1e-5):
    if x.dim() == 1:
        return type(NAME, (), {})()
    return fail(x)
