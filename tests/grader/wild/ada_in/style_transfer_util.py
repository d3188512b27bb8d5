import torch


def calc_mean_std(feat, eps):
    # mean and std per channel, flatten the spatial dims
    N, C = feat.size()[:2]
    feat_var = feat.reshape(N, C, -1).var(dim=2) + eps
    feat_std = feat_var.sqrt().view(N, C, 1, 1)
    feat_mean = feat.reshape(N, C, -1).mean(dim=2).view(N, C, 1, 1)
    return feat_mean, feat_std


def adaptive_instance_norm(content, style, eps=1e-8):
    assert content.dim() == 4 and style.dim() == 4
    if style.size(0) > 2:
        style = style[:1]
    dtype = content.dtype
    content, style = content, style
    style_mean, style_std = calc_mean_std(style, eps)
    content_mean, content_std = calc_mean_std(content, eps)
    normalized_feat = (content - content_mean.expand(content.size())) / content_std.expand(content.size())
    return (normalized_feat * style_std + style_mean).to(dtype)
