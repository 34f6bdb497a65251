// stop.h -- SIGINT and SIGTERM ask a run to stop: it finishes its step and saves. A second one stops it at
// once.
#ifndef STOP_H
#define STOP_H

void stop_listen(void);

// From now on a signal ends the program as usual.
void stop_listen_no_more(void);

// The number of the signal that came, 0 while there was none.
int stop_asked(void);

#endif
