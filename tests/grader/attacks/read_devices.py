# Opens devices: memory, disks, terminals, the kernel's log, other file systems.
# class: files
# process: may lose: files
import glob
import os

for path in ("/dev/mem", "/dev/kmsg", "/dev/port", "/proc/kcore", "/proc/kmsg", "/dev/fuse", *glob.glob("/dev/[svx]d*"), *glob.glob("/dev/nvme*"), "/dev/tty1"):
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY))
        print("@SECRET@", path)
        break
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
