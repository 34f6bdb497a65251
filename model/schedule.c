#include "schedule.h"
#include "elementary.h"

double schedule_rate(const Schedule *s, long step) {
    if (step < s->warmup) return s->learning_rate * (double)(step + 1) / (double)(s->warmup + 1);
    if (step >= s->decay) return s->min_lr;
    double progress = (double)(step - s->warmup) / (double)(s->decay - s->warmup);
    return s->min_lr + 0.5 * (1 + cos_pi(progress)) * (s->learning_rate - s->min_lr);
}
