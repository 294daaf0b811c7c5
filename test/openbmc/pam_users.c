/* A module of PAM whose users are lines of a file, the module's argument: name, password, and a state, by colons. */
#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LONGEST 256
#define MOST 16

struct user {
  char name[LONGEST];
  char password[LONGEST];
  char state[LONGEST];
};

static size_t read_users(const char *path, struct user *users) {
  size_t count = 0;
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  while (count < MOST && fscanf(file, "%255[^:\n]:%255[^:\n]:%255[^:\n]\n", users[count].name, users[count].password,
                                users[count].state) == 3)
    count++;
  fclose(file);
  return count;
}

static struct user *find(struct user *users, size_t count, const char *name) {
  for (size_t each = 0; each < count; each++)
    if (strcmp(users[each].name, name) == 0) return &users[each];
  return NULL;
}

static int current(pam_handle_t *pam, const char *path, struct user *users, size_t *count, struct user **user) {
  const char *name;
  if (pam_get_user(pam, &name, NULL) != PAM_SUCCESS) return PAM_AUTH_ERR;
  *count = read_users(path, users);
  *user = find(users, *count, name);
  return *user ? PAM_SUCCESS : PAM_USER_UNKNOWN;
}

int pam_sm_authenticate(pam_handle_t *pam, int flags, int count, const char **arguments) {
  struct user users[MOST];
  struct user *user;
  const char *password;
  const void *address = NULL;
  size_t known;
  int status = count == 1 && ((unsigned)flags & PAM_SILENT) ? PAM_SUCCESS : PAM_SYSTEM_ERR;
  if (status == PAM_SUCCESS) status = current(pam, arguments[0], users, &known, &user);
  if (status == PAM_SUCCESS) status = pam_get_authtok(pam, PAM_AUTHTOK, &password, NULL);
  if (status == PAM_SUCCESS && strcmp(user->password, password) != 0) status = PAM_AUTH_ERR;
  if (status == PAM_SUCCESS && strcmp(user->state, "broken") == 0) status = PAM_AUTHINFO_UNAVAIL;
  /* Some users may come from one place only. */
  pam_get_item(pam, PAM_RHOST, &address);
  if (status == PAM_SUCCESS && strncmp(user->state, "from ", 5) == 0)
    status = address && strcmp(user->state + 5, address) == 0 ? PAM_SUCCESS : PAM_PERM_DENIED;
  return status;
}

int pam_sm_setcred(pam_handle_t *pam, int flags, int count, const char **arguments) {
  (void)pam, (void)flags, (void)count, (void)arguments;
  return PAM_SUCCESS;
}

int pam_sm_acct_mgmt(pam_handle_t *pam, int flags, int count, const char **arguments) {
  struct user users[MOST];
  struct user *user;
  size_t known;
  (void)flags;
  int status = count == 1 ? current(pam, arguments[0], users, &known, &user) : PAM_SYSTEM_ERR;
  if (status == PAM_SUCCESS && strcmp(user->state, "expired") == 0) status = PAM_NEW_AUTHTOK_REQD;
  return status;
}

int pam_sm_chauthtok(pam_handle_t *pam, int flags, int count, const char **arguments) {
  struct user users[MOST];
  struct user *user;
  const char *password;
  size_t known;
  int status = count == 1 ? current(pam, arguments[0], users, &known, &user) : PAM_SYSTEM_ERR;
  if (status != PAM_SUCCESS || ((unsigned)flags & PAM_PRELIM_CHECK)) return status;
  status = pam_get_authtok(pam, PAM_AUTHTOK, &password, NULL);
  if (status != PAM_SUCCESS) return status;
  if (strlen(password) < 8 || strlen(password) >= LONGEST || strchr(password, ':')) return PAM_AUTHTOK_ERR;
  strcpy(user->password, password);
  strcpy(user->state, "valid");
  FILE *file = fopen(arguments[0], "w");
  if (!file) return PAM_AUTHTOK_ERR;
  for (size_t each = 0; each < known; each++)
    fprintf(file, "%s:%s:%s\n", users[each].name, users[each].password, users[each].state);
  return fclose(file) ? PAM_AUTHTOK_ERR : PAM_SUCCESS;
}
