#!/bin/sh
# What the program shows: maps in the terminal, pages, pictures, JSON, from outside. What a browser makes of the pages is
# for browser.sh to tell. Ends with "N passed, N failed, N skipped".
#   tests/pages.sh            (PROGRAM=./other tests/pages.sh for another binary)
. "$(dirname "$0")/outside.sh"

if /usr/bin/python3 -c 'import html5lib' 2>/dev/null; then python=/usr/bin/python3; else python=$(command -v python3); fi
# holds DESCRIPTION COMMAND...: what pages.py says of the files.
holds() {
    if [ -z "$python" ]; then return; fi
    what=$1
    shift
    if "$python" "${data%/data}/tests/pages.py" "$@" >said.txt 2>&1 </dev/null; then pass; else wrong "$what" "$(cat said.txt)"; fi
}
[ -n "$python" ] || skip 'what is in pages and JSON: there is no python3'

cat "$data/tiny.txt" >text.txt
printf '</script><script>broken=1</script><!-- & "<b>" \\u003c \t|`' >markup.txt
cat markup.txt >>text.txt
few="$small --num-samples 0 --quiet"
works 'an English model' "$program" text.txt $few --max-iters 30 --name english
works 'a Chinese one' "$program" "$data/tiny-zh.txt" $few --max-iters 10 --name chinese
works 'one of bytes' "$program" "$data/tiny-zh.txt" $few --max-iters 3 --tokenizer byte --name bytes
works 'one with a long context' "$program" text.txt --n-layer 6 --n-head 6 --n-embd 36 --block-size 256 --batch-size 1 --max-iters 1 --eval-iters 1 --num-samples 0 --quiet --name large

# ---- attention, in all its forms ----

# attends NAME CONTEXT MODEL START: JSON, page and picture.
attends() {
    works "attention, $1" "$program" attention "out/$3.safetensors" --start "$4" --json --html "pages/$1.html" --svg "pages/$1.svg" --quiet
    cp out.txt "pages/$1.json"
    if [ ! -s err.txt ]; then pass; else wrong 'and nothing is said' "$(cat err.txt)"; fi
    holds "$1: weights sum to 1, and the page shows the same" attention "pages/$1" "$2"
}
attends english 16 english 'The old bridge'
attends chinese 16 chinese '灰驴名叫大人，
这'
attends bytes 16 bytes '灰驴 a'
attends markup 256 large FILE:markup.txt
attends large 256 large "FILE:text.txt"
attends one 16 english 'T'
holds 'pages are well formed, and need no other file' page pages/*.html
holds 'so are pictures' picture pages/english.svg 4 14
holds 'of Chinese, too' picture pages/chinese.svg 4 9
holds 'of markup, too' picture pages/markup.svg 36 57
holds 'without characters where there are many' picture pages/large.svg 36 0
if [ "$(wc -c <pages/large.html)" -lt 2000000 ]; then pass; else wrong '256 characters and 36 heads take less than 2 MB' "$(wc -c pages/large.html)"; fi
if grep -q '<script>broken' pages/markup.html pages/markup.svg; then wrong 'markup in a text is text'; else pass; fi
works 'the start, as sample has it' "$program" sample out/english.safetensors --start 'The old bridge' --json --max-new-tokens 1
cp out.txt sample.json
holds 'what is expected next are the model'\''s own numbers' next pages/english.json sample.json
works 'one layer and one head' "$program" attention out/english.safetensors --start 'The old bridge' --layer 1 --head 0 --json
says 'is the one that was asked for' out.txt '{"layer": 1, "head": 0, '
if grep -q '"layer": 0\|"head": 1' out.txt; then wrong 'and no other' "$(head -c 300 out.txt)"; else pass; fi

# ---- in the terminal ----

works 'a map' "$program" attention out/english.safetensors --start 'The old bridge'
says 'says what its shades mean' out.txt '^each row: from where '
says 'has one map for each head, side by side' out.txt '^layer 0 head 0 *layer 0 head 1$'
says 'and what is expected next' out.txt '^then comes  . 0\.'
if grep -q "$(printf '\033')" out.txt; then wrong 'in a pipe there are no colours'; else pass; fi
# one_map MODEL START: the map of the first head, which must be aligned.
one_map() {
    works "the map of $2" "$program" attention "out/$1.safetensors" --start "$2" --layer 0 --head 0 --quiet
    cp out.txt map.txt
    holds "is aligned: $2" map map.txt "$2"
}
one_map english 'The old bridge'
one_map chinese '灰驴名叫大人，
这'
COLUMNS=12 works 'a narrow one' "$program" attention out/chinese.safetensors --start '灰驴名叫大人，这' --quiet --layer 0 --head 0
sed 1d out.txt >narrow.txt
says 'has the last characters' out.txt '^   大人，这$'
COLUMNS=12 works 'and says so' "$program" attention out/chinese.safetensors --start '灰驴名叫大人，这'
says 'says how many' err.txt 'in 12 columns there is room for the last 4 of 8 characters'
COLUMNS=200 works 'wide terminals show more side by side' "$program" attention out/english.safetensors --start 'The old bridge'
holds 'colours in a terminal' terminal colours env TERM=xterm "$program" attention out/english.safetensors --start 'The '
holds 'but not with NO_COLOR' terminal none env TERM=xterm NO_COLOR=1 "$program" attention out/english.safetensors --start 'The '
holds 'nor in a dumb one' terminal none env TERM=dumb "$program" attention out/english.safetensors --start 'The '

# ---- the start ----

works 'a start beyond the context' "$program" attention out/english.safetensors --start 'Morning in the schoolyard' --json
says 'keeps its end' out.txt '"prompt": "n the schoolyard"'
says 'and says so' err.txt 'the start has 25 tokens; the model sees the last 16'
works 'a start from a file' "$program" attention out/english.safetensors --start FILE:markup.txt --json --drop-unknown
refuses 1 'a character that the model does not know' "does not know the character 'é'" "$program" attention out/english.safetensors --start 'é'
works 'is left out if asked for' "$program" attention out/english.safetensors --start 'Thée ' --drop-unknown
refuses 2 'no start, nothing to look at' "needs --start" "$program" attention out/english.safetensors
refuses 1 'a layer that there is not' 'has 2 layers, counted from 0; there is no --layer 2' "$program" attention out/english.safetensors --start a --layer 2
refuses 1 'a head that there is not' 'has 2 heads, counted from 0; there is no --head 7' "$program" attention out/english.safetensors --start a --head 7

# ---- what is there stays ----

for flag in html svg; do
    refuses 1 "--$flag does not write over a file" "pages/english.$flag: is there already; --force" "$program" attention out/english.safetensors --start a --$flag pages/english.$flag
    works "unless by force" "$program" attention out/english.safetensors --start a --$flag pages/english.$flag --force
    refuses 1 "and never over the model, --$flag" 'is what is read' "$program" attention out/english.safetensors --start a --$flag out/english.safetensors --force
    refuses 1 "nor a folder, --$flag" 'out: is a folder' "$program" attention out/english.safetensors --start a --$flag out --force
done
refuses 2 'a page is no picture' 'both name x.html' "$program" attention out/english.safetensors --start a --html x.html --svg x.html
refuses 1 'a page of samples does not write over a file' 'is there already; --force' "$program" sample out/english.safetensors --html pages/english.html

# ---- samples ----

works 'samples' "$program" sample out/english.safetensors --start 'The ' --num-samples 3 --max-new-tokens 50
cp out.txt plain.txt
works 'samples and their page' "$program" sample out/english.safetensors --start 'The ' --num-samples 3 --max-new-tokens 50 --html pages/sample.html
same 'print the same text' plain.txt out.txt
says 'and where the page is' err.txt '^wrote pages/sample.html'
holds 'which holds that text, and what it could have been' sample pages/sample.html plain.txt
works 'without a start, in Chinese' "$program" sample out/chinese.safetensors --max-new-tokens 40 --top-k 5 --html pages/sample-zh.html --quiet
cp out.txt plain.txt
if [ ! -s err.txt ]; then pass; else wrong 'quiet' "$(cat err.txt)"; fi
holds 'that text, too' sample pages/sample-zh.html plain.txt
works 'of bytes, with JSON' "$program" sample out/bytes.safetensors --max-new-tokens 40 --temperature 2 --html pages/sample-bytes.html --json
works 'of markup' "$program" sample out/large.safetensors --start FILE:markup.txt --max-new-tokens 10 --html pages/sample-markup.html
if grep -q '<script>broken' pages/sample-markup.html; then wrong 'markup in a sample is text'; else pass; fi
holds 'these pages are well formed, and need no other file' page pages/sample*.html
refuses 2 'a page has no room for a million' '--html shows 20000 tokens at most' "$program" sample out/english.safetensors --max-new-tokens 1000000 --html x.html
refuses 2 'nor for nothing' '--html with --num-samples 0' "$program" sample out/english.safetensors --num-samples 0 --html x.html
if [ ! -e x.html ]; then pass; else wrong 'nothing was written' "$(ls)"; fi
if [ -z "$(find . -name '*.tmp' -o -name '.train_gpt.*')" ]; then pass; else wrong 'nothing temporary is left' "$(ls -a . pages)"; fi

report
