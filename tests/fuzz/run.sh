#!/bin/bash
# Runs fuzz targets one after the other, each for some seconds, and adds up their executions.
#   tests/fuzz/run.sh SECONDS TARGET...
# Starts from seeds/TARGET and from what earlier runs found worth keeping (corpus/TARGET beside the program). Stops at the first
# finding: the input is kept beside the target as finding-TARGET-*, and `TARGET FILE` shows it again.
seconds=$1
shift
[ "$seconds" -ge 1 ] || { echo "SECONDS must be at least 1"; exit 1; }  # libFuzzer takes 0 for no end
seeds=$(dirname "$0")/seeds words=$(dirname "$0")/words.dict
# In memory where possible: the targets write millions of files.
[ -w /dev/shm ] && base=/dev/shm || base=${TMPDIR:-/tmp}
TMPDIR=$(mktemp -d "$base/train_gpt.XXXXXX") || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
total=0
for target; do
    name=${target##*/}
    kept=$(dirname "$target")/corpus/$name
    mkdir -p "$kept"
    if ! "$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2000 -max_len=8192 -dict="$words" \
        -print_final_stats=1 -artifact_prefix="$(dirname "$target")/finding-$name-" "$kept" "$seeds/$name" >"$TMPDIR/log" 2>&1; then
        cat "$TMPDIR/log"
        echo "$name: a finding"
        exit 1
    fi
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$TMPDIR/log")
    covered=$(grep -o 'cov: [0-9]*' "$TMPDIR/log" | tail -n 1)
    printf '%-14s %12d executions, %s edges\n' "$name" "$executions" "${covered#cov: }"
    total=$((total + executions))
done
echo "$total executions, no finding"
