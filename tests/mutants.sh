#!/bin/sh
# Is each backward pass really tested, and what is written for other programs? This breaks one term after another in a copy
# of the sources, builds the test of that file for float64, and expects it to fail. A mutant that survives is a hole in the
# tests.
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
cp -r model data tokenizer export "$copy/" && cp tests/*.h "$copy/tests/"
for source in model/*.c data/*.c tokenizer/*.c export/*.c; do
    $compiler $flags -c "$source" -o "$copy/${source%.c}.o" || exit 1
done

# noticed: the built test ends by itself and names a test that failed; a crash or an endless loop does not count.
noticed() { ! (cd "$copy" && timeout 60 ./test >log 2>&1) && grep -q '^FAILED: ' "$copy/log"; }

# The tests must pass on the sources as they are, or nothing would follow from their failing.
for test in linear layernorm gelu dropout embedding loss attention gpt adamw trainer gguf hf hf_import; do
    $compiler $flags "tests/test_$test.c" "$copy"/*/*.o -lm -o "$copy/test" &&
        (cd "$copy" && ./test >log 2>&1) || { echo "test_$test fails on the sources as they are"; exit 1; }
done

# mutant FILE TEST WHAT SED: `WHAT` is wrong in FILE.c of model/ or export/ after SED; tests/test_TEST.c must notice.
mutant() {
    [ -z "$only" ] || [ "$only" = "$1" ] || return
    [ -f "model/$1.c" ] && source=model/$1 || source=export/$1
    broken=$copy/$source.c
    sed "$4" "$source.c" >"$broken"
    problem=
    if cmp -s "$broken" "$source.c"; then problem="the pattern no longer matches: $4"
    elif ! $compiler $flags "$broken" "tests/test_$2.c" $(ls "$copy"/*/*.o | grep -v "/$source.o") -lm \
        -o "$copy/test" 2>"$copy/log"; then problem="does not compile: $(head -n 1 "$copy/log")"
    elif ! noticed; then problem='no test noticed'
    fi
    cp "$source.c" "$broken"
    if [ -n "$problem" ]; then
        failed=$((failed + 1))
        echo "FAILED: $1: $3: $problem"
    else
        passed=$((passed + 1))
        printf '%-11s %-46s %s\n' "$1" "$3" "$(sed -n 's/^FAILED: /noticed by /p' "$copy/log" | head -n 1)"
    fi
}

mutant linear linear 'dinp takes the weight transposed' 's/(Matrix){weight, C, 1}/(Matrix){weight, 1, C}/'
mutant linear linear 'dweight is set, not added to' 's/NULL, store, o/NULL, STORE_SET, o/'
mutant linear linear 'dbias is not cleared where it is set' 's/dbias\[i\] = 0/(void)0/'
mutant linear linear 'dbias lacks the last row' 's/n < N; n++)$/n < N - 1; n++)/'
mutant layernorm layernorm 'dinp lacks avg(g)' 's/real_fma(dy\[c\], weight\[c\], -avg_g)/dy[c] * weight[c]/'
mutant layernorm layernorm 'dinp lacks xhat avg(g xhat)' 's/ - (x\[c\] - m) \* r \* avg_g_xhat)/)/'
mutant layernorm layernorm 'dinp lacks rstd' 's/real d = r \* /real d = /'
mutant layernorm layernorm 'the residual stream is forgotten' 's/dresid ? dresid\[c\] + d : d/d/'
mutant layernorm layernorm 'dweight lacks the mean' 's/real_fma((x\[c\] - m) \* r, dy/real_fma(x[c] * r, dy/'
mutant layernorm layernorm 'dbias is halved' 's/dbias\[c\] += dy\[c\]/dbias[c] += dy[c] \/ 2/'
mutant layernorm layernorm 'only the first group of rows counts' 's/first < N; first += ROW_GROUP, sums/first < 1; first += ROW_GROUP, sums/'
mutant gelu gelu 'the slope of the cubic term is 2 x, not 3 x^2' 's/real_fma(3, x2, 1)/real_fma(2, x2, 1)/'
mutant gelu gelu 'the logistic function counts as constant' 's/slope\[i\] = real_fma.*/slope[i] = s;/'
mutant dropout dropout 'the gradient passes the mask by' 's/    dropout_forward(dinp, dout, d, N, C);/    for (long i = 0; i < N * C; i++) dinp[i] = dout[i];/'
mutant embedding embedding 'tokens get no gradient' 's/token\[c\] += d\[c\]/token[c] += 0/'
mutant embedding embedding 'positions get a half' 's/position\[c\] += d\[c\]/position[c] += d[c] \/ 2/'
mutant loss loss 'the target is not subtracted' 's/x\[targets\[n\]\] -= dloss/x[targets[n]] -= 0/'
mutant loss loss 'probabilities are not normalised' 's|scale = dloss / sum|scale = dloss|'
mutant attention attention 'ds lacks its scale' 's/(d\[i + l\] - delta\[i + l\]) \* scale/(d[i + l] - delta[i + l])/'
mutant attention attention 'ds lacks delta' 's/(d\[i + l\] - delta\[i + l\])/d[i + l]/'
mutant attention attention 'dk gets nothing from the diagonal' 's/sum_over_queries(dk, row, first_of_keys, dp/sum_over_queries(dk, row, first_of_keys, t.i0 == t.j0 ? p : dp/'
mutant attention attention 'dk lacks the tiles off the diagonal' 's/sum_over_queries(dk/if (t.i0 == t.j0) sum_over_queries(dk/'
mutant attention attention 'dq is set by each tile' 's/sum_over_keys(dq, row, t.j0 == 0 ? STORE_SET : STORE_ADD/sum_over_keys(dq, row, STORE_SET/'
mutant attention attention 'dv lacks dropout' 's/drop_weights(s, h, t, j)/(void)0/'
mutant attention attention 'dp lacks dropout' 's/drop_weights(d, h, t, j)/(void)0/'
mutant attention attention 'the sum is not scaled down to a larger maximum' 's/real_fma(o->sum\[i + l\], shrink\[i + l\], /real_fma(o->sum[i + l], 1, /'
mutant attention attention 'the output is not scaled down to a larger maximum' 's/out_row + c\] \*= shrink\[i\]/out_row + c] *= 1/'
mutant attention attention 'a query sees the next key' 's/t->j0 + j - h->past - t->i0/t->j0 + j - h->past - t->i0 - 1/'
mutant attention attention 'a strip of queries lacks its last key' 's/seen = keys_seen(h, t, i + rows - 1)/seen = keys_seen(h, t, i + rows - 1) - (rows > 1)/'
mutant gpt gpt 'dropout of the attention branch is forgotten' 's/residual_backward(a->datt, a->dresid_mid, &drop_proj/residual_backward(a->datt, a->dresid_mid, \&(Dropout){0}/'
mutant gpt gpt 'dropout of the embedding is forgotten' 's/residual_backward(a->dmlp, a->dresid\[0\], \&drop, N/residual_backward(a->dmlp, a->dresid[0], \&(Dropout){0}, N/'
mutant gpt gpt 'the MLP forgets the residual stream' 's/a->sums2, leaving, a->dnarrow/a->sums2, NULL, a->dnarrow/'
mutant gpt gpt 'masks do not follow the micro-batch' 's/(uint64_t)(d->first \* per_sequence)/0/'
mutant gpt gpt 'the head gets no gradient' 's/linear_backward_weight(dhead/linear_backward_weight((real[9999]){0}/'
mutant gpt gpt 'positions keep the gradient of the step before' 's/dw->wpe\[i\] = 0/(void)0/'
mutant adamw trainer 'm is not corrected for its start' 's|s->learning_rate / correct1|s->learning_rate|'
mutant adamw trainer 'biases decay, too' 's/tensor->dims == 2 ?/1 ?/'
mutant adamw trainer 'gradients are not clipped' 's/clip > 0 \&\& factor < 1/0/'
mutant trainer trainer 'all micro-batches have the masks of the first' 's/\.first = first}/.first = 0}/'
mutant trainer trainer 'all micro-batches are the first' 's/tokens + first \* T/tokens/'
mutant trainer trainer 'the mean is over the micro-batch' 's/(real)(1 \/ targets_in_batch)/(real)(1.0 \/ (double)((end - first) * T))/'
mutant trainer trainer 'each micro-batch sets the gradients' 's/i == 0 ? STORE_SET : STORE_ADD/STORE_SET/'
mutant gguf gguf 'merges stand there twice' 's/if (memcmp(bytes, before, (size_t)k + 1) == 0) continue;//'
mutant gguf gguf 'the bias is shifted past zero' 's/S < 0 ? -LEAST : LEAST/LEAST/'
mutant gguf gguf 'the head has 16 bits, too' 's/C, c->V + 1, TYPE_F32, "output/C, c->V + 1, matrix, "output/'
mutant hf_export hf 'the square matrix is not turned' 's/".attn.c_attn.weight", ".attn.c_proj.weight"/".attn.c_attn.weight", ".attn.c_attn.weight"/'
mutant hf_export hf 'a model without biases does not say so' 's/!w->config.bias) good/false) good/'
mutant hf_import hf_import 'rows are moved the wrong way' 's/matrix_rows + i \* C, copy + v->theirs\[i\] \* C/matrix_rows + v->theirs[i] * C, copy + i * C/'
mutant hf_tensors hf_import 'all matrices are turned' 's|qkv->shape\[1\] % 3 == 0|true|; s|qkv->shape\[1\] / 3 == qkv->shape\[0\]|true|'
mutant hf_import hf_import 'the rows of the head stay where they are' 's/ \&\& (c.tied || reorder_rows(w->head, &v, c.C, err))//'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
