#!/bin/sh
# The whole program from outside: what it writes, says and returns. Ends with "N passed, N failed, N skipped".
#   tests/program.sh            (PROGRAM=./other tests/program.sh for another binary)
. "$(dirname "$0")/outside.sh"

# ---- a run, and what it leaves ----

head -c 3000 "$data/tiny.txt" >text.txt
works 'a run trains, saves and samples' "$program" text.txt $small --max-iters 60
cp err.txt log.txt
is_there 'the best model is saved' out/text.safetensors
is_there 'the state is saved' out/text.state.safetensors
says 'the text is described' log.txt '^text: 3,000 characters, [0-9]* distinct; 2,700 to train on, 300 to validate'
says 'what there is to beat is said' log.txt '^to beat, in nats: uniform [0-9.]*  unigram [0-9.]*  bigram [0-9.]*  best n-gram [0-9.]* ([0-6] of context)'
says 'the memory is said' log.txt 'MB of memory'
says 'progress lines are aligned' log.txt '^step 60/60  train [0-9.]*  val [0-9.]*  lr 1.78e-03  norm  *[0-9.]*  epoch'
says 'the result stands beside the n-gram' log.txt 'best validation loss [0-9.]* at step [0-9]*; best n-gram'
says 'the files are named at the end' log.txt 'saved out/text.safetensors .* out/text.state.safetensors .* out/text.csv'
says 'no escape sequences where there is no terminal' log.txt '^step  0/60'
if [ "$(wc -m <out.txt)" -eq 41 ]; then pass; else wrong 'the sample has as many characters as asked for' "$(cat out.txt)"; fi
if head -n 1 out/text.csv | grep -qx 'step,epoch,train_loss,val_loss,learning_rate,grad_norm,tokens_per_second,seconds'; then pass; else wrong 'the log has its header' "$(head -n 1 out/text.csv)"; fi
if [ "$(cut -d, -f1 out/text.csv | tr '\n' ' ')" = 'step 0 10 20 30 40 50 60 ' ]; then pass; else wrong 'the log has a row for each tenth step' "$(cat out/text.csv)"; fi
if [ "$(awk -F, 'NR > 1 && $4 != "" { print $1 }' out/text.csv | tr '\n' ' ')" = '0 20 40 60 ' ]; then pass; else wrong 'val_loss stands where it was evaluated' "$(cat out/text.csv)"; fi
if [ -z "$(find out -name '*.tmp' -o -name '.train*')" ]; then pass; else wrong 'nothing temporary is left' "$(ls -a out)"; fi
works 'a run may be quiet' "$program" text.txt $small --max-iters 5 --quiet --out-dir quiet
if [ ! -s err.txt ] && [ -s out.txt ]; then pass; else wrong 'quiet prints the sample alone' "$(cat err.txt)"; fi
works 'several texts are joined' "$program" text.txt text.txt $small --max-iters 1 --out-dir joined
says 'two texts have twice the characters' err.txt '6,000 characters'
cat text.txt | "$program" - $small --max-iters 1 --out-dir joined >/dev/null 2>err.txt
is_there 'standard input is a text' joined/stdin.safetensors
works 'no steps save the fresh model' "$program" text.txt $small --max-iters 0 --out-dir fresh
is_there 'the fresh model is there' fresh/text.safetensors
cp text.txt 'a text with spaces.txt'
works 'a path may have spaces' "$program" 'a text with spaces.txt' $small --max-iters 1
is_there 'and so its files' 'out/a text with spaces.safetensors'
works 'flags may be written as nanoGPT writes them' "$program" train text.txt --n_layer=1 --n_head=1 --n_embd=8 --block_size=8 --batch_size=2 --max_iters=1 --out_dir=nano
works 'a time budget sets the number of steps' "$program" text.txt $small --minutes 0.01 --out-dir timed
says 'and prints it' err.txt 'a step takes .* ms here: --max-iters [0-9]*'
steps=$(sed -n 's/.*here: --max-iters //p' err.txt)
works 'the same number of steps again' "$program" text.txt $small --max-iters "$steps" --out-dir counted
same 'is the same run' timed/text.safetensors counted/text.safetensors
works 'patience stops a run' "$program" text.txt $small --max-iters 2000 --eval-interval 1 --patience 3 --learning-rate 0.5 --min-lr 0.5 --warmup-iters 0 --out-dir patient
says 'and says so' err.txt 'no improvement in 3 evaluations'

# ---- exactness ----

works 'a run on 1 threads' "$program" text.txt $small --max-iters 30 --dropout 0.2 --threads 1 --out-dir threads1
if "$program" text.txt $small --max-iters 0 --threads 2 --out-dir threads2 2>&1 >/dev/null | grep -q 'a build without OpenMP has one'; then
    skip 'equal files on several threads: this build has one'
else
    for threads in 2 3; do
        works "a run on $threads threads" "$program" text.txt $small --max-iters 30 --dropout 0.2 --threads $threads --out-dir threads$threads
        same "equal model on $threads threads" threads1/text.safetensors threads$threads/text.safetensors
        same "equal state on $threads threads" threads1/text.state.safetensors threads$threads/text.state.safetensors
    done
fi
works 'another seed' "$program" text.txt $small --max-iters 30 --seed 7 --out-dir seed7
differ 'gives another model' threads1/text.safetensors seed7/text.safetensors

works 'an undisturbed run' "$program" text.txt $small --max-iters 600 --dropout 0.1 --out-dir whole
"$program" text.txt $small --max-iters 600 --dropout 0.1 --out-dir killed >/dev/null 2>&1 &
pid=$!
wait_for_step 120 killed/text.csv
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
status=$?
if [ $status -eq 137 ]; then pass; else wrong 'the run is killed before it ends' "status $status"; fi
works 'a killed run resumes' "$program" text.txt --resume killed/text.state.safetensors
same 'and ends with the same model' whole/text.safetensors killed/text.safetensors
same 'and the same state' whole/text.state.safetensors killed/text.state.safetensors
cut -d, -f1-6 whole/text.csv >whole.csv
cut -d, -f1-6 killed/text.csv >killed.csv
same 'and the same log but for the times' whole.csv killed.csv

for signal in INT:130 TERM:143; do
    rm -f stopped/text.csv  # which would be taken for the next run's
    # A shell lets what it starts in the background ignore SIGINT.
    env --default-signal=INT "$program" text.txt $small --max-iters 1000000 --out-dir stopped --force >/dev/null 2>err.txt &
    pid=$!
    wait_for_step 20 stopped/text.csv
    kill -"${signal%:*}" $pid
    wait $pid
    status=$?
    if [ $status -eq "${signal#*:}" ]; then pass; else wrong "SIG${signal%:*} ends a run with ${signal#*:}" "status $status: $(cat err.txt)"; fi
    says 'a stopped run prints the command that resumes it' err.txt '^to go on: .*train_gpt --resume stopped/text.state.safetensors text.txt$'
done
cp -r stopped older
older="older/text.state.safetensors: is of a run at step [0-9]* of 1000000; --resume older/text.state.safetensors goes on, --force begins anew, --name keeps both"
refuses 1 'a run that has not ended is not replaced' "$older" "$program" text.txt $small --max-iters 5 --out-dir older
for file in stopped/*; do same "and is whole: $file" "$file" older/"${file#*/}"; done
refuses 1 'nor by a run that begins elsewhere' "$older" "$program" text.txt --resume whole/text.state.safetensors --out-dir older
refuses 1 'a text that cannot be trained on spoils no older run' 'nowhere.txt: No such file' "$program" nowhere.txt $small --out-dir older --name text --force
refuses 1 'nor does a start with an unknown character' "'é' (U+00E9)" "$program" text.txt $small --out-dir older --force --start 'é'
for file in stopped/*; do same "it is whole: $file" "$file" older/"${file#*/}"; done
works 'unless by --force' "$program" text.txt $small --max-iters 5 --out-dir older --force
says 'which says so' err.txt '^replaces the run of [0-9]* steps in older/text.state.safetensors$'
if [ "$(tail -n 1 older/text.csv | cut -d, -f1)" = 5 ]; then pass; else wrong 'its log is the new one' "$(cat older/text.csv)"; fi
works 'a run that has ended is replaced' "$program" text.txt $small --max-iters 4 --out-dir older
says 'and that is said' err.txt '^replaces the run of 5 steps in older/text.state.safetensors$'
works 'a fresh model without steps' "$program" text.txt $small --max-iters 0 --out-dir older
works 'is replaced' "$program" text.txt $small --max-iters 3 --eval-interval 1 --patience 1 --learning-rate 1 --min-lr 1 --warmup-iters 0 --out-dir older
if grep -q '^replaces' err.txt; then wrong 'of which nothing needs to be said' "$(cat err.txt)"; else pass; fi
printf 'no state' >older/text.state.safetensors
works 'and so is a file that is no state' "$program" text.txt $small --max-iters 2 --out-dir older
size=$(wc -c <older/text.state.safetensors)
{ head -c $((size - 5)) older/text.state.safetensors; printf '\001'; tail -c 4 older/text.state.safetensors; } >damaged.bin
cp damaged.bin older/text.state.safetensors
refuses 1 'what may have been a state is not' 'older/text.state.safetensors: the checksum of the data is .*; the file is damaged; --force begins anew, --name keeps it' "$program" text.txt $small --max-iters 2 --out-dir older
works 'unless by --force, either' "$program" text.txt $small --max-iters 2 --out-dir older --force
works 'the stopped run resumes' "$program" text.txt --resume stopped/text.state.safetensors --max-iters 100
head -c 2900 text.txt >shorter.txt
refuses 1 'a state of another text is refused' 'was trained on another text' "$program" shorter.txt --resume whole/text.state.safetensors
refuses 1 'a text of other characters is refused' 'does not know the character .*; going on from it takes' "$program" "$data/tiny-zh.txt" --resume whole/text.state.safetensors
refuses 1 'resuming cannot change the model' 'was trained with --n-embd 16, which resuming cannot change to 32' "$program" text.txt --resume whole/text.state.safetensors --n-embd 32
refuses 1 'the best model belongs beside the state' 'other/text.safetensors: the best model of the run so far is not there' "$program" text.txt --resume whole/text.state.safetensors --out-dir other
works 'another run' "$program" text.txt $small --max-iters 20 --seed 5 --out-dir other --name b
cp other/b.safetensors b.bin
refuses 1 'and that model is of this run' 'other/b.safetensors: is not the best model of the run in whole/text.state.safetensors; copy that one here, or choose another --name or --out-dir' "$program" text.txt --resume whole/text.state.safetensors --out-dir other --name b
same 'the other one is whole' b.bin other/b.safetensors
works 'a larger one' "$program" text.txt $small --max-iters 20 --n-embd 32 --out-dir other --name b
refuses 1 'nor is one of another shape' 'other/b.safetensors: is not the best model' "$program" text.txt --resume whole/text.state.safetensors --out-dir other --name b
cp whole/text.safetensors other/c.safetensors
works 'a copy is' "$program" text.txt --resume whole/text.state.safetensors --out-dir other --name c --max-iters 601
for flag in out-dir resume init-from; do
    refuses 2 "an empty --$flag is a wrong command line" "--$flag needs a path, not ''" "$program" text.txt "--$flag" ''
done
works 'resuming may be given what the run was given' "$program" text.txt $small --max-iters 1100 --dropout 0.1 --resume stopped/text.state.safetensors
refuses 1 'a model to start from has its own shape' 'has --n-layer 2, not 3' "$program" text.txt --init-from whole/text.safetensors --n-layer 3
refuses 1 'and its own head' 'was trained without --untied' "$program" text.txt --init-from whole/text.safetensors --untied
refuses 1 'and its own tokenizer' 'has another --tokenizer' "$program" text.txt --init-from whole/text.safetensors --tokenizer byte
refuses 1 'a run does not overwrite its text' 'mine.csv: the run would overwrite it' sh -c "cp text.txt mine.csv && exec '$program' mine.csv --out-dir ."
same 'and the text is whole' text.txt mine.csv
# spares WHAT FILE ARGUMENTS...: a run that would write or remove an input is refused, and the input is as it was.
spares() {
    what=$1 input=$2
    shift 2
    cp "$input" before.bin
    refuses 1 "$what" 'the run would overwrite it; --name or --out-dir' "$program" "$@" $small --max-iters 1 --num-samples 0
    same "$what: it is whole" before.bin "$input"
}
cp text.txt book.lock
spares 'a text in the place of the lock' book.lock book.lock --out-dir .
for file in y.safetensors.tmp y.state.safetensors.tmp y.csv.tmp; do
    cp text.txt $file
    spares "a text that looks like a leftover: $file" $file $file --out-dir . --name y
done
mkdir inputs
cp whole/text.state.safetensors inputs/z.state.safetensors.tmp
what='a state that looks like a leftover'
refuses 1 "$what" 'the run would overwrite it' "$program" text.txt --resume inputs/z.state.safetensors.tmp --name z
same "$what: it is whole" whole/text.state.safetensors inputs/z.state.safetensors.tmp
cp whole/text.safetensors inputs/m.safetensors.tmp
what='a model that looks like a leftover'
refuses 1 "$what" 'the run would overwrite it' "$program" text.txt --init-from inputs/m.safetensors.tmp --out-dir inputs --name m
same "$what: it is whole" whole/text.safetensors inputs/m.safetensors.tmp
cp text.txt inputs/s.csv
spares 'the start of the sample' inputs/s.csv text.txt --out-dir inputs --name s --start FILE:inputs/s.csv
cp text.txt inputs/stdin.csv
what='a text on standard input'
refuses 1 "$what" 'standard input: the run would overwrite it' sh -c "exec '$program' - --out-dir inputs <inputs/stdin.csv"
same "$what: it is whole" text.txt inputs/stdin.csv
printf '[[package]]\n' >inputs/poetry.lock
refuses 1 'a lock of another program' "inputs/poetry.lock: is there and is no run's lock; --name or --out-dir" "$program" text.txt --out-dir inputs --name poetry
says 'it is whole' inputs/poetry.lock '^\[\[package\]\]$'
refuses 1 'nor the model that it starts from' 'text.safetensors: the run would overwrite it' "$program" text.txt --init-from whole/text.safetensors --out-dir whole
refuses 1 'the start of the sample is checked before training' "'é' (U+00E9)" "$program" text.txt $small --start 'é' --out-dir never
if [ ! -e never/text.csv ]; then pass; else wrong 'and nothing is trained' "$(cat never/text.csv)"; fi
refuses 1 'a learning rate far too high stops the run' 'is not finite; lower --learning-rate (10)' "$program" text.txt $small --learning-rate 10 --min-lr 10 --warmup-iters 0 --weight-decay 10 --max-iters 1000 --grad-clip 0
refuses 1 'an evaluation that finds it names the tensor, too' 'step [0-9]*: the [a-z ]*transformer[^ ]* is not finite; lower --learning-rate (10), going on from the last good state in evaluated/text.state.safetensors with --resume$' \
    "$program" text.txt $small --eval-interval 1 --learning-rate 10 --min-lr 10 --warmup-iters 0 --weight-decay 10 --max-iters 1000 --grad-clip 0 --out-dir evaluated
refuses 2 'the floor of the learning rate is no ceiling' 'min-lr 0.1 is above --learning-rate 0.01' "$program" text.txt --learning-rate 0.01 --min-lr 0.1
works 'a low learning rate lowers the floor' "$program" text.txt $small --learning-rate 1e-5 --max-iters 200 --out-dir low
if [ "$(tail -n 1 low/text.csv | cut -d, -f5)" = 1.000000e-06 ] || awk -F, 'NR > 2 && $5 > 1e-5 { exit 1 }' low/text.csv; then pass; else wrong 'and does not rise in the end' "$(cut -d, -f5 low/text.csv)"; fi
refuses 1 'a model is no state' '--init-from' "$program" text.txt --resume whole/text.safetensors
works 'a model is a start' "$program" text.txt --init-from whole/text.safetensors --max-iters 20 --learning-rate 1e-4 --out-dir tuned
first=$(sed -n 2p tuned/text.csv | cut -d, -f4)
least=$(awk -F, 'NR > 1 && $4 != "" && (l == "" || $4 < l) { l = $4 } END { print l }' whole/text.csv)
if [ "$first" = "$least" ]; then pass; else wrong 'and its loss is where it was' "$first after $least"; fi

# ---- sample, eval, info ----

model=whole/text.safetensors
works 'sampling works' "$program" sample $model --start 'The ' --max-new-tokens 30 --seed 3
cp out.txt first.txt
says 'the start is part of the text' first.txt '^The '
works 'sampling again' "$program" sample $model --start 'The ' --max-new-tokens 30 --seed 3
same 'equal seeds give equal texts' out.txt first.txt
works 'greedy sampling' "$program" sample $model --start 'The ' --temperature 0 --max-new-tokens 100
cp out.txt first.txt
works 'greedy sampling again' "$program" sample $model --start 'The ' --temperature 0 --max-new-tokens 100 --seed 99
same 'greedy text does not depend on the seed' out.txt first.txt
works 'top-k may be larger than the vocabulary' "$program" sample $model --top-k 1000000 --max-new-tokens 20
works 'top-k 1 is greedy' "$program" sample $model --start 'The ' --top-k 1 --max-new-tokens 100
same 'whatever the seed' out.txt first.txt
works 'several samples' "$program" sample $model --num-samples 3 --max-new-tokens 10 --top-p 0.9 --min-p 0.05
if [ "$(grep -cx -- ---------------- out.txt)" -eq 0 ] && [ "$(grep -cx -- --------------- out.txt)" -eq 2 ]; then pass; else wrong 'samples are apart' "$(cat out.txt)"; fi
cp out.txt first.txt
works 'more samples than are made side by side' "$program" sample $model --num-samples 18 --max-new-tokens 10 --top-p 0.9 --min-p 0.05
if [ "$(grep -cx -- --------------- out.txt)" -eq 17 ]; then pass; else wrong 'they are apart' "$(cat out.txt)"; fi
head -c "$(wc -c <first.txt)" out.txt >some.txt
same 'a sample does not depend on its neighbours' some.txt first.txt
works 'many samples, some of them in a second group' "$program" sample $model --num-samples 18 --max-new-tokens 60
if [ "$(awk 'BEGIN { RS = "---------------\n" } { print length, $0 }' out.txt | grep -c .)" -ge 18 ] &&
    [ "$(awk 'BEGIN { RS = "---------------\n" } { gsub("\n", " "); print }' out.txt | sort -u | wc -l)" -eq 18 ]
then pass; else wrong 'no two samples are equal' "$(cat out.txt)"; fi
printf 'The river' >start.txt
works 'a start may come from a file' "$program" sample $model --start FILE:start.txt --max-new-tokens 5
says 'the file starts the text' out.txt '^The river'
"$program" sample $model --start - --max-new-tokens 5 <start.txt >out.txt 2>err.txt
says 'a start may come from standard input' out.txt '^The river'
works 'a long start is cut' "$program" sample $model --start 'The river is long and the day is longer' --max-new-tokens 5
says 'and that is said' err.txt 'the model sees the last 16'
refuses 1 'an unknown character is shown' "'é' (U+00E9) at byte 3; --drop-unknown" "$program" sample $model --start 'café'
works 'unknown characters can be dropped' "$program" sample $model --start 'café' --drop-unknown --max-new-tokens 5
says 'and are counted' err.txt 'left out 1 characters'
works 'eval works' "$program" eval $model text.txt
says 'it prints loss, perplexity and bits' out.txt '^loss [0-9.]* nats per character, perplexity [0-9.]*, [0-9.]* bits per character, over 2999 targets'
works 'eval of the validation split' sh -c "tail -c 300 text.txt >val.txt; '$program' eval $model val.txt"
best=$(awk -F, 'NR > 1 && $4 != "" && (least == "" || $4 < least) { least = $4 } END { printf "%.4f", least }' whole/text.csv)
says 'equals the best validation loss of training' out.txt "^loss $best "
works 'info works' "$program" info $model
says 'it counts the parameters' out.txt '^parameters *[0-9]* in 28 tensors'
works 'info of a state works' "$program" info whole/text.state.safetensors
says 'it knows a state' out.txt 'a training state'
printf '12' >short.txt
refuses 1 'eval needs known characters' "does not know the character '2'\\|does not know the character '1'" "$program" eval $model short.txt
"$program" sample $model --max-new-tokens 100000 2>err.txt | head -c 10 >/dev/null
says 'a closed pipe is an error in one line' err.txt '^train_gpt: standard output: Broken pipe'
"$program" sample $model >&- 2>err.txt
says 'a closed standard output is an error in one line' err.txt '^train_gpt: standard output: '

# ---- the command line ----

works 'help works' "$program" --help
says 'help names all commands' out.txt 'train_gpt eval'
works 'version works' "$program" --version
says 'the version has numbers' out.txt '^train_gpt [0-9]*\.[0-9]'
works 'help of a command works' "$program" sample --help
if grep -q -- '--learning-rate' out.txt; then wrong 'help of sample is about sample' "$(cat out.txt)"; else pass; fi
refuses 2 'no text is a wrong command line' 'needs a text' "$program"
refuses 2 'a wrong flag is answered with the nearest' 'has no flag --n-layers; the nearest is --n-layer ' "$program" text.txt --n-layers 3
refuses 2 'a flag of another command is refused' "'eval' has no flag --top-k" "$program" eval $model text.txt --top-k 3
refuses 2 'a number out of range is refused' 'n-layer 0 is out of range: it must be from 1' "$program" text.txt --n-layer 0
refuses 2 'a word is no number' "--n-layer needs a whole number, not 'two'" "$program" text.txt --n-layer two
refuses 2 'a number too large for the machine is no number' 'n-layer' "$program" text.txt --n-layer 99999999999999999999
refuses 2 'NaN is no learning rate' 'learning-rate nan is out of range' "$program" text.txt --learning-rate nan
refuses 2 'a missing value is refused' '--seed needs a value' "$program" text.txt --seed
refuses 2 'a flag without value takes none' '--untied takes no value' "$program" text.txt --untied=yes
refuses 2 'channels must be a multiple of heads' 'n-embd 30 cannot be shared out to --n-head 4' "$program" text.txt --n-embd 30
refuses 2 'bytes have no vocabulary to cap' '--vocab-size is about characters' "$program" text.txt --tokenizer byte --vocab-size 9
refuses 2 'an unknown tokenizer is refused' '--tokenizer is char or byte' "$program" text.txt --tokenizer bpe
refuses 2 'a single dash is refused' "flags begin with --; '-x'" "$program" text.txt -x
refuses 2 'two models are refused' "takes one model; what is 'b'" "$program" info a b
refuses 1 'too large a model is refused' 'more than this machine' "$program" text.txt --n-layer 1000 --n-embd 65536 --n-head 1

refuses 1 'too small a stack is said' 'the stack is limited to 256 KB, and 1024 are needed: ulimit -s 8192$' sh -c "ulimit -s 256; exec '$program' text.txt"
works 'the least stack is enough' sh -c "ulimit -s 1024; exec '$program' text.txt --n-layer 2 --dropout 0.1 --batch-size 2 --max-iters 2 --max-new-tokens 70 --num-samples 2 --out-dir stack"

# ---- texts ----

: >empty.txt
refuses 1 'an empty text is refused' 'empty.txt: the text is empty' "$program" empty.txt $small
printf 'x' >one.txt
refuses 1 'one character is refused' 'one.txt: one character' "$program" one.txt $small
for n in 2 3 4 5 10 15 16 17 18 40; do
    head -c $n text.txt >n.txt
    works "a text of $n characters trains" "$program" n.txt $small --max-iters 3
done
head -c 5 text.txt >n.txt
works 'a text of five characters once more' "$program" n.txt $small --max-iters 1
says 'a short text keeps two characters to validate' err.txt '2 tokens validate'
head -c 3 text.txt >n.txt
works 'a text of three characters once more' "$program" n.txt $small --max-iters 1
says 'a shorter one validates on itself' err.txt 'validation is on the training text'
head -c 16 text.txt >n.txt
works 'exactly one context' "$program" n.txt $small --max-iters 3
says 'a context that does not fit shrinks' err.txt '--block-size shrinks to 13'
says 'and so does the batch' err.txt '--batch-size shrinks to 1'
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do cat "$data/tiny.txt" "$data/tiny.txt" "$data/tiny.txt" "$data/tiny.txt"; done >long.txt
works 'a text of five million characters trains' "$program" long.txt $small --max-iters 1 --eval-iters 1
says 'the n-grams of a long text are counted in part' err.txt '^to beat, .* of context), of the first 4,194,304 characters of each split$'
rm long.txt
printf 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' >same.txt
refuses 1 'a text of one character over and over is refused' 'same.txt: holds one character, over and over' "$program" same.txt $small
cp text.txt ./-dash.txt
works 'a text may be called -dash' "$program" $small --max-iters 2 -- -dash.txt
"$program" text.txt $small --max-iters 2 --out-dir noerr 2>&- >out.txt
status=$?
if [ $status -eq 0 ] && [ "$(wc -l <noerr/text.csv)" -eq 3 ]; then pass; else wrong 'a closed standard error spoils no file' "$status: $(cat noerr/text.csv)"; fi
"$program" text.txt $small --max-iters 2 --out-dir noout 2>err.txt >&-
says 'a closed standard output fails after all is saved' err.txt '^train_gpt: standard output: '
if [ "$(wc -l <noout/text.csv)" -eq 3 ]; then pass; else wrong 'and spoils no file' "$(cat noout/text.csv)"; fi
for case in 'lone:ab\200cd:2: 80 63 64' 'overlong:ab\300\257:2: c0 af' 'surrogate:ab\355\240\200:2: ed a0 80' 'tail:abc\344\270:3: e4 b8' 'large:\364\220\200\200:0: f4 90 80 80'; do
    name=${case%%:*} rest=${case#*:}
    printf "${rest%%:*}" >$name.txt
    refuses 1 "invalid UTF-8 is refused: $name" "$name.txt: not UTF-8 at byte ${rest#*:}; use --tokenizer byte" "$program" $name.txt $small
    works "and trains as bytes: $name" "$program" $name.txt $small --max-iters 2 --tokenizer byte --out-dir bytes
done
printf 'a\000b\000' >nul.txt
for i in 1 2 3 4 5; do cat text.txt; done >>nul.txt
works 'NUL is a character' "$program" nul.txt $small --max-iters 2
works 'and stays in the vocabulary' "$program" info out/nul.safetensors
says 'NUL is shown as an escape' out.txt '\\x00'
works 'a model with NUL evaluates a text with NUL' "$program" eval out/nul.safetensors nul.txt
{ printf '\357\273\277'; cat text.txt; } >bom.txt
works 'a byte-order mark is dropped' "$program" bom.txt $small --max-iters 2 --out-dir bom
says 'and reported' err.txt 'left out a byte-order mark'
says 'so that the characters are those of the text without it' err.txt '3,000 characters'
works 'eval of such a text' "$program" eval bom/bom.safetensors bom.txt
says 'reports it, too' err.txt 'left out a byte-order mark'
sed 's/$/\r/' text.txt >crlf.txt
works 'CRLF is kept' "$program" crlf.txt $small --max-iters 2
says 'and reported' err.txt 'lines end in CR LF; the CR is kept'
head -c 2000 "$program" | tr '\200-\377' '\000-\177' >binary.txt
refuses 1 'what looks binary is refused' 'binary.txt: looks like a binary file' "$program" binary.txt $small
works 'and trains as bytes' "$program" binary.txt $small --max-iters 2 --tokenizer byte
refuses 1 'a folder is no text' 'is a folder' "$program" "$folder" $small
refuses 1 'a missing text is named' 'nowhere.txt: No such file' "$program" nowhere.txt $small
refuses 1 'a missing model is named' 'nowhere.safetensors: No such file' "$program" sample nowhere.safetensors
refuses 1 'a folder is no model' 'is a folder' "$program" info "$folder"
mkfifo pipe
refuses 1 'a pipe is no model, and is not waited for' 'pipe: is a pipe, not a regular file' timeout 10 "$program" info pipe
refuses 1 'nor a state' 'pipe: is a pipe, not a regular file' timeout 10 "$program" text.txt --resume pipe
refuses 1 'nor a device' '/dev/zero: is a device, not a regular file' timeout 10 "$program" sample /dev/zero
refuses 1 'a text is no model' 'text.txt: not a safetensors file' "$program" info text.txt
if [ "$(id -u)" -ne 0 ]; then
    cp text.txt locked.txt
    chmod 0 locked.txt
    refuses 1 'an unreadable text is named' 'locked.txt: Permission denied' "$program" locked.txt $small
    mkdir closed && chmod 500 closed
    refuses 1 'a folder that cannot be written is found out first' 'closed: cannot write in this folder' "$program" text.txt $small --out-dir closed
elif command -v setpriv >/dev/null && chmod 755 "$folder" && cp text.txt locked.txt && chmod 0 locked.txt &&
    mkdir closed && chmod 755 closed; then
    # root may read and write everything: ask as somebody else
    for_all="$folder/program" && cp "$program" "$for_all" && chmod 755 "$for_all"
    nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
    mkdir open && chmod 777 open
    refuses 1 'an unreadable text is named' 'locked.txt: Permission denied' $nobody "$for_all" locked.txt $small --out-dir open
    refuses 1 'a folder that cannot be written is found out first' 'closed: cannot write in this folder' $nobody "$for_all" text.txt $small --out-dir closed
else skip 'unreadable files and folders: root can read everything, and there is no setpriv'; fi
: >file
refuses 1 'a file is no output folder' 'file' "$program" text.txt $small --out-dir file
works 'a folder in a missing folder is made with it' "$program" text.txt $small --max-iters 2 --out-dir a/b/
is_there 'and used' a/b/text.safetensors
refuses 1 'a folder in a file is not made' 'file/b: cannot make this folder: Not a directory' "$program" text.txt $small --out-dir file/b
refuses 2 'a name is no path' '--out-dir names the folder' "$program" text.txt $small --name a/b

part=$(printf '%0250d' 0)
long=$part/$part/$part/$part/$part
refuses 1 'of a path of more than a thousand bytes the reason remains' '0 \.\.\. [0/]*: No such file or directory$' "$program" "$long" $small --name long
refuses 1 'and of one that is too long for the system' '0 \.\.\. [0/]*: File *name too long$' "$program" info "$long/$long/$long/$long"
name=$(printf 'a\033[2Jb')
works 'a name may have control characters' "$program" text.txt $small --max-iters 1 --name "$name"
says 'which reach no terminal' err.txt 'out/a?\[2Jb\.safetensors'
cp text.txt "$name.txt"
"$program" "$name.txt" $small --max-iters 1000000 --out-dir names >out.txt 2>err.txt &
pid=$!
wait_for_step 20 "names/$name.csv"
kill -TERM $pid
wait $pid
says 'nor those of a text when the run is stopped' err.txt "^to go on: .* --resume \\$'names/a.033\[2Jb.state.safetensors' \\$'a.033\[2Jb.txt'$"
if grep -q "$(printf '\033')" err.txt; then wrong 'no escape sequence is written' "$(cat -v err.txt)"; else pass; fi

# ---- altered models ----

size=$(wc -c <$model)
for cut in 0 7 8 100 $((size / 2)) $((size - 1)); do
    head -c "$cut" $model >cut.safetensors
    refuses 1 "a model cut to $cut bytes is refused" 'cut.safetensors: ' "$program" sample cut.safetensors
done
{ head -c $((size - 5)) $model; printf '\001'; tail -c 4 $model; } >altered.safetensors
refuses 1 'an altered model is refused' 'altered.safetensors: the checksum of the data is' "$program" sample altered.safetensors
{ cat $model; printf 'x'; } >longer.safetensors
refuses 1 'a longer model is refused' 'longer.safetensors: holds' "$program" sample longer.safetensors
sed 's/"n_embd":"16"/"n_embd":"17"/' $model >shape.safetensors
refuses 1 'a model with altered settings is refused' 'shape.safetensors: the checksum of the metadata is' "$program" sample shape.safetensors

# ---- other vocabularies ----

works 'Chinese trains' "$program" "$data/tiny-zh.txt" $small --max-iters 30 --max-new-tokens 60
if iconv -f UTF-8 -t UTF-8 <out.txt >/dev/null 2>&1; then pass; else wrong 'the sample is valid UTF-8' "$(cat out.txt)"; fi
works 'a capped vocabulary trains' "$program" "$data/tiny-zh.txt" $small --max-iters 5 --vocab-size 100 --name capped
says 'it has as many characters as asked for' err.txt ' 100 distinct kept'
works 'a capped model reads any character' "$program" sample out/capped.safetensors --start 'zebra 中' --max-new-tokens 5
works 'Chinese trains as bytes' "$program" "$data/tiny-zh.txt" $small --max-iters 5 --tokenizer byte --name zh-bytes
works 'a byte model writes whole characters' "$program" sample out/zh-bytes.safetensors --max-new-tokens 300 --temperature 2
if iconv -f UTF-8 -t UTF-8 <out.txt >/dev/null 2>&1; then pass; else wrong 'bytes come out as valid UTF-8' ''; fi
works 'no bias, untied' "$program" text.txt $small --max-iters 5 --no-bias --untied --name bare
works 'samples, too' "$program" sample out/bare.safetensors --max-new-tokens 20

# ---- in a terminal ----

# in_terminal DESCRIPTION COLUMNS ARGUMENT...: a run whose standard error is a terminal so wide. live.txt gets what was
# written to be written over, lines.txt what stays; that the one never disturbs the other is checked.
in_terminal() {
    description=$1 columns=$2
    shift 2
    works "$description" python3 "$terminal" "$columns" live.txt lines.txt "$program" "$@"
}
without_times() { sed 's/ *[0-9,]* tokens.*//' "$1"; }
empty() { if [ -s "$2" ]; then wrong "$1" "$(head -c 600 "$2")"; else pass; fi; }

if command -v python3 >/dev/null; then
    # As many steps as take a second or so, however the program was built.
    "$program" text.txt $small --minutes 0.03 --out-dir timed >/dev/null 2>err.txt
    steps=$(sed -n 's/.*here: --max-iters //p' err.txt)
    steps=$((steps / 8 * 8 + 8))
    if [ $steps -gt 4000 ]; then steps=4000; fi  # five digits would not fit beside the rest
    long="text.txt $small --max-iters $steps --eval-interval $((steps / 8)) --log-interval $((steps / 4))"
    "$program" $long 2>/dev/null >/dev/null
    "$program" $long 2>plain.txt >/dev/null  # which replaces a run, as all that follow do
    without_times plain.txt >expected.txt
    stays() { without_times lines.txt >found.txt; same "$1: the lines that stay are whole" found.txt expected.txt; }
    for columns in 20 40 80 200; do
        LC_ALL=C.UTF-8 in_terminal "a terminal of $columns columns has room for the live line" $columns $long
        stays "$columns columns"
        cp live.txt live.$columns
    done
    says '20 columns show step and loss' live.20 '^ *[0-9]*/'$steps'  [0-9.]*$'
    says '40 columns show the time left, too' live.40 '^step  *[0-9]*/'$steps'  train [0-9.]*  0:[0-9]* left$'
    says '80 columns show a curve and the validation loss' live.80 '^step  *[0-9]*/'$steps'  train [0-9.]* [^ a-z][^ a-z]*  val [0-9.]*  0:[0-9]* left$'
    says '200 columns show all' live.200 '^step  *[0-9]*/'$steps'  train [0-9.]* [^ a-z][^ a-z]*  val [0-9.]* [^ a-z][^ a-z]*  [0-9,]* characters/s  0:[0-9]* left$'
    LC_ALL=C.UTF-8 in_terminal 'a terminal that becomes narrow gets a narrow line' 200,20 $long
    LC_ALL=C in_terminal 'a terminal without UTF-8 gets a live line, too' 120 $long --tokenizer byte
    says 'where the speed is in bytes' live.txt 'train [0-9.]*  val [0-9.]*  [0-9,]* bytes/s  0:[0-9]* left$'
    if LC_ALL=C grep -q '[^ -~]' live.txt; then wrong 'without UTF-8 there are no blocks' "$(cat live.txt)"; else pass; fi
    TERM=dumb in_terminal 'a dumb terminal gets plain lines' 80 $long
    empty 'and no live one' live.txt
    stays 'TERM=dumb'
    in_terminal 'a quiet run may have a terminal' 80 $long --quiet
    empty 'where it writes nothing over' live.txt
    empty 'and nothing that stays' lines.txt
    works 'reading may take long' sh -c "{ cat text.txt; until [ -e slow/stdin.lock ]; do sleep 0.05; done; sleep 0.8; } | python3 '$terminal' 80 live.txt lines.txt '$program' - $small --max-iters 1 --out-dir slow"
    says 'which a terminal is told' live.txt '^reading standard input 0 MB$'
else skip 'the live line: there is no python3'; fi

# ---- real texts ----

if [ -f "$shared/data/tinyshakespeare.txt" ]; then
    works 'tinyshakespeare starts' "$program" "$shared/data/tinyshakespeare.txt" $small --max-iters 1
    says 'its n-gram line is as known' err.txt 'uniform 4.1744  unigram 3.3473  bigram 2.4858  best n-gram 1.6688 (4 of context)'
else skip 'tinyshakespeare: ../shared/data is not here'; fi

report
