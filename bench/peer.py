"""The same training in PyTorch, for `make bench-peer`.

    peer.py --check                                     can it run here? If not, one line says what is missing
    peer.py LAYERS HEADS WIDE CONTEXT BATCH TEXT        on a text, its characters as tokens
    peer.py LAYERS HEADS WIDE CONTEXT BATCH --vocabulary 50257      on random tokens

A step is what it is in train_gpt: windows drawn from the text, forward, backward, clipping at norm 1, AdamW with decay
of the matrices only. The first step is not counted. Prints one line, in the form of `bench --steps`.
"""
import argparse
import glob
import statistics
import sys
import time

INSTALL = "apt-get install python3-torch libopenblas0-openmp"
OPENBLAS = "/openblas-openmp/"


def missing():
    """Why this Python cannot be compared with, as one line; None where it can."""
    try:
        import torch  # noqa: F401
    except ImportError as why:
        return f"there is no PyTorch for {sys.executable} ({why}): {INSTALL}"
    if any(OPENBLAS in line for line in open("/proc/self/maps")):
        return None
    installed = glob.glob(f"/usr/lib/*{OPENBLAS}libblas.so.3")
    if not installed:
        return f"PyTorch would compute without OpenBLAS: {INSTALL}"
    triplet = installed[0].split("/")[3]
    return f"PyTorch computes with another BLAS: update-alternatives --set libblas.so.3-{triplet} {installed[0]}"


def arguments():
    parser = argparse.ArgumentParser()
    for name in ("layers", "heads", "wide", "context", "batch"):
        parser.add_argument(name, type=int)
    parser.add_argument("text", nargs="?")
    parser.add_argument("--vocabulary", type=int)
    parser.add_argument("--least", type=int, default=3, help="steps, after the first")
    parser.add_argument("--seconds", type=float, default=3, help="until so many are over")
    return parser.parse_args()


def gpt(layers, heads, wide, context, vocabulary):
    """GPT-2 as a function from tokens and targets to the loss, and its parameters."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    # Added to the scores: a query sees no key after it.
    unseen = torch.full((context, context), float("-inf")).triu(1)

    def attend(q, k, v):
        if hasattr(F, "scaled_dot_product_attention"):  # PyTorch 2
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        scores = (q * (wide // heads) ** -0.5) @ k.transpose(2, 3)
        return scores.add_(unseen).softmax(3) @ v

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(wide), nn.LayerNorm(wide)
            self.qkv, self.out = nn.Linear(wide, 3 * wide), nn.Linear(wide, wide)
            self.mlp = nn.Sequential(nn.Linear(wide, 4 * wide), nn.GELU(approximate="tanh"), nn.Linear(4 * wide, wide))

        def forward(self, x):
            batch = x.shape[0]
            qkv = self.qkv(self.norm1(x)).view(batch, context, 3, heads, wide // heads)
            y = attend(*qkv.permute(2, 0, 3, 1, 4))
            x = x + self.out(y.transpose(1, 2).reshape(batch, context, wide))
            return x + self.mlp(self.norm2(x))

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(vocabulary, wide), nn.Embedding(context, wide)
            self.blocks = nn.Sequential(*(Block() for _ in range(layers)))
            self.norm = nn.LayerNorm(wide)
            for parameter in self.parameters():
                if parameter.dim() == 2:
                    nn.init.normal_(parameter, std=0.02)

        def forward(self, tokens, targets):
            x = self.blocks(self.tokens(tokens) + self.positions.weight)
            logits = F.linear(self.norm(x), self.tokens.weight)
            return F.cross_entropy(logits.view(-1, vocabulary), targets.view(-1))

    return Gpt()


def read_tokens(a):
    """Tokens to train on, and the size of their vocabulary."""
    import torch

    if a.vocabulary:
        return torch.randint(a.vocabulary, (1 << 20,)), a.vocabulary
    with open(a.text, encoding="utf-8") as file:
        text = file.read()
    rank = {c: i for i, c in enumerate(sorted(set(text)))}
    return torch.tensor([rank[c] for c in text[: len(text) * 9 // 10]]), len(rank)


def main():
    if sys.argv[1:] == ["--check"]:
        why = missing()
        if why:
            sys.exit(f"bench-peer: {why}")
        return
    import torch

    a = arguments()
    torch.manual_seed(1)
    ids, vocabulary = read_tokens(a)
    model = gpt(a.layers, a.heads, a.wide, a.context, vocabulary)
    matrices = [p for p in model.parameters() if p.dim() == 2]
    others = [p for p in model.parameters() if p.dim() != 2]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0}], lr=1e-3, betas=(0.9, 0.99))

    def step():
        starts = torch.randint(len(ids) - a.context, (a.batch,)).tolist()
        windows = torch.stack([ids[s : s + a.context + 1] for s in starts])
        loss = model(windows[:, :-1], windows[:, 1:].contiguous())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()

    step()
    seconds, began = [], time.perf_counter()
    while len(seconds) < a.least or time.perf_counter() - began < a.seconds:
        start = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - start)
    tokens = a.batch * a.context
    print(f"tokens/s: median {tokens / statistics.median(seconds):.0f} best {tokens / min(seconds):.0f}")


main()
