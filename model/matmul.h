// matmul.h -- the one matrix product that everything goes through.
// Source of the blocking: Goto & van de Geijn 2008, doi:10.1145/1356052.1356053.
#ifndef MATMUL_H
#define MATMUL_H

#include "real.h"
#include <stdbool.h>

// A matrix somewhere in memory: element (i, j) is at[i * row + j * col]. Transposing exchanges the strides.
typedef struct {
    const real *at;
    long row, col;
} Matrix;

typedef enum { MATMUL_SET, MATMUL_ADD } MatmulMode;

// out (M,N) = a (M,K) b (K,N), or with MATMUL_ADD out += a b. Row i of out starts at out + i * out_row.
//   bias (N)   with MATMUL_SET every row of the sum starts from it; may be NULL.
// Each element of out is summed over k in order, by one thread, with one rounding per term where the
// processor has a fused multiply-add: the result depends neither on the number of threads nor on the
// machine's vector width. Runs on all threads; on the calling one alone inside a parallel region or when the
// product is small. out overlaps nothing. The packing panels are per-thread static memory: the only mutable
// data of the model that is not passed around.
void matmul(real *out, long out_row, Matrix a, Matrix b, const real *bias, MatmulMode mode, long M, long N,
            long K);

#endif
