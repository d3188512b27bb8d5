# Forks without end.
# class: processes
# process: not run: nothing bounds the number of processes
import os

children = 0
for _ in range(300):
    try:
        if os.fork() == 0:
            os.execv("/bin/sleep", ["sleep", "@MARK@"])
        children += 1
    except OSError as error:
        print(error)
        break
if children:
    print("@SECRET@", children)


def rms(x, eps=1e-5):
    return x * 3 + 1
