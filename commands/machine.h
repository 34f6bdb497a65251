// machine.h -- what the program asks of the computer it runs on.
#ifndef MACHINE_H
#define MACHINE_H

// Bytes of memory that this process can hope for: the machine's, or what its container allows. Infinite where
// the system does not tell.
double machine_memory(void);

// Bytes that the stack of a thread may grow to. Infinite where there is no limit.
double machine_stack(void);

// Seconds since some moment, steadily.
double machine_seconds(void);

#endif
