# Returns float64 where float32 and float16 are expected.
# class: verdict
# process: held
def rms(x, eps=1e-5):
    wide = x.double()
    return wide * 3 + 1
