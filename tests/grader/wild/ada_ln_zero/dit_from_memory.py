import torch.nn as nn

# DiT block from memory. order of the chunks: msa first, mlp second


def modulate(x, shift, scale):
    return x * scale.unsqueeze(1) + shift.unsqueeze(1)


class AdaLNZeroBlock(nn.Module):
    def __init__(self, dim, cond_dim, attn, mlp):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim, elementwise_affine=False)
        self.attn = attn
        self.norm2 = nn.LayerNorm(dim, elementwise_affine=False)
        self.mlp = mlp
        self.act = nn.SiLU()
        self.modulation = nn.Linear(cond_dim, 6 * dim)
        nn.init.constant_(self.modulation.weight, 0)

    def forward(self, x, c):
        chunks = self.modulation(self.act(c)).chunk(6, dim=1)
        shift_msa, scale_msa, gate_msa, shift_mlp, scale_mlp, gate_mlp = chunks
        h = self.attn(modulate(self.norm1(x), shift_msa, scale_msa))
        h2 = x + gate_msa.unsqueeze(1) * h
        # second half, same again
        out = self.mlp(modulate(self.norm2(x), shift_mlp, scale_mlp))
        return h2 + gate_mlp.unsqueeze(1) * out
