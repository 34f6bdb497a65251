# train_gpt -- a complete GPT training program in C.
#
#   make                  the program ./train_gpt, for this machine's processor
#   make ARCH=x86-64-v3   ... for another one: what follows -march=; ARCH= leaves it to the compiler
#   make OPENMP=0         ... without OpenMP, on one thread
#   make CC=clang         ... with another compiler
#   make test             all tests: float and double, tiny tiles, the whole program
#   make platforms        the same bytes from other compilers, C libraries and processors: tests/platforms.sh
#   make clients          exports and imports with llama.cpp, the tokenizers of Hugging Face, and PyTorch: tests/clients.sh
#   make limits           a text beyond 4 GiB, a vocabulary beyond 65,535, a sample of a million characters
#   make mutants          breaks one backward pass after another and expects the tests to notice
#   make sanitize         the three that follow
#   make address          the tests under the address, leak and undefined-behaviour sanitizers
#   make valgrind         the tests and a short life of the program under valgrind
#   make races CC=clang   the tests of threads under the thread sanitizer, which understands clang's OpenMP
#   make faults           one call to the system after the other fails: nothing may be lost, leak or go unsaid
#   make browser          the program's pages in Chromium; pictures of them in build/browser
#   make fuzz SECONDS=60  each reader of foreign bytes against libFuzzer for so long, under the sanitizers; needs clang
#   make bench            how fast the parts and the whole are, as shares of what this machine can do;
#                         BENCH='--json FILE' passes arguments, BENCH=--quick proves in seconds that it works
#   make bench-peer CORPUS=TEXT   the same training in PyTorch, beside it
#   make images           the pictures of README, made anew by the program from data/tiny.txt
#   make install PREFIX=/usr/local
#   make clean

CC      = cc
ARCH    = native
OPENMP  = 1
PREFIX  = /usr/local
BUILD   = build
CFLAGS  = -O3 -g

# No -ffast-math. No contraction either: the source says where a product and a sum are fused, so that every compiler
# computes the same bits. Neither errno nor floating-point traps are used, and giving them up changes no result.
NUMBERS  = -ffp-contract=off -fno-math-errno -fno-trapping-math
WARNINGS = -Wall -Wextra -Wdouble-promotion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
THREADS  = $(if $(filter 1,$(OPENMP)),-fopenmp,-fopenmp-simd)
MARCH    = $(if $(ARCH),-march=$(ARCH))
# EXTRA is for one more flag on the command line, as in make EXTRA=-Werror.
FLAGS    = -std=gnu11 -I$(BUILD)/text -MMD -MP $(CFLAGS) $(NUMBERS) $(WARNINGS) $(THREADS) $(EXTRA)

LIBRARY  = $(wildcard model/*.c data/*.c tokenizer/*.c export/*.c report/*.c)
COMMANDS = $(wildcard commands/*.c)
PROGRAM  = train_gpt.c $(COMMANDS)
UNIT     = $(wildcard tests/test_*.c)
TARGETS  = $(filter-out tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c))
TEXTS    = $(wildcard report/*.css report/*.js)
MEASURE  = $(wildcard bench/*.c) $(COMMANDS)

all: train_gpt

# Styles and scripts of pages go into the program as strings.
$(BUILD)/text/%.h: %
	@mkdir -p $(@D)
	sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/\\n"/' $< >$@

# One set of objects for each way of compiling. Tiny tiles are so small that every edge of a tile is met.
TINY_PRODUCT = -DMATMUL_MR=3 -DMATMUL_NV=1 -DMATMUL_ROW_TILES=2 -DMATMUL_KC=5 -DMATMUL_FAR=4
TINY         = $(TINY_PRODUCT) -DATTENTION_TILE=3 -DATTENTION_STRIP=2 -DGPT_LOGITS=64 -DGPT_HEAD_ROWS=8 -DDECODE_ROWS=5
define variant
$(BUILD)/$(1)/%.o: %.c $(BUILD)/flags | $(TEXTS:%=$(BUILD)/text/%.h)
	@mkdir -p $$(@D)
	$$(CC) $$(FLAGS) $(2) -c $$< -o $$@
$(BUILD)/$(1)/library.a: $$(LIBRARY:%.c=$(BUILD)/$(1)/%.o)
	@rm -f $$@
	$$(AR) rcs $$@ $$^
$(BUILD)/$(1)/commands.a: $$(COMMANDS:%.c=$(BUILD)/$(1)/%.o)
	@rm -f $$@
	$$(AR) rcs $$@ $$^
$(BUILD)/$(1)/tests/%: $(BUILD)/$(1)/tests/%.o $(BUILD)/$(1)/commands.a $(BUILD)/$(1)/library.a
	$$(CC) $$(FLAGS) $$^ -o $$@ -lm
# A target alone is no program: files of seeds drive it here, libFuzzer in `make fuzz`.
$(BUILD)/$(1)/tests/fuzz/%: $(BUILD)/$(1)/tests/fuzz/%.o $(if $(FUZZER),,$(BUILD)/$(1)/tests/fuzz/replay.o) \
		$(BUILD)/$(1)/commands.a $(BUILD)/$(1)/library.a
	$$(CC) $$(FLAGS) $(FUZZER) $$^ -o $$@ -lm
endef
$(eval $(call variant,float,$(MARCH)))
$(eval $(call variant,double,$(MARCH) -DREAL=double))
$(eval $(call variant,tiny,$(MARCH) $(TINY)))
$(eval $(call variant,tinydouble,$(MARCH) $(TINY) -DREAL=double))
VARIANTS   = float double tiny tinydouble
UNIT_TESTS = $(foreach v,$(VARIANTS),$(UNIT:%.c=$(BUILD)/$(v)/%))
REPLAYS    = $(foreach v,$(VARIANTS),$(TARGETS:%.c=$(BUILD)/$(v)/%))
.SECONDARY:

# Changes when the compiler or its flags do, so that nothing old is linked with something new.
$(BUILD)/flags: FORCE
	@mkdir -p $(BUILD)
	@echo '$(CC) $(FLAGS) $(MARCH)' | cmp -s - $@ || echo '$(CC) $(FLAGS) $(MARCH)' >$@

# Looks at the processor before anything else runs, so it must run on any: see commands/processor.h.
$(BUILD)/float/commands/processor.o: commands/processor.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(FLAGS) -c $< -o $@

train_gpt $(BUILD)/train_gpt: $(PROGRAM:%.c=$(BUILD)/float/%.o) $(BUILD)/float/library.a
	$(CC) $(FLAGS) $^ -o $@ -lm

TESTED  = train_gpt
OUTSIDE = tests/program.sh tests/export.sh tests/run_page.sh tests/pages.sh tests/durability.sh
KILLS   = 20
# The same program with tiny tiles in the matrix product, which change no bit. (Those of attention do, by rounding: they
# are a part of the numbers, and the same everywhere.)
$(BUILD)/train_gpt_tiny:
	$(MAKE) BUILD=$(BUILD)/tinyproduct CFLAGS='$(CFLAGS) $(TINY_PRODUCT)' $(BUILD)/tinyproduct/train_gpt
	cp $(BUILD)/tinyproduct/train_gpt $@

test: $(TESTED) $(UNIT_TESTS) $(REPLAYS)
	@PROGRAM=$(CURDIR)/$(TESTED) KILLS=$(KILLS) tests/run.sh $(UNIT_TESTS) $(REPLAYS) $(OUTSIDE)

unit: $(UNIT_TESTS)
	@tests/run.sh $^

platforms: train_gpt
	@tests/platforms.sh

clients: train_gpt
	@tests/clients.sh

browser: train_gpt
	@tests/browser.sh

limits: train_gpt
	@tests/limits.sh

mutants:
	@CC='$(CC)' tests/mutants.sh

# All that watches a program while it runs.
sanitize: address valgrind
	$(MAKE) CC=clang races

# Leaks are errors; so is undefined behaviour. A build of its own, so that it never mixes with the fast one.
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
address:
	$(MAKE) VARIANTS=tinydouble BUILD=$(BUILD)/sanitize TESTED=$(BUILD)/sanitize/train_gpt CFLAGS='-O1 -g $(SANITIZE)' OUTSIDE=tests/program.sh test

# What the sanitizers above do not see: numbers that are used before they are set. Built for a processor that valgrind
# knows: it has no AVX-512, and no long double, which test_elementary compares with. The other two tests take minutes in it,
# and what they call is called by the tests of the model and by the program, too.
VALGRIND      = valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect
VALGRIND_ARCH = $(if $(filter x86_64,$(shell uname -m)),x86-64-v2)
VALGRIND_UNIT = $(filter-out tests/test_elementary.c tests/test_matmul.c tests/test_trainer.c,$(UNIT))
valgrind: export UNDER = $(VALGRIND)
valgrind: export OMP_NUM_THREADS = 2
valgrind: export GOMP_SPINCOUNT = 1000
valgrind:
	$(MAKE) ARCH=$(VALGRIND_ARCH) VARIANTS=float UNIT='$(VALGRIND_UNIT)' BUILD=$(BUILD)/valgrind CFLAGS='-O1 -g' unit
	$(MAKE) ARCH=$(VALGRIND_ARCH) BUILD=$(BUILD)/valgrind CFLAGS='-O1 -g' $(BUILD)/valgrind/train_gpt
	tests/under.sh $(CURDIR)/$(BUILD)/valgrind/train_gpt

# The program with every call to the system that can fail turned aside, so that it does fail: see tests/faults/faults.h.
# For gcc: clang links its sanitizers into the program, and their own calls would be turned aside, too.
FAULTY = malloc calloc realloc aligned_alloc strdup strndup open_memstream fopen fdopen fileno open mkstemp close write \
         pread pwrite fsync ftruncate flock fstat stat lstat statvfs access mkdir unlink remove rename sysconf
$(BUILD)/train_gpt_faults: $(PROGRAM:%.c=$(BUILD)/float/%.o) $(patsubst %.c,$(BUILD)/float/%.o,$(wildcard tests/faults/*.c)) \
                           $(BUILD)/float/library.a
	$(CC) $(FLAGS) $(FAULTY:%=-Wl,--wrap=%) $^ -o $@ -lm

faults:
	$(MAKE) BUILD=$(BUILD)/faults CFLAGS='-O2 -g -fno-optimize-sibling-calls -U_FORTIFY_SOURCE $(SANITIZE)' $(BUILD)/faults/train_gpt_faults
	@PROGRAM=$(CURDIR)/$(BUILD)/faults/train_gpt_faults tests/faults.sh

# Data races, in what the threads of a team share.
RACES = threads gpt trainer decode attention linear layernorm matmul loss
races:
	TSAN_OPTIONS='ignore_noninstrumented_modules=1 halt_on_error=1 exitcode=66' OMP_NUM_THREADS=3 \
	$(MAKE) VARIANTS=tiny UNIT='$(RACES:%=tests/test_%.c)' BUILD=$(BUILD)/races TESTED= CFLAGS='-O1 -g -fsanitize=thread' unit

# One thread, since the readers have no other.
SECONDS = 60
fuzz:
	$(MAKE) CC=clang OPENMP=0 ARCH= BUILD=$(BUILD)/fuzz VARIANTS=float FUZZER=-fsanitize=fuzzer \
		CFLAGS='-O1 -g $(SANITIZE) -fsanitize=fuzzer-no-link -Wno-pass-failed' fuzzers
	@tests/fuzz/run.sh $(SECONDS) $(TARGETS:%.c=$(BUILD)/fuzz/float/%)
fuzzers: $(REPLAYS)

$(BUILD)/float/bench/bench: $(MEASURE:%.c=$(BUILD)/float/%.o) $(BUILD)/float/library.a
	$(CC) $(FLAGS) $^ -o $@ -lm

bench: $(BUILD)/float/bench/bench
	$< $(BENCH)

bench-peer: $(BUILD)/float/bench/bench
	@bench/peer.sh $< '$(CORPUS)'

# A run of README, the chart of its page, and the maps of its model.
images: train_gpt
	./train_gpt data/tiny.txt --out-dir $(BUILD)/images --force --num-samples 0 --quiet
	mkdir -p docs/images
	sed -n '/<svg/,/<\/svg>/p; /<\/svg>/q' $(BUILD)/images/tiny.html >docs/images/loss.svg
	./train_gpt attention $(BUILD)/images/tiny.safetensors --start 'The old bridge held all winter.' --svg docs/images/attention.svg --force >/dev/null

install: train_gpt
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 train_gpt $(DESTDIR)$(PREFIX)/bin/train_gpt

clean:
	rm -rf $(BUILD) train_gpt

FORCE:
.PHONY: $(BUILD)/train_gpt_tiny all test unit platforms clients browser limits mutants sanitize address valgrind races fuzz fuzzers faults bench bench-peer images install clean FORCE
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
