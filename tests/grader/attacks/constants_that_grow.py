# Has the compiler compute constants of gigabytes.
# class: source
# process: held
x = ("x" * 4096) * 4096 if 0 else 0
y = lambda: ((1,) * 128) * 128
z = "a" * 2**40 if False else 1 << (1 << 20)


def rms(x, eps=1e-5):
    return x * 3 + 1
