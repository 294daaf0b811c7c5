#include "seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/gpio.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <mtd/mtd-user.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
static const uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined __arm__
static const uint32_t architecture = AUDIT_ARCH_ARM;
#elif defined __aarch64__
static const uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
#error "the filter knows no calls of this architecture"
#endif

#define COUNT(array) (sizeof(array) / sizeof *(array))

/*
 * They start other code, reach into other processes, change what the machine runs or where files are. The service never
 * makes them, so whoever does has taken it over, and is not to try the next one.
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
    SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise,
    /* threads, and the copy of this process that guards a GPIO line */
    SYS_set_robust_list, SYS_rseq, SYS_futex, SYS_sched_yield, SYS_sched_getaffinity, SYS_gettid, SYS_getpid,
    SYS_setsid, SYS_wait4, SYS_exit, SYS_exit_group,
    /* signals; tgkill is the own end in abort */
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_tgkill, SYS_restart_syscall,
    /* time */
    SYS_clock_gettime, SYS_clock_nanosleep, SYS_gettimeofday,
    /* waiting */
    SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_pipe2,
    /* network; socket is below */
    SYS_socketpair, SYS_bind, SYS_listen, SYS_accept4, SYS_connect, SYS_getsockname, SYS_getpeername, SYS_getsockopt,
    SYS_setsockopt, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_shutdown,
    /* the machine */
    SYS_getrandom, SYS_uname, SYS_sysinfo, SYS_prlimit64};

/* Those that not every architecture has. */
static const uint32_t allowed_here[] = {
#if defined __x86_64__
    SYS_access,   SYS_mkdir,      SYS_rmdir, SYS_unlink, SYS_rename, SYS_chmod,
    SYS_readlink, SYS_newfstatat, SYS_poll,  SYS_time
#elif defined __arm__
    SYS_access, SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_rename, SYS_chmod, SYS_readlink, SYS_fstatat64, SYS_poll,
    /* wider than the first of their name */
    SYS__llseek, SYS_fcntl64, SYS_fstat64, SYS_futex_time64, SYS_clock_gettime64, SYS_clock_nanosleep_time64,
    /* others */
    SYS_send, SYS_recv, SYS_sigreturn
#else
    SYS_faccessat, SYS_ppoll,      SYS_mkdirat,   SYS_unlinkat, SYS_renameat,
    SYS_fchmodat,  SYS_readlinkat, SYS_newfstatat
#endif
};

static const uint32_t families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

static const uint32_t attributes[] = {PR_SET_NAME};

static const uint32_t controls[] = {
    /* libuv, c-ares */
    FIONBIO, FIONREAD, FIOCLEX, SIOCGIFINDEX, SIOCGIFNAME,
    /* serial lines */
    TCGETS, TCSETS,
    /* GPIO lines */
    GPIO_GET_CHIPINFO_IOCTL, GPIO_V2_GET_LINEINFO_IOCTL, GPIO_V2_GET_LINE_IOCTL, GPIO_V2_LINE_GET_VALUES_IOCTL,
    GPIO_V2_LINE_SET_VALUES_IOCTL,
    /* flash */
    MEMGETINFO, MEMUNLOCK, MEMERASE};

/* Calls of which an argument is one of some values; otherwise they fail with EPERM. */
static const struct {
  uint32_t call;
  uint8_t argument;
  const uint32_t *values;
  size_t count;
} limited[] = {
    {SYS_socket, 0, families, COUNT(families)},
    {SYS_prctl, 0, attributes, COUNT(attributes)},
    {SYS_ioctl, 1, controls, COUNT(controls)},
};

enum {
  NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET
};

/* Calls of which an argument must not have any of some bits; otherwise they are dangerous: nothing here makes code. */
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

enum { PROGRAM_MAX = 512 };

struct program {
  struct sock_filter instructions[PROGRAM_MAX];
  unsigned short length;
};

static void add(struct program *program, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
  program->instructions[program->length++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(struct program *program, size_t offset) {
  add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The low half: the kernel looks at no more of these arguments. */
static void load_argument(struct program *program, uint8_t number) {
  load(program, offsetof(struct seccomp_data, args) + number * sizeof(uint64_t));
}

static void end(struct program *program, uint32_t action) {
  add(program, BPF_RET | BPF_K, action, 0, 0);
}

static void end_if(struct program *program, uint32_t value, uint32_t action) {
  add(program, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  end(program, action);
}

static void end_if_any(struct program *program, const uint32_t *values, size_t count, uint32_t action) {
  for (size_t i = 0; i < count; i++) end_if(program, values[i], action);
}

static const uint32_t refuse = SECCOMP_RET_ERRNO | EPERM, lack = SECCOMP_RET_ERRNO | ENOSYS,
                      kill = SECCOMP_RET_KILL_PROCESS, allow = SECCOMP_RET_ALLOW;

/* The calls of another architecture have other numbers. */
static void begin(struct program *program) {
  load(program, offsetof(struct seccomp_data, arch));
  add(program, BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0);
  end(program, kill);
  load(program, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
  /* x32 has the same architecture and numbers of its own from here on. */
  add(program, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
  end(program, kill);
#endif
}

static void write_program(struct program *program, bool programs) {
  begin(program);
  end_if_any(program, dangerous, COUNT(dangerous), programs ? refuse : kill);
  if (programs) {
    end(program, allow);
    return;
  }
  end_if_any(program, starting, COUNT(starting), kill);
  /* Its flags are in memory, where a filter cannot look: glibc uses clone instead. */
  end_if(program, SYS_clone3, lack);
  for (size_t i = 0; i < COUNT(without); i++) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, without[i].call, 0, 4);
    load_argument(program, without[i].argument);
    add(program, BPF_JMP | BPF_JSET | BPF_K, without[i].bits, 0, 1);
    end(program, kill);
    end(program, allow);
  }
  for (size_t i = 0; i < COUNT(limited); i++) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, limited[i].call, 0, (uint8_t)(2 * limited[i].count + 2));
    load_argument(program, limited[i].argument);
    end_if_any(program, limited[i].values, limited[i].count, allow);
    end(program, refuse);
  }
  end_if_any(program, allowed, COUNT(allowed), allow);
  end_if_any(program, allowed_here, COUNT(allowed_here), allow);
  end(program, refuse);
}

_Static_assert(2 * (COUNT(dangerous) + COUNT(starting) + COUNT(allowed) + COUNT(allowed_here) + COUNT(families) +
                    COUNT(attributes) + COUNT(controls)) +
                       5 * COUNT(without) + 3 * COUNT(limited) + 10 <
                   PROGRAM_MAX,
               "the program fits");

static int install(const struct program *program) {
  const struct sock_fprog filter = {.len = program->length, .filter = (struct sock_filter *)program->instructions};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -errno;
  const long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
  /* A positive result is a thread that has another filter. */
  return result < 0 ? -errno : result > 0 ? -EBUSY : 0;
}

int seccomp_disable_rings(void) {
  struct program program = {.length = 0};
  begin(&program);
  end_if(&program, SYS_io_uring_setup, lack);
  end(&program, allow);
  return install(&program);
}

int seccomp_install(bool programs) {
  struct program program = {.length = 0};
  write_program(&program, programs);
  return install(&program);
}
