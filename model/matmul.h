// matmul.h -- the one matrix product that everything goes through.
// Source of the tile of registers over a packed operand: Goto & van de Geijn 2008,
// doi:10.1145/1356052.1356053.
#ifndef MATMUL_H
#define MATMUL_H

#include "real.h"

// A matrix somewhere in memory: element (i, j) is at[i * row + j * col]. Transposing exchanges the strides,
// of which at least one is 1.
typedef struct {
    const real *at;
    long row, col;
} Matrix;

// out (M,N) = a (M,K) b (K,N), or with STORE_ADD out += a b. Row i of out starts at out + i * out_row.
//   bias (N)   with STORE_SET every row of the sum starts from it; may be NULL.
// Each element of out is summed over k in order, with one rounding per term where the processor has a fused
// multiply-add: the result does not depend on the machine's vector width, nor on how the work is cut, in any
// of M, N and K. M and N may be 0, K may not. Runs on the calling thread; a team cuts the rows or the columns
// of out. out overlaps nothing. Panels for packed operands are static memory of each thread,
// half a megabyte, which some systems take from its stack: an OMP_STACKSIZE below a megabyte is too small.
void matmul(real *out, long out_row, Matrix a, Matrix b, const real *bias, Store store, long M, long N,
            long K);

// to (columns,rows) = from (rows,columns), transposed; rows of `to` are to_row apart, those of `from`
// from_row.
void transpose(real *to, long to_row, const real *from, long from_row, long rows, long columns);

#endif
