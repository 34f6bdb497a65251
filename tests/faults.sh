#!/bin/bash
# Each call to the system fails once: every allocation, every write, every fsync ... of a small run, a resumed and a
# fine-tuned one, and of sample, attention, eval, info, export, import and help; and then once more with all later calls of its kind. The program must
# end with status 1 and one line that names the file (or memory), leak nothing, leave nothing temporary, and spoil nothing:
# whatever is on the disk afterwards leads to the files of an undisturbed run. Ends with "N passed, N failed, N skipped".
#   make faults                                  builds the program for it, with sanitizers, and runs this
#   tests/faults.sh resume                       only that command
#   tests/faults.sh resume sync:3                only that call, and what the program says
# tests/faults/faults.h tells how calls are made to fail.
. "$(dirname "$0")/outside.sh"
export OMP_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=1:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1
workers=${WORKERS:-2}
shopt -s nullglob dotglob
[ -x "$program" ] || { echo "there is no $program: make faults builds it"; exit 1; }

# ---- what may fail without harm: status 0, and all as if nothing had happened ----

# harmless KIND N FUNCTION FILE CALLERS: each with the reason.
harmless() {
    case "$2 $1 $3 $4 $5" in
    *+' read read '*.safetensors' '*) return 1 ;;          # it goes on failing
    *' read read '*.safetensors' '*) return ;;             # fseek reads ahead; when that fails, fread tries again
    esac
    case "$1 $3 $4 $5" in
    'message '*) ;;                                        # nobody to tell; the work goes on
    'open open /dev/null '*) ;;                            # guards closed standard streams, of which there are none
    'close close /dev/null '*) ;;
    ?*' '?*' /sys/fs/cgroup/'*) ;;                         # an unknown limit of the container limits nothing
    'sysconf '*) ;;                                        # nor does unknown memory
    'close fclose_read '*) ;;                              # it was only read
    'close close '*.lock' '*) ;;                           # the system frees the lock of a process that ends
    'close close '*/.train_gpt.*) ;;                       # an empty file, which proved that it can be made
    'close close '*/out' '* | 'close close '*/out/hf' '*) ;;  # a folder, flushed already
    'lock flock '*) ;;                                     # no locks, no protection, says data/lock.h
    'truncate ftruncate '*.lock' '* | 'write pwrite '*.lock' '*) ;;  # only names the process that has the lock
    'half '*' '*.lock' '*) ;;
    'remove '*) ;;                                         # what could not be removed stays
    'stat statvfs '*) ;;                                   # unknown space is space enough
    'stat stat '*' size_of '*) ;;                          # a size that only makes room for its successor
    'stat access '*) ;;                                    # what cannot be looked at is opened, and says why
    *' '*' is_pickle '*) ;;                                # only makes a message more helpful
    'stat fstat '*.txt' append_stream '* | 'stat fstat '*.json' append_stream '* | 'stat fstat stdin '*) ;;  # unknown length: it is read to the end
    'memory realloc - ids_trim '* | 'memory realloc - run_samples_add '*) ;;  # keeps the larger piece
    'memory malloc - with_suffix file_temporary file_remove_leftover '*) ;;  # is removed when the file is written next
    *) return 1 ;;
    esac
}

# callers ADDRESS...: the functions in which they are.
callers() { [ -z "$*" ] || addr2line -f -i -e "$program" "$@" | sed -n 'p;n' | tr '\n' ' '; }

# ---- is every call turned aside? ----

# Calls that cannot fail, or only where the program is wrong; ioctl, which only asks terminals; and those of stdio, whose
# system calls streams.c turns aside.
# A new call belongs here, or among those that can be made to fail (calls.c, and FAULTY in the Makefile).
cannot='__assert_fail __errno_location _exit bsearch clock_gettime exp floor fmax fmin fmod log log2 free getenv getpid getrlimit ioctl isatty log10 memchr
    memcmp memcpy memmove memset pow pthread_cond_broadcast pthread_cond_wait pthread_mutex_lock pthread_mutex_unlock qsort raise sigaction sigemptyset
    signal snprintf sprintf stderr stdin stdout strchr strcmp strerror strlen strncmp strrchr strspn strstr strtod strtol vsnprintf'
stdio='__isoc99_fscanf feof ferror fflush fclose fgets fprintf fputs fread fseeko ftell fwrite printf putc putchar puts vfprintf'
objects=$(find "${program%/*}/float" -name '*.o' -not -path '*/tests/*')
unknown=$(comm -23 <(nm -u $objects | awk '$1 == "U" { print $2 }' | sort -u) \
    <({ printf '%s\n' $cannot $stdio; nm "$program" | awk '{ sub("^__wrap_", "", $NF); print $NF }'; } | sort -u) |
    grep -v -e "^__[a-z]*san_" -e '^__cpu_' -e '^_GLOBAL_' -e '^GOMP_' -e '^omp_' -e '^__kmpc_')
if [ -z "$unknown" ]; then pass; else wrong 'calls that no fault can reach' "$unknown"; fi

# ---- undisturbed runs ----

head -c 600 "$data/tiny.txt" >text.txt
printf 'ab' >start.txt
tiny='--n-layer 1 --n-head 1 --n-embd 4 --block-size 4 --batch-size 2 --eval-iters 1 --eval-interval 2 --vocab-size 20'
few='--num-samples 2 --max-new-tokens 3'

# arguments COMMAND: what the program gets, in a folder beside these files.
arguments() {
    case $1 in
    train) echo "../text.txt $tiny $few --max-iters 2" ;;
    resume) echo "../text.txt --resume out/text.state.safetensors --max-iters 4 --num-samples 0" ;;
    over) echo "../text.txt $tiny $few --max-iters 2 --seed 3" ;;  # where an older run has ended
    init) echo "../text.txt --init-from ../train/out/text.safetensors --max-iters 0 --eval-iters 1 --num-samples 0" ;;
    sample) echo "sample ../train/out/text.safetensors --start FILE:../start.txt --drop-unknown $few" ;;
    page) echo "sample ../train/out/text.safetensors --html out/sample.html --max-new-tokens 3" ;;
    map) echo "attention ../train/out/text.safetensors --start FILE:../start.txt" ;;
    attention) echo "attention ../train/out/text.safetensors --start ab --html out/map.html --svg out/map.svg --json" ;;
    eval) echo "eval ../train/out/text.safetensors - --drop-unknown" ;;
    info) echo "info ../train/out/text.safetensors" ;;
    hf) echo "export ../train/out/text.safetensors --format hf --out out/hf" ;;
    gguf) echo "export ../train/out/text.safetensors --format gguf --dtype f16 --out out/text.gguf" ;;
    import) echo "import ../hf/out/hf --out out/model.safetensors" ;;
    help) echo "--help" ;;
    esac
}

# older_run COMMAND: what it finds in its folder.
older_run() {
    case $1 in
    resume) cp -r ../train/out . ;;
    over) cp -r ../train/out . && echo 1 >out/text.lock ;;  # which a crash has left
    esac
}

declare -A known=()   # checksums of all files that an undisturbed run writes, by command
declare -A rows=()    # of its log, without times
ALL='train resume over init sample page map attention eval info hf gguf import help'
COMMANDS=${1:-$ALL}
for command in $ALL; do
    mkdir -p $command/kept
    cd $command
    older_run $command
    if FAULT_KEEP=kept FAULT_ORDER=order.txt FAULT_COUNTS=counts.txt "$program" $(arguments $command) >out.txt 2>err.txt <../text.txt; then pass
    else wrong "$command, undisturbed" "$(cat err.txt)"; fi
    while read -r sum size _; do known[$command $sum $size]=1; done < <(cksum kept/* out/*.safetensors)
    rows[$command]=$(cut -d, -f1-6 out/*.csv </dev/null)
    cd ..
done
for file in train/out/*.safetensors; do  # what a resumed run finds
    read -r sum size _ < <(cksum "$file")
    known[resume $sum $size]=1 known[over $sum $size]=1
done

# ---- does everything reach the disk in time? ----

# out_of_order FILE: prints what is renamed before it is on the disk, or without its folder; a state that is there before
# the log; and what is not on the disk at the end.
out_of_order() {
    sed "s|$PWD/||" "$1" | awk '
        function folder(path) { return sub("/[^/]*$", "", path) ? path : "." }
        due != "" && ($1 != "fsync" || $2 != due) { print "after " last ": " $0 ", not the flush of " due }
        { due = ""; last = $0 }
        $1 == "write" && $2 !~ /\.lock$/ { dirty[$2] = 1; synced[$2] = 0 }
        $1 == "fsync" { delete dirty[$2]; synced[$2] = 1 }
        $1 == "rename" {
            if (!synced[$2 ".tmp"]) print $2 " is renamed before it is flushed"
            log_file = $2
            if (sub("\\.state\\.safetensors$", ".csv", log_file) && (log_file in dirty)) print $2 " is there before its log"
            due = folder($2)
            files++
        }
        $1 == "remove" && $2 ~ /\.(csv|safetensors)$/ { due = folder($2) }
        END {
            if (due != "") print "after " last ": no flush of " due
            for (path in dirty) if (path !~ /\.tmp$/) print path " is never flushed"
            if (!files) print "no file is renamed"
        }'
}
for command in $ALL; do
    [ -s $command/order.txt ] || continue
    problem=$(cd $command && out_of_order order.txt)
    if [ -z "$problem" ]; then pass; else wrong "$command: all is flushed, and in order" "$problem"; fi
done
ordered=$(for command in $ALL; do [ -s $command/order.txt ] && printf '%s ' $command; done)
if [ "$ordered" = 'train resume over init page attention hf gguf import ' ]; then pass; else wrong 'all that write are looked at' "$ordered"; fi

# A kind of call that is never made would mean that nothing is tested by its failing.
missing=$(awk '{ calls[$1] += $2 } END { for (kind in calls) if (!calls[kind]) print kind }' */counts.txt)
[ "$(wc -l <train/counts.txt)" -ge 16 ] || missing="train/counts.txt: $(cat train/counts.txt)"
for kind in memory open write half message sync rename close stat folder lock truncate remove; do
    grep -q "^$kind [1-9]" train/counts.txt || missing+=" $kind in train"
done
if [ -z "$missing" ]; then pass; else wrong 'every kind of call is made' "$missing"; fi

# ---- one fault ----

# log_is_good COMMAND: the log on the disk is a beginning of the undisturbed one, and a resumed run has lost no row of it.
log_is_good() {
    local whole='' row
    while IFS= read -r row; do whole+=${whole:+$'\n'}${row%,*,*}; done <out/text.csv  # without a row cut short
    [ "$1" = over ] && cmp -s out/text.csv ../train/out/text.csv && return
    [[ "${rows[$1]}" == "$whole"* ]] && { [ "$1" != resume ] || [[ "$whole" == "${rows[train]}"* ]]; }
}

# mixed: what of two runs stands side by side in the place of an older one. That is there whole, or without its state and
# perhaps without its log; or else only files of the new run are there, of which the state is the last.
mixed() {
    local file name old='' new=''
    for name in text.safetensors text.state.safetensors text.csv; do
        file=out/$name
        [ -e $file ] || continue
        if cmp -s $file ../train/$file; then old+=" $name"; else new+=" $name"; fi
    done
    case "$old:$new" in
    ' text.safetensors text.state.safetensors text.csv:') ;;
    ' text.safetensors text.csv:' | ' text.safetensors:') ;;
    ': text.safetensors' | ': text.safetensors text.csv') ;;
    ': text.safetensors text.state.safetensors text.csv') ;;
    *) echo "of the older run:${old:- nothing}, of the new one:${new:- nothing}" ;;
    esac
}

# goes_on COMMAND: what is on the disk leads to the files of the undisturbed run, for each such state tried once.
goes_on() {
    local key flags=$(arguments "$1")
    key="$1 $(cksum out/*.safetensors | tr -d '\n') $(wc -l out/*.csv </dev/null)"
    [ -n "${tried[$key]}" ] && return
    [ -e out/text.state.safetensors ] && ! cmp -s out/text.state.safetensors ../train/out/text.state.safetensors && flags="../text.txt --resume out/text.state.safetensors --num-samples 0"
    [ "$1" = resume ] && flags+=" --max-iters 4"
    "$program" $flags >again.txt 2>&1 </dev/null || return
    for file in text.safetensors text.state.safetensors; do cmp -s out/$file ../"$1"/out/$file || return; done
    log_is_good "$1" || return
    tried[$key]=1
}

# wrong_after COMMAND KIND N STATUS: prints what is wrong with the end of a run, nothing if all is well.
wrong_after() {
    local function file addresses line lines=0 last=''
    read -r function file addresses 2>/dev/null <log.txt || { echo 'this call is not reached'; return; }
    while IFS= read -r line; do
        last=$line
        case $line in 'train_gpt: '*) lines=$((lines + 1)) ;; esac
    done <err.txt
    local callers=
    [ "$4" -eq 1 ] || callers=$(callers $addresses)
    case $4 in
    0)
        harmless "$2" "$3" "$function" "$file" "$callers" || { echo "status 0"; return; }
        [ $lines -eq 0 ] || { echo "status 0 after $last"; return; }
        cmp -s out.txt ../"$1"/out.txt || { echo "another output"; return; }
        # But what tells times, and what could not be removed.
        for line in $(find out -type f -not -name '*.csv' -not -name '*.html' -not -name '.train_gpt.*' 2>/dev/null); do [ "$2 $line" = 'remove out/text.lock' ] || cmp -s "$line" ../"$1"/"$line" || { echo "$line is another"; return; }; done
        ;;
    1)
        case $lines$last in
        '1train_gpt: '*) ;;
        *) echo "$lines messages, the last line: $last"; return ;;
        esac
        file=${file%/.train_gpt.*} file=${file##*/} file=${file%.tmp}
        case $file in stdin) file='standard input' ;; stdout) file='standard output' ;; esac
        # Where all later calls fail, too, or the disk stays full, the message may be about one of those.
        case $2$3$last in
        *+train_gpt:* | half* | *"$file"* | *memory*) ;;
        *) echo "the message does not name it: $last"; return ;;
        esac
        ;;
    *) echo "status $4: $(grep -m 3 -e 'ERROR' -e 'SUMMARY' -e 'runtime error' -e faults: err.txt)"; return ;;
    esac
    local left
    case $1 in
    train | resume | over | init) ;;
    *)  # whole files or none; but a temporary one where its removal failed
        for left in $(find out -type f 2>/dev/null); do
            cmp -s "$left" ../"$1"/"$left" || [ "$2" = remove ] || { echo "$left was left"; return; }
        done
        return
        ;;
    esac
    for left in out/*; do
        case "$2 $file $left" in
        *' out/text.safetensors' | *' out/text.state.safetensors' | *' out/text.csv' | *' out/text.html') ;;
        'remove '*) ;;                           # the removal itself failed
        'stat text.lock out/text.lock') ;;       # it may be another run's by now; a file alone locks nothing
        *' out/text.lock') [ "$1" = over ] && [ "$(cat out/text.lock)" = 1 ] || { echo "$left was left"; return; } ;;
        *) echo "$left was left"; return ;;
        esac
    done
    local sum size
    while read -r sum size file; do
        [ -z "$file" ] || [ -n "${known[$1 $sum $size]}" ] || { echo "$file is none that an undisturbed run writes"; return; }
    done < <(cksum out/*.safetensors </dev/null)
    [ "$1" != over ] || [ -z "$(mixed)" ] || { mixed; return; }
    [ ! -e out/text.csv ] || log_is_good "$1" || { echo "the log is wrong: $(cat out/text.csv)"; return; }
}

# disturb COMMAND KIND:N[+]: sets `problem` to what is wrong, and `where` to the call.
disturb() {
    rm -rf out log.txt
    older_run "$1"
    {
        # An endless loop is an answer, too.
        (ulimit -t 5; FAULT=$2 FAULT_LOG=log.txt exec "$program" $(arguments "$1") >out.txt 2>err.txt <../text.txt)
    } 2>/dev/null
    problem=$(wrong_after "$1" "${2%:*}" "${2#*:}" $?)
    where=$(cat log.txt 2>/dev/null)
    case $1 in
    train | resume | over | init) [ -n "$problem" ] || goes_on "$1" || problem="going on from there ends with other files: $(tail -n 1 again.txt)" ;;
    esac
}

# ---- all of them, shared out to some processes ----

for command in $COMMANDS; do
    while read -r kind calls; do
        again=+
        case $command$kind in  # so many, and after the first the same code as in a training run
        *memory | *message | page* | map* | attention* | info* | eval* | help*) again= ;;
        esac
        for n in $(seq "$calls"); do
            echo "$command $kind:$n"
            [ -z "$again" ] || echo "$command $kind:$n+"
        done
    done <$command/counts.txt
done >faults.txt
if [ -n "$2" ]; then
    grep -xF "$1 $2" faults.txt >one.txt || wrong "$1 $2" 'there is no such call'
    mv one.txt faults.txt
fi

# worker I: every fault whose number has the rest I.
worker() {
    mkdir worker$1 && cd worker$1 || exit
    passed=0 failed=0
    declare -A tried=()
    local number=0
    while read -r command call <&3; do
        [ $((number++ % workers)) -eq "$1" ] || continue
        disturb "$command" "$call"
        if [ -z "$problem" ]; then pass; else
            read -r function file addresses <<<"$where"
            wrong "$command, $call: $function of $file in $(callers $addresses)" "$problem"
        fi
    done 3<../faults.txt
    echo "$passed $failed" >ended.txt
}
for i in $(seq 0 $((workers - 1))); do worker $i & done
wait
for file in worker*/; do
    read -r p f <${file}ended.txt || f=1
    passed=$((passed + p)) failed=$((failed + f))
done
[ -z "$2" ] || cat worker*/err.txt
awk '{ sub(":.*", "", $2); if (!n[$1]++) order[++commands] = $1; if (!c[$1, $2]++) kinds[$1] = kinds[$1] " " $2 }
    END { for (i = 1; i <= commands; i++) { name = order[i]; line = name ": " n[name] " faults:"; m = split(kinds[name], kind, " ")
        for (k = 1; k <= m; k++) line = line " " kind[k] " " c[name, kind[k]]; print line } }' faults.txt
report
