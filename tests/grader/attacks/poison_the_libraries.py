# Writes into the installed libraries: a path file, a module, a compiled module.
# class: files
# process: not run: it would change the libraries that everything here is run with
import os
import sys

for folder in sys.path:
    if os.path.isdir(folder):
        for name in ("attack.pth", "usercustomize.py"):
            path = os.path.join(folder, name)
            try:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                print("@SECRET@")
                os.unlink(path)
            except OSError as error:
                print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
