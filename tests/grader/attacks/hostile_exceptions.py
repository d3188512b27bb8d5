# Raises exceptions whose class has no name, a name that is no text, and bases that lie.
# class: terminal
# process: held
class Meta(type):
    @property
    def __name__(cls):
        raise SystemExit("passed")

    @property
    def __mro__(cls):
        return [cls] * 10**6

    def mro(cls):
        return [cls, ValueError, Exception, BaseException, object]


class Nameless(ValueError, metaclass=Meta):
    @property
    def __traceback__(self):
        raise KeyboardInterrupt

    @property
    def __class__(self):
        return SystemExit

    def __str__(self):
        return type("Text", (str,), {"__getitem__": lambda *args: 3, "__len__": lambda self: -1})("x")


def rms(x, eps=1e-5):
    raise Nameless
