# Never ends being loaded.
# class: time
# process: held
while True:
    pass


def rms(x, eps=1e-5):
    return x * 3 + 1
