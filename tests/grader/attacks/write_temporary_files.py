# Writes to wherever temporary files usually go: TMPDIR, /tmp, /var/tmp, /dev/shm, the working folder.
# class: files
# process: held
import os

for folder in (os.environ["TMPDIR"], "/var/tmp", "/dev/shm", ".", "/run", os.path.expanduser("~")):
    path = os.path.join(folder, f"attack-{os.getpid()}")
    try:
        with open(path, "wb") as file:
            file.write(b"x" * 4096)
            file.flush()
            print("@SECRET@")
    except OSError as error:
        print(error)
    try:
        os.unlink(path)
    except OSError:
        pass


def rms(x, eps=1e-5):
    return x * 3 + 1
