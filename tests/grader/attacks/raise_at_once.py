# Raises what no known mistake raises, so that looking for one is in vain.
# class: time
# process: held


def rms(x, eps=1e-5):
    raise KeyError("nothing")
