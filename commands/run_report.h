// run_report.h -- the page of a run: out/NAME.html, from what the run knows of itself.
#ifndef RUN_REPORT_H
#define RUN_REPORT_H

#include "run_files.h"

typedef enum { RUN_GOES_ON, RUN_STOPPED, RUN_ENDED } RunStatus;

// Writes it anew, with all rows of the log so far.
bool run_report(const RunPaths *paths, const Options *o, const Corpus *c, const Trainer *t,
                const RunPlace *place, RunStatus status, double seconds_left, Error *err);

#endif
