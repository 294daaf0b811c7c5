/* IPv4 of the board. */
#ifndef MINNOW_NETWORK_H
#define MINNOW_NETWORK_H

#include <netinet/in.h>
#include <stdint.h>

/* Brings an interface up; gives it the address, and the default route where `gateway` is not 0. 0 or a negative errno. */
int network_start(const char *interface, struct in_addr address, struct in_addr netmask, struct in_addr gateway);

/* Lets users without privileges listen on `port`. 0 or a negative errno. */
int network_open_port(uint16_t port);

/* Takes the address away from an interface, which stays up. 0 or a negative errno. */
int network_stop(const char *interface);

#endif
