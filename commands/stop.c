#include "stop.h"
#include <signal.h>
#include <unistd.h>

// A signal handler may touch nothing but a variable like this: the only global one of the commands.
static volatile sig_atomic_t asked;

static void on_signal(int number) {
    static const char message[] = "finishing the step, then saving; once more stops at once\n";
    asked = number;
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0) {
    }  // nobody to tell
    signal(number, SIG_DFL);
}

void stop_listen(void) {
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
}

void stop_listen_no_more(void) {
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

int stop_asked(void) { return asked; }
