// model_file.h -- a model and its tokenizer, to and from one file.
#ifndef MODEL_FILE_H
#define MODEL_FILE_H

#include "../model/checkpoint.h"
#include "options.h"

typedef struct {
    Weights w;
    Tokenizer z;
    Metadata metadata;
} ModelFile;

// Opens a model or a state. On success the file is open, so that moments can be read from it, too.
bool model_file_open(Safetensors *file, GptConfig *config, Tokenizer *z, bool *has_moments, const char *path,
                     Error *err);

// Fails, naming the file and the tensor, where a weight is not finite.
bool model_file_check(const Weights *w, const char *path, Error *err);

// Reads a model (from a state, its weights), and checks that.
bool model_file_load(ModelFile *m, const char *path, Error *err);
void model_file_free(ModelFile *m);

// The ids of a text for sample and eval: a character that the model does not know is an error, or with
// --drop-unknown is left out, which standard error is told unless --quiet. Uses up the text's bytes.
bool model_file_encode(const Tokenizer *z, Ids *ids, Text *text, const Options *o, Error *err);

// Puts the tokenizer into the metadata of a file to be written.
bool model_file_put_tokenizer(Metadata *m, const Tokenizer *z, Error *err);

#endif
