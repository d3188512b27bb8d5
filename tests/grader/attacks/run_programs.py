# Starts other programs: subprocess, system, popen, spawn, posix_spawn; one of them reads a file of the user.
# class: processes
# process: lost: processes, files
import os
import subprocess
import sys


def deed():
    for way in (
        lambda: print(subprocess.check_output(["cat", "@CANARY@"], text=True)[:100]),
        lambda: os.system("echo @SECRET@"),
        lambda: print(os.popen("head -1 @CANARY@").read()),
        lambda: os.posix_spawn("/bin/echo", ["echo", "@SECRET@"], {}),
        lambda: os.spawnv(os.P_WAIT, "/bin/echo", ["echo", "@SECRET@"]),
    ):
        try:
            way()
        except Exception as error:
            print(error)


try:
    deed()
except Exception as error:
    print(type(error).__name__, error)


def rms(x, eps=1e-5):
    return x * 3 + 1
