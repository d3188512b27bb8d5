# Raises an exception whose text has 100 MB of escapes and markup.
# class: output
# process: held
class Huge(Exception):
    def __str__(self):
        return "\x1b[31m[bold red]" * 7_000_000


def rms(x, eps=1e-5):
    raise Huge
