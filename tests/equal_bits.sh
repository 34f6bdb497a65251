#!/bin/bash
# Do differently built programs write equal files?  tests/equal_bits.sh PROGRAM PROGRAM...
# And does a program built for a newer processor say so on an older one (asked of the first, with qemu-user)?
# With SHORT=1 the run is so short that an emulated or an unoptimised program ends it in seconds; no older processor.
folder=$(mktemp -d "${TMPDIR:-/tmp}/train_gpt.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 first=$1 n=0
text=data/tiny.txt
settings='--n-layer 2 --n-embd 48 --block-size 40 --dropout 0.1 --max-iters 100 --eval-interval 50'
if [ -n "$SHORT" ]; then
    text="$folder/short.txt"
    head -c 2000 data/tiny.txt >"$text"
    # Sizes that are no multiples of a register, so that every row has an end that is treated apart.
    settings='--n-layer 1 --n-head 2 --n-embd 22 --block-size 19 --batch-size 3 --dropout 0.1 --max-iters 12 --eval-interval 6'
fi
for program; do
    n=$((n + 1))
    "$program" "$text" $settings --name run --num-samples 0 --quiet --out-dir "$folder/$n" || { failed=$((failed + 1)) && continue; }
    if cmp "$folder/1/run.safetensors" "$folder/$n/run.safetensors" && cmp "$folder/1/run.state.safetensors" "$folder/$n/run.state.safetensors"
    then passed=$((passed + 1)) && echo "equal: $program"
    else failed=$((failed + 1)) && echo "FAILED: $program writes other files than $first"; fi
done
if [ -n "$SHORT" ]; then :
elif ! command -v qemu-x86_64 >/dev/null; then
    echo 'skipped: an older processor: there is no qemu-x86_64 (package qemu-user)'
elif ! grep -qw avx /proc/cpuinfo 2>/dev/null; then
    echo 'skipped: an older processor: this one is old itself'
else
    said=$(qemu-x86_64 -cpu Nehalem "$first" --version 2>&1)
    status=$?
    case $status:$said in
    "1:train_gpt: this program was built for a processor with "*) passed=$((passed + 1)) && echo "$said" ;;
    *) failed=$((failed + 1)) && echo "FAILED: on an older processor: status $status: $said" ;;
    esac
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
