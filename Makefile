# train_gpt -- a complete GPT training program in C.
#
#   make                  the program ./train_gpt, for this machine's processor
#   make ARCH=x86-64-v3   ... for another one: what follows -march=; empty for the compiler's default
#   make OPENMP=0         ... without OpenMP, on one thread
#   make CC=clang         ... with another compiler
#   make test             all tests: float and double, tiny tiles, the whole program
#   make mutants          breaks one backward pass after another and expects the tests to notice
#   make sanitize         the tests again under the address and undefined-behaviour sanitizers
#   make bench            how fast the parts and the whole are on this machine
#   make install PREFIX=/usr/local
#   make clean

CC      = cc
ARCH    = native
OPENMP  = 1
PREFIX  = /usr/local
OPT     = -O3
BUILD   = build

# No -ffast-math. No contraction either: the source says where a product and a sum are fused, so that every compiler
# computes the same bits. Neither errno nor floating-point traps are used, and giving them up changes no result.
NUMBERS  = -ffp-contract=off -fno-math-errno -fno-trapping-math
WARNINGS = -Wall -Wextra -Wdouble-promotion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
CFLAGS   = $(OPT) -g
MARCH    = $(if $(ARCH),-march=$(ARCH))
OMP      = $(if $(filter 1,$(OPENMP)),-fopenmp,-fopenmp-simd)
FLAGS    = -std=gnu11 -MMD -MP $(CFLAGS) $(NUMBERS) $(WARNINGS) $(OMP) $(EXTRA)
LIBS     = -lm

LIBRARY  = $(wildcard model/*.c data/*.c tokenizer/*.c)
PROGRAM  = train_gpt.c $(wildcard commands/*.c)
UNIT     = $(wildcard tests/test_*.c)

all: train_gpt

# One build for each way of compiling: build/float and build/double, build/tiny with tiles so small that every edge is met.
TINY = -DMATMUL_MR=3 -DMATMUL_NV=1 -DMATMUL_ROW_TILES=2 -DMATMUL_KC=5 -DMATMUL_NC=20 -DATTENTION_TILE=3
define variant
$(BUILD)/$(1)/%.o: %.c Makefile
	@mkdir -p $$(@D)
	$$(CC) $$(FLAGS) $(2) -c $$< -o $$@
$(BUILD)/$(1)/library.a: $$(LIBRARY:%.c=$(BUILD)/$(1)/%.o)
	@rm -f $$@
	$$(AR) rcs $$@ $$^
$(BUILD)/$(1)/tests/%: $(BUILD)/$(1)/tests/%.o $(BUILD)/$(1)/library.a
	$$(CC) $$(FLAGS) $$^ -o $$@ $$(LIBS)
UNIT_$(1) = $$(UNIT:%.c=$(BUILD)/$(1)/%)
endef
$(eval $(call variant,float,$(MARCH)))
$(eval $(call variant,double,$(MARCH) -DREAL=double))
$(eval $(call variant,tiny,$(MARCH) $(TINY)))
$(eval $(call variant,tinydouble,$(MARCH) $(TINY) -DREAL=double))
.SECONDARY:

train_gpt: $(PROGRAM:%.c=$(BUILD)/float/%.o) $(BUILD)/float/library.a
	$(CC) $(FLAGS) $^ -o $@ $(LIBS)

UNIT_TESTS = $(foreach v,float double tiny tinydouble,$(UNIT_$(v)))

test: train_gpt $(UNIT_TESTS)
	@tests/run.sh $(UNIT_TESTS) tests/program.sh

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all test
