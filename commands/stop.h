// stop.h -- SIGINT, SIGTERM and SIGHUP ask a run to stop: it finishes its step and saves. A second SIGINT or
// SIGTERM stops it at once.
#ifndef STOP_H
#define STOP_H

// A signal that is ignored when the program starts, as by nohup or in the background of a script, stays so.
void stop_listen(void);

// From now on a signal ends the program as usual.
void stop_listen_no_more(void);

// The number of the signal that came, 0 while there was none.
int stop_asked(void);

#endif
