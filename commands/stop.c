#include "stop.h"
#include "machine.h"
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};
enum { COUNT = sizeof SIGNALS / sizeof *SIGNALS };

// A signal handler may touch little but variables like these: the only global ones of the commands.
static volatile sig_atomic_t asked;
static volatile double asked_at;

static void on_signal(int number) {
    static const char message[] = "finishing the step, then saving; once more stops at once\n";
    // A closed terminal sends SIGHUP to the shell, which passes it on, and then to everybody; timeout(1)
    // sends SIGTERM twice. What comes so soon is not a second thought.
    const double SAME_WISH = 0.2;
    double now = machine_seconds();
    if (!asked) {
        asked = number;
        asked_at = now;
        if (write(STDERR_FILENO, message, sizeof message - 1) < 0) {
        }  // nobody to tell
    } else if (number != SIGHUP && now - asked_at > SAME_WISH) {
        signal(number, SIG_DFL);
        raise(number);  // as soon as this handler returns
    }
}

static void handle_with(void (*handler)(int)) {
    for (int i = 0; i < COUNT; i++) {
        struct sigaction before, now = {.sa_handler = handler, .sa_flags = SA_RESTART};
        sigemptyset(&now.sa_mask);
        if (sigaction(SIGNALS[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(SIGNALS[i], &now, NULL);
    }
}

void stop_listen(void) { handle_with(on_signal); }

void stop_listen_no_more(void) { handle_with(SIG_DFL); }

int stop_asked(void) { return asked; }
