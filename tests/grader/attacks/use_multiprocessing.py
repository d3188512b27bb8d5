# Starts a process of multiprocessing.
# class: processes
# process: lost: processes
import multiprocessing
import os


def say():
    os.write(1, b"@SECRET@\n")


try:
    child = multiprocessing.get_context("fork").Process(target=say)
    child.start()
    child.join(0.3)
except Exception as error:
    print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
