#include "confinement.h"

#include <errno.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../../runtime/embedded/seccomp_program.h"
#include "user.h"

/* For the ports of DHCP; other ones in use are two of each of four ports, one of time, and the socket to the init process. */
static const rlim_t files_max = 16;

static const uint32_t allowed[] = {SYS_socket, SYS_bind, SYS_connect, SYS_setsockopt, SYS_ioctl, SYS_sendto,
                                   SYS_recvfrom, SYS_close,
                                   /* time, random numbers, the end */
                                   SYS_clock_gettime, SYS_getrandom, SYS_restart_syscall, SYS_exit_group,
#if defined __x86_64__
                                   SYS_poll
#elif defined __arm__
                                   SYS_poll, SYS_clock_gettime64, SYS_send, SYS_recv
#else
                                   SYS_ppoll
#endif
};

static const uint32_t families[] = {AF_INET, AF_INET6};
static const uint32_t types[] = {SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC};
static const uint32_t levels[] = {SOL_SOCKET, IPPROTO_IPV6};
static const uint32_t options[] = {SO_BROADCAST, SO_BINDTODEVICE, IPV6_V6ONLY};
static const uint32_t controls[] = {SIOCGIFHWADDR, SIOCGIFINDEX};

static const struct {
  uint32_t call;
  uint8_t argument;
  const uint32_t *values;
  size_t count;
} limited[] = {
    {SYS_socket, 0, families, SECCOMP_PROGRAM_COUNT(families)},
    {SYS_socket, 1, types, SECCOMP_PROGRAM_COUNT(types)},
    {SYS_setsockopt, 1, levels, SECCOMP_PROGRAM_COUNT(levels)},
    {SYS_setsockopt, 2, options, SECCOMP_PROGRAM_COUNT(options)},
    {SYS_ioctl, 1, controls, SECCOMP_PROGRAM_COUNT(controls)},
};

static int install_filter(void) {
  struct seccomp_program program;
  seccomp_program_begin(&program);
  for (size_t i = 0; i < SECCOMP_PROGRAM_COUNT(limited); i++)
    seccomp_program_values(&program, limited[i].call, limited[i].argument, limited[i].values, limited[i].count,
                           SECCOMP_PROGRAM_KILL);
  seccomp_program_calls(&program, allowed, SECCOMP_PROGRAM_COUNT(allowed), SECCOMP_PROGRAM_ALLOW);
  seccomp_program_end(&program, SECCOMP_PROGRAM_KILL);
  return seccomp_program_install(&program);
}

int confinement_enter(uid_t user, int socket) {
  const struct rlimit none = {0, 0}, few = {files_max, files_max};
  sigset_t no_signals;
  sigemptyset(&no_signals);
  sigprocmask(SIG_SETMASK, &no_signals, NULL);
  setsid();
  if (dup2(socket, CONFINEMENT_SOCKET) < 0 || syscall(SYS_close_range, CONFINEMENT_SOCKET + 1, ~0U, 0) < 0)
    return -errno;
  if (setrlimit(RLIMIT_CORE, &none) < 0 || setrlimit(RLIMIT_NOFILE, &few) < 0) return -errno;
  if (prctl(PR_SET_NAME, "network", 0, 0, 0) < 0) return -errno;
  int result = user_become(user, 1U << CAP_NET_BIND_SERVICE);
  if (result == 0 && seccomp_program_is_supported()) result = install_filter();
  return result;
}
