/*
 * LD_PRELOAD: makes every flush of a file take longer, as on an SD card, and counts what reaches the files.
 * A flush is fdatasync, fsync, or a write to a descriptor opened with O_SYNC or O_DSYNC; SLOW_FLUSH_US is what
 * each takes longer (microseconds). geteuid prints "<flushes> <bytes written>" to the descriptor in
 * FLUSH_COUNTS, where the program asks for it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint64_t flushes;
static _Atomic uint64_t bytes;

static void delay(void) {
  static long us = -1;
  if (us < 0) us = getenv("SLOW_FLUSH_US") ? atol(getenv("SLOW_FLUSH_US")) : 0;
  struct timespec wait = {us / 1000000, (us % 1000000) * 1000};
  if (us > 0) nanosleep(&wait, NULL);
}

static int is_file(int fd) {
  struct stat at;
  return fstat(fd, &at) == 0 && S_ISREG(at.st_mode);
}

static void wrote(int fd, ssize_t length) {
  if (length <= 0 || !is_file(fd)) return;
  bytes += (uint64_t)length;
  if ((fcntl(fd, F_GETFL) & O_DSYNC) == 0) return;
  flushes++;
  delay();
}

static int flushed(int result) {
  flushes++;
  delay();
  return result;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fdatasync(int fd) { return flushed(NEXT(fdatasync)(fd)); }
int fsync(int fd) { return flushed(NEXT(fsync)(fd)); }

ssize_t write(int fd, const void *from, size_t length) {
  ssize_t result = NEXT(write)(fd, from, length);
  wrote(fd, result);
  return result;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  ssize_t result = NEXT(writev)(fd, parts, count);
  wrote(fd, result);
  return result;
}

ssize_t pwrite(int fd, const void *from, size_t length, off_t at) {
  ssize_t result = NEXT(pwrite)(fd, from, length, at);
  wrote(fd, result);
  return result;
}

ssize_t pwrite64(int fd, const void *from, size_t length, off_t at) {
  ssize_t result = NEXT(pwrite64)(fd, from, length, at);
  wrote(fd, result);
  return result;
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  ssize_t result = NEXT(pwritev)(fd, parts, count, at);
  wrote(fd, result);
  return result;
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at) {
  ssize_t result = NEXT(pwritev64)(fd, parts, count, at);
  wrote(fd, result);
  return result;
}

uid_t geteuid(void) {
  const char *to = getenv("FLUSH_COUNTS");
  if (to != NULL) dprintf(atoi(to), "flushes %lu bytes %lu\n", (unsigned long)flushes, (unsigned long)bytes);
  return NEXT(geteuid)();
}
