# Returns a named tuple whose fields are other places of the observation.
# class: verdict
# process: held
class Places(tuple):
    _fields = ("", "x] left alone", "result", "\n\x1b[31mresult", "argument 1 left alone")


def rms(x, eps=1e-5):
    return Places((x, True, x, x, True))
