#!/bin/bash
# A short life of the program under a checker: every command once, every way to end.  UNDER='valgrind ...' tests/under.sh PROGRAM
# The checker's exit status must be none of the program's own, which are 0, 1 and 2.
program=$1
folder=$(mktemp -d "${TMPDIR:-/tmp}/train_gpt.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0
head -c 1500 data/tiny.txt >"$folder/text.txt"
head -c 1500 data/tiny-zh.txt | iconv -c -f UTF-8 -t UTF-8 2>/dev/null >"$folder/zh.txt"
cd "$folder" || exit 1
small='--n-layer 2 --n-head 2 --n-embd 10 --block-size 9 --batch-size 3 --eval-interval 2 --log-interval 1 --max-new-tokens 12'

# ends STATUS ARGUMENTS...
ends() {
    expected=$1
    shift
    $UNDER "$program" "$@" >out.txt 2>err.txt </dev/null
    status=$?
    if [ $status -eq "$expected" ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED: exit status $status instead of $expected: $*"
        head -n 40 err.txt
    fi
}

ends 0 text.txt $small --max-iters 4 --dropout 0.2 --gradient-accumulation-steps 2
ends 0 text.txt --resume out/text.state.safetensors --max-iters 6
ends 0 zh.txt $small --max-iters 3 --vocab-size 40 --untied --no-bias --patience 1
ends 0 text.txt $small --max-iters 2 --tokenizer byte --name bytes
ends 0 text.txt --init-from out/text.safetensors --max-iters 2 --name tuned --num-samples 0
ends 0 sample out/text.safetensors --num-samples 3 --top-k 5 --top-p 0.9 --min-p 0.01 --start 'The ' --max-new-tokens 30
ends 0 sample out/bytes.safetensors --temperature 0 --max-new-tokens 30
ends 0 eval out/text.safetensors text.txt
ends 0 eval out/zh.safetensors text.txt
ends 0 info out/text.state.safetensors
ends 0 attention out/text.safetensors --start 'The '
ends 0 attention out/zh.safetensors --start 'FILE:zh.txt' --drop-unknown --json
ends 0 attention out/bytes.safetensors --start 'The é' --html attention.html --svg attention.svg
ends 1 attention out/text.safetensors --start 'The ' --layer 2
ends 0 sample out/text.safetensors --num-samples 2 --html sample.html
for model in text bytes zh; do
    ends 0 export out/$model.safetensors --format hf --out $model-hf
    ends 0 export out/$model.safetensors --format gguf --dtype f16 --out $model.gguf
    ends 0 import $model-hf --out back/$model.safetensors
done
ends 0 sample back/text.safetensors --json --max-new-tokens 5
ends 0 import text-hf/model.safetensors --n-head 2 --vocab text.txt --out back/alone.safetensors
ends 1 import text-hf/model.safetensors --n-head 3 --vocab text.txt --out back/no.safetensors
ends 1 export out/text.safetensors --format gguf --out text.gguf
ends 0 --help
ends 2 text.txt --n-layers 3
ends 1 text.txt $small --learning-rate 10 --min-lr 10 --warmup-iters 0 --weight-decay 10 --max-iters 1000 --grad-clip 0 --name far
ends 1 sample out/text.safetensors --start 'é'
ends 1 zh.txt --resume out/text.state.safetensors
head -c 2000 out/text.safetensors >cut.safetensors
ends 1 info cut.safetensors
{ head -c $(($(wc -c <out/text.safetensors) - 5)) out/text.safetensors; printf '12345'; } >altered.safetensors
ends 1 eval altered.safetensors text.txt
printf 'ab\200cd' >lone.txt
ends 1 lone.txt $small

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
