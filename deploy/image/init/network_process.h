/*
 * The network process as the init process sees it: it is started, configured, listened to, and started again when it
 * ends, is silent for a minute, or sends an invalid message. Times as in restart.h.
 */
#ifndef MINNOW_NETWORK_PROCESS_H
#define MINNOW_NETWORK_PROCESS_H

#include <sys/types.h>

#include "network_messages.h"
#include "restart.h"

struct network_process {
  uid_t user;
  int64_t earliest; /* as in network_messages.h */
  pid_t process;    /* 0 while it does not run */
  int socket;       /* -1 while it does not run, or has closed its end */
  struct restart restart;
  uint64_t heard; /* the time of its last message */
  struct network_messages_wanted told;
};

void network_process_init(struct network_process *process, uid_t user, int64_t earliest);

/* Starts it when it is due, ends it after silence, and sends it the questions. */
void network_process_step(struct network_process *process, const struct network_messages_wanted *wanted, uint64_t now);

/* Takes a message for a board with `ports` ports. Whether there was one; an invalid one ends the process. */
bool network_process_read(struct network_process *process, size_t ports, uint64_t now,
                          struct network_messages_news *news);

/* It has ended with `status` (wait(2)). */
void network_process_ended(struct network_process *process, int status, uint64_t now);

#endif
