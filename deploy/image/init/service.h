/* The one program that the board is for: started, listened to, started again. Times as in probe.h. */
#ifndef MINNOW_SERVICE_H
#define MINNOW_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "journal.h"
#include "restart.h"

struct service {
  char *const *arguments;
  char *const *environment;
  uid_t user;
  pid_t process; /* 0 while it does not run */
  int output;    /* its output; -1 when the other end is closed */
  struct restart restart;
  unsigned ends; /* how often it has ended */
  bool reset;    /* it has asked for a reset of the board */
  struct journal_lines lines;
};

void service_init(struct service *service, uid_t user, char *const *arguments, char *const *environment);

/* Starts the program if it does not run and is due. */
void service_step(struct service *service, uint64_t now);

/* Reads the output of the program. To be called when `output` can be read. */
void service_read(struct service *service);

/* Its process has ended with `status` (wait(2)). */
void service_ended(struct service *service, int status, uint64_t now);

/* Memory of the program that is in RAM, in bytes; 0 while it does not run. */
uint64_t service_memory(const struct service *service);

/* Tells the program to end, and makes it end after ten seconds. */
void service_stop(struct service *service);

#endif
