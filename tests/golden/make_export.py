#!/usr/bin/python3
"""Makes tests/golden/export: two small models as a Hugging Face folder and as a GGUF file.

  tests/golden/make_export.py CONVERTER

Nothing of train_gpt is used here: the folders are written from the definitions of config.json, tokenizer.json and
safetensors, with a layout of their own lines. The GGUF files come from CONVERTER, any other program that is called as
CONVERTER FOLDER FILE --name NAME. tests/export_model.h has the same models in C.
"""
import json
import os
import subprocess
import sys

import numpy as np

MODELS = {
    # Characters of 1 to 4 bytes, some of which begin with the same bytes; a quote and a backslash.
    "tied": dict(text="\n\"\\\u00e8\u00e9\u6f22\u6f23\u6f40\U0001f600\U0001f601\U0001f640", T=5, C=6, L=2, H=2, tied=True, bias=True),
    # No new line, nothing but ASCII, no biases.
    "untied": dict(text=" ab", T=3, C=6, L=1, H=3, tied=False, bias=False),
}


def weight(name, rows, columns=None):
    """Multiples of 1/64 that name, row and column decide; around 1 in a norm."""
    k = sum((i + 1) * ord(c) for i, c in enumerate(name)) % 1009
    r = np.arange(rows).reshape(-1, 1)
    c = np.arange(columns or 1).reshape(1, -1)
    mixed = 17 * k + 31 * r + 11 * c
    x = 1 + (mixed % 63 - 31) / 64 if ".ln_" in name and name.endswith(".weight") else (mixed % 127 - 63) / 64
    return (x if columns else x[:, 0]).astype("<f4")


def tensors(m):
    """Name -> array as GPT-2's own files have it: the four matrices of a block are (in, out)."""
    V, T, C, t = len(m["text"]), m["T"], m["C"], {}

    def put(name, rows, columns=None, turned=False):
        x = weight(name, rows, columns)
        t[name] = np.ascontiguousarray(x.T) if turned else x

    def bias(name, n):
        t[name] = weight(name, n) if m["bias"] else np.zeros(n, "<f4")

    put("transformer.wte.weight", V, C)
    put("transformer.wpe.weight", T, C)
    for l in range(m["L"]):
        h = "transformer.h.%d." % l
        for norm, parts in (("ln_1", (("attn.c_attn", 3 * C, C), ("attn.c_proj", C, C))),
                            ("ln_2", (("mlp.c_fc", 4 * C, C), ("mlp.c_proj", C, 4 * C)))):
            put(h + norm + ".weight", C)
            bias(h + norm + ".bias", C)
            for part, outs, ins in parts:
                put(h + part + ".weight", outs, ins, turned=True)
                bias(h + part + ".bias", outs)
    put("transformer.ln_f.weight", C)
    bias("transformer.ln_f.bias", C)
    if not m["tied"]:
        put("lm_head.weight", V, C)
    return t


def safetensors(t):
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name in sorted(t):  # any order will do
        header[name] = {"dtype": "F32", "shape": list(t[name].shape), "data_offsets": [at, at + t[name].nbytes]}
        at += t[name].nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(t[name].tobytes() for name in sorted(t))


def lines(members, indent="  "):
    """An object with one member a line; values are JSON already."""
    inside = ",\n".join('%s"%s": %s' % (indent, key, value) for key, value in members)
    return "{\n%s\n%s}" % (inside, indent[2:])


NO_IDS = [(which + "_token_id", "null") for which in ("bos", "eos", "pad")]


def config(m):
    V, T = str(len(m["text"])), str(m["T"])
    return lines([
        ("architectures", '["GPT2LMHeadModel"]'), ("model_type", '"gpt2"'), ("vocab_size", V), ("n_positions", T), ("n_ctx", T),
        ("n_embd", str(m["C"])), ("n_layer", str(m["L"])), ("n_head", str(m["H"])), ("n_inner", "null"),
        ("activation_function", '"gelu_new"'), ("layer_norm_epsilon", "1e-05"),
        ("resid_pdrop", "0.0"), ("embd_pdrop", "0.0"), ("attn_pdrop", "0.0"), ("initializer_range", "0.02"),
        ("scale_attn_weights", "true"), ("scale_attn_by_inverse_layer_idx", "false"), ("reorder_and_upcast_attn", "false"),
        ("use_cache", "true")] + NO_IDS + [
        ("tie_word_embeddings", "true" if m["tied"] else "false"), ("torch_dtype", '"float32"')])


def key(c):
    """A character as JSON has it inside quotes."""
    return "\\" + c if c in '"\\' else "\\u%04x" % ord(c) if ord(c) < 0x20 else c


def tokenizer(m):
    vocabulary = lines([(key(c), str(i)) for i, c in enumerate(sorted(m["text"]))], " " * 6)
    model = lines([("type", '"BPE"'), ("dropout", "null"), ("unk_token", "null"), ("continuing_subword_prefix", "null"),
                   ("end_of_word_suffix", "null"), ("fuse_unk", "false"), ("byte_fallback", "false"), ("ignore_merges", "false"),
                   ("vocab", vocabulary), ("merges", "[]")], " " * 4)
    return lines([("version", '"1.0"'), ("truncation", "null"), ("padding", "null"), ("added_tokens", "[]"), ("normalizer", "null"),
                  ("pre_tokenizer", "null"), ("post_processor", "null"), ("decoder", '{"type": "Fuse"}'), ("model", model)])


def main():
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "export")
    for name, m in MODELS.items():
        folder = os.path.join(here, name)
        os.makedirs(folder, exist_ok=True)
        T = str(m["T"])
        texts = {
            "config.json": config(m),
            "generation_config.json": lines([("do_sample", "true"), ("max_length", T)] + NO_IDS),
            "tokenizer.json": tokenizer(m),
            "tokenizer_config.json": lines([("tokenizer_class", '"PreTrainedTokenizerFast"'), ("model_max_length", T),
                                            ("clean_up_tokenization_spaces", "false")]),
        }
        for file, text in texts.items():
            json.loads(text)
            with open(os.path.join(folder, file), "wb") as f:
                f.write(text.encode() + b"\n")
        with open(os.path.join(folder, "model.safetensors"), "wb") as f:
            f.write(safetensors(tensors(m)))
        subprocess.run([sys.argv[1], folder, folder + ".gguf", "--name", name], check=True)


main()
