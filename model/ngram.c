// ngram.c -- counts by sorting, for one length of context after the other.
//
// A place is where a token stands; those of the training text come first, those of the validation text after
// them. Places with the same k tokens before them are a class. When the places of a class lie side by side,
// its training places show N, T and how often each token came, and then its validation places get their p_k.
// The places behind equal tokens of one class are a class of k + 1 tokens: so each length gives the next one
// its classes, and no context is ever searched for.
#include "ngram.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const uint32_t NONE = UINT32_MAX;

typedef struct {
    uint32_t at, token;
} Place;

// What the class that is being read knows of a token.
typedef struct {
    uint32_t class;   // the last one that it came in: the rest is about that one
    uint32_t count;   // in the training text
    uint32_t longer;  // the class of the places behind it
} Follower;

typedef struct {
    uint32_t n, m;
    uint32_t *class;     // (n+m+1) of each place, or NONE: too near the start, or no validation place has it
    Place *place;        // (n+m) those that have a class, class by class, each in the order of the texts
    uint32_t *end;       // (n+1) of each class in `place`, where the next one begins
    Follower *follower;  // (V)
    double *p;           // (m) p_k of the tokens of the validation text
} Counts;

static bool counts_create(Counts *s, long n, long m, long V, Error *err) {
    size_t places = (size_t)(n + m);
    *s = (Counts){.n = (uint32_t)n, .m = (uint32_t)m};
    s->class = malloc((places + 1) * sizeof *s->class);
    s->place = malloc(places * sizeof *s->place);
    s->end = malloc(((size_t)n + 1) * sizeof *s->end);
    s->follower = malloc((size_t)V * sizeof *s->follower);
    s->p = malloc((size_t)m * sizeof *s->p);
    return (s->class && s->place && s->end && s->follower && s->p) ||
           fail(err, "memory: cannot count the n-grams of %zu tokens", places);
}

static void counts_free(Counts *s) {
    free(s->class);
    free(s->place);
    free(s->end);
    free(s->follower);
    free(s->p);
}

// Puts the places of each class side by side, and leaves all places without a class.
static void sort(Counts *s, uint32_t classes, const int32_t *training, const int32_t *validation) {
    uint32_t places = s->n + s->m, sum = 0;
    for (uint32_t c = 0; c < classes; c++) s->end[c] = 0;
    for (uint32_t i = 0; i < places; i++)
        if (s->class[i] != NONE) s->end[s->class[i]]++;
    for (uint32_t c = 0; c < classes; c++) {
        uint32_t size = s->end[c];
        s->end[c] = sum;  // the beginning, which moves to the end with each place that comes
        sum += size;
    }
    for (uint32_t i = 0; i < places; i++) {
        if (s->class[i] == NONE) continue;
        int32_t token = i < s->n ? training[i] : validation[i - s->n];
        s->place[s->end[s->class[i]]++] = (Place){i, (uint32_t)token};
        s->class[i] = NONE;
    }
}

// Reads class c, gives the places behind it their classes, numbered from `longer` on, and returns the number
// after the last of those.
static uint32_t read_class(Counts *s, uint32_t c, const Place *i, const Place *end, uint32_t longer) {
    if (i == end || end[-1].at < s->n) return longer;
    double N = 0, T = 0;
    for (; i->at < s->n; i++) {
        Follower *f = &s->follower[i->token];
        if (f->class != c) {
            *f = (Follower){.class = c, .longer = longer++};
            T++;
        }
        f->count++;
        N++;
        s->class[i->at + 1] = f->longer;
    }
    for (; i < end; i++) {
        const Follower *f = &s->follower[i->token];
        bool came = f->class == c;
        double *p = &s->p[i->at - s->n];
        if (N > 0) *p = ((came ? f->count : 0) + T * *p) / (N + T);
        if (came) s->class[i->at + 1] = f->longer;
    }
    return longer;
}

// Takes p from contexts one shorter to those of these classes, and returns how many the next ones have.
static uint32_t read_all(Counts *s, uint32_t classes, long V) {
    for (long v = 0; v < V; v++) s->follower[v].class = NONE;
    uint32_t longer = 0, begin = 0;
    for (uint32_t c = 0; c < classes; c++) {
        longer = read_class(s, c, s->place + begin, s->place + s->end[c], longer);
        begin = s->end[c];
    }
    s->class[s->n] = NONE;  // the training text does not go on in the other
    return longer;
}

bool ngram_losses(double loss[NGRAM_MODELS], const int32_t *training, long n, const int32_t *validation,
                  long m, long V, const Watch *watch, Error *err) {
    assert(n >= 0 && m > 0 && n + m < 1L << 31);
    Counts s;
    bool good = counts_create(&s, n, m, V, err);
    if (good) {
        uint32_t classes = 1;
        for (long i = 0; i < n + m; i++) s.class[i] = 0;
        for (long i = 0; i < m; i++) s.p[i] = 1 / (double)V;
        for (long k = 0; k < NGRAM_MODELS; k++) {
            watch_tell(watch, "counting n-grams", NULL, (double)k, NGRAM_MODELS);
            sort(&s, classes, training, validation);
            classes = read_all(&s, classes, V);
            loss[k] = 0;
            for (long i = 0; i < m; i++) loss[k] -= log(s.p[i]);
            loss[k] /= (double)m;
        }
    }
    counts_free(&s);
    return good;
}
