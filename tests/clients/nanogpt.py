"""Writes an exported model as the state dict that nanoGPT has of it: nanogpt.py FOLDER TO.safetensors F32|F16|BF16

That is with matrices as nn.Linear has them, the names that torch.compile makes, the head beside the embedding that it is
tied to, and the masks of attention.
"""
import sys

import torch

from gpt2 import TYPES, Gpt2, write_tensors

folder, to, dtype = sys.argv[1:]
model = Gpt2(folder)
CONV1D = "attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight"
T = model.config["n_positions"]

tensors = {name: w.T if name.endswith(CONV1D) else w for name, w in model.weights.items()}
tensors.setdefault("lm_head.weight", tensors["transformer.wte.weight"])
for layer in range(model.config["n_layer"]):
    tensors[f"transformer.h.{layer}.attn.bias"] = torch.ones(T, T).tril().view(1, 1, T, T)
write_tensors(to, {"_orig_mod." + name: w.to(TYPES[dtype]) for name, w in tensors.items()})
