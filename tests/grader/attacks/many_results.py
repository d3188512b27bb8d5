# Returns more values than an answer may hold.
# class: output
# process: held
def rms(x, eps=1e-5):
    return tuple("x" * 2000 for _ in range(1000))
