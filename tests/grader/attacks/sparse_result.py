# Returns a sparse tensor.
# class: verdict
# process: held
def rms(x, eps=1e-5):
    return (x * 3 + 1).float().to_sparse()
