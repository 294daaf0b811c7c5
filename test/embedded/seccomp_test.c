/*
 * Tests of the filter of system calls, each in a process of its own. Prints one line for each test, `ok - ` or `not ok - `
 * and a sentence.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../runtime/embedded/seccomp.h"

enum { FAILED = 99 };

static bool refused(long result) {
  return result < 0 && errno == EPERM;
}

/* How `action` ends behind the filter: its result, or the negative signal that ended it. */
static int outcome(bool programs, bool (*action)(void)) {
  int status;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(seccomp_install(programs) == 0 && action() ? 0 : FAILED);
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void expect(int expected, bool programs, bool (*action)(void), const char *sentence) {
  const int found = outcome(programs, action);
  if (found != expected) printf("# %d, not %d\n", found, expected);
  printf("%s - %s\n", found == expected ? "ok" : "not ok", sentence);
}

static bool works(void) {
  char byte;
  int ends[2];
  const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  const int end = socket(AF_INET6, SOCK_STREAM, 0);
  void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return zero >= 0 && read(zero, &byte, 1) == 1 && pipe(ends) == 0 && end >= 0 && memory != MAP_FAILED;
}

static bool is_refused(void) {
  return refused(symlink("/nowhere", "/nowhere-else")) && refused(sethostname("x", 1)) &&
         refused(syscall(SYS_personality, 0)) && refused(kill(getppid(), SIGKILL)) &&
         refused(syscall(SYS_io_uring_enter, -1, 0, 0, 0, NULL, 0));
}

static bool limits_arguments(void) {
  return refused(socket(AF_VSOCK, SOCK_STREAM, 0)) && refused(ioctl(0, TIOCSTI, "x")) &&
         refused(syscall(SYS_prctl, 8 /* PR_SET_KEEPCAPS */, 1, 0, 0, 0));
}

static bool runs_a_program(void) {
  execl("/bin/true", "true", NULL);
  return false;
}

static bool traces(void) {
  return syscall(SYS_ptrace, 0, 0, 0, 0) == 0;
}

static bool mounts(void) {
  return syscall(SYS_mount, "none", "/nowhere", "tmpfs", 0, NULL) == 0;
}

static bool makes_code(void) {
  return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static bool makes_memory_code(void) {
  void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mprotect(memory, 4096, PROT_READ | PROT_EXEC) == 0;
}

static bool makes_a_namespace(void) {
  return syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL) >= 0;
}

#ifdef __x86_64__
static bool calls_as_32_bits(void) {
  int result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
  return result > 0;
}

/* How the same call ends without the filter: some kernels have no such calls at all, and answer with SIGSEGV. */
static bool kernel_has_32_bits(void) {
  const pid_t child = fork();
  if (child == 0) _exit(calls_as_32_bits() ? 0 : 1);
  int status;
  return waitpid(child, &status, 0) == child && WIFEXITED(status);
}
#endif

static void *refused_in_thread(void *go) {
  if (go) sem_wait(go);
  return refused(sethostname("x", 1)) ? refused_in_thread : NULL;
}

static bool is_refused_in_new_thread(void) {
  pthread_t thread;
  void *result = NULL;
  return pthread_create(&thread, NULL, refused_in_thread, NULL) == 0 && pthread_join(thread, &result) == 0 && result;
}

/* Here the filter comes after the thread. */
static bool is_refused_in_old_thread(void) {
  int status;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    pthread_t thread;
    sem_t go;
    void *result = NULL;
    sem_init(&go, 0, 0);
    if (pthread_create(&thread, NULL, refused_in_thread, &go) != 0 || seccomp_install(false) != 0) _exit(FAILED);
    sem_post(&go);
    _exit(pthread_join(thread, &result) == 0 && result ? 0 : FAILED);
  }
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool refuses_what_is_dangerous(void) {
  return refused(syscall(SYS_ptrace, 0, 0, 0, 0)) && refused(syscall(SYS_unshare, CLONE_NEWUSER)) &&
         symlink("/nowhere", "/dev/null") < 0 && errno == EEXIST;
}

static bool has_no_ring(void) {
  return seccomp_disable_rings() == 0 && syscall(SYS_io_uring_setup, 1, NULL) < 0 && errno == ENOSYS;
}

int main(void) {
  expect(0, false, works, "what the service does works");
  expect(0, false, is_refused, "what it does not do fails with EPERM");
  expect(0, false, limits_arguments,
         "so do families of sockets, controls of devices and attributes that it does not use");
  expect(-SIGSYS, false, runs_a_program, "another program ends it");
  expect(-SIGSYS, false, traces, "so does tracing");
  expect(-SIGSYS, false, mounts, "so does a mount");
  expect(-SIGSYS, false, makes_a_namespace, "so does a namespace");
  expect(-SIGSYS, false, makes_code, "so does memory that can be executed");
  expect(-SIGSYS, false, makes_memory_code, "also when it was data before");
#ifdef __x86_64__
  expect(kernel_has_32_bits() ? -SIGSYS : -SIGSEGV, false, calls_as_32_bits,
         "so does a call with the numbers of another architecture");
#endif
  expect(0, false, is_refused_in_new_thread, "a thread that comes later has the filter too");
  printf("%s - so has one that was there before\n", is_refused_in_old_thread() ? "ok" : "not ok");
  expect(0, true, runs_a_program, "where the machine is a program, it can be started");
  expect(0, true, refuses_what_is_dangerous, "and only what is dangerous fails, for both");
  expect(0, true, has_no_ring, "io_uring can be switched off before");
  return 0;
}
