// schedule.h -- the learning rate over a run: warm-up, then a cosine down to a floor.
// Source: Loshchilov & Hutter 2016, arXiv:1608.03983, eq. 5 without restarts; the details are nanoGPT's.
#ifndef SCHEDULE_H
#define SCHEDULE_H

typedef struct {
    double learning_rate, min_lr;
    long warmup, decay;  // steps: the rate rises over `warmup` steps and reaches min_lr after `decay`
} Schedule;

// The learning rate of step `step`, counted from 0.
double schedule_rate(const Schedule *s, long step);

#endif
