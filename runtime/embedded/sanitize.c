/*
 * For the build with sanitizers only: it is linked with the C library of the machine, which may be older than Debian 13's,
 * for which the static libraries were compiled. No headers, since those of a newer one rename strtol itself.
 */
extern long strtol(const char *text, char **end, int base);
extern unsigned long strtoul(const char *text, char **end, int base);
long __isoc23_strtol(const char *text, char **end, int base);
unsigned long __isoc23_strtoul(const char *text, char **end, int base);

long __isoc23_strtol(const char *text, char **end, int base) {
  return strtol(text, end, base);
}

unsigned long __isoc23_strtoul(const char *text, char **end, int base) {
  return strtoul(text, end, base);
}
