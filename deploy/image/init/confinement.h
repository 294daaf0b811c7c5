/* Confines the network process (network_clients.h) to UDP, and to a socket to the init process. */
#ifndef MINNOW_CONFINEMENT_H
#define MINNOW_CONFINEMENT_H

#include <sys/types.h>

/* The only file that is left: the socket to the init process. */
enum { CONFINEMENT_SOCKET = 0 };

/*
 * Leaves this process `socket` as its only file, at CONFINEMENT_SOCKET, and makes it a process of `user`, for good: its only
 * capability is CAP_NET_BIND_SERVICE, and any system call that it does not need ends it (seccomp(2)). On a kernel without
 * filters it has all calls. 0 or a negative errno, after which it must end.
 */
int confinement_enter(uid_t user, int socket);

#endif
