# Is no UTF-8, and says that it is something else, as in coding: latin-1 , where every byte is a letter.
# class: source
# process: held
x = "ÿþ€+AAo-"


def rms(x, eps=1e-5):
    return x * 3 + 1
