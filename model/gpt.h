// gpt.h -- GPT-2: the layers wired together, forward and backward.
// Source: Radford et al. 2019, "Language models are unsupervised multitask learners".
#ifndef GPT_H
#define GPT_H

#include "weights.h"

// What dropout a training pass uses. A batch is cut into micro-batches, and `first` is the index in it of
// this one's first sequence: masks depend on the place in the whole batch only.
typedef struct {
    double p;  // 0 for none
    uint64_t seed, step;
    long first;
} GptDropout;

// The activations of one block that its backward pass needs, for N = B*T rows.
typedef struct {
    real *resid;                      // (N,C)   residual stream entering the block
    real *ln1, *ln1_mean, *ln1_rstd;  // (N,C) (N) (N)
    real *qkv, *lse, *atty;           // (N,3C) (B,NH,T) (N,C)
    real *resid_mid;                  // (N,C)   residual stream after attention
    real *ln2, *ln2_mean, *ln2_rstd;
    real *fch, *fch_gelu;  // (N,4C)   fch holds the slope of the GELU once fch_gelu is there
} BlockActs;

// Room for a micro-batch of B sequences: activations, and for training the few gradients of activations alive
// at once.
typedef struct {
    GptConfig config;
    long B, head_rows;
    bool training;
    real *memory;
    BlockActs *block;  // L in training; else all blocks share one set
    real *resid;       // (N,C)   leaves the last block
    real *lnf, *lnf_mean, *lnf_rstd;
    real *logits;     // (head_rows,V)   of some rows at a time; in training replaced by their gradient
    real *branch;     // (N,C)   output of a residual branch
    real *attention;  // scratch
    // Gradients, training only. Two of the residual stream at the ends of blocks, which take turns: block l
    // begins at dresid[l % 2]. Those of the branches are apart only where there is dropout.
    real *dresid[2], *dresid_mid, *dmlp, *datt;  // (N,C)
    real *dnarrow, *dwide, *dqkv;                // (N,C) (N,4C) (N,3C)
    real *sums1, *sums2, *sumsf;                 // of the three kinds of layernorm
    double *losses;                              // (N)
} Acts;

// The most sequences in a micro-batch: enough rows to keep the matrix products efficient, few enough for what
// a layer needs to stay near in a usual cache. Depends on the model only, so that results do not depend on
// the machine.
long gpt_micro_batch(const GptConfig *config);

// Bytes that acts_create would allocate.
long acts_bytes(const GptConfig *config, long B, bool training);
// Room for a micro-batch of B sequences, for as many threads as are in use now, or fewer.
bool acts_create(Acts *a, const GptConfig *config, long B, bool training, Error *err);
void acts_free(Acts *a);

// After a pass: the first of the activations, in the order in which they are made, that holds a NaN or an
// infinity. Writes its name, "transformer.h.1.attn" for what that module gives; false where all are finite.
bool acts_first_nonfinite(const Acts *a, long B, long T, char name[64]);

// These run on all threads. B is at most a->B, T at most the model's context; tokens and targets are (B,T).

// The logits (B,T,V).
void gpt_logits(real *logits, Acts *a, const Weights *w, const int32_t *tokens, long B, long T);

// The sum in nats of the losses of all B*T targets, dropout off.
double gpt_loss(Acts *a, const Weights *w, const int32_t *tokens, const int32_t *targets, long B, long T);

// The same sum with dropout as given (NULL for none); sets dw to the gradient of dloss times that sum, or
// adds it.
double gpt_loss_backward(Weights *dw, Store store, Acts *a, const Weights *w, const int32_t *tokens,
                         const int32_t *targets, long B, long T, real dloss, const GptDropout *dropout);

#endif
