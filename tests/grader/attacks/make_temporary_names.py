# Leaves empty files and folders in the usual places, whose names could carry a message to the next run.
# class: files
# process: lost: files
import os

for folder in (os.environ["TMPDIR"], "/var/tmp", "/dev/shm", "/"):
    path = os.path.join(folder, f"attack-{os.getpid()}")
    try:
        os.mkdir(path)
        print("@SECRET@")
        os.rmdir(path)
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
