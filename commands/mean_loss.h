// mean_loss.h -- the mean loss of a model on a text.
#ifndef MEAN_LOSS_H
#define MEAN_LOSS_H

#include "../data/ids.h"
#include "../data/watch.h"
#include "../model/trainer.h"

// Mean in nats over all n-1 targets of the n >= 2 tokens from `begin` on: windows of T inputs side by side
// from the first token, the last one shorter, dropout off. With most_windows > 0 at most so many full
// windows, spread evenly. `watch` (or NULL) is told how many of them are done. Where the loss is not finite,
// `bad` (unless NULL, and only with activations for training) becomes what was so first, as
// trainer_name_culprit says it.
bool mean_loss(double *loss, char bad[TRAINER_NAME], Acts *a, const Weights *w, const Ids *ids, long begin,
               long n, long most_windows, const Watch *watch, Error *err);

#endif
