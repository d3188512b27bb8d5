# Computes for ever in C, where Python never gets a turn.
# class: time
# process: held
def rms(x, eps=1e-5):
    return 3 ** (3**30) % 7
