# Returns infinities, whose difference is NaN.
# class: verdict
# process: held
def rms(x, eps=1e-5):
    return x * float("inf")
