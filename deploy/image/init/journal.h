/*
 * The log of the board: the kernel's own ring, which is bounded, is shown on the console, and survives the service.
 * Before journal_open nothing is written. Levels are those of syslog(3).
 */
#ifndef MINNOW_JOURNAL_H
#define MINNOW_JOURNAL_H

#include <stddef.h>

/* Output of a program, cut into lines. */
struct journal_lines {
  const char *name;
  size_t length;
  char text[512];
};

/* 0 or a negative errno. */
int journal_open(void);

void journal(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds the output of a program. Lines that are too long for one entry are split. */
void journal_add(struct journal_lines *lines, const char *bytes, size_t length);

#endif
