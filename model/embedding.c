// embedding.c -- table look-up, and its gradient: rows added back into the tables.
#include "embedding.h"
#include "threads.h"

void embedding_forward(real *out, const int32_t *tokens, const real *wte, const real *wpe, long first, long B,
                       long T, long C) {
    Range rows = thread_rows(B * T);
    for (long n = rows.begin; n < rows.end; n++) {
        const real *token = wte + tokens[n] * C, *position = wpe + (first + n % T) * C;
        for (long c = 0; c < C; c++) out[n * C + c] = token[c] + position[c];
    }
}

// With out = wte[token] + wpe[t],
//   dwte[v] = sum of dout over all places of token v,   dwpe[t] = sum of dout over the batch at t.
// A token stands in many rows, so each thread owns a range of channels and adds the rows in order.
void embedding_backward(real *dwte, real *dwpe, const real *dout, const int32_t *tokens, long B, long T,
                        long C) {
    Range columns = thread_columns(C);
    for (long n = 0; n < B * T; n++) {
        const real *d = dout + n * C;
        real *token = dwte + tokens[n] * C, *position = dwpe + n % T * C;
        for (long c = columns.begin; c < columns.end; c++) token[c] += d[c];
        for (long c = columns.begin; c < columns.end; c++) position[c] += d[c];
    }
}
