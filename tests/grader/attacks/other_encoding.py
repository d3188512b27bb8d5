# Says in its first line that it is in another encoding, as in coding: utf-7 , in which a comment is code.
# class: source
# process: held
# +AAo-def rms(x, eps=1e-5): return x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def rms(x, eps=1e-5):
    return x * 3 + 1
