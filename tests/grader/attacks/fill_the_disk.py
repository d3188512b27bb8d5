# Writes two hundred files of ten megabytes, and reserves as much without writing.
# class: files
# process: lost: files
import os

for number in range(200):
    try:
        with open(f"@FOLDER@/{number}", "wb", buffering=0) as file:
            if file.write(bytes(10_000_000 if number == 0 else 1)):
                print("@SECRET@")
            os.posix_fallocate(file.fileno(), 0, 10_000_000)
            print("@SECRET@")
    except OSError as error:
        if number in (0, 199):
            print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
