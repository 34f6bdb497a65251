// ngram.c -- counts in a tree: a node is a context, an edge from it a token that followed. The edge's count
// is how often, and the node it leads to is the context one token longer. All edges live in one hash table
// keyed by (node, token).
//
// Reading a text needs the nodes of the last 0, 1, .. 6 tokens only; when a token comes, each of them moves
// along its edge for that token and becomes the node of the next longer context.
#include "ngram.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const uint64_t MOST_EDGES = 1 << 23;

typedef struct {
    uint32_t node, token;  // the key; count is 0 in an empty slot
    uint32_t count, to;
} Edge;

typedef struct {
    Edge *edge;
    uint64_t slots, edges;  // slots is a power of two
    struct Totals {
        uint32_t occurrences, continuations;  // N and T
    } * node;                                 // as many as edges + 1; node 0 is the empty context
    uint64_t room;
} Tree;

static void tree_free(Tree *tree) {
    free(tree->edge);
    free(tree->node);
}

// The slot of the edge, or the empty slot where it belongs.
static Edge *find(const Tree *tree, uint32_t node, uint32_t token) {
    uint64_t h = ((uint64_t)node << 32 | token) * 0x9e3779b97f4a7c15u;
    for (uint64_t slot = h >> 20;; slot++) {
        Edge *e = &tree->edge[slot & (tree->slots - 1)];
        if (e->count == 0 || (e->node == node && e->token == token)) return e;
    }
}

static bool grow(Tree *tree, Error *err) {
    Tree larger = {.slots = tree->slots * 2, .room = tree->room * 2, .edges = tree->edges};
    larger.edge = calloc(larger.slots, sizeof *larger.edge);
    larger.node = realloc(tree->node, larger.room * sizeof *larger.node);
    if (larger.node) tree->node = larger.node;
    if (!larger.edge || !larger.node) {
        free(larger.edge);
        return fail(err, "memory: cannot get %zu bytes to count n-grams",
                    (size_t)(larger.slots * sizeof(Edge)));
    }
    for (uint64_t i = tree->room; i < larger.room; i++) larger.node[i] = (struct Totals){0};
    for (uint64_t i = 0; i < tree->slots; i++)
        if (tree->edge[i].count) *find(&larger, tree->edge[i].node, tree->edge[i].token) = tree->edge[i];
    free(tree->edge);
    *tree = larger;
    return true;
}

// Counts one more `token` after context `node`; *to is the node of the longer context.
static bool count(Tree *tree, uint32_t node, uint32_t token, uint32_t *to, Error *err) {
    if (tree->edges + 1 >= tree->room && !grow(tree, err)) return false;
    Edge *e = find(tree, node, token);
    if (e->count == 0) {
        *e = (Edge){.node = node, .token = token, .to = (uint32_t)++tree->edges};
        tree->node[node].continuations++;
    }
    e->count++;
    tree->node[node].occurrences++;
    *to = e->to;
    return true;
}

// Returns in *counted how many tokens were read until the tree had MOST_EDGES.
static bool learn(Tree *tree, const int32_t *text, long n, long *counted, Error *err) {
    uint32_t at[NGRAM_MODELS] = {0};  // at[k]: the node of the last k tokens
    long i = 0;
    for (; i < n && tree->edges < MOST_EDGES; i++)
        for (long k = i < NGRAM_CONTEXT ? i : NGRAM_CONTEXT; k >= 0; k--) {
            uint32_t to;
            if (!count(tree, at[k], (uint32_t)text[i], &to, err)) return false;
            if (k < NGRAM_CONTEXT) at[k + 1] = to;
        }
    *counted = i;
    return true;
}

// Adds -ln p_k(token) to loss[k] for every k. Contexts at[0 .. known] have been seen in training; moves them
// along.
static long predict(const Tree *tree, uint32_t at[NGRAM_MODELS], long known, uint32_t token, long V,
                    double loss[NGRAM_MODELS]) {
    double p = 1 / (double)V;
    uint32_t next[NGRAM_MODELS] = {0};
    long next_known = 0;
    for (long k = 0; k <= NGRAM_CONTEXT; k++) {
        if (k <= known) {
            const Edge *e = find(tree, at[k], token);
            double occurrences = tree->node[at[k]].occurrences,
                   continuations = tree->node[at[k]].continuations;
            if (occurrences > 0) p = (e->count + continuations * p) / (occurrences + continuations);
            if (e->count && next_known == k && k < NGRAM_CONTEXT) next[++next_known] = e->to;
        }
        loss[k] -= log(p);
    }
    for (long k = 0; k <= NGRAM_CONTEXT; k++) at[k] = next[k];
    return next_known;
}

bool ngram_losses(double loss[NGRAM_MODELS], long *counted, const int32_t *training, long n,
                  const int32_t *validation, long m, long V, Error *err) {
    assert(n >= 0 && n < 1L << 28 && m > 0);  // so that 7 n edges have numbers of 32 bits
    Tree tree = {.slots = 1 << 12,
                 .room = 1 << 11};  // room for half as many edges as slots keeps searches short
    tree.edge = calloc(tree.slots, sizeof *tree.edge);
    tree.node = calloc(tree.room, sizeof *tree.node);
    bool good = tree.edge && tree.node ? learn(&tree, training, n, counted, err)
                                       : fail(err, "memory: cannot count n-grams");
    if (good) {
        uint32_t at[NGRAM_MODELS] = {0};
        long known = 0;
        for (long k = 0; k < NGRAM_MODELS; k++) loss[k] = 0;
        for (long i = 0; i < m; i++) known = predict(&tree, at, known, (uint32_t)validation[i], V, loss);
        for (long k = 0; k < NGRAM_MODELS; k++) loss[k] /= (double)m;
    }
    tree_free(&tree);
    return good;
}
