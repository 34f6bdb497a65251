#!/bin/bash
# Makes the seeds of the fuzz targets, from the program itself where it writes such bytes:
#   tests/fuzz/make_seeds.sh            after `make`
# Files named found-* are inputs that were findings once; they are kept.
set -euo pipefail
program=$PWD/train_gpt
seeds=$(cd "$(dirname "$0")" && pwd)/seeds
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for target in csv import json model ngram options safetensors state tokens utf8 vocabulary; do
    mkdir -p "$seeds/$target"
    find "$seeds/$target" -type f ! -name 'found-*' -delete
done

# run NAME FLAGS...: the smallest models that have everything. One thread, so that nothing but the flags decides.
tiny='--n-layer 1 --n-head 1 --n-embd 1 --block-size 3 --max-iters 2 --batch-size 1 --eval-interval 1 --threads 1 --quiet --num-samples 0 --warmup-iters 1'
run() { "$program" text --name "$@" $tiny; }
printf 'a "b"\n\\ab \303\251 ab\n"a" \\ba\n' >text
run bare --no-bias
run full --untied --n-head 2 --n-embd 2 --vocab-size 5 --dropout 0.1
run bytes --no-bias --tokenizer byte

# As tests/fuzz/whole_file.h wants it: the header, a NUL, the data.
whole_file() {
    length=$(od -An -tu8 -N8 "$1" | tr -d ' ')
    tail -c +9 "$1" | head -c "$length" | sed 's/ *$//'
    printf '\0'
    tail -c +$((9 + length)) "$1"
}
for name in bare full bytes; do whole_file out/$name.safetensors >"$seeds/model/$name"; done
for name in bare full; do whole_file out/$name.state.safetensors >"$seeds/state/$name"; done

# As fuzz/import.c wants it: config.json, a NUL, tokenizer.json, a NUL, the weights. Of bytes, nothing between the NULs.
import_seed() {
    cat "$1/config.json"
    printf '\0'
    printf '%s' "$2"
    printf '\0'
    whole_file "$1/model.safetensors"
}
for name in bare full bytes; do "$program" export out/$name.safetensors --format hf --out hf/$name --quiet; done
for name in bare full; do import_seed hf/$name "$(cat hf/$name/tokenizer.json)" >"$seeds/import/$name"; done
import_seed hf/bytes '' >"$seeds/import/bytes"
import_seed hf/bare '{"model":{"type":"WordLevel","vocab":{"\u00e9":0,"b":1,"\\":2," ":3,"\"":4,"a":5,"\n":6}}}' >"$seeds/import/order"
# nanoGPT's names and orientation, in 16 bits, with a mask, a head of its own and a text.
at=0 header=
tensor() { header=$header${header:+,}$(printf '"%s":{"dtype":"%s","shape":[%s],"data_offsets":[%d,%d]}' "$1" "$2" "$3" $at $((at + $4))); at=$((at + $4)); }
o=_orig_mod.transformer.
tensor ${o}wte.weight F16 2,1 4; tensor ${o}wpe.weight F16 3,1 6; tensor ${o}h.0.ln_1.weight BF16 1 2
tensor ${o}h.0.attn.c_attn.weight F16 3,1 6; tensor ${o}h.0.attn.bias U8 1,1,3,3 9; tensor ${o}h.0.attn.c_proj.weight F16 1,1 2
tensor ${o}h.0.ln_2.weight F16 1 2; tensor ${o}h.0.mlp.c_fc.weight F16 4,1 8; tensor ${o}h.0.mlp.c_proj.weight F16 1,4 8
tensor ${o}ln_f.weight F16 1 2; tensor _orig_mod.lm_head.weight F16 2,1 4
{ printf '\0aba\0{%s}\0' "$header"; printf '12345678901234567890123456789012345678901234567890123'; } >"$seeds/import/nanogpt"

# Speed and time are of the machine, and not the same twice.
{ printf '\1'; sed '2,$s/[^,]*,[^,]*$/1000,0.50/' out/bare.csv; } >"$seeds/csv/run"
printf '\2step\n1,2,,,,,,3.5\nno row\n2,,,,,,,1e3\r\n3,,,,,,,1\n' >"$seeds/csv/others"

header() { printf "\\x$(printf %02x ${#1})\0\0\0\0\0\0\0%s" "$1"; }
{ header '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'; printf '12345678'; } >"$seeds/safetensors/plain"
{ header '{"__metadata__":{"k\n\u00e9":"v"},"b":{"shape":[1,0,2],"dtype":"F64","data_offsets":[4,4]},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}'
  printf '\0\0\200?'; } >"$seeds/safetensors/two"
{ header '{"__metadata__":{"metadata_crc32":"00000000","crc32":"6522df69"},"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}'
  printf '\0\0\0\0\0\0\0\0'; } >"$seeds/safetensors/checksums"

printf '{"a\\u00e9\\ud83d\\ude00\\n":[1,20,9223372036854775807], "":{"\303\251":[ ]}}' >"$seeds/json/nested"
printf '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000"' >"$seeds/json/escapes"

printf '%s\n' text --n_layer=2 --n-head 4 --n-embd 64 --dropout .1 --untied --tokenizer byte >"$seeds/options/train"
printf '%s\n' --learning-rate 1e-2 --min-lr=0 --seed 9000000000000000 -- --text >"$seeds/options/rates"
printf '%s\n' sample model --start 'FILE:x' --temperature 0 --top-k 5 --top-p 0.5 --threads 2 >"$seeds/options/sample"
printf '%s\n' eval model text - --drop-unknown --quiet >"$seeds/options/eval"
printf '%s\n' text --learning-rat 1 >"$seeds/options/nearest"

printf '\2\12abcabcabdabcabcabeabcabc' >"$seeds/ngram/context"
printf '\0\0aaaa' >"$seeds/ngram/untrained"

characters='a\n\303\251\346\274\242\360\237\230\200\357\277\275'
for kind in 0 1 2 3; do printf "\\$kind$characters" >"$seeds/tokens/kind$kind"; done
printf '\0\303\251\303\360\237\230\377\355\240\200' >"$seeds/tokens/broken"
printf "$characters\303\355\240\200\364\220\200\200\300\200" >"$seeds/utf8/edges"
printf '\200aaabbc\303\251\n' >"$seeds/vocabulary/learn"
printf '\203aaabbc\303\251\n' >"$seeds/vocabulary/cap"
printf '\0\n\303\251\346\274\242\360\237\230\200' >"$seeds/vocabulary/restore"
printf '\2a\357\277\275' >"$seeds/vocabulary/capped"
