# Makes files, folders, pipes, sockets and device nodes wherever it can.
# class: files
# process: lost: files
import os
import socket
import tempfile

NAMES = ("conftest.py", "pytest.ini", "sitecustomize.py", "usercustomize.py", "torch.py", "normgrade.py", "setup.cfg", "_pytest.pth")
for folder in ("@WORKSPACE@", os.path.dirname("@SUITE@"), "@FOLDER@", "@CACHE@"):
    for name in NAMES:
        try:
            open(os.path.join(folder, name), "w").close()
        except OSError as error:
            print(error)
for way in (
    lambda: os.mkdir("@FOLDER@/made"),
    lambda: os.mkfifo("@FOLDER@/pipe"),
    lambda: os.mknod("@FOLDER@/device", 0o20666, os.makedev(1, 3)),
    lambda: socket.socket(socket.AF_UNIX).bind("@FOLDER@/bound"),
    lambda: os.open("@FOLDER@", os.O_TMPFILE | os.O_RDWR),
    lambda: tempfile.mkdtemp(dir="@FOLDER@"),
):
    try:
        way()
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
