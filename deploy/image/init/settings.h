/* The settings of the init process, which the image's build wrote: lines of `name value` in /etc/minnow/init.conf. */
#ifndef MINNOW_SETTINGS_H
#define MINNOW_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SETTINGS_PATH_SIZE 64
#define SETTINGS_LINE_SIZE 32
#define SETTINGS_GRANTS_MAX 16
#define SETTINGS_INTERFACES_MAX 4

struct settings {
  char interfaces[SETTINGS_INTERFACES_MAX][16]; /* devices of the network that the service sets up */
  size_t interface_count;
  uint16_t port;                                        /* that the service listens on until clients name another */
  uid_t user, network_user;                             /* of the service, of the network process; 0: not named */
  char data[SETTINGS_PATH_SIZE];                        /* folder of the service */
  char grants[SETTINGS_GRANTS_MAX][SETTINGS_PATH_SIZE]; /* files of devices that the service uses */
  size_t grant_count;
  char reset_line[SETTINGS_LINE_SIZE]; /* name of the GPIO line that restores the factory defaults; empty without one */
  bool reset_line_high;                /* it is active when high */
  unsigned watchdog_s;                 /* until the hardware resets a board that is not healthy */
  unsigned start_s;                    /* that the service has until its first answer */
  unsigned silence_s;                  /* that it may leave between two answers */
};

/* 0, -EINVAL for a line that means nothing or for settings without a user and his data, or the errno of reading the file. */
int settings_read(const char *path, struct settings *settings);

#endif
