# Returns NaN everywhere, which differs from nothing by more than anything.
# class: verdict
# process: held
def rms(x, eps=1e-5):
    return x * float("nan")
