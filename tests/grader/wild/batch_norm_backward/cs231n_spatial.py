import numpy as np

# spatial batchnorm: fold (N, C, H, W) into (N*H*W, C), do the 2-D one, fold back


def fold(x):
    N, C, H, W = x.shape
    return x.transpose(0, 2, 3, 1).reshape(-1, C)


def unfold(flat, shape):
    N, C, H, W = shape
    return flat.reshape(N, H, W, C).transpose(0, 3, 1, 2)


def forward(x, weight, bias, eps=1e-8):
    X = fold(x).astype(np.promote_types(x.dtype, np.float32))
    mu = X.mean(axis=0)
    var = X.var(axis=0)
    std = np.sqrt(var + eps)
    xhat = (X - mu) / std
    out = weight * xhat + bias
    return unfold(out, x.shape).astype(x.dtype), (xhat, std, weight, x.shape)


def backward(dy, cache):
    xhat, std, weight, shape = cache
    dout = fold(dy).astype(xhat.dtype)
    N = dout.shape[0]
    dbeta = dout.sum(axis=0, keepdims=True)
    dgamma = (dout * xhat).sum(axis=0, keepdims=True)
    dx = weight / std * (N * dout - dbeta - xhat * dgamma)
    return unfold(dx, shape).astype(dy.dtype), dgamma.astype(dy.dtype), dbeta.astype(dy.dtype)
