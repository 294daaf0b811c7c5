#include "seccomp.h"

#include <linux/gpio.h>
#include <linux/sched.h>
#include <mtd/mtd-user.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "seccomp_program.h"

/*
 * They start other code, access other processes, or change what the machine runs or its file systems. The service never
 * makes them: whoever does has taken over the process, and must not be able to try another.
 */
static const uint32_t dangerous[] = {
    /* other processes */
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_kcmp, SYS_unshare, SYS_setns,
    /* file systems */
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_fsmount,
    SYS_open_by_handle_at, SYS_swapon, SYS_swapoff, SYS_quotactl, SYS_acct,
    /* the kernel */
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_bpf, SYS_perf_event_open,
    SYS_userfaultfd, SYS_add_key, SYS_request_key, SYS_keyctl};

static const uint32_t starting[] = {SYS_execve, SYS_execveat};

/* The calls of the service in all of its life: those of its code, and of the libraries in the binary. */
static const uint32_t allowed[] = {
    /* files */
    SYS_openat, SYS_close, SYS_close_range, SYS_read, SYS_pread64, SYS_write, SYS_writev, SYS_pwrite64, SYS_lseek,
    SYS_fsync, SYS_fdatasync, SYS_fstat, SYS_statx, SYS_getdents64, SYS_getcwd, SYS_fcntl, SYS_flock,
    /* memory */
    SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_mprotect,
    /* threads, and the copy of this process that guards a GPIO line */
    SYS_set_robust_list, SYS_rseq, SYS_futex, SYS_sched_yield, SYS_sched_getaffinity, SYS_gettid, SYS_getpid, SYS_clone,
    SYS_setsid, SYS_wait4, SYS_exit, SYS_exit_group,
    /* signals; tgkill is the own end in abort */
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_tgkill, SYS_restart_syscall,
    /* time */
    SYS_clock_gettime, SYS_clock_nanosleep, SYS_gettimeofday,
    /* waiting */
    SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_pipe2,
    /* network */
    SYS_socket, SYS_socketpair, SYS_bind, SYS_listen, SYS_accept4, SYS_connect, SYS_getsockname, SYS_getpeername,
    SYS_getsockopt, SYS_setsockopt, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_shutdown,
    /* the machine */
    SYS_ioctl, SYS_prctl, SYS_getrandom, SYS_uname, SYS_sysinfo, SYS_prlimit64};

/* Those that not every architecture has. */
static const uint32_t allowed_here[] = {
#if defined __x86_64__
    SYS_mmap,  SYS_access,   SYS_mkdir,      SYS_rmdir, SYS_unlink, SYS_rename,
    SYS_chmod, SYS_readlink, SYS_newfstatat, SYS_poll,  SYS_time
#elif defined __arm__
    SYS_mmap2, SYS_access, SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_rename, SYS_chmod, SYS_readlink, SYS_fstatat64,
    SYS_poll,
    /* wider than the first of their name */
    SYS__llseek, SYS_fcntl64, SYS_fstat64, SYS_futex_time64, SYS_clock_gettime64, SYS_clock_nanosleep_time64,
    /* others */
    SYS_send, SYS_recv, SYS_sigreturn
#else
    SYS_mmap,     SYS_faccessat, SYS_ppoll,      SYS_mkdirat,   SYS_unlinkat,
    SYS_renameat, SYS_fchmodat,  SYS_readlinkat, SYS_newfstatat
#endif
};

static const uint32_t families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET};

static const uint32_t attributes[] = {PR_SET_NAME};

static const uint32_t controls[] = {
    /* libuv, c-ares */
    FIONBIO, FIONREAD, FIOCLEX, SIOCGIFINDEX, SIOCGIFNAME,
    /* serial lines */
    TCGETS, TCSETS, TIOCSBRK, TIOCCBRK,
    /* GPIO lines */
    GPIO_GET_CHIPINFO_IOCTL, GPIO_V2_GET_LINEINFO_IOCTL, GPIO_V2_GET_LINE_IOCTL, GPIO_V2_LINE_GET_VALUES_IOCTL,
    GPIO_V2_LINE_SET_VALUES_IOCTL,
    /* flash */
    MEMGETINFO, MEMUNLOCK, MEMERASE};

/* Of the calls that are allowed: an argument of these is one of some values, or they fail with EPERM. */
static const struct {
  uint32_t call;
  uint8_t argument;
  const uint32_t *values;
  size_t count;
} limited[] = {
    {SYS_socket, 0, families, SECCOMP_PROGRAM_COUNT(families)},
    {SYS_prctl, 0, attributes, SECCOMP_PROGRAM_COUNT(attributes)},
    {SYS_ioctl, 1, controls, SECCOMP_PROGRAM_COUNT(controls)},
};

enum {
  NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET
};

/* An argument of these must not have any of some bits; otherwise they are dangerous: nothing here makes code. */
static const struct {
  uint32_t call;
  uint8_t argument;
  uint32_t bits;
} without[] = {
    {SYS_clone, 0, NAMESPACES},
    {SYS_mprotect, 2, PROT_EXEC},
#if defined __arm__
    {SYS_mmap2, 2, PROT_EXEC},
#else
    {SYS_mmap, 2, PROT_EXEC},
#endif
};

static void write_program(struct seccomp_program *program, bool programs) {
  static const uint32_t clone3[] = {SYS_clone3};
  seccomp_program_begin(program);
  seccomp_program_calls(program, dangerous, SECCOMP_PROGRAM_COUNT(dangerous),
                        programs ? SECCOMP_PROGRAM_REFUSE : SECCOMP_PROGRAM_KILL);
  if (programs) {
    seccomp_program_end(program, SECCOMP_PROGRAM_ALLOW);
    return;
  }
  seccomp_program_calls(program, starting, SECCOMP_PROGRAM_COUNT(starting), SECCOMP_PROGRAM_KILL);
  /* Its flags are in memory, where a filter cannot look: glibc uses clone instead. */
  seccomp_program_calls(program, clone3, SECCOMP_PROGRAM_COUNT(clone3), SECCOMP_PROGRAM_LACK);
  for (size_t i = 0; i < SECCOMP_PROGRAM_COUNT(without); i++)
    seccomp_program_bits(program, without[i].call, without[i].argument, without[i].bits, SECCOMP_PROGRAM_KILL);
  for (size_t i = 0; i < SECCOMP_PROGRAM_COUNT(limited); i++)
    seccomp_program_values(program, limited[i].call, limited[i].argument, limited[i].values, limited[i].count,
                           SECCOMP_PROGRAM_REFUSE);
  seccomp_program_calls(program, allowed, SECCOMP_PROGRAM_COUNT(allowed), SECCOMP_PROGRAM_ALLOW);
  seccomp_program_calls(program, allowed_here, SECCOMP_PROGRAM_COUNT(allowed_here), SECCOMP_PROGRAM_ALLOW);
  seccomp_program_end(program, SECCOMP_PROGRAM_REFUSE);
}

int seccomp_disable_rings(void) {
  static const uint32_t rings[] = {SYS_io_uring_setup};
  struct seccomp_program program;
  seccomp_program_begin(&program);
  seccomp_program_calls(&program, rings, SECCOMP_PROGRAM_COUNT(rings), SECCOMP_PROGRAM_LACK);
  seccomp_program_end(&program, SECCOMP_PROGRAM_ALLOW);
  return seccomp_program_install(&program);
}

int seccomp_install(bool programs) {
  struct seccomp_program program;
  write_program(&program, programs);
  return seccomp_program_install(&program);
}
