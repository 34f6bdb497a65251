#!/bin/sh
# Do the programs that exports are for read them as this one does?  tests/clients.sh   (or: make clients)
# llama.cpp, the tokenizers of Hugging Face and PyTorch each load small models that are trained here, and must find the same
# ids, texts, probabilities and losses; and what PyTorch writes is imported. What is missing is named, and its part skipped;
# with NEED=node, NEED=torch or NEED_ALL=1 it counts as a failure. The packages that package.json names are installed once,
# under build/clients.
packages=$PWD/build/clients
sources=$PWD/tests/clients
# Models so small go fastest on one thread.
python='env OMP_NUM_THREADS=1 /usr/bin/python3 -B'
[ -z "$NEED_ALL" ] || NEED='node torch'
. "$(dirname "$0")/outside.sh"

# missing PART REASON
missing() { case " $NEED " in *" $1 "*) wrong "$2" ;; *) skip "$2" ;; esac; }

# tests DESCRIPTION COMMAND...: something that ends with "N passed, N failed", which is added to our own count.
tests() {
    about=$1
    shift
    "$@" >out.txt 2>err.txt </dev/null
    last=$(tail -n 1 out.txt)
    case $last in
    *' passed, '*' failed') ;;
    *) wrong "$about: ends without a report" "$(tail -n 5 err.txt)"; return ;;
    esac
    sed '$d' out.txt | sed "s/^/$about: /"
    passed=$((passed + ${last%% passed*})) last=${last#*, } failed=$((failed + ${last%% failed*}))
}

# near DESCRIPTION A B TOLERANCE
near() {
    if awk -v a="$2" -v b="$3" -v most="$4" 'BEGIN { exit !(a != "" && b != "" && a - b <= most && b - a <= most) }'; then pass
    else wrong "$1" "'$2' and '$3' differ by more than $4"; fi
}

# What the line of JSON in out.txt has under this name.
number() { sed "s/.*\"$1\": \([^,}]*\).*/\1/" out.txt; }

# ---- the models ----

# A tenth of the text is held out by training; here it is a file, too. (Its characters are of one byte.)
cp "$data/tiny.txt" english.txt
tail -c +94582 english.txt >held-out.txt
cp "$data/tiny-zh.txt" chinese.txt
# Control characters, two ways to write an e with an accent, letters that byte-level vocabularies use for other bytes, a mark
# of byte order, one that is no character, the last there is; and what is the end of a text to llama.cpp.
{
    head -c 3000 english.txt
    printf 'a\000b\001\033\177"\\\r\n\t \302\205 \303\251 e\314\201 \304\240 \304\200 \342\226\201 a\357\273\277 \357\277\275 \357\277\277 '
    printf '\360\237\244\226 \364\217\277\277 <|endoftext|> <s> ### [INST]\n'
} >control.txt

train() {
    name=$1 text=$2
    shift 2
    works "$name: trains" "$program" "$text.txt" --name "$name" --n-layer 2 --n-head 2 --n-embd 32 --block-size 64 --batch-size 8 --max-iters 200 --num-samples 0 --quiet "$@"
    works "$name: goes into a folder" "$program" export out/$name.safetensors --format hf --out $name-hf --quiet
    works "$name: and into a file" "$program" export out/$name.safetensors --format gguf --out $name.gguf --quiet
}
train english english
train chinese chinese
train untied english --untied
train unbiased english --no-bias
train odd english --n-embd 30 --n-head 3 --block-size 33
train capped chinese --vocab-size 100
train control control
train bytes chinese --tokenizer byte
for name in english chinese; do
    works "$name: and into one of half the size" "$program" export out/$name.safetensors --format gguf --dtype f16 --out $name-half.gguf --quiet
done

# ---- llama.cpp and the tokenizers ----

# Once for each package.json.
install() {
    mkdir -p "$packages" && cp "$sources"/*.mjs "$packages" || return 1
    cmp -s "$sources/package.json" "$packages/installed.json" && return
    cp "$sources/package.json" "$sources/.npmrc" "$packages" && rm -rf "$packages/node_modules"
    (cd "$packages" && npm install) >install.txt 2>&1 && cp "$sources/package.json" "$packages/installed.json"
}

has_node() {
    major=$(node -p 'parseInt(process.versions.node)' 2>/dev/null) || major=0
    if [ "$major" -lt 20 ]; then missing node 'llama.cpp and tokenizers: there is no node 20'
    elif ! command -v npm >/dev/null; then missing node 'llama.cpp and tokenizers: there is no npm'
    elif ! install; then missing node "llama.cpp and tokenizers: npm does not install them: $(grep -m 1 -i 'error' install.txt)"
    else return 0; fi
    return 1
}

# writes MODEL START TOKENS FILE: what the program itself says.
writes() { works "$1: writes" "$program" sample out/$1.safetensors --temperature 0 --json --start "$2" --max-new-tokens "$3" --quiet && cp out.txt "$4"; }

# in_node NAME TEXT START: from one token, and from some; and the whole text.
in_node() {
    name=$1
    writes $name '' 30 line.json
    writes $name "$3" 5 start.json
    writes $name "FILE:$2.txt" 0 text.json
    tests "$name, llama.cpp" node "$packages/llama.mjs" $name.gguf $name-hf 0.02 line.json start.json
    tests "$name, tokenizers" node "$packages/tokenizer.mjs" $name-hf text.json start.json
    [ -f $name-half.gguf ] || return
    tests "$name of half the size, llama.cpp" node "$packages/llama.mjs" $name-half.gguf $name-hf 0.05 line.json start.json
}

if has_node; then
    for name in english untied unbiased odd; do in_node $name english 'The miller has come up the '; done
    in_node chinese chinese '大人拉了九年磨。有一天，屋檐上的乌鸦问它：'
    in_node capped chinese '大人拉了九年磨。'
    tail -c 60 control.txt >end.txt
    in_node control control FILE:end.txt
    in_node bytes chinese '慢河边有一座磨坊'
    printf '\377\346\205 \000' >broken.txt
    writes bytes FILE:broken.txt 20 start.json
    tests 'bytes that are no text, llama.cpp' node "$packages/llama.mjs" bytes.gguf bytes-hf 0.02 start.json
fi

# ---- PyTorch ----

# in_torch NAME TEXT: the losses that PyTorch and the program find are the same.
in_torch() {
    works "$1: PyTorch reads it" $python "$sources/gpt2.py" $1-hf "$2.txt"
    theirs=$(number loss)
    works "$1: and so do we" "$program" eval out/$1.safetensors "$2.txt" --json
    near "$1: the losses are the same" "$theirs" "$(number loss)" 1e-4
}

# fine_tuned NAME: trained on there, it comes back with the loss that it has there, and goes on from it.
fine_tuned() {
    rm -rf tuned
    works "$1: PyTorch trains it" $python "$sources/finetune.py" $1-hf english.txt tuned held-out.txt
    theirs=$(number loss)
    if awk -v before="$(number before)" -v after="$theirs" 'BEGIN { exit !(before > after + 0.005) }'; then pass
    else wrong "$1: it learns something" "$(cat out.txt)"; fi
    works "$1: it is imported" "$program" import tuned --out tuned.safetensors --force
    works "$1: and evaluated" "$program" eval tuned.safetensors held-out.txt --json
    near "$1: with the loss that it has in PyTorch" "$theirs" "$(number loss)" 1e-4
    works "$1: it is trained on" "$program" english.txt --init-from tuned.safetensors --max-iters 2 --num-samples 0 --quiet --out-dir on
    near "$1: from there" "$theirs" "$(awk -F, '$1 == 0 { print $4 }' on/english.csv)" 1e-4
}

# as_nanogpt DTYPE TOLERANCE
as_nanogpt() {
    works "nanoGPT, $1: is written" $python "$sources/nanogpt.py" english-hf state.safetensors $1
    works "nanoGPT, $1: is imported" "$program" import state.safetensors --n-head 2 --vocab english.txt --out state-back.safetensors --force
    works "nanoGPT, $1: and evaluated" "$program" eval state-back.safetensors held-out.txt --json
    near "nanoGPT, $1: has the loss of the model" "$(number loss)" "$english" "$2"
}

if $python -c 'import torch' 2>/dev/null; then
    for name in untied unbiased odd english; do in_torch $name held-out; done
    english=$(number loss)
    in_torch chinese chinese
    for name in english untied unbiased; do fine_tuned $name; done
    as_nanogpt F32 0
    as_nanogpt F16 1e-3
    as_nanogpt BF16 1e-2
else
    missing torch 'PyTorch: apt-get install python3-torch'
fi

report
