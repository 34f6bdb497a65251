#!/bin/sh
# The program's pages in a browser: tests/browser.sh   (or: make browser)
# Makes pages from small models, drives them in Debian's chromium through playwright-core (browser/*.mjs), and leaves
# pictures of them in build/browser. Skipped with a message where node, npm or chromium are missing; with NEED_ALL=1 that
# is a failure. Ends with "N passed, N failed, N skipped".
. "$(dirname "$0")/outside.sh"
project=${data%/data}
BROWSER_BUILD=${BROWSER_BUILD:-$project/build/browser}
CHROMIUM=${CHROMIUM:-$(command -v chromium || echo /usr/bin/chromium)}
export BROWSER_BUILD CHROMIUM

give_up() {
    if [ -n "$NEED_ALL" ]; then wrong "$1"; else skip "$1"; fi
    report
    exit
}
[ -x "$CHROMIUM" ] || give_up 'there is no chromium'
command -v npm >/dev/null || give_up 'there is no npm'
version=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null)
[ "${version:-0}" -ge 20 ] || give_up "node 20 is needed; there is ${version:-none}"
mkdir -p "$BROWSER_BUILD"
if ! cmp -s "$project/tests/browser/package.json" "$BROWSER_BUILD/package.json"; then
    cp "$project/tests/browser/package.json" "$project/tests/browser/.npmrc" "$BROWSER_BUILD" &&
    (cd "$BROWSER_BUILD" && npm install >npm.log 2>&1) || { rm -f "$BROWSER_BUILD/package.json"; give_up 'npm cannot install playwright-core'; }
fi

# ---- pages ----

model='--n-layer 2 --n-head 3 --n-embd 48 --block-size 64 --eval-iters 5 --num-samples 0 --quiet'
printf 'She said: </script><script>broken=1</script><!-- & "<b>" \\u003c' >markup.txt
cat "$data/tiny.txt" markup.txt markup.txt >text.txt
head -c 256 "$data/tiny.txt" >long.txt
works 'an English model' "$program" text.txt $model --max-iters 60 --name english
works 'a Chinese one' "$program" "$data/tiny-zh.txt" $model --max-iters 60 --name chinese
works 'a larger one' "$program" "$data/tiny.txt" --n-layer 6 --n-head 6 --n-embd 36 --block-size 256 --batch-size 1 --max-iters 20 --eval-iters 1 --num-samples 0 --quiet --name large
works 'one of bytes' "$program" "$data/tiny-zh.txt" $model --max-iters 5 --tokenizer byte --name bytes

works 'a Chinese one of 200 evaluations, which learns by heart' "$program" "$data/tiny-zh.txt" --n-layer 1 --n-head 2 --n-embd 48 --block-size 32 --batch-size 8 --eval-iters 2 --num-samples 0 --quiet --max-iters 800 --eval-interval 4 --log-interval 2 --name many
# The page of a run that goes on: what a killed one has left.
"$program" text.txt $model --max-iters 100000 --eval-interval 20 --log-interval 5 --name going-on 2>err.txt &
pid=$!
wait_for_step 45 out/going-on.csv
kill -9 $pid
wait $pid 2>/dev/null

attention() { works "attention: $1.html" "$program" attention "out/$2.safetensors" --start "$3" --html "$1.html" --svg "$1.svg" --json && cp out.txt "$1.json"; }
attention english english 'The old bridge
held all winter long.'
attention chinese chinese '灰驴名叫大人，
这是磨坊主老秦起的。'
attention markup english FILE:markup.txt
attention large large FILE:long.txt
attention bytes bytes '灰驴 a'
works 'attention: one.html' "$program" attention out/english.safetensors --start 'The old bridge' --layer 1 --head 2 --html one.html
sample() { works "sample: $1.html" "$program" sample "out/$2.safetensors" --start "$3" --num-samples 2 --max-new-tokens 120 --html "$1.html" && cp out.txt "$1.txt"; }
sample sample-english english 'The '
sample sample-chinese chinese '灰驴'

# ---- the browser ----

node "$project/tests/browser/run.mjs" "$folder" "$BROWSER_BUILD" >log.txt 2>&1
last=$(tail -n 1 log.txt)
case $last in
*' passed, '*' failed')
    sed '$d' log.txt
    passed=$((passed + ${last%% passed*})) last=${last#*, } failed=$((failed + ${last%% failed*}))
    ;;
*) wrong 'the browser test ends with its numbers' "$(cat log.txt)" ;;
esac
report
