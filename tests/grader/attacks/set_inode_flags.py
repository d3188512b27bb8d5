# Sets flags and project of a file by ioctl on a descriptor that was opened for reading.
# class: files
# process: may lose: files
import array
import fcntl
import os

try:
    fd = os.open("@CANARY@", os.O_RDONLY)
    flags = array.array("l", [0])
    fcntl.ioctl(fd, 0x80086601, flags)
    flags[0] |= 0x40
    fcntl.ioctl(fd, 0x40086602, flags)
    print("@SECRET@")
except OSError as error:
    print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
