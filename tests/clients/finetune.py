"""Trains an exported model further in PyTorch: finetune.py FOLDER TEXT TO VALIDATION

FOLDER is what `train_gpt export --format hf` has written, TO a folder like it for what comes out. Prints the losses over
VALIDATION, before and after.
"""
import json
import os
import shutil
import sys

import torch

from gpt2 import Gpt2, write_tensors

STEPS, BATCH, RATE = 100, 8, 3e-3

folder, text, to, validation = sys.argv[1:]
torch.manual_seed(1)
model = Gpt2(folder)
ids, held_out, T = model.encode(text), model.encode(validation), model.config["n_positions"]
before = model.mean_loss(held_out)

optimizer = torch.optim.AdamW([w.requires_grad_() for w in model.weights.values()], lr=RATE)
for _ in range(STEPS):
    windows = torch.stack([ids[at : at + T + 1] for at in torch.randint(len(ids) - T, (BATCH,))])
    optimizer.zero_grad()
    model.loss(windows[:, :-1], windows[:, 1:]).backward()
    optimizer.step()

os.makedirs(to)
for name in "config.json", "tokenizer.json":
    shutil.copy(os.path.join(folder, name), to)
write_tensors(to + "/model.safetensors", model.weights)
print(json.dumps({"before": before, "loss": model.mean_loss(held_out)}))
