/*
 * An EFI application that is a guest: it tells on the serial port what it finds, and goes on until it is told to end.
 *
 *   guest: started, secure boot <0 or 1>               after the POST codes 0x5a and 0xad
 *   guest: settings <what stands in VendorBiosCurrent>
 *   guest: medium <volume identifier of ISO 9660>      at the start, and whenever another one is in the drive
 *   guest: power button                                it then switches itself off, unless ServerOwner is "ignore"
 *   guest: NMI
 *   guest: break                                       on the serial line
 *   guest: leaving                                     it switches itself off because ServerOwner is "leave"
 *   guest: crashing                                    as an operating system does, because ServerOwner is "panic"
 */
#include <efi.h>
#include <efilib.h>

static EFI_GUID global = EFI_GLOBAL_VARIABLE;
static EFI_GUID settings_guid = SETTINGS_GUID;
static char settings[4096];
static UINT8 block[2048];
static volatile UINT8 __attribute__((used)) interrupted;

struct gate {
  UINT16 low, selector;
  UINT8 stack, type;
  UINT16 middle;
  UINT32 high, reserved;
} __attribute__((packed));

struct table {
  UINT16 limit;
  UINT64 base;
} __attribute__((packed));

static UINT8 in8(UINT16 port) {
  UINT8 value;
  __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
  return value;
}

static UINT16 in16(UINT16 port) {
  UINT16 value;
  __asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"(port));
  return value;
}

static void out8(UINT16 port, UINT8 value) {
  __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static void out16(UINT16 port, UINT16 value) {
  __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

static void put(char character) {
  while (!(in8(0x3fd) & 0x20)) /* 16550: transmitter empty */
    ;
  out8(0x3f8, (UINT8)character);
}

static void say(const char *characters) {
  while (*characters) put(*characters++);
}

void __attribute__((visibility("hidden"))) on_nmi(void);
__asm__("on_nmi: movb $1, interrupted(%rip)\n iretq");

/* Gate 2 of the interrupt descriptor table (Intel SDM 3, 6.14). */
static void catch_nmi(void) {
  struct table table;
  UINT16 selector;
  UINT64 handler = (UINT64)on_nmi;
  __asm__ volatile("sidt %0" : "=m"(table));
  __asm__ volatile("mov %%cs, %0" : "=r"(selector));
  struct gate *gate = (struct gate *)table.base + 2;
  *gate = (struct gate){(UINT16)handler, selector, 0, 0x8e, (UINT16)(handler >> 16), (UINT32)(handler >> 32), 0};
}

static int contains(const char *text, const char *part) {
  for (; *text; text++) {
    const char *a = text, *b = part;
    while (*b && *a == *b) a++, b++;
    if (!*b) return 1;
  }
  return 0;
}

/* UEFI 2.10, 15.4; gnu-efi has no header for it. */
struct request {
  UINT64 timeout; /* 100 ns */
  void *in, *out, *sense, *command;
  UINT32 in_size, out_size;
  UINT8 command_size, direction, adapter_status, target_status, sense_size;
};

struct scsi {
  EFI_STATUS(EFIAPI *device_type)(struct scsi *, UINT8 *);
  void *location, *reset_bus, *reset_device;
  EFI_STATUS(EFIAPI *execute)(struct scsi *, struct request *, EFI_EVENT);
};

static EFI_GUID scsi_io = {0x932f47e6, 0x2362, 0x4002, {0x80, 0x3e, 0x3c, 0xd5, 0x4b, 0x13, 0x8f, 0x85}};

/* Below the drivers of firmware, which take a disc that is gone for the end of the file system that they booted from. */
static struct scsi *optical_drive(EFI_BOOT_SERVICES *services) {
  EFI_HANDLE handles[16];
  UINTN size = sizeof handles;
  if (EFI_ERROR(services->LocateHandle(ByProtocol, &scsi_io, NULL, &size, handles))) return NULL;
  for (UINTN i = 0; i < size / sizeof *handles; i++) {
    struct scsi *found;
    UINT8 type = 0;
    if (EFI_ERROR(services->HandleProtocol(handles[i], &scsi_io, (void **)&found))) continue;
    if (!EFI_ERROR(found->device_type(found, &type)) && type == 5) return found;
  }
  return NULL;
}

/*
 * READ(10) of a sector (MMC-6, 6.16). One that is under way when the medium changes may never end. One that is slow is
 * not to be given up: firmware would stop the port, and QEMU 7.2, which then finishes the transfer of a command that is
 * gone, would crash (ahci_pio_transfer).
 */
static int read_sector(struct scsi *drive, UINT8 number) {
  UINT8 command[12] = {0x28, 0, 0, 0, 0, number, 0, 0, 1}, sense[32];
  struct request request = {
      .timeout = 50000000,
      .in = block,
      .in_size = sizeof block,
      .command = command,
      .command_size = sizeof command,
      .sense = sense,
      .sense_size = sizeof sense,
  };
  return !EFI_ERROR(drive->execute(drive, &request, NULL)) && !request.target_status;
}

/* The volume identifier: 32 characters at 40 of the sector 16 (ECMA-119, 8.4). */
static void look(struct scsi *drive, char *seen) {
  char name[33] = {0};
  int same = 1;
  if (!read_sector(drive, 16)) /* that the medium has changed is an error, once */
    return;
  for (int i = 0; i < 32 && block[40 + i] != ' '; i++) name[i] = (char)block[40 + i];
  for (int i = 0; i < 33; i++) same &= seen[i] == name[i], seen[i] = name[i];
  if (same) return;
  say("guest: medium ");
  say(name);
  say("\r\n");
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table) {
  EFI_RUNTIME_SERVICES *services = table->RuntimeServices;
  UINT8 secure = 0;
  UINTN size = sizeof secure;
  char seen[33] = {0};
  (void)image;

  table->BootServices->SetWatchdogTimer(0, 0, 0, NULL);
  out8(0x80, 0x5a);
  out8(0x80, 0xad);
  services->GetVariable(L"SecureBoot", &global, NULL, &size, &secure);
  say("\r\nguest: started, secure boot ");
  say(secure ? "1\r\n" : "0\r\n");
  size = sizeof settings - 1;
  if (!EFI_ERROR(services->GetVariable(L"VendorBiosCurrent", &settings_guid, NULL, &size, settings))) {
    say("guest: settings ");
    say(settings);
    say("\r\n");
  }
  if (contains(settings, "\"ServerOwner\":\"leave\"")) {
    say("guest: leaving\r\n");
    services->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
  }
  if (contains(settings, "\"ServerOwner\":\"panic\"")) {
    say("guest: crashing\r\n");
    out8(0x505, 1); /* pvpanic: the guest has panicked */
  }
  int ignores = contains(settings, "\"ServerOwner\":\"ignore\"");
  struct scsi *drive = optical_drive(table->BootServices);
  catch_nmi();
  out16(0x602, 0x100); /* PM1 enable, PWRBTN_EN: what is not enabled is not shown */
  for (;;) {
    if (drive) look(drive, seen);
    /* Firmware's driver of the serial port, which runs on a timer, would take the break. */
    const EFI_TPL level = table->BootServices->RaiseTPL(TPL_NOTIFY);
    for (int i = 0; i < 10; i++) {
      if (in8(0x3fd) & 0x10) say("guest: break\r\n"); /* 16550: break interrupt */
      if (interrupted) {
        interrupted = 0;
        say("guest: NMI\r\n");
      }
      if (in16(0x600) & 0x100) { /* PM1 status, PWRBTN_STS (ACPI 6.5, 4.8.3.1.1), where OVMF puts it on q35 */
        out16(0x600, 0x100);
        say("guest: power button\r\n");
        if (!ignores) services->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
      }
      table->BootServices->Stall(20000);
    }
    table->BootServices->RestoreTPL(level);
  }
}
