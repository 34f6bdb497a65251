#!/bin/bash
# Is it the same program on every platform?  tests/platforms.sh   (or: make platforms)
# Each platform is a build of its own under build/, without a warning. A compiler that is missing is named, and its part
# skipped; with NEED_ALL=1 it counts as a failure.
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS  # the builds here have their own compilers and flags, whatever make was told
folder=$(mktemp -d "${TMPDIR:-/tmp}/train_gpt.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 skipped=0

pass() { passed=$((passed + 1)); }
wrong() { failed=$((failed + 1)); echo "FAILED: $1"; [ -z "$2" ] || printf '%s\n' "$2" | sed 's/^/    /'; }
skip() {
    if [ -n "$NEED_ALL" ]; then wrong "$1"; else skipped=$((skipped + 1)) && echo "skipped: $1"; fi
}

# tests COMMAND...: something that ends with "N passed, N failed", which is added to our own count instead of shown.
tests() {
    "$@" | tee "$folder/log" | sed '$d'
    last=$(tail -n 1 "$folder/log")
    case $last in
    *' passed, '*' failed'*) ;;
    *) wrong "$*: no report" && return ;;
    esac
    passed=$((passed + ${last%% passed*})) last=${last#*, } failed=$((failed + ${last%% failed*}))
}

has() {
    for tool; do
        command -v "$tool" >/dev/null || { skip "$platform: there is no $tool" && return 1; }
    done
}

# build TARGETS SETTING...: into build/$platform
build() {
    targets=$1
    shift
    make -s -j"$(nproc)" "$@" EXTRA=-Werror BUILD="build/$platform" $targets && return
    wrong "$platform: does not build"
    return 1
}

# units NAME...: the float tests of these
units() { for name; do echo "build/$platform/float/tests/test_$name"; done; }

# ---- this machine ----

programs=./train_gpt slow=./train_gpt
make -s -j"$(nproc)" EXTRA=-Werror train_gpt || exit 1
ours() { build "build/$platform/train_gpt" "$@" && programs="$programs build/$platform/train_gpt"; }
platform=one && ours OPENMP=0
platform=x86-64-v3 && [ "$(uname -m)" = x86_64 ] && ours ARCH=x86-64-v3
platform=tiny-product && build build/tiny-product/train_gpt_tiny && programs="$programs build/tiny-product/train_gpt_tiny"
platform=gcc-O0 && build "build/$platform/train_gpt" CFLAGS='-O0 -g' && slow="$slow build/$platform/train_gpt"
platform=clang
if has clang; then
    ours CC=clang
    platform=clang-O0 && build "build/$platform/train_gpt" CC=clang CFLAGS='-O0 -g' && slow="$slow build/$platform/train_gpt"
fi

# ---- another C library ----

platform=musl
if has musl-gcc && ours CC=musl-gcc OPENMP=0; then
    all=$(cd tests && ls test_*.c | sed 's/^test_//; s/\.c$//')
    build "$(units $all)" CC=musl-gcc OPENMP=0 && PROGRAM=$PWD/build/musl/train_gpt tests tests/run.sh $(units $all)
fi

# ---- another processor, emulated ----

# What reads and writes files, and what knows about bits and lanes of a number.
foreign='adamw attention attention_weights checkpoint crc32 csv file ids json layernorm loss random safetensors sampler symbol text tokenizer utf8 vector weights'
emulated=
for platform in aarch64 s390x; do
    compiler=$platform-linux-gnu-gcc emulator=qemu-$platform
    has $compiler $emulator || continue
    build "build/$platform/train_gpt $(units $foreign)" CC=$compiler OPENMP=0 ARCH= CFLAGS='-O3 -g -static' || continue
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' $emulator "$PWD/build/$platform/train_gpt" >"build/$platform/emulated"
    chmod +x "build/$platform/emulated"
    slow="$slow build/$platform/emulated" emulated="$emulated $platform"
    UNDER=$emulator tests tests/run.sh $(units $foreign)
done

# ---- equal bytes ----

tests tests/equal_bits.sh $programs
SHORT=1 tests tests/equal_bits.sh $slow

# ---- files cross over ----

head -c 2000 data/tiny.txt >"$folder/text.txt"
small='--n-layer 1 --n-head 2 --n-embd 22 --block-size 19 --batch-size 3 --num-samples 0 --quiet --eval-interval 3'
for platform in $emulated; do
    there=build/$platform/emulated
    for way in "./train_gpt $there" "$there ./train_gpt"; do
        writer=${way% *} reader=${way#* }
        rm -rf "$folder/out" "$folder/whole"
        "$writer" "$folder/text.txt" $small --max-iters 3 --out-dir "$folder/out" || wrong "$writer trains"
        said=$("$writer" eval "$folder/out/text.safetensors" "$folder/text.txt")
        read=$("$reader" eval "$folder/out/text.safetensors" "$folder/text.txt")
        if [ "${said#loss }" != "$said" ] && [ "$read" = "$said" ]; then pass; else wrong "$reader evaluates a model of $writer" "$said / $read"; fi
        "$reader" "$folder/text.txt" --resume "$folder/out/text.state.safetensors" --max-iters 6 --num-samples 0 --quiet
        "$writer" "$folder/text.txt" $small --max-iters 3 --out-dir "$folder/whole"
        "$writer" "$folder/text.txt" --resume "$folder/whole/text.state.safetensors" --max-iters 6 --num-samples 0 --quiet
        if cmp "$folder/out/text.state.safetensors" "$folder/whole/text.state.safetensors"; then pass; else wrong "$reader goes on where $writer stopped"; fi
        for program in "$writer" "$reader"; do
            "$program" export "$folder/out/text.safetensors" --format hf --out "$folder/$program-hf" --quiet --force
            "$program" export "$folder/out/text.safetensors" --format gguf --dtype f16 --out "$folder/$program.gguf" --quiet --force
        done
        if diff -r "$folder/$writer-hf" "$folder/$reader-hf" && cmp "$folder/$writer.gguf" "$folder/$reader.gguf"; then pass; else wrong "$writer and $reader export the same"; fi
        "$reader" import "$folder/$writer-hf" --out "$folder/back.safetensors" --quiet --force
        read=$("$reader" eval "$folder/back.safetensors" "$folder/text.txt")
        if [ "$read" = "$("$writer" eval "$folder/out/text.safetensors" "$folder/text.txt")" ]; then pass; else wrong "$reader imports what $writer has exported" "$read"; fi
    done
done

# ---- without fused multiply-add ----

platform=x86-64
run='--n-layer 2 --n-embd 48 --block-size 40 --dropout 0.1 --max-iters 100 --log-interval 10 --eval-interval 50 --num-samples 0 --quiet'
if [ "$(uname -m)" = x86_64 ] && build build/x86-64/train_gpt ARCH=x86-64; then
    ./train_gpt data/tiny.txt $run --out-dir "$folder/fused"
    build/x86-64/train_gpt data/tiny.txt $run --out-dir "$folder/twice"
    # Losses of each logged step within a ten-thousandth. Equal files would mean that one was compared with itself.
    far=$(paste -d, "$folder/fused/tiny.csv" "$folder/twice/tiny.csv" | awk -F, '
        function near(a, b) { return a == "" && b == "" || a - b < 1e-4 && b - a < 1e-4 }
        NR > 1 { rows++ } NR > 1 && !(near($3, $11) && near($4, $12)) { print } END { if (rows != 11) print rows " rows" }')
    if [ -z "$far" ]; then pass; else wrong 'rounding twice changes the losses by more than rounding' "$far"; fi
    if cmp -s "$folder/fused/tiny.safetensors" "$folder/twice/tiny.safetensors"; then wrong 'x86-64 has no fused multiply-add'; else pass; fi
fi

# ---- what OMP_NUM_THREADS asks for ----

processors=$(nproc)
for program in ./train_gpt build/clang/train_gpt; do
    case " $programs " in *" $program "*) ;; *) continue ;; esac
    for asked in '' 1 1000; do
        most=$processors
        [ "$asked" = 1 ] && most=1
        if [ -n "$asked" ]; then export OMP_NUM_THREADS=$asked; else unset OMP_NUM_THREADS; fi
        "$program" data/tiny.txt ${run% --quiet} --max-iters 10 --out-dir "$folder/threads$asked" 2>"$folder/err.txt"
        used=$(sed -n 's/.* of memory; \([0-9]*\) threads$/\1/p' "$folder/err.txt")
        if [ "${used:-0}" -ge 1 ] && [ "$used" -le "$most" ]; then pass; else wrong "OMP_NUM_THREADS='$asked' uses '$used' threads, not up to $most" "$(cat "$folder/err.txt")"; fi
        for file in tiny.safetensors tiny.state.safetensors; do
            if cmp "$folder/threads/$file" "$folder/threads$asked/$file"; then pass; else wrong "OMP_NUM_THREADS='$asked' gives another $file"; fi
        done
    done
done

[ "$skipped" -eq 0 ] || echo "$skipped platforms were skipped, for the reasons above"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
