#include "seccomp_program.h"

#include <linux/audit.h>
#include <sys/prctl.h>
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

static void add(struct seccomp_program *program, uint16_t code, uint32_t value, size_t if_true, size_t if_false) {
  if (program->length == SECCOMP_PROGRAM_MAX || if_true > UINT8_MAX || if_false > UINT8_MAX) {
    program->full = true;
    return;
  }
  program->instructions[program->length++] = (struct sock_filter){code, (uint8_t)if_true, (uint8_t)if_false, value};
}

static void load(struct seccomp_program *program, size_t offset) {
  add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void load_call(struct seccomp_program *program) {
  load(program, offsetof(struct seccomp_data, nr));
}

/* The low half: the kernel looks at no more of these arguments. */
static void load_argument(struct seccomp_program *program, uint8_t number) {
  load(program, offsetof(struct seccomp_data, args) + number * sizeof(uint64_t));
}

void seccomp_program_end(struct seccomp_program *program, uint32_t action) {
  add(program, BPF_RET | BPF_K, action, 0, 0);
}

/* The calls of another architecture have other numbers. */
void seccomp_program_begin(struct seccomp_program *program) {
  program->length = 0;
  program->full = false;
  load(program, offsetof(struct seccomp_data, arch));
  add(program, BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0);
  seccomp_program_end(program, SECCOMP_PROGRAM_KILL);
  load_call(program);
#ifdef __x86_64__
  /* x32 has the same architecture and numbers of its own from here on. */
  add(program, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
  seccomp_program_end(program, SECCOMP_PROGRAM_KILL);
#endif
}

void seccomp_program_calls(struct seccomp_program *program, const uint32_t *calls, size_t count, uint32_t action) {
  for (size_t i = 0; i < count; i++) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
    seccomp_program_end(program, action);
  }
}

/* From here on rules find the number of the call again, which the argument has taken the place of. */
void seccomp_program_values(struct seccomp_program *program, uint32_t call, uint8_t argument, const uint32_t *values,
                            size_t count, uint32_t action) {
  add(program, BPF_JMP | BPF_JEQ | BPF_K, call, 0, count + 3);
  load_argument(program, argument);
  for (size_t i = 0; i < count; i++) add(program, BPF_JMP | BPF_JEQ | BPF_K, values[i], count - i, 0);
  seccomp_program_end(program, action);
  load_call(program);
}

void seccomp_program_bits(struct seccomp_program *program, uint32_t call, uint8_t argument, uint32_t bits,
                          uint32_t action) {
  add(program, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
  load_argument(program, argument);
  add(program, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
  seccomp_program_end(program, action);
  load_call(program);
}

int seccomp_program_install(const struct seccomp_program *program) {
  const struct sock_fprog filter = {.len = program->length, .filter = (struct sock_filter *)program->instructions};
  if (program->full) return -E2BIG;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -errno;
  const long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
  /* A positive result is a thread that has another filter. */
  return result < 0 ? -errno : result > 0 ? -EBUSY : 0;
}

bool seccomp_program_is_supported(void) {
  const uint32_t action = SECCOMP_RET_KILL_PROCESS;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}
