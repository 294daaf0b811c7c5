/*
 * Filters of system calls (seccomp(2)), written from lists of calls. Rules apply in their order. A program that has no
 * room for its rules cannot be installed.
 */
#ifndef MINNOW_SECCOMP_PROGRAM_H
#define MINNOW_SECCOMP_PROGRAM_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECCOMP_PROGRAM_MAX 512
#define SECCOMP_PROGRAM_COUNT(array) (sizeof(array) / sizeof *(array))

/* The actions for a call. */
enum {
  SECCOMP_PROGRAM_ALLOW = SECCOMP_RET_ALLOW,
  SECCOMP_PROGRAM_REFUSE = SECCOMP_RET_ERRNO | EPERM,
  SECCOMP_PROGRAM_LACK = SECCOMP_RET_ERRNO | ENOSYS
};
/* The end of the process: its value is no int. */
#define SECCOMP_PROGRAM_KILL SECCOMP_RET_KILL_PROCESS

struct seccomp_program {
  struct sock_filter instructions[SECCOMP_PROGRAM_MAX];
  unsigned short length;
  bool full;
};

/* Begins with a rule that ends the process for calls of another architecture. */
void seccomp_program_begin(struct seccomp_program *program);

/* Does `action` for any of these calls. */
void seccomp_program_calls(struct seccomp_program *program, const uint32_t *calls, size_t count, uint32_t action);

/* Does `action` for a call with an argument other than these values; continues otherwise. */
void seccomp_program_values(struct seccomp_program *program, uint32_t call, uint8_t argument, const uint32_t *values,
                            size_t count, uint32_t action);

/* Does `action` for a call with an argument that has any of these bits; continues otherwise. */
void seccomp_program_bits(struct seccomp_program *program, uint32_t call, uint8_t argument, uint32_t bits,
                          uint32_t action);

/* Does `action` for all other calls. */
void seccomp_program_end(struct seccomp_program *program, uint32_t action);

/*
 * Installs the filter for every thread of this process, for good, and for all that it starts; it also gives up
 * privileges by way of set-user-ID programs. 0 or a negative errno: -ENOSYS or -EINVAL where the kernel or an emulator
 * has no filter, -E2BIG for a program that is full.
 */
int seccomp_program_install(const struct seccomp_program *program);

/* Whether the kernel has filters. */
bool seccomp_program_is_supported(void);

#endif
