# Makes symbolic and hard links to what it may not read, where it may write, and reads those; or has the grader read them.
# class: files
# process: lost: files
import os

for folder in ("@WORKSPACE@", "@FOLDER@", os.environ["TMPDIR"], "/dev/shm", "/"):
    for make in (os.symlink, os.link):
        path = os.path.join(folder, f"link-{os.getpid()}-{make.__name__}")
        try:
            make("@SUITE@", path)
            print(open(path).read()[-100:])
            if folder not in ("@WORKSPACE@", "@FOLDER@"):
                os.unlink(path)
        except OSError as error:
            print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
