#include "settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syslog.h>

#include "journal.h"

static int read_number(const char *text, unsigned long least, unsigned long most, unsigned long *number) {
  char *end;
  errno = 0;
  *number = strtoul(text, &end, 10);
  return errno != 0 || end == text || *end != '\0' || *number < least || *number > most ? -EINVAL : 0;
}

static int read_seconds(const char *text, unsigned *seconds) {
  unsigned long number;
  if (read_number(text, 1, 3600, &number) < 0) return -EINVAL;
  *seconds = (unsigned)number;
  return 0;
}

static int read_user(const char *text, uid_t *user) {
  unsigned long number;
  if (read_number(text, 1, 65533, &number) < 0) return -EINVAL;
  *user = (uid_t)number;
  return 0;
}

static int read_path(const char *text, char path[SETTINGS_PATH_SIZE]) {
  if (text[0] != '/' || strlen(text) >= SETTINGS_PATH_SIZE) return -EINVAL;
  strcpy(path, text);
  return 0;
}

static int set(struct settings *settings, const char *name, const char *value) {
  if (strcmp(name, "interface") == 0) {
    if (settings->interface_count == SETTINGS_INTERFACES_MAX || strlen(value) >= sizeof settings->interfaces[0])
      return -EINVAL;
    strcpy(settings->interfaces[settings->interface_count++], value);
    return 0;
  }
  if (strcmp(name, "watchdog") == 0) return read_seconds(value, &settings->watchdog_s);
  if (strcmp(name, "start") == 0) return read_seconds(value, &settings->start_s);
  if (strcmp(name, "silence") == 0) return read_seconds(value, &settings->silence_s);
  if (strcmp(name, "data") == 0) return read_path(value, settings->data);
  if (strcmp(name, "grant") == 0) {
    if (settings->grant_count == SETTINGS_GRANTS_MAX) return -EINVAL;
    return read_path(value, settings->grants[settings->grant_count++]);
  }
  if (strcmp(name, "reset-line") == 0) {
    if (strlen(value) >= sizeof settings->reset_line) return -EINVAL;
    strcpy(settings->reset_line, value);
    return 0;
  }
  if (strcmp(name, "reset-level") == 0) {
    settings->reset_line_high = strcmp(value, "high") == 0;
    return settings->reset_line_high || strcmp(value, "low") == 0 ? 0 : -EINVAL;
  }
  if (strcmp(name, "user") == 0) return read_user(value, &settings->user);
  if (strcmp(name, "network-user") == 0) return read_user(value, &settings->network_user);
  if (strcmp(name, "port") == 0) {
    unsigned long port;
    if (read_number(value, 1, 65535, &port) < 0) return -EINVAL;
    settings->port = (uint16_t)port;
    return 0;
  }
  return -EINVAL;
}

int settings_read(const char *path, struct settings *settings) {
  char line[128], name[32], value[SETTINGS_PATH_SIZE];
  FILE *file = fopen(path, "re");
  if (!file) return -errno;
  int result = 0;
  while (result == 0 && fgets(line, sizeof line, file)) {
    if (sscanf(line, "%31s %63s", name, value) != 2 || set(settings, name, value) < 0) {
      line[strcspn(line, "\n")] = '\0';
      journal(LOG_ERR, "%s: '%s' means nothing", path, line);
      result = -EINVAL;
    }
  }
  fclose(file);
  if (result == 0 && (settings->user == 0 || settings->data[0] == '\0')) {
    journal(LOG_ERR, "%s: it names no user or no data of the service", path);
    result = -EINVAL;
  }
  if (result == 0 && (settings->network_user == 0 || settings->network_user == settings->user)) {
    journal(LOG_ERR, "%s: it names no user of its own for the network", path);
    result = -EINVAL;
  }
  return result;
}
