/*
 * LD_PRELOAD: makes every flush of a file take longer, as on an SD card, and counts what reaches the files.
 * A flush is fdatasync, fsync, or a write to a descriptor opened with O_SYNC or O_DSYNC; SLOW_FLUSH_US is what
 * each takes longer (microseconds). Bytes are those of the pages that a write touches, because the disk gets
 * whole pages; a page that the next write goes on with counts once between two flushes. geteuid prints
 * "<flushes> <bytes written>" to the descriptor in FLUSH_COUNTS, where the program asks for it.
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

static const off_t page = 4096;
/* The page that was written last since a flush, and its file. */
static _Atomic int last_fd = -1;
static _Atomic off_t last_page = -1;

/* at: where the write began, or -1 for one that ended at the file's position. */
static void wrote(int fd, ssize_t length, off_t at) {
  if (length <= 0 || !is_file(fd)) return;
  if (at < 0) at = lseek(fd, 0, SEEK_CUR) - length;
  off_t first = at / page, end = (at + length - 1) / page + 1;
  off_t again = last_fd == fd && last_page == first ? 1 : 0;
  bytes += (uint64_t)((end - first - again) * page);
  last_fd = fd;
  last_page = end - 1;
  if ((fcntl(fd, F_GETFL) & O_DSYNC) == 0) return;
  flushes++;
  last_fd = -1;
  delay();
}

static int flushed(int result) {
  flushes++;
  last_fd = -1;
  delay();
  return result;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fdatasync(int fd) { return flushed(NEXT(fdatasync)(fd)); }
int fsync(int fd) { return flushed(NEXT(fsync)(fd)); }

ssize_t write(int fd, const void *from, size_t length) {
  ssize_t result = NEXT(write)(fd, from, length);
  wrote(fd, result, -1);
  return result;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  ssize_t result = NEXT(writev)(fd, parts, count);
  wrote(fd, result, -1);
  return result;
}

ssize_t pwrite(int fd, const void *from, size_t length, off_t at) {
  ssize_t result = NEXT(pwrite)(fd, from, length, at);
  wrote(fd, result, at);
  return result;
}

ssize_t pwrite64(int fd, const void *from, size_t length, off_t at) {
  ssize_t result = NEXT(pwrite64)(fd, from, length, at);
  wrote(fd, result, at);
  return result;
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  ssize_t result = NEXT(pwritev)(fd, parts, count, at);
  wrote(fd, result, at);
  return result;
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at) {
  ssize_t result = NEXT(pwritev64)(fd, parts, count, at);
  wrote(fd, result, at);
  return result;
}

uid_t geteuid(void) {
  const char *to = getenv("FLUSH_COUNTS");
  if (to != NULL) dprintf(atoi(to), "flushes %lu bytes %lu\n", (unsigned long)flushes, (unsigned long)bytes);
  return NEXT(geteuid)();
}
