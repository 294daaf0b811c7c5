#include "restart.h"

#include <string.h>
#include <sys/syslog.h>
#include <sys/wait.h>

#include "journal.h"

static const uint64_t first_wait_ms = 1000, last_wait_ms = 60000, steady_ms = 60000;

void restart_init(struct restart *restart, const char *name) {
  *restart = (struct restart){.name = name, .wait = first_wait_ms};
}

static void wait_longer(struct restart *restart, uint64_t now) {
  restart->next = now + restart->wait;
  restart->wait = restart->wait * 2 < last_wait_ms ? restart->wait * 2 : last_wait_ms;
}

void restart_failed(struct restart *restart, int result, uint64_t now) {
  journal(LOG_ERR, "%s cannot be started: %s", restart->name, strerror(-result));
  wait_longer(restart, now);
}

void restart_ended(struct restart *restart, int status, uint64_t now) {
  const char *how = WIFSIGNALED(status) ? "signal" : "status";
  if (now - restart->started >= steady_ms) restart->wait = first_wait_ms;
  wait_longer(restart, now);
  journal(LOG_WARNING, "%s ended with %s %d; it starts again in %llu ms", restart->name, how,
          WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), (unsigned long long)(restart->next - now));
}
