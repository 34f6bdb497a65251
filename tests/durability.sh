#!/bin/bash
# Nothing is lost: runs are killed, stopped, hung up, crowded out and run out of space, and go on to the same bytes. Ends
# with "N passed, N failed, N skipped". (bash, since kill times are random.)
#   tests/durability.sh         (PROGRAM=./other tests/durability.sh for another binary, KILLS=1000 for more kills)
. "$(dirname "$0")/outside.sh"
KILLS=${KILLS:-200}
head -c 3000 "$data/tiny.txt" >text.txt

# good_files FOLDER: what is there under its final name is complete.
good_files() {
    for file in "$1"/*.safetensors; do
        [ -e "$file" ] || continue
        "$program" info "$file" >out.txt 2>err.txt && continue
        wrong "$file is whole" "$(cat err.txt)"
        return
    done
    pass
}

# equal_runs WHAT FOLDER FOLDER: model, state, and the log but for the times.
equal_runs() {
    same "$1: the same model" "$2/text.safetensors" "$3/text.safetensors"
    same "$1: the same state" "$2/text.state.safetensors" "$3/text.state.safetensors"
    cut -d, -f1-6 "$2/text.csv" >one.csv
    cut -d, -f1-6 "$3/text.csv" >two.csv
    same "$1: the same log" one.csv two.csv
}

# waits_for STEP FOLDER: until the run $pid has logged that step, or ended.
waits_for() { wait_for_step "$1" "$2/text.csv"; }

# ends STATUS WHAT: the run $pid ends with that status.
ends() {
    wait $pid
    status=$?
    if [ $status -eq "$1" ]; then pass; else wrong "$2" "status $status instead of $1: $(tail -n 2 err.txt)"; fi
}

# waits_for_a_save FOLDER: until the run $pid writes a file there, or has ended.
waits_for_a_save() {
    until [ -e "$1/text.state.safetensors.tmp" ] || [ -e "$1/text.safetensors.tmp" ] || [ -e "$1/text.csv.tmp" ]; do
        kill -0 $pid 2>/dev/null || return
    done
}

# ---- killed at random moments, every second time in the middle of a save: each step is evaluated and saved ----

saving="$small --eval-interval 1 --log-interval 1 --eval-iters 4 --dropout 0.1 --num-samples 0 --max-iters 500"
works 'an undisturbed run' "$program" text.txt $saving --out-dir whole
kills=0 half_written=0 resumed=0 ended=0
RANDOM=1
while :; do
    if [ -e killed/text.state.safetensors ]; then
        "$program" text.txt --resume killed/text.state.safetensors >/dev/null 2>err.txt &
        resumed=$((resumed + 1))
    else
        "$program" text.txt $saving --out-dir killed >/dev/null 2>err.txt &
    fi
    pid=$!
    if [ $kills -lt "$KILLS" ]; then
        sleep 0.$(printf %03d $((60 + RANDOM % 100)))
        [ $((kills % 2)) -eq 0 ] || waits_for_a_save killed
        kill -9 $pid 2>/dev/null
    fi
    wait $pid
    status=$?
    grep -q '^removed killed/text.*\.tmp, which a run that was killed has left$' err.txt && half_written=$((half_written + 1))
    case $status in
    137) kills=$((kills + 1)) ;;
    0)
        ended=$((ended + 1))
        equal_runs "killed $kills times" whole killed
        if [ "$(ls killed)" = "$(ls whole)" ]; then pass; else wrong 'nothing is left lying about' "$(ls killed)"; fi
        [ $kills -ge "$KILLS" ] && break
        rm -rf killed
        ;;
    *)
        wrong "kill $kills: a killed run can be resumed" "status $status: $(cat err.txt)"
        break
        ;;
    esac
done 2>/dev/null
if [ $resumed -ge $((KILLS / 2)) ]; then pass; else wrong 'most killed runs had got as far as saving' "$resumed of $kills"; fi
if [ $half_written -gt 0 ]; then pass; else wrong 'some kills come in the middle of a save' "none of $kills"; fi
echo "killed $kills times, $half_written of them in the middle of a save; $ended runs ended"

# ---- signals ----

quick="$small --dropout 0.1 --num-samples 0 --max-iters 400"
works 'an undisturbed shorter run' "$program" text.txt $quick --out-dir calm
endless="$small --num-samples 0 --max-iters 1000000"

"$program" text.txt $endless --out-dir hup >/dev/null 2>err.txt &
pid=$!
waits_for 20 hup
kill -HUP $pid
kill -HUP $pid  # as a closing terminal does
ends 129 'SIGHUP ends a run with 129'
says 'after saving' err.txt '^to go on: .*--resume hup/text.state.safetensors text.txt$'
good_files hup

# A step of seconds: when a terminal closes, a second SIGHUP may come late, and is no second thought.
"$program" text.txt $endless --gradient-accumulation-steps 5000 --out-dir late >/dev/null 2>err.txt &
pid=$!
waits_for 0 late
sleep 0.2
kill -HUP $pid
sleep 0.3
kill -HUP $pid 2>/dev/null
ends 129 'a late second SIGHUP does not stop a run at once'
says 'it saves first' err.txt '^to go on: .*--resume late/text.state.safetensors text.txt$'

(trap '' HUP; exec "$program" text.txt $quick --out-dir nohup >/dev/null 2>err.txt) &
pid=$!
waits_for 20 nohup
kill -HUP $pid
ends 0 'with nohup a run ignores it'
equal_runs 'hung up with nohup' calm nohup

"$program" text.txt $endless --out-dir twice >/dev/null 2>err.txt &
pid=$!
waits_for 20 twice
kill -TERM $pid
kill -TERM $pid  # as timeout(1) does
ends 143 'two signals at once are one wish'
says 'and all is saved' err.txt '^to go on: '

# A step of minutes, which only a second signal interrupts.
env --default-signal=INT "$program" text.txt $endless --gradient-accumulation-steps 65536 --out-dir slow >/dev/null 2>err.txt &
pid=$!
waits_for 0 slow
sleep 0.2
kill -INT $pid
sleep 0.5
before=$(date +%s)
kill -INT $pid
ends 130 'a second signal ends a run'
if [ $(($(date +%s) - before)) -le 5 ]; then pass; else wrong 'at once' "it took $(($(date +%s) - before)) s"; fi
good_files slow

"$program" text.txt $quick --out-dir paused >/dev/null 2>err.txt &
pid=$!
waits_for 20 paused
kill -TSTP $pid
# It may be waiting for the disk, which nothing interrupts.
for _ in $(seq 200); do case $(ps -o stat= -p $pid) in T*) break ;; esac; sleep 0.05; done
rows=$(wc -l <paused/text.csv)
sleep 0.5
if [ "$(wc -l <paused/text.csv)" -eq "$rows" ]; then pass; else wrong 'SIGTSTP pauses a run' "it went on"; fi
kill -CONT $pid
ends 0 'SIGCONT lets it go on'
equal_runs 'paused' calm paused

if command -v script >/dev/null; then
    script -qfc "'$program' text.txt $endless --out-dir terminal" /dev/null >/dev/null 2>&1 </dev/null &
    pid=$!
    waits_for 20 terminal
    kill -9 $pid  # the terminal is gone
    wait $pid 2>/dev/null
    for _ in $(seq 100); do [ -e terminal/text.lock ] && sleep 0.05; done
    if [ ! -e terminal/text.lock ]; then pass; else wrong 'a run whose terminal is closed ends' "$(cat terminal/text.lock)"; fi
    good_files terminal
    step=$(tail -n 1 terminal/text.csv | cut -d, -f1)
    works 'and can go on' "$program" text.txt --resume terminal/text.state.safetensors --max-iters $((step + 1)) --num-samples 0
else skip 'a closed terminal: there is no script(1)'; fi

"$program" text.txt $quick --out-dir piped 2>&1 >/dev/null | head -n 1 >/dev/null
equal_runs 'a reader of the messages that goes away' calm piped

# ---- two runs with the same name ----

"$program" text.txt $endless --out-dir shared >/dev/null 2>first.txt &
pid=$!
waits_for 20 shared
refuses 1 'a second run of the same name is refused' "shared/text.lock: another run (process $pid) is writing these files; --name or --out-dir" "$program" text.txt $quick --out-dir shared
works 'another name is welcome' "$program" text.txt $quick --out-dir shared --name other
if kill -0 $pid 2>/dev/null; then pass; else wrong 'the first run goes on' "$(cat first.txt)"; fi
kill -9 $pid
wait $pid 2>/dev/null
refuses 1 'a crash leaves no lock behind, but a run that can go on' 'shared/text.state.safetensors: is of a run at step' "$program" text.txt $quick --out-dir shared
works 'by force another begins' "$program" text.txt $quick --out-dir shared --force
equal_runs 'after the crash of another run' calm shared
if [ ! -e shared/text.lock ]; then pass; else wrong 'a run takes its lock away' "$(ls shared)"; fi

# ---- no space ----

# unchanged WHAT FOLDER: its files are those that were copied to kept/.
unchanged() {
    for file in kept/*; do same "$1: ${file#kept/} is as it was" "$file" "$2/${file#kept/}"; done
}

works 'a run with files to lose' "$program" text.txt $quick --max-iters 100 --out-dir limited
mkdir kept && cp limited/*.safetensors kept
size=$(wc -c <limited/text.safetensors)
what='a limit of file sizes stops a run'
(ulimit -f $((size / 1024 + 1)); run 1 "$program" text.txt --resume limited/text.state.safetensors --max-iters 200) && pass
says 'with a line that names the file' err.txt '^train_gpt: limited/text.state.safetensors: cannot write: File too large$'
same 'the last good state is as it was' kept/text.state.safetensors limited/text.state.safetensors
good_files limited
works 'without the limit it goes on' "$program" text.txt --resume limited/text.state.safetensors --max-iters 400
equal_runs 'after a limit of file sizes' calm limited

mkdir disk
if mount -t tmpfs -o size=2600k tmpfs disk 2>/dev/null; then
    at_exit() { umount "$folder/disk"; rm -rf "$folder"; }
    refuses 1 'too small a disk is noticed before training' "disk/.*: the run's files need [0-9]* MB there, and [0-9]* are free; --out-dir" "$program" text.txt $small --n-embd 64 --out-dir disk/large
    rm -rf disk/*
    # Where the learning rate ends must not depend on when the disk is full.
    crowded="$quick --eval-interval 10 --lr-decay-iters 5000"
    "$program" text.txt $crowded --out-dir disk/out --max-iters 1000000 >/dev/null 2>err.txt &
    pid=$!
    waits_for 20 disk/out
    dd if=/dev/zero of=disk/filler bs=1k 2>/dev/null
    ends 1 'a disk that fills up stops a run'
    says 'with a line that says why' err.txt '^train_gpt: disk/out/text.*: cannot write: No space left on device$'
    good_files disk/out
    if [ -z "$(find disk/out -name '*.tmp')" ]; then pass; else wrong 'nothing half written is left' "$(ls disk/out)"; fi
    rm disk/filler
    last=$(tail -n 1 disk/out/text.csv | cut -d, -f1)
    works 'with space it goes on' "$program" text.txt --resume disk/out/text.state.safetensors --max-iters $((last + 100))
    works 'and on a disk with space' "$program" text.txt $crowded --out-dir spacious --max-iters $((last + 100))
    equal_runs 'after a full disk' spacious disk/out
    cp disk/out/*.safetensors kept
    mount -o remount,ro disk
    refuses 1 'a read-only disk is noticed first' 'disk/out: cannot write in this folder: Read-only file system' "$program" text.txt --resume disk/out/text.state.safetensors --max-iters 500
    unchanged 'on a read-only disk' disk/out
    works 'a model on a read-only disk can be read' "$program" sample disk/out/text.safetensors --max-new-tokens 5
else skip 'a full and a read-only disk: this user cannot mount one'; fi

# ---- numbers that go wrong ----

wild='--learning-rate 10 --min-lr 10 --warmup-iters 0 --grad-clip 0 --weight-decay 10'
works 'a run that goes well so far' "$program" text.txt $quick --max-iters 100 --out-dir wild
cp wild/*.safetensors kept
refuses 1 'a learning rate far too high stops it' 'step [0-9]*: the [a-z]*\( of\)\? transformer[^ ]* is not finite; lower --learning-rate (10), going on from the last good state in wild/text.state.safetensors with --resume$' \
    "$program" text.txt --resume wild/text.state.safetensors --max-iters 2000 --eval-interval 100000 $wild
unchanged 'after it' wild
works 'a lower rate goes on' "$program" text.txt --resume wild/text.state.safetensors --max-iters 400
same 'to what it would have been' calm/text.state.safetensors wild/text.state.safetensors

# Step 1 is good, step 2 leaves a model whose outputs are infinite, which only step 3 would find: a run that is stopped
# in step 2 must not save that. Long steps, so that the signal comes in time.
one='--n-layer 1 --n-head 1 --n-embd 8 --block-size 8 --batch-size 2 --num-samples 0 --log-interval 1'
"$program" text.txt $one $wild --gradient-accumulation-steps 10000 --eval-interval 100000 --eval-iters 1 --max-iters 1000 \
    --out-dir unseen >/dev/null 2>err.txt &
pid=$!
waits_for 0 unseen
rm -rf kept && mkdir kept && cp unseen/*.safetensors kept
waits_for 1 unseen
kill -TERM $pid
ends 1 'a state that nothing can go on from is not saved when a run is stopped'
says 'and that is said' err.txt '^train_gpt: step 2: the [a-z ]*transformer[^ ]* is not finite; lower --learning-rate (10), going on from the last good state in unseen/text.state.safetensors with --resume$'
unchanged 'a stop after a bad step' unseen
works 'and a lower rate goes on' "$program" text.txt --resume unseen/text.state.safetensors --max-iters 2 --gradient-accumulation-steps 1 --learning-rate 1e-3

report
