"""GPT-2 in PyTorch, from the folders that `train_gpt export --format hf` writes.

gpt2.py FOLDER TEXT prints the model's loss over a text as train_gpt's eval has it: in windows of the context's length
side by side, every character but the first predicted once.
"""
import json
import math
import struct
import sys

import torch
from torch.nn import functional

TYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


def read_tensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(*struct.unpack("<Q", file.read(8))))
        data = bytearray(file.read())
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        flat = torch.frombuffer(data[begin:end], dtype=TYPES[entry["dtype"]])
        tensors[name] = flat.reshape(entry["shape"])
    return tensors


def write_tensors(path, tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        dtype = next(key for key, value in TYPES.items() if value == tensor.dtype)
        # NumPy has no bfloat16; any other type of two bytes carries its bits.
        bits = tensor.detach().contiguous().view(torch.int32 if dtype == "F32" else torch.int16)
        raw = bits.numpy().tobytes()
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


class Gpt2:
    def __init__(self, folder):
        with open(folder + "/config.json") as file:
            self.config = json.load(file)
        self.weights = read_tensors(folder + "/model.safetensors")
        with open(folder + "/tokenizer.json", encoding="utf-8") as file:
            self.vocabulary = json.load(file)["model"]["vocab"]

    def encode(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            return torch.tensor([self.vocabulary[character] for character in file.read()])

    def logits(self, ids):
        """(B,T) ids -> (B,T,V), for the tokens after each of them."""
        (B, T), C, NH = ids.shape, self.config["n_embd"], self.config["n_head"]
        w = self.weights
        wte = w["transformer.wte.weight"]
        future = torch.ones(T, T, dtype=torch.bool).triu(1)

        def norm(x, name):
            return functional.layer_norm(x, (C,), w[name + ".weight"], w[name + ".bias"], self.config["layer_norm_epsilon"])

        def linear(x, name):
            return x @ w[name + ".weight"] + w[name + ".bias"]

        def gelu(x):
            return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

        def attention(x, name):
            q, k, v = (y.view(B, T, NH, C // NH).transpose(1, 2) for y in linear(x, name + ".c_attn").split(C, -1))
            scores = (q @ k.transpose(2, 3) / math.sqrt(C // NH)).masked_fill(future, -math.inf)
            return linear((scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C), name + ".c_proj")

        x = wte[ids] + w["transformer.wpe.weight"][:T]
        for layer in range(self.config["n_layer"]):
            block = f"transformer.h.{layer}"
            x = x + attention(norm(x, block + ".ln_1"), block + ".attn")
            x = x + linear(gelu(linear(norm(x, block + ".ln_2"), block + ".mlp.c_fc")), block + ".mlp.c_proj")
        return norm(x, "transformer.ln_f") @ w.get("lm_head.weight", wte).T

    def loss(self, inputs, targets, reduction="mean"):
        return functional.cross_entropy(self.logits(inputs).flatten(0, 1), targets.flatten(), reduction=reduction)

    @torch.no_grad()
    def mean_loss(self, ids):
        T, targets, total = self.config["n_positions"], len(ids) - 1, 0.0
        for begin in range(0, targets, T):
            window = ids[begin : begin + T + 1]
            total += self.loss(window[None, :-1], window[None, 1:], "sum").item()
        return total / targets


if __name__ == "__main__":
    model = Gpt2(sys.argv[1])
    print(json.dumps({"loss": model.mean_loss(model.encode(sys.argv[2]))}))
