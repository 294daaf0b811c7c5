/* The system calls that this process may make from now on (seccomp(2)). */
#ifndef MINNOW_SECCOMP_H
#define MINNOW_SECCOMP_H

#include <stdbool.h>

/*
 * Installs the filter for every thread of this process, for good, and for all that it starts; it also gives up
 * privileges by way of set-user-ID programs.
 *
 * Without `programs`, only the calls of the service are allowed. Any other call fails with EPERM. A call that only an
 * attacker in control of the process would make ends the process, as does one of another architecture.
 *
 * With `programs`, for boards whose machine is a program (QEMU), every call is allowed except the dangerous ones, which
 * fail with EPERM: the filter also applies to that program, whose calls cannot be listed here.
 *
 * Returns 0 or a negative errno: -ENOSYS or -EINVAL where the kernel or an emulator has no filter.
 */
int seccomp_install(bool programs);

/*
 * Leaves this process without io_uring, which makes calls that no filter sees. To be called before libuv makes its loop,
 * which would take a ring and could not do without it later. Returns as above.
 */
int seccomp_disable_rings(void);

#endif
