#!/bin/sh
# Is each backward pass really tested? This breaks one term after another in a copy of the sources, builds the test of
# that file for float64, and expects it to fail. A mutant that survives is a hole in the tests.
#   make mutants                    all of them
#   tests/mutants.sh attention      those of one file
# tests/README.md says how to try one by hand.
only=$1
compiler=${CC:-cc}
copy=$(mktemp -d "${TMPDIR:-/tmp}/train_gpt.XXXXXX") || exit 1
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/tests" && ln -s "$PWD/tests/golden" "$copy/tests/golden"
passed=0 failed=0

# Everything is built once; then only the broken file and its test are compiled anew.
flags='-std=gnu11 -O1 -w -DREAL=double -ffp-contract=off'
cp -r model data "$copy/" && cp tests/*.h "$copy/tests/"
for source in model/*.c data/*.c; do
    $compiler $flags -c "$source" -o "$copy/${source%.c}.o" || exit 1
done

# noticed: the built test ends by itself and names a test that failed; a crash or an endless loop does not count.
noticed() { ! (cd "$copy" && timeout 60 ./test >log 2>&1) && grep -q '^FAILED: ' "$copy/log"; }

# The tests must pass on the sources as they are, or nothing would follow from their failing.
for test in linear layernorm gelu dropout embedding loss attention gpt adamw trainer; do
    $compiler $flags "tests/test_$test.c" "$copy"/model/*.o "$copy"/data/*.o -lm -o "$copy/test" &&
        (cd "$copy" && ./test >log 2>&1) || { echo "test_$test fails on the sources as they are"; exit 1; }
done

# mutant FILE TEST WHAT SED: `WHAT` is wrong in model/FILE.c after SED; tests/test_TEST.c must notice.
mutant() {
    [ -z "$only" ] || [ "$only" = "$1" ] || return
    broken=$copy/model/$1.c
    sed "$4" "model/$1.c" >"$broken"
    problem=
    if cmp -s "$broken" "model/$1.c"; then problem="the pattern no longer matches: $4"
    elif ! $compiler $flags "$broken" "tests/test_$2.c" $(ls "$copy"/model/*.o "$copy"/data/*.o | grep -v "/model/$1.o") -lm \
        -o "$copy/test" 2>"$copy/log"; then problem="does not compile: $(head -n 1 "$copy/log")"
    elif ! noticed; then problem='no test noticed'
    fi
    cp "model/$1.c" "$broken"
    if [ -n "$problem" ]; then
        failed=$((failed + 1))
        echo "FAILED: $1: $3: $problem"
    else
        passed=$((passed + 1))
        printf '%-11s %-46s %s\n' "$1" "$3" "$(sed -n 's/^FAILED: /noticed by /p' "$copy/log" | head -n 1)"
    fi
}

mutant linear linear 'dinp is set, not added to' 's/matmul(dinp\(.*\)MATMUL_ADD/matmul(dinp\1MATMUL_SET/'
mutant linear linear 'dweight is set, not added to' 's/matmul(dweight\(.*\)MATMUL_ADD/matmul(dweight\1MATMUL_SET/'
mutant linear linear 'dbias lacks the last row' 's/n < N; n++)$/n < N - 1; n++)/'
mutant layernorm layernorm 'dinp lacks avg(g)' 's/real_fma(dy\[c\], weight\[c\], -avg_g)/dy[c] * weight[c]/'
mutant layernorm layernorm 'dinp lacks xhat avg(g xhat)' 's/ - xhat \* avg_g_xhat)/)/'
mutant layernorm layernorm 'dinp lacks rstd' 's/dx\[c\] += r \* /dx[c] += /'
mutant layernorm layernorm 'dweight lacks the mean' 's/real_fma((x\[c\] - m) \* r, dy/real_fma(x[c] * r, dy/'
mutant layernorm layernorm 'dbias is halved' 's/dbias\[c\] += dy\[c\]/dbias[c] += dy[c] \/ 2/'
mutant gelu gelu 'the slope of the cubic term is 2 x, not 3 x^2' 's/3 \* CUBIC \* x, x, 1/2 * CUBIC, x, 1/'
mutant gelu gelu 'the logistic function counts as constant' 's/real_fma(x \* s \* (1 - s), slope, s)/s/'
mutant gelu gelu 'dinp is set, not added to' 's/slope, s), dinp\[i\])/slope, s), 0)/'
mutant dropout dropout 'the gradient passes the mask by' 's/real_fma(dout\[i\], dropout_factor(d, (uint64_t)i), dinp/real_fma(dout[i], 1, dinp/'
mutant embedding embedding 'tokens get no gradient' 's/token\[c\] += d\[c\]/token[c] += 0/'
mutant embedding embedding 'positions get a half' 's/position\[c\] += d\[c\]/position[c] += d[c] \/ 2/'
mutant loss loss 'the target is not subtracted' 's/x\[targets\[n\]\] -= dloss/x[targets[n]] -= 0/'
mutant loss loss 'probabilities are not normalised' 's|scale = dloss / sum|scale = dloss|'
mutant attention attention 'dq lacks its scale' 's/(dp\[j\] - delta\[i\]) \* scale/(dp[j] - delta[i])/'
mutant attention attention 'ds lacks delta' 's/(dp\[j\] - delta\[i\])/dp[j]/'
mutant attention attention 'dk gets nothing' 's/matmul(dk + j0/if (0) matmul(dk + j0/'
mutant attention attention 'dk lacks the tiles off the diagonal' 's/matmul(dk + j0/if (i0 == j0) matmul(dk + j0/'
mutant attention attention 'dq is set by each tile' 's/matmul(dq\(.*\)MATMUL_ADD/matmul(dq\1MATMUL_SET/'
mutant attention attention 'dv lacks dropout' 's/if (h->drop) drop_weights(p + i/if (0) drop_weights(p + i/'
mutant attention attention 'dp lacks dropout' 's/if (h->drop) drop_weights(dp + i/if (0) drop_weights(dp + i/'
mutant attention attention 'the sum is not scaled down to a larger maximum' 's/real_fma(sum\[i\], shrink, /real_fma(sum[i], 1, /'
mutant attention attention 'a query sees the next key' 's/h->past + i - j0 + 1/h->past + i - j0 + 2/'
mutant gpt gpt 'dropout of the attention branch is forgotten' 's/residual_backward(a->branch, dresid, &drop_proj/residual_backward(a->branch, dresid, \&(Dropout){0}/'
mutant gpt gpt 'dropout of the embedding is forgotten' 's/residual_backward(a->branch, dresid, &drop, N/residual_backward(a->branch, dresid, \&(Dropout){0}, N/'
mutant gpt gpt 'the final norm forgets the residual stream' 's/linear_backward(dbranch, dw->head/linear_backward(dresid, dw->head/'
mutant gpt gpt 'a scratch gradient is not cleared' 's/memset(dwide, 0, 3 \* narrow)/(void)0/'
mutant gpt gpt 'masks do not follow the micro-batch' 's/(uint64_t)(d->first \* per_sequence)/0/'
mutant gpt gpt 'the head gets no gradient' 's/linear_backward(dbranch, dw->head/linear_backward(dbranch, (real[9999]){0}/'
mutant adamw trainer 'm is not corrected for its start' 's|s->learning_rate / correct1|s->learning_rate|'
mutant adamw trainer 'biases decay, too' 's/tensor->dims == 2 ?/1 ?/'
mutant adamw trainer 'gradients are not clipped' 's/clip > 0 \&\& factor < 1/0/'
mutant trainer trainer 'all micro-batches have the masks of the first' 's/\.first = b}/.first = 0}/'
mutant trainer trainer 'all micro-batches are the first' 's/tokens + b \* T/tokens/'
mutant trainer trainer 'the mean is over the micro-batch' 's/(real)(1 \/ targets_in_batch)/(real)(1.0 \/ (double)(most * T))/'
mutant trainer trainer 'gradients of the step before stay' 's/    memset(t->dw.memory/    if (0) memset(t->dw.memory/'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
