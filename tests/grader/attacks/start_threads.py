# Starts threads, by Python and by clone, which would live on between the answers.
# class: processes
# process: lost: processes
import threading
import time

count = 0
for _ in range(8):
    try:
        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
        count += 1
    except RuntimeError as error:
        print(error)
if count == 8:
    print("@SECRET@")


def rms(x, eps=1e-5):
    return x * 3 + 1
