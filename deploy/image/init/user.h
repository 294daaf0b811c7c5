/* The users of the other processes, with only the rights that they get here. */
#ifndef MINNOW_USER_H
#define MINNOW_USER_H

#include <stdint.h>
#include <sys/types.h>

/* Gives him a file of a device: he owns it from now on. 0 or a negative errno. */
int user_grant(uid_t user, const char *path);

/*
 * Creates a folder that only this user can enter. If it belongs to another user, as in the flash of an older image, it
 * becomes his with all that is in it. 0 or a negative errno.
 */
int user_folder(uid_t user, const char *path);

/*
 * Makes this process his, for good: no groups, no capability but those in the bits of `kept` (capabilities(7)), none at
 * all for a program that it starts, and no privilege by way of a program's set-user-ID bit. 0 or a negative errno,
 * after which the process must end.
 */
int user_become(uid_t user, uint32_t kept);

#endif
