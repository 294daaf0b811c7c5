/*
 * The network process: it asks servers of DHCP, of DHCPv6 and of time, and reads what anybody in the network sends it.
 * It has no files, no user but its own, no privilege but that for the ports of DHCP, and the system calls that this
 * takes (confinement.h). It passes the answers of servers to the init process (network_messages.h), which does the
 * rest.
 */
#ifndef MINNOW_NETWORK_CLIENTS_H
#define MINNOW_NETWORK_CLIENTS_H

#include <stdint.h>

/* Serves the init process over the socket `init`, until that is closed. `earliest` as in sntp.h. */
void network_clients_run(int init, int64_t earliest);

#endif
