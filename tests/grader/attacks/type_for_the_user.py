# Types into the terminal of the user, and takes it away.
# class: processes
# process: held
# root: may lose: processes
import fcntl
import os
import termios

for path in (0, 1, 2, 3, 4, "/dev/tty", "/dev/console", "/dev/pts/0", "/dev/pts/1", "/dev/tty1"):
    try:
        fd = path if isinstance(path, int) else os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        os.isatty(fd)
        for request in (termios.TIOCSTI, 0x541C):
            fcntl.ioctl(fd, request, b"")
            print("@SECRET@", path, request)
    except (OSError, ValueError) as error:
        print(path, error)


def rms(x, eps=1e-5):
    return x * 3 + 1
