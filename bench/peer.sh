#!/bin/sh
# The same models trained here and in PyTorch, in turn, and the ratio: make bench-peer CORPUS=TEXT
#   bench/peer.sh BENCH TEXT      BENCH is the built benchmark
# PyTorch is Debian's python3-torch, with OpenBLAS beneath it and the settings that it is fastest with: as many threads
# as processors, which sleep while they wait, and code for AVX-512 where there is some.
bench=$1 text=$2
python=/usr/bin/python3
rounds=3

give_up() { echo "bench-peer: $2" >&2; exit "$1"; }

[ -n "$text" ] || give_up 2 'which text? make bench-peer CORPUS=book.txt'
[ -r "$text" ] || give_up 1 "$text: cannot read it"
[ -x $python ] || give_up 1 "there is no $python: apt-get install python3-torch libopenblas0-openmp"

in_pytorch() (
    OMP_NUM_THREADS=$(nproc)
    export OMP_NUM_THREADS OMP_WAIT_POLICY=PASSIVE
    if grep -qsw avx512f /proc/cpuinfo; then export OPENBLAS_CORETYPE=SkylakeX; fi
    exec $python bench/peer.py "$@"
)
in_pytorch --check || exit 1

# "tokens/s: median M best B" -> M; the same of several lines -> the median of their M.
median_of() { sed -n 's/^tokens\/s: median \([0-9]*\) .*/\1/p' | sort -n | awk '{ m[NR] = $1 } END { print m[int((NR + 1) / 2)] }'; }

# compare NAME ROW ARGUMENTS...: row ROW of the benchmark against peer.py with ARGUMENTS.
compare() {
    name=$1 row=$2
    shift 2
    ours='' theirs=''
    for _ in $(seq $rounds); do
        ours="$ours$("$bench" --steps "$row" --corpus "$text")
" || exit 1
        theirs="$theirs$(in_pytorch "$@")
" || exit 1
    done
    ours=$(printf %s "$ours" | median_of) theirs=$(printf %s "$theirs" | median_of)
    awk -v name="$name" -v a="$ours" -v b="$theirs" 'BEGIN { printf "%-62s %9d %9d %6.2f\n", name, a, b, a / b }'
}

# The batch at which PyTorch is fastest with the second model; 64 sequences take it 5 GB.
best_batch() {
    available=$(awk '/^MemAvailable/ { print int($2 / 1e6) }' /proc/meminfo)
    for batch in 4 8 16 32 $([ "$available" -ge 8 ] && echo 64); do
        speed=$(in_pytorch 6 6 384 256 "$batch" "$text" --least 2 --seconds 2 | median_of) || exit 1
        echo "  PyTorch, 6 layers, 384 wide, T 256, B $batch: $speed tokens/s" >&2
        echo "$speed $batch"
    done | sort -n | awk 'END { print $2 }'
}

echo "training, tokens/s: the median of $rounds rounds, in turn, each the median of its steps"
printf '%-62s %9s %9s %6s\n' '' train_gpt PyTorch ratio
compare '4 layers, 128 wide, T 64, B 12' 1 4 4 128 64 12 "$text"
batch=$(best_batch)
compare "6 layers, 384 wide, T 256, B 64 (PyTorch: B $batch, its best)" 2 6 6 384 256 "$batch" "$text"
compare '12 layers, 768 wide, T 64, B 4, V 50257, random tokens' 4 12 12 768 64 4 --vocabulary 50257
