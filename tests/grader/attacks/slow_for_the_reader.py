# Returns and raises things that take for ever when the worker looks at them.
# class: time
# process: held
import time


class Slow(Exception):
    def __str__(self):
        time.sleep(60)

    __repr__ = __str__


def rms(x, eps=1e-5):
    raise Slow()
