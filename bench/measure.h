// measure.h -- how everything here is timed: each run right after a burst of the limit that it is held
// against.
//
// Machines are shared, and their speed changes from one second to the next. A run and the burst before it
// meet the same machine, so their ratio is steadier than either; reported are medians, of times and of
// ratios. What is short is timed turn by turn, and the median turn counts: when a neighbour takes a processor
// for a moment, all threads wait for the one that had it, but only in that turn.
#ifndef MEASURE_H
#define MEASURE_H

// Some milliseconds of the fastest that the machine can do; returns the rate, in operations or bytes a
// second.
typedef struct {
    double (*burst)(void *of);
    void *of;
} Limit;

typedef struct {
    void (*run)(void *on);
    void *on;
} Work;

// Work for a team: every thread calls run, for its own share of turn number `turn`.
typedef struct {
    void (*run)(void *on, long turn);
    void *on;
} TeamWork;

// At least so many repetitions, and until so many seconds are over.
typedef struct {
    int least;
    double seconds;
} Effort;

typedef struct {
    double seconds;  // of one run, the median
    double fastest;
    double worth;  // what the limit would have done in that time, operations or bytes: median over the pairs
} Timing;

// The first run counts: whoever calls has made one before, where memory must be touched or caches filled.
Timing measure(Work work, Limit limit, Effort effort);

// One turn of many.
Timing measure_team(TeamWork work, Limit limit, Effort effort);

// The median rate of bursts alone.
double measure_limit(Limit limit, Effort effort);

// The median time of the turns first .. first+turns-1, in one parallel region, with a barrier after each.
enum { TURNS_MOST = 1000 };
double median_turn(TeamWork work, long first, int turns);

#endif
