// train_gpt.c -- the program: picks the command, prints the error, ends with its status.
#include "commands/commands.h"
#include "commands/machine.h"
#include "commands/output.h"
#include "model/threads.h"
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static const char VERSION[] = "0.1.0";

enum { DONE = 0, FAILED = 1, WRONG_COMMAND_LINE = 2, STOPPED_BY_SIGNAL = 128 };

static int complain(const Error *err, int status) {
    fprintf(stderr, "train_gpt: %s\n", err->text);
    return status;
}

static bool run_command(const Options *o, int *stopped_by, Error *err) {
    switch (o->command) {
    case COMMAND_TRAIN: return command_train(o, stopped_by, err);
    case COMMAND_SAMPLE: return command_sample(o, err);
    case COMMAND_EVAL: return command_eval(o, err);
    case COMMAND_INFO: return command_info(o, err);
    case COMMAND_ATTENTION: return command_attention(o, err);
    case COMMAND_EXPORT: return command_export(o, err);
    case COMMAND_IMPORT: return command_import(o, err);
    }
    return false;
}

// A file that is opened while a standard stream is closed would take its number, and be written to by whoever
// means the stream. A closed one is therefore opened on something that can only be read, so that writing to
// it still fails.
static void hold_standard_streams(void) {
    int fd;
    do fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) close(fd);
}

// The panels of the matrix product stand there, and where there is no room for them a program just dies.
static bool stack_is_enough(Error *err) {
    const double LEAST = 1 << 20;  // about twice what is needed
    double most = machine_stack();
    return most >= LEAST || fail(err, "the stack is limited to %.0f KB, and %.0f are needed: ulimit -s 8192",
                                 most / 1024, LEAST / 1024);
}

int main(int argc, char **argv) {
    Options o;
    Error err = {0};
    int stopped_by = 0;
    hold_standard_streams();
    if (!options_parse(&o, argc, argv, &err)) return complain(&err, WRONG_COMMAND_LINE);
    if (o.help || o.version) {
        if (o.version)
            printf("train_gpt %s\n", VERSION);
        else
            options_help(stdout, o.command == COMMAND_TRAIN && argc < 3 ? 0 : o.command);
        return output_flush(&err) ? DONE : complain(&err, FAILED);
    }
    if (!stack_is_enough(&err)) return complain(&err, FAILED);
    // A reader that goes away and a limit of file sizes are failing writes, which say so.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    thread_use(o.threads ? (int)o.threads : thread_default());
    if (o.threads > thread_count()) {
        fail(&err,
             "--threads %ld: at most %d can be had here (a build without OpenMP has one; OMP_THREAD_LIMIT "
             "counts)",
             o.threads, thread_count());
        return complain(&err, WRONG_COMMAND_LINE);
    }
    if (!run_command(&o, &stopped_by, &err)) return complain(&err, FAILED);
    return stopped_by ? STOPPED_BY_SIGNAL + stopped_by : DONE;
}
