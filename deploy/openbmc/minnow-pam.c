/*
 * Checks or sets the password of a user by PAM, for a service that is a static program, which cannot load PAM's modules.
 *
 * It is started per request with a connection as its input and output (systemd.socket(5), Accept=yes). A request is four
 * texts that end with a NUL each: `verify` or `change`, the user, the password, and the address of the client, which may
 * be empty. The answer is one word: `ok`, `denied`, `expired` for a right password that has to be changed, `refused` for
 * a new password that PAM does not take, or `failed`.
 */
#include <security/pam_appl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The bytes of a request, at most. */
#define LONGEST_REQUEST 2048
#define FIELDS 4

/* Messages of one conversation with a module, at most. */
#define MOST_MESSAGES 16

struct request {
  const char *operation;
  const char *user;
  const char *password;
  const char *address;
};

/* Reads until the last text of a request has ended. 0 or -1 for a request that is cut off, too long, or continues. */
static int read_request(char *buffer, size_t size, struct request *request) {
  const char *fields[FIELDS];
  size_t length = 0;
  size_t count = 0;
  size_t start = 0;

  while (count < FIELDS) {
    ssize_t got = read(STDIN_FILENO, buffer + length, size - length);
    if (got <= 0) return -1;
    for (size_t end = length + (size_t)got; length < end; length++) {
      if (buffer[length] != '\0') continue;
      if (count == FIELDS) return -1;
      fields[count++] = buffer + start;
      start = length + 1;
    }
  }
  if (start != length) return -1;
  *request = (struct request){fields[0], fields[1], fields[2], fields[3]};
  return 0;
}

/* Answers each question of a module with the password. */
static int answer(int count, const struct pam_message **messages, struct pam_response **responses, void *password) {
  struct pam_response *answers;

  if (count <= 0 || count > MOST_MESSAGES) return PAM_CONV_ERR;
  answers = calloc((size_t)count, sizeof(*answers));
  if (!answers) return PAM_BUF_ERR;
  for (int each = 0; each < count; each++) {
    int style = messages[each]->msg_style;
    if (style != PAM_PROMPT_ECHO_OFF && style != PAM_PROMPT_ECHO_ON) continue;
    answers[each].resp = strdup(password);
    if (!answers[each].resp) goto failed;
  }
  *responses = answers;
  return PAM_SUCCESS;

failed:
  for (int each = 0; each < count; each++) {
    if (answers[each].resp) {
      explicit_bzero(answers[each].resp, strlen(answers[each].resp));
      free(answers[each].resp);
    }
  }
  free(answers);
  return PAM_BUF_ERR;
}

static const char *verify(pam_handle_t *pam) {
  int status = pam_authenticate(pam, PAM_SILENT | PAM_DISALLOW_NULL_AUTHTOK);

  if (status == PAM_SUCCESS) status = pam_acct_mgmt(pam, PAM_SILENT | PAM_DISALLOW_NULL_AUTHTOK);
  switch (status) {
    case PAM_SUCCESS: return "ok";
    case PAM_NEW_AUTHTOK_REQD: return "expired";
    case PAM_AUTH_ERR:
    case PAM_USER_UNKNOWN:
    case PAM_MAXTRIES:
    case PAM_PERM_DENIED:
    case PAM_ACCT_EXPIRED: return "denied";
    default: return "failed";
  }
}

static const char *change(pam_handle_t *pam) {
  switch (pam_chauthtok(pam, PAM_SILENT)) {
    case PAM_SUCCESS: return "ok";
    case PAM_AUTHTOK_ERR:
    case PAM_TRY_AGAIN: return "refused";
    case PAM_USER_UNKNOWN:
    case PAM_PERM_DENIED: return "denied";
    default: return "failed";
  }
}

/* `folder` has the services of PAM; NULL for the system's. */
static const char *perform(const struct request *request, const char *folder) {
  char password[LONGEST_REQUEST];
  struct pam_conv conversation = {answer, password};
  pam_handle_t *pam = NULL;
  const char *word = "failed";
  bool verifies = strcmp(request->operation, "verify") == 0;

  if (!verifies && strcmp(request->operation, "change") != 0) return word;
  strncpy(password, request->password, sizeof(password) - 1);
  password[sizeof(password) - 1] = '\0';
  if (pam_start_confdir("minnow", request->user, &conversation, folder, &pam) != PAM_SUCCESS) goto end;
  if (request->address[0] && pam_set_item(pam, PAM_RHOST, request->address) != PAM_SUCCESS) goto end;
  word = verifies ? verify(pam) : change(pam);

end:
  if (pam) pam_end(pam, PAM_SUCCESS);
  explicit_bzero(password, sizeof(password));
  return word;
}

/* An argument is the folder of PAM's services, for tests. */
int main(int count, char **arguments) {
  char buffer[LONGEST_REQUEST];
  struct request request;
  const char *word = "failed";
  size_t length;
  ssize_t written;

  if (read_request(buffer, sizeof(buffer), &request) == 0) word = perform(&request, count > 1 ? arguments[1] : NULL);
  explicit_bzero(buffer, sizeof(buffer));
  length = strlen(word);
  written = write(STDOUT_FILENO, word, length);
  return written == (ssize_t)length ? EXIT_SUCCESS : EXIT_FAILURE;
}
