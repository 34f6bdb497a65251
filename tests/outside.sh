# outside.sh -- for scripts that test the program from outside: sourced, it makes a folder to work in, which goes away at
# the end. PROGRAM is the binary, ./train_gpt unless it is set.
program=${PROGRAM:-$PWD/train_gpt}
data=$PWD/data tests=$PWD/tests
shared=$PWD/../shared
terminal=$PWD/tests/terminal.py
folder=$(mktemp -d "${TMPDIR:-/tmp}/train_gpt.XXXXXX") || exit 1
at_exit() { chmod -R u+w "$folder" 2>/dev/null; rm -rf "$folder"; }
trap at_exit EXIT
cd "$folder" || exit 1
passed=0 failed=0 skipped=0

pass() { passed=$((passed + 1)); }
wrong() { failed=$((failed + 1)); echo "FAILED: $1"; [ -z "$2" ] || printf '%s\n' "$2" | sed 's/^/    /'; }
skip() { skipped=$((skipped + 1)); echo "skipped: $1"; }

# A model so small that a hundred steps take a moment.
small='--n-layer 2 --n-head 2 --n-embd 16 --block-size 16 --batch-size 4 --eval-interval 20 --log-interval 10 --max-new-tokens 40'

# run STATUS COMMAND...: standard output in out.txt, standard error in err.txt; complains when the status is another.
run() {
    expected=$1
    shift
    "$@" >out.txt 2>err.txt </dev/null
    status=$?
    [ "$status" -eq "$expected" ] && return 0
    wrong "$what" "exit status $status instead of $expected: $* : $(tail -n 2 err.txt)"
    return 1
}

# works DESCRIPTION COMMAND...: exit status 0.
works() { what=$1; shift; run 0 "$@" && pass; }

# refuses STATUS DESCRIPTION PATTERN COMMAND...: that status and exactly one line on standard error, which begins with
# "train_gpt: " and matches the pattern.
refuses() {
    expected_status=$1 what=$2 pattern=$3
    shift 3
    run "$expected_status" "$@" || return
    # A run may have said something about its text before; the complaint is the last line and the only one of its kind.
    if [ "$(grep -c '^train_gpt: ' err.txt)" -ne 1 ] || ! tail -n 1 err.txt | grep -q "^train_gpt: .*$pattern"; then
        wrong "$what" "expected one line 'train_gpt: ...$pattern...', got: $(cat err.txt)"
    else pass; fi
}

# says DESCRIPTION FILE PATTERN: the file has a line that matches.
says() { if grep -q -- "$3" "$2"; then pass; else wrong "$1" "no '$3' in: $(head -c 600 "$2")"; fi; }
same() { if cmp -s "$2" "$3"; then pass; else wrong "$1" "$2 and $3 differ"; fi; }
differ() { if cmp -s "$2" "$3"; then wrong "$1" "$2 and $3 are equal"; else pass; fi; }
is_there() { if [ -s "$2" ]; then pass; else wrong "$1" "$2 is missing or empty"; fi; }

# wait_for_step STEP CSV: until the run $pid has logged that step, or ended.
wait_for_step() {
    while kill -0 $pid 2>/dev/null; do
        logged=$(tail -n 1 "$2" 2>/dev/null | cut -d, -f1)
        case $logged in '' | *[!0-9]*) ;; *) [ "$logged" -ge "$1" ] && return ;; esac
        sleep 0.02
    done
}

# The last line of a script.
report() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}
