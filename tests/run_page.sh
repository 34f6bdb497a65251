#!/bin/sh
# The page of a run, out/NAME.html: what stands on it is what the log says. How it looks, browser.sh tells.
# Ends with "N passed, N failed, N skipped".
#   tests/run_page.sh            (PROGRAM=./other tests/run_page.sh for another binary)
. "$(dirname "$0")/outside.sh"
checker=$tests/run_page.py
if ! command -v python3 >/dev/null; then
    skip 'the page of a run: there is no python3 to read it'
    report
    exit
fi

head -c 3000 "$data/tiny.txt" >text.txt
works 'a run' "$program" text.txt $small --max-iters 60
says 'names its page at the end' err.txt 'out/text.html (all of it as a page)$'
works 'the page has the points of the log' python3 "$checker" out/text.html out/text.csv 60
if grep -q 'id="follow"' out/text.html; then wrong 'a run that has ended is not loaded anew' ''; else pass; fi
works 'a run of no steps' "$program" text.txt $small --max-iters 0 --out-dir none
works 'has a page, too' python3 "$checker" none/text.html none/text.csv 0
works 'a run of many rows' "$program" text.txt $small --max-iters 2500 --log-interval 1 --eval-interval 10 --num-samples 0 --out-dir many
works 'has them in part' python3 "$checker" many/text.html many/text.csv 2500
says 'and says so' many/text.html 'Of 2501 rows of the log 1251 are drawn'
if [ "$(wc -c <many/text.html)" -lt 2000000 ]; then pass; else wrong 'in less than 2 MB' "$(wc -c many/text.html)"; fi
head -c 600 text.txt >heart.txt
works 'a model that learns by heart' "$program" heart.txt $small --n-embd 48 --learning-rate 1e-2 --max-iters 400 --num-samples 0
says 'is warned of in words' out/heart.html 'Validation has been rising.* it was best at step [0-9]* .*--dropout'

# Interrupted and gone on with, the page is the same but for the times.
works 'half a run' "$program" text.txt $small --max-iters 600 --num-samples 0 --out-dir whole
"$program" text.txt $small --max-iters 600 --num-samples 0 --out-dir halves >/dev/null 2>&1 &
pid=$!
wait_for_step 100 halves/text.csv
kill -TERM $pid
wait $pid
if [ "$(tail -n 1 halves/text.csv | cut -d, -f1)" -lt 600 ]; then says 'a stopped run says how to go on' halves/text.html 'Stopped at step [0-9]* of 600; --resume goes on'; fi
works 'it goes on' "$program" text.txt --resume halves/text.state.safetensors --num-samples 0
for folder in whole halves; do sed '/class="sample"/,/<\/pre>/!d' $folder/text.html >$folder.txt; done
same 'with all its samples' whole.txt halves.txt
if [ "$(grep -c 'class="sample"' whole.txt)" -eq 31 ]; then pass; else wrong 'one for each evaluation' "$(grep -c 'class="sample"' whole.txt)"; fi

# Whatever the text is, it is shown as text.
i=0
while [ $i -lt 60 ]; do echo '<script>alert("x")</script> & <b>bold</b> ]]> --> <!-- &lt;'; i=$((i + 1)); done >'<b>&"name.txt'
works 'a text of markup' "$program" '<b>&"name.txt' $small --max-iters 400 --eval-interval 100 --learning-rate 1e-2
works 'stays text' python3 "$checker" 'out/<b>&"name.html' 'out/<b>&"name.csv' 400
printf 'a\000b\001\177\302\205\357\277\276\n%s' "$(cat text.txt)" >control.txt
works 'control characters' "$program" control.txt $small --max-iters 20
works 'are shown as pictures' python3 "$checker" out/control.html out/control.csv 20
works 'bytes' "$program" text.txt $small --max-iters 20 --tokenizer byte --name bytes
works 'have a page' python3 "$checker" out/bytes.html out/bytes.csv 20
says 'in their unit' out/bytes.html 'nats per byte'

report
