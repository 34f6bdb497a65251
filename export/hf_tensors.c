#include "hf_tensors.h"
#include "half.h"
#include <stdlib.h>
#include <string.h>

// ---- names ----

const char *hf_bare_name(const char *name) {
    static const char *const PREFIXES[] = {"module.", "_orig_mod.", "model.", "transformer."};
    const char *before;
    do {
        before = name;
        for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
            size_t n = strlen(PREFIXES[i]);
            if (strncmp(name, PREFIXES[i], n) == 0) name += n;
        }
    } while (name != before);
    return name;
}

bool hf_ends_with(const char *name, const char *ending) {
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && strcmp(name + n - m, ending) == 0;
}

// Attention's mask and what it puts in the place of a masked score: no weights. (The bias of c_attn is one.)
static bool is_buffer(const char *name) {
    return hf_ends_with(name, ".attn.bias") || hf_ends_with(name, ".attn.masked_bias");
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const HfTensor *)a)->name, ((const HfTensor *)b)->name);
}

const SafetensorsEntry *hf_tensors_find(const HfTensors *t, const char *name) {
    HfTensor key = {.name = hf_bare_name(name)};
    const HfTensor *found = bsearch(&key, t->tensor, (size_t)t->count, sizeof key, by_name);
    return found ? found->entry : NULL;
}

static bool name_tensors(HfTensors *t, HfReport *report, Error *err) {
    t->tensor = malloc((size_t)t->file.entries * sizeof *t->tensor);
    if (!t->tensor) return fail(err, "%s: memory is short", t->file.path);
    for (long i = 0; i < t->file.entries; i++) {
        const char *name = hf_bare_name(t->file.entry[i].name.bytes);
        if (is_buffer(name))
            report->buffers++;
        else
            t->tensor[t->count++] = (HfTensor){name, &t->file.entry[i]};
    }
    qsort(t->tensor, (size_t)t->count, sizeof *t->tensor, by_name);
    // Some programs keep one name of a tensor that has two.
    if (!hf_tensors_find(t, "wte.weight"))
        for (long i = 0; i < t->count; i++)
            if (strcmp(t->tensor[i].name, "lm_head.weight") == 0) t->tensor[i].name = "wte.weight";
    qsort(t->tensor, (size_t)t->count, sizeof *t->tensor, by_name);
    for (long i = 1; i < t->count; i++)
        if (by_name(&t->tensor[i - 1], &t->tensor[i]) == 0)
            return fail(err, "%s: tensor \"%s\" stands twice, under different prefixes", t->file.path,
                        t->tensor[i].name);
    return true;
}

// ---- numbers ----

static long numbers_of(const SafetensorsEntry *e) {
    return (long)(e->size / SAFETENSORS_TYPE_BYTES[e->type]);
}

float *hf_tensors_read(HfTensors *t, const SafetensorsEntry *e, Error *err) {
    long n = numbers_of(e);
    float *wide = malloc((size_t)n * sizeof *wide + 1);
    bool narrow = e->type != SAFETENSORS_F32;
    uint16_t *halves = narrow ? malloc((size_t)e->size + 1) : NULL;
    bool good = (wide && (halves || !narrow)) || fail(err, "%s: memory is short", t->file.path);
    good = good && safetensors_read(&t->file, e, narrow ? (void *)halves : (void *)wide, err);
    for (long i = 0; good && narrow && i < n; i++)
        wide[i] = e->type == SAFETENSORS_F16 ? float_from_half(halves[i]) : float_from_bfloat16(halves[i]);
    free(halves);
    if (good) return wide;
    free(wide);
    return NULL;
}

static bool check_types(const HfTensors *t, HfReport *report, Error *err) {
    for (long i = 0; i < t->count; i++) {
        const SafetensorsEntry *e = t->tensor[i].entry;
        bool wide = e->type == SAFETENSORS_F32;
        report->narrow = report->narrow || !wide;
        if (!wide && e->type != SAFETENSORS_F16 && e->type != SAFETENSORS_BF16)
            return fail(err, "%s: tensor \"%s\" is %s; F32, F16 and BF16 can be imported", t->file.path,
                        e->name.bytes, SAFETENSORS_TYPE_NAME[e->type]);
    }
    return true;
}

static void forget(HfTensors *t, long i) {
    memmove(&t->tensor[i], &t->tensor[i + 1], (size_t)(--t->count - i) * sizeof *t->tensor);
}

// A head that equals the token embedding is that: forgets it.
static bool find_tied(HfTensors *t, Error *err) {
    const SafetensorsEntry *head = hf_tensors_find(t, "lm_head.weight"),
                           *wte = hf_tensors_find(t, "wte.weight");
    if (!head || !wte || head->dims != wte->dims ||
        memcmp(head->shape, wte->shape, (size_t)wte->dims * sizeof *wte->shape) != 0)
        return true;
    float *a = hf_tensors_read(t, head, err), *b = a ? hf_tensors_read(t, wte, err) : NULL;
    bool good = a && b, same = good && memcmp(a, b, (size_t)numbers_of(head) * sizeof *a) == 0;
    free(a);
    free(b);
    for (long i = 0; same && i < t->count; i++)
        if (t->tensor[i].entry == head) forget(t, i);
    return good;
}

static bool is_zero(bool *zero, HfTensors *t, const SafetensorsEntry *e, Error *err) {
    float *numbers = hf_tensors_read(t, e, err);
    if (!numbers) return false;
    *zero = true;
    for (long i = 0; i < numbers_of(e); i++) *zero = *zero && numbers[i] == 0;
    free(numbers);
    return true;
}

// hf_export writes zeros for the biases of a model that has none, and says so: as long as they are zeros, it
// still has none.
static bool find_no_bias(HfTensors *t, Error *err) {
    const String *said = metadata_get(&t->file.metadata, "no_bias");
    bool zero = said && string_is(said, "true");
    for (long i = 0; zero && i < t->count; i++)
        if (hf_ends_with(t->tensor[i].name, ".bias") && !is_zero(&zero, t, t->tensor[i].entry, err))
            return false;
    for (long i = t->count - 1; zero && i >= 0; i--)
        if (hf_ends_with(t->tensor[i].name, ".bias")) forget(t, i);
    return true;
}

bool hf_tensors_open(HfTensors *t, const char *path, HfReport *report, Error *err) {
    *t = (HfTensors){0};
    if (!safetensors_open(&t->file, path, err)) return false;
    if (name_tensors(t, report, err)) {
        const SafetensorsEntry *qkv = hf_tensors_find(t, "h.0.attn.c_attn.weight");
        t->has_head = hf_tensors_find(t, "lm_head.weight");
        t->transposed = qkv && qkv->dims == 2 && qkv->shape[1] % 3 == 0 && qkv->shape[1] / 3 == qkv->shape[0];
        if (check_types(t, report, err) && find_tied(t, err) && find_no_bias(t, err)) return true;
    }
    hf_tensors_close(t);
    return false;
}

void hf_tensors_close(HfTensors *t) {
    safetensors_close(&t->file);
    free(t->tensor);
    *t = (HfTensors){0};
}
