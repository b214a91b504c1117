/* Loaded before a gateway (LD_PRELOAD): each fsync takes 300 ms longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int slow(const char *name, int fd) {
  struct timespec pause = {0, 300 * 1000 * 1000};
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  nanosleep(&pause, 0);
  return real(fd);
}
int fsync(int fd) { return slow("fsync", fd); }
int fdatasync(int fd) { return slow("fdatasync", fd); }
