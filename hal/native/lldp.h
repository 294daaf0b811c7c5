/*
 * Frames of LLDP (IEEE 802.1AB) at a network device of the kernel: a packet socket (packet(7)) for this protocol alone.
 *
 * Functions return 0 or more, or a negative errno: -ENODEV for a device that does not exist, -EPERM without CAP_NET_RAW.
 * The caller owns all memory. Frames begin with their Ethernet header.
 */
#ifndef MINNOW_LLDP_H
#define MINNOW_LLDP_H

#include <stddef.h>
#include <stdint.h>

/* A descriptor that never blocks, which receives what is sent to the nearest bridge. */
int lldp_open(const char *device);

/* Returns the length of the next frame that another station sent; 0: none now. A longer frame is cut off. */
int lldp_read(int fd, uint8_t *frame, size_t capacity);

/* Returns the length, or 0 if the device takes no frame now. */
int lldp_write(int fd, const uint8_t *frame, size_t length);

#endif
