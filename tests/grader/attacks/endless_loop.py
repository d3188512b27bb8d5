# Never returns.
# class: time
# process: held
def rms(x, eps=1e-5):
    while True:
        pass
