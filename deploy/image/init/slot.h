/* The two places of the firmware in the flash, of which one runs. */
#ifndef MINNOW_SLOT_H
#define MINNOW_SLOT_H

/* `a` or `b`: the slot that the boot loader has started, from the device tree; `a` without an entry. */
char slot_running(void);

/* The other one. */
char slot_idle(char running);

#endif
