/*
 * An EFI application that reports all variables that firmware shows, sets one of its own, and switches the machine
 * off. It writes to the debug console of QEMU (isa-debugcon, port 0xe9), which nothing else writes to:
 *
 *   variable <GUID> <name> <attributes> <data in hexadecimal digits>
 *   set HostNote <status>
 *   end
 */
#include <efi.h>
#include <efilib.h>

static EFI_GUID vendor = {0x4f1a6c1e, 0x93d2, 0x4b1f, {0x8d, 0x5a, 0x6f, 0x0d, 0x3c, 0x2b, 0x1a, 0x90}};
static CHAR16 name[1024];
static UINT8 data[65536];

static void put(char character) {
  __asm__ volatile("outb %0, $0xe9" : : "a"(character));
}

static void text(const char *characters) {
  while (*characters) put(*characters++);
}

static void number(UINT64 value, int digits) {
  while (digits-- > 0) put("0123456789abcdef"[value >> (4 * digits) & 15]);
}

static void guid(const EFI_GUID *id) {
  number(id->Data1, 8);
  put('-');
  number(id->Data2, 4);
  put('-');
  number(id->Data3, 4);
  put('-');
  for (int i = 0; i < 8; i++) {
    if (i == 2) put('-');
    number(id->Data4[i], 2);
  }
}

static void variable(EFI_RUNTIME_SERVICES *services, EFI_GUID *id) {
  UINT32 attributes = 0;
  UINTN size = sizeof data;
  EFI_STATUS status = services->GetVariable(name, id, &attributes, &size, data);
  text("variable ");
  guid(id);
  put(' ');
  for (CHAR16 *at = name; *at; at++) /* names of the tests are ASCII */
    put((char)*at);
  put(' ');
  if (EFI_ERROR(status)) {
    text("error ");
    number(status, 16);
  } else {
    number(attributes, 8);
    put(' ');
    for (UINTN i = 0; i < size; i++) number(data[i], 2);
  }
  put('\n');
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table) {
  EFI_RUNTIME_SERVICES *services = table->RuntimeServices;
  EFI_GUID id;
  UINTN size = sizeof name;
  (void)image;

  name[0] = 0;
  while (!EFI_ERROR(services->GetNextVariableName(&size, name, &id))) {
    variable(services, &id);
    size = sizeof name;
  }
  EFI_STATUS status = services->SetVariable(
      L"HostNote", &vendor, EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS,
      4, "host");
  text("set HostNote ");
  number(status, 16);
  text("\nend\n");
  services->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
  return EFI_SUCCESS;
}
