#!/bin/sh
# Runs test programs, shows what each says of its failures, and adds up their last lines "N passed, N failed".
#   tests/run.sh PROGRAM...
#   UNDER='qemu-s390x' tests/run.sh PROGRAM...      each of them under an emulator or a checker
# The tests' work is tiny, and threads that spin for each other starve on a busy machine: let them sleep soon.
export GOMP_SPINCOUNT="${GOMP_SPINCOUNT:-1000}"
passed=0 failed=0 skipped=0
for program; do
    output=$($UNDER "$program" 2>&1)
    status=$?
    last=$(printf '%s\n' "$output" | grep ' passed, ' | tail -n 1)  # a checker may say something after it
    case $last in
    *' passed, '*' failed'*)
        p=${last%% passed*}
        f=${last#*, } f=${f%% failed*}
        s=0
        case $last in *' skipped') s=${last##*failed, } s=${s%% skipped} ;; esac
        ;;
    *) p=0 f=1 s=0 ;;
    esac
    [ "$status" -ne 0 ] && [ "$f" -eq 0 ] && f=1
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    if [ "$f" -ne 0 ]; then
        printf '%s: exit status %s\n%s\n' "$program" "$status" "$output"
    else
        printf '%-44s %s\n' "$program" "$last"
        printf '%s\n' "$output" | grep '^skipped' || true
    fi
done
[ "$skipped" -gt 0 ] && echo "$skipped tests were skipped, for the reasons above"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
