# Recurses without end, in Python, in repr, and in C.
# class: time
# process: held
import sys

import torch


def down():
    return down()


def rms(x, eps=1e-5):
    nest = []
    for _ in range(100_000):
        nest = [nest]
    try:
        down()
    except RecursionError as error:
        print(error)
    try:
        repr(nest)
    except RecursionError as error:
        print(error)
    sys.setrecursionlimit(10**6)
    return down()
