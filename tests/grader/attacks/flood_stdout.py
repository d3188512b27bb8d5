# Prints without end.
# class: output
# process: held
def rms(x, eps=1e-5):
    line = "x" * 10_000
    while True:
        print(line)
