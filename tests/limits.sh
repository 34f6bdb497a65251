#!/bin/bash
# Does it hold at the limits?  tests/limits.sh   (or: make limits; PROGRAM=./other for another binary)
# A text beyond 4 GiB, a vocabulary beyond 16 bits, a sample of a million characters. A part that this machine has too little
# disk or memory for is skipped, and says so. Takes two minutes, most of it for writing and reading the long text.
. "$(dirname "$0")/outside.sh"

# measures ARGUMENTS...: standard output in out.txt, standard error in err.txt; sets `peak`, the most memory it had, in bytes.
measures() {
    /usr/bin/time -q -f %M -o peak.txt "$program" "$@" >out.txt 2>err.txt </dev/null
    status=$?
    peak=$(($(tail -n 1 peak.txt) * 1024))
    if [ $status -eq 0 ]; then pass; else wrong "$1 ..." "exit status $status: $(tail -n 2 err.txt)"; fi
}

[ -x /usr/bin/time ] || { echo 'FAILED: this needs /usr/bin/time (package time)'; exit 1; }

# A model so small that the rest is what counts.
small='--n-layer 1 --n-head 1 --n-embd 8 --block-size 8 --batch-size 2'

# ---- a text of more than 4 GiB ----

# A text of 4 MB, about a thousand times as it is and then a hundred times in another alphabet: the last tenth, which
# validates, begins beyond character 2^32 and has other letters.
for i in 1 2 3 4 5 6 7 8; do cat "$data/tiny.txt" "$data/tiny.txt" "$data/tiny.txt" "$data/tiny.txt" "$data/tiny.txt"; done >plain.txt
tr 'a-z' 'n-za-m' <plain.txt >turned.txt
block=$(wc -c <plain.txt)
plain=$((4340000000 / block)) turned=$((480000000 / block))
n=$(((plain + turned) * block))
free_disk=$(($(df -Pk . | awk 'NR == 2 { print $4 }') * 1024))
free_memory=$(($(awk '/^MemAvailable/ { print $2 }' /proc/meminfo) * 1024))
if [ "$free_disk" -lt $((n + 1000000000)) ]; then
    skip "a text of more than 4 GiB: it takes $n bytes of disk, and $free_disk are free in $folder"
elif [ "$free_memory" -lt $((n + 2000000000)) ]; then
    skip "a text of more than 4 GiB: it takes $n bytes of memory and some, and $free_memory are free"
else
    { for ((i = 0; i < plain; i++)); do echo plain.txt; done; for ((i = 0; i < turned; i++)); do echo turned.txt; done; } | xargs cat >long.txt
    measures long.txt $small --max-iters 2 --eval-iters 1 --num-samples 0
    commas=$(echo $n | sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\(,\|$\)/\1,\2\3/; ta')
    says 'all characters are counted' err.txt "^text: $commas characters, "
    says 'both steps are made' err.txt '^step 2/2 '
    # What was counted in the long part fits other letters badly: there are 3.15 nats in those of the long part itself.
    unigram=$(sed -n 's/^to beat.*unigram \([0-9.]*\) .*/\1/p' err.txt)
    if awk "BEGIN { exit !(${unigram:-0} > 3.3) }"; then pass; else wrong 'what is beyond character 2^32 validates' "unigram $unigram"; fi
    echo "a text of $n characters: $peak bytes of memory"
    # A byte a character; what counting n-grams takes besides is the same for any text this long.
    if [ "$peak" -lt $((n + 300000000)) ]; then pass; else wrong 'memory is near a byte a character' "$peak bytes"; fi
    measures long.txt --resume out/long.state.safetensors --max-iters 3 --num-samples 0
    says 'the run goes on' err.txt '^step 3/3 '
    rm long.txt
fi
rm plain.txt turned.txt

# ---- a vocabulary beyond 65,535 ----

# Every code point from the space to U+11FFF, and some from U+20000 on, without the surrogates, which are no characters;
# twice, so that the validation split has known ones.
perl -e 'no warnings; binmode STDOUT, ":utf8";
    for (1, 2) { print chr for grep { $_ < 0xd800 || $_ > 0xdfff } 32 .. 0x11fff, 0x20000 .. 0x207ff; print "\n" }' >wide.txt
distinct=$((0x12000 - 32 - 0x800 + 0x800 + 1))  # the last is the new line
measures wide.txt $small --max-iters 2 --num-samples 0
says 'all are distinct' err.txt "characters, $distinct distinct"
says 'both steps are made' err.txt '^step 2/2 '
val=$(awk -F, 'NR == 2 { printf "%.4f", $4 }' out/wide.csv)
measures info out/wide.safetensors
says 'info counts them' out.txt "^vocabulary  *$distinct characters"
measures sample out/wide.safetensors --max-new-tokens 200 --seed 3
letters=$(iconv -f UTF-8 -t UTF-32LE <out.txt | od -An -v -tu4 -w4 | awk '$1 > 65535 { beyond++ } END { print NR, beyond + 0 }')
# Of 200 letters at random one in eight lies beyond the basic plane; the last of the 201 ends the line.
case $letters in
'201 '[1-9]*) pass ;;
*) wrong 'a sample has valid letters, some of them beyond 16 bits' "letters, beyond: $letters" ;;
esac
# A start is turned into ids, and these into the text that is written.
start=$(printf '\360\240\200\200\360\221\200\205 \360\240\237\277')  # U+20000, U+11005, a space, U+207FF
measures sample out/wide.safetensors --start "$start" --max-new-tokens 1
says 'ids beyond 16 bits are those of their letters' out.txt "^$start"
# The last tenth is what validated during training.
perl -e 'no warnings; binmode STDIN, ":utf8"; binmode STDOUT, ":utf8"; local $/; $_ = <STDIN>; print substr $_, int(0.9 * length)' <wide.txt >tail.txt
measures eval out/wide.safetensors tail.txt
says 'and evaluates as in training' out.txt "^loss $val nats"
measures wide.txt --resume out/wide.state.safetensors --max-iters 3 --num-samples 0
says 'the run goes on' err.txt '^step 3/3 '

# ---- a million characters ----

head -c 3000 "$data/tiny.txt" >text.txt
measures text.txt $small --max-iters 5 --num-samples 0 --name text
# On one thread: a model this small has no work for two.
measures sample out/text.safetensors --threads 1 --max-new-tokens 10000
few=$peak
measures sample out/text.safetensors --threads 1 --max-new-tokens 1000000
if [ "$(wc -m <out.txt)" -eq 1000001 ]; then pass; else wrong 'all are written' "$(wc -m <out.txt)"; fi
echo "10,000 characters: $few bytes of memory; 1,000,000: $peak"
if [ "$peak" -lt $((few + 500000)) ]; then pass; else wrong 'memory does not grow with the sample' "$few bytes, then $peak"; fi

report
