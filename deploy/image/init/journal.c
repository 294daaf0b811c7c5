#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syslog.h>
#include <unistd.h>

/* An entry of /dev/kmsg takes a little less than a kilobyte (LOG_LINE_MAX of the kernel). */
#define ENTRY_SIZE 768

static int ring = -1;

int journal_open(void) {
  ring = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
  return ring < 0 ? -errno : 0;
}

static void enter(int level, const char *name, const char *text, size_t length) {
  char entry[ENTRY_SIZE];
  const int used = snprintf(entry, sizeof entry, "<%d>%s: %.*s\n", LOG_DAEMON | level, name, (int)length, text);
  if (used <= 0) return;
  const size_t size = (size_t)used < sizeof entry ? (size_t)used : sizeof entry - 1;
  /* A refusal of the kernel cannot be reported anywhere. */
  const ssize_t written = write(ring, entry, size);
  (void)written;
}

void journal(int level, const char *format, ...) {
  char text[ENTRY_SIZE / 2];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  enter(level, "init", text, strlen(text));
}

void journal_add(struct journal_lines *lines, const char *bytes, size_t length) {
  for (size_t at = 0; at < length; at++) {
    const int ended = bytes[at] == '\n';
    if (!ended) lines->text[lines->length++] = bytes[at];
    if (lines->length > 0 && (ended || lines->length == sizeof lines->text)) {
      enter(LOG_NOTICE, lines->name, lines->text, lines->length);
      lines->length = 0;
    }
  }
}
