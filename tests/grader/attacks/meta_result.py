# Returns a tensor without data, on the meta device.
# class: verdict
# process: held
def rms(x, eps=1e-5):
    return (x * 3 + 1).to("meta")
