#!/bin/sh
# Models to other programs and back, and numbers for programs, from outside. What other programs make of the files is for
# clients.sh to tell. Ends with "N passed, N failed, N skipped".
#   tests/export.sh            (PROGRAM=./other tests/export.sh for another binary)
. "$(dirname "$0")/outside.sh"

head -c 3000 "$data/tiny.txt" >text.txt
cp "$data/tiny-zh.txt" zh.txt
{ printf 'a\000b\001\177"\\\r\n'; cat text.txt; } >control.txt
few="$small --max-iters 3 --num-samples 0 --quiet"
hf='config.json generation_config.json model.safetensors tokenizer.json tokenizer_config.json'

# ---- there and back ----

# survives NAME: the model NAME goes to both formats, and comes back from one of them as it was.
survives() {
    works "$1 goes into a folder" "$program" export out/$1.safetensors --format hf --out $1-hf
    if [ "$(ls $1-hf | tr '\n' ' ')" = "$hf " ]; then pass; else wrong "$1: the folder has its five files" "$(ls -a $1-hf)"; fi
    works "$1 goes into a file" "$program" export out/$1.safetensors --format gguf --out $1.gguf
    works "$1 comes back" "$program" import $1-hf --out back/$1.safetensors
    works "$1 writes as before" "$program" sample out/$1.safetensors --max-new-tokens 60
    cp out.txt before.txt
    works "$1 writes afterwards" "$program" sample back/$1.safetensors --max-new-tokens 60
    same "$1: the same text" before.txt out.txt
    works "$1 goes again" "$program" export back/$1.safetensors --format hf --out again/$1-hf
    for file in $hf; do same "$1: the same $file" $1-hf/$file again/$1-hf/$file; done
    works "$1 goes into a file again" "$program" export back/$1.safetensors --format gguf --out again/$1.gguf
    same "$1: the same file" $1.gguf again/$1.gguf
}
works 'an English model' "$program" text.txt $few --name english
works 'a Chinese one' "$program" zh.txt $few --name chinese
works 'one with a head of its own' "$program" text.txt $few --name untied --untied
works 'one without biases' "$program" text.txt $few --name unbiased --no-bias
works 'one of odd sizes' "$program" text.txt $few --name odd --n-embd 30 --n-head 3 --block-size 33
works 'one that reads rare characters as U+FFFD' "$program" text.txt $few --name capped --vocab-size 20
works 'one of bytes' "$program" text.txt $few --name bytes --tokenizer byte
works 'one with NUL and control characters' "$program" control.txt $few --name control
for name in english chinese untied unbiased odd capped bytes control; do survives $name; done
works 'a state can be exported, too' "$program" export out/english.state.safetensors --format gguf --out state.gguf
works 'and the matrices be halved' "$program" export out/english.safetensors --format gguf --dtype f16 --out half.gguf
if [ "$(wc -c <half.gguf)" -lt "$(wc -c <english.gguf)" ]; then pass; else wrong 'which makes the file smaller' "$(ls -l ./*.gguf)"; fi
works 'an imported model is fine-tuned' "$program" text.txt $few --init-from back/english.safetensors --out-dir tuned
works 'and evaluated' "$program" eval back/english.safetensors text.txt
works 'a tensor file alone needs heads and characters' "$program" import english-hf/model.safetensors --n-head 2 --vocab text.txt --out alone.safetensors
works 'a model of this program may be imported, too' "$program" import out/english.safetensors --n-head 2 --vocab text.txt --out own.safetensors
works 'it goes out again' "$program" export own.safetensors --format hf --out own-hf
same 'as it was' english-hf/model.safetensors own-hf/model.safetensors

# ---- what is said ----

works 'an export' "$program" export out/english.safetensors --format gguf --out said/english.gguf
says 'prints the command that uses it' err.txt "^llama.cpp:  llama-completion -m 'said/english.gguf' -p 'The ' -n 12 -c 16 "
says 'and the lines that Ollama needs' err.txt '^ *PARAMETER num_ctx 16$'
says 'and warns of a context that llama.cpp rounds up' err.txt 'llama.cpp rounds a context up to a multiple of 256, .* token 16 '
says 'and of characters that nobody knows' err.txt 'left out by other programs without a word'
works 'a folder' "$program" export out/english.safetensors --format hf --out said/english
says 'prints the lines of Python that use it' err.txt "AutoModelForCausalLM.from_pretrained('said/english')"
works 'a Chinese export' "$program" export out/chinese.safetensors --format gguf --out said/chinese.gguf
if grep -q "'The '" err.txt; then wrong 'begins with a character that the model knows' "$(cat err.txt)"; else pass; fi
works 'a context that suits llama.cpp' "$program" text.txt $few --name even --block-size 256
works 'is exported' "$program" export out/even.safetensors --format gguf --out said/even.gguf
if grep -q 'rounds' err.txt; then wrong 'without a warning' "$(cat err.txt)"; else pass; fi
works 'quiet' "$program" export out/even.safetensors --format hf --out said/even --quiet
if [ ! -s err.txt ] && [ ! -s out.txt ]; then pass; else wrong 'says nothing' "$(cat err.txt out.txt)"; fi

# ---- what is there stays ----

refuses 1 'a file that is there is not written over' 'english.gguf: is there already; --force' "$program" export out/chinese.safetensors --format gguf --out english.gguf
refuses 1 'nor one of a folder' 'english-hf/config.json: is there already; --force' "$program" export out/chinese.safetensors --format hf --out english-hf
refuses 1 'nor a model' 'back/english.safetensors: is there already; --force' "$program" import chinese-hf --out back/english.safetensors
refuses 1 'nor, by force, what is read' 'english.safetensors: is what is read' "$program" export out/english.safetensors --format gguf --out ./out/english.safetensors --force
refuses 1 'nor the folder that is read' 'model.safetensors: is what is read' "$program" import english-hf --out english-hf/model.safetensors --force
refuses 1 'nor the text that has its characters' 'text.txt: is what is read' "$program" import english-hf/model.safetensors --n-head 2 --vocab text.txt --out text.txt --force
cp out/english.safetensors work.gguf.tmp
refuses 1 'nor what stands where the work is done' 'work.gguf: is what is read' "$program" export work.gguf.tmp --format gguf --out work.gguf
mkfifo pipe.gguf
refuses 1 'a pipe does not become a file' 'pipe.gguf: is a pipe or a device' "$program" export out/english.safetensors --format gguf --out pipe.gguf --force
ln -s nowhere link.gguf
refuses 1 'a link that leads nowhere is something' 'link.gguf: is there already' "$program" export out/english.safetensors --format gguf --out link.gguf
refuses 1 'a pipe is no model, and is not waited for' 'pipe.gguf: ' timeout 10 "$program" import pipe.gguf --n-head 2 --vocab text.txt --out x.safetensors
rm work.gguf.tmp pipe.gguf link.gguf
refuses 1 'a folder is no file' 'english-hf: is a folder' "$program" export out/english.safetensors --format gguf --out english-hf
refuses 1 'a file is no folder' 'english.gguf: cannot write in this folder: Not a directory' "$program" export out/english.safetensors --format hf --out english.gguf --force
cp chinese.gguf kept.gguf
works 'by force it is' "$program" export out/chinese.safetensors --format gguf --out english.gguf --force
works 'and a folder, too' "$program" export out/chinese.safetensors --format hf --out english-hf --force
same 'the folder is another now' english-hf/tokenizer.json chinese-hf/tokenizer.json
if [ -z "$(find . -name '*.tmp')" ]; then pass; else wrong 'nothing temporary is left' "$(find . -name '*.tmp')"; fi

# ---- what is no model ----

refuses 1 'a missing folder is named' 'nowhere: No such file' "$program" import nowhere --out x.safetensors
mkdir bare
refuses 1 'a folder without a model' 'bare/model.safetensors: there is no such file' "$program" import bare --out x.safetensors
cp chinese-hf/model.safetensors bare
refuses 1 'a folder without settings needs heads' 'bare: no tensor tells how many heads.*--n-head' "$program" import bare --out x.safetensors
refuses 1 'and without a tokenizer, characters' 'bare: which characters its tokens are .*--vocab' "$program" import bare --n-head 2 --out x.safetensors
refuses 1 'a text of other characters is refused' 'text.txt: has [0-9]* different characters, where the model has' "$program" import bare --n-head 2 --vocab text.txt --out x.safetensors
refuses 1 'and bytes where there are characters' 'the vocabulary has 256 tokens' "$program" import bare --n-head 2 --tokenizer byte --out x.safetensors
: >bare/merges.txt
refuses 1 "GPT-2's own vocabulary is refused" 'pieces of words' "$program" import bare --n-head 2 --out x.safetensors
cp chinese-hf/config.json bare
sed 's/gelu_new/relu/' chinese-hf/config.json >bare/config.json
refuses 1 'another activation is refused' 'bare/config.json: activation_function is "relu"' "$program" import bare --out x.safetensors
head -c 2000 chinese-hf/model.safetensors >bare/model.safetensors
refuses 1 'a damaged file is refused' 'bare/model.safetensors: ' "$program" import bare --out x.safetensors
if [ ! -e x.safetensors ]; then pass; else wrong 'nothing was written' "$(ls)"; fi

# ---- the command line ----

refuses 2 'an export needs a format' "needs --format hf or --format gguf" "$program" export out/english.safetensors --out x
refuses 2 'and a place' "'export' needs --out, the folder" "$program" export out/english.safetensors --format hf
refuses 2 'an import, too' "'import' needs --out, the file" "$program" import english-hf
refuses 2 'another format is refused' "--format is hf or gguf, not 'onnx'" "$program" export out/english.safetensors --format onnx --out x
refuses 2 'a folder holds float32' '--dtype f16 is for --format gguf' "$program" export out/english.safetensors --format hf --dtype f16 --out x
refuses 2 'one folder at a time' "takes one folder or file to import; what is 'b'" "$program" import a b --out x

# ---- numbers for programs ----

works 'sample prints JSON' "$program" sample out/chinese.safetensors --start '春' --temperature 0 --num-samples 2 --max-new-tokens 5 --json
cp out.txt sample.json
works 'eval prints JSON' "$program" eval out/english.safetensors text.txt --json
cp out.txt eval.json
if command -v python3 >/dev/null; then
    cat >check.py <<'PYTHON'
import json, math, sys
d = json.load(open(sys.argv[1] + ".json", encoding="utf-8"))
if sys.argv[1] == "sample":
    characters = sorted(set(open("zh.txt", encoding="utf-8").read()))
    assert d["vocab_size"] == len(d["logits"]) and d["n_positions"] == 16
    assert d["prompt"] == "春" and len(d["prompt_ids"]) == 1
    first, second = d["samples"]
    assert first == second and len(first["ids"]) == 5 == len(first["text"])
    assert first["ids"][0] == max(range(d["vocab_size"]), key=lambda i: d["logits"][i])
else:
    assert abs(math.exp(d["loss"]) - d["perplexity"]) < 1e-9 * d["perplexity"]
    assert abs(d["loss"] / math.log(2) - d["bits"]) < 1e-9 and d["unit"] == "character"
    assert d["targets"] == len(open("text.txt").read()) - 1
PYTHON
    works 'with what the model says of the start, and ids' python3 check.py sample
    works 'and the loss in full' python3 check.py eval
else skip 'what is in the JSON: there is no python3'; fi
refuses 2 'no samples are no JSON' '--json with --num-samples 0' "$program" sample out/english.safetensors --json --num-samples 0

report
