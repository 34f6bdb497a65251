// watch.h -- how long work says how far it is, without knowing whom it tells.
#ifndef WATCH_H
#define WATCH_H

typedef struct {
    // `what` is being done, such as "reading", and `name` the file it is about, or NULL: `done` units of
    // `all`, or, where all is 0, of nobody knows how many.
    void (*see)(void *watcher, const char *what, const char *name, double done, double all);
    void *watcher;
} Watch;

// Nothing where nobody watches: w may be NULL. Work calls it after each 0.01 seconds or so.
static inline void watch_tell(const Watch *w, const char *what, const char *name, double done, double all) {
    if (w) w->see(w->watcher, what, name, done, all);
}

#endif
