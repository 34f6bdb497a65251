#!/bin/sh
# Do differently built programs write equal files?  tests/equal_bits.sh PROGRAM PROGRAM...
# And does a program built for a newer processor say so on an older one (asked of the first, with qemu-user)?
folder=$(mktemp -d "${TMPDIR:-/tmp}/train_gpt.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 first=$1 n=0
for program; do
    n=$((n + 1))
    "$program" data/tiny.txt --n-layer 2 --n-embd 48 --block-size 40 --dropout 0.1 --max-iters 100 --eval-interval 50 \
        --num-samples 0 --quiet --out-dir "$folder/$n" || { failed=$((failed + 1)) && continue; }
    if cmp "$folder/1/tiny.safetensors" "$folder/$n/tiny.safetensors" && cmp "$folder/1/tiny.state.safetensors" "$folder/$n/tiny.state.safetensors"
    then passed=$((passed + 1)) && echo "equal: $program"
    else failed=$((failed + 1)) && echo "FAILED: $program writes other files than $first"; fi
done
if ! command -v qemu-x86_64 >/dev/null; then
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
