/*
 * Preloaded into a process that writes a log: records what the process does to the files below CRASH_ROOT, in
 * order, and makes calls fail. All settings come from the environment:
 *
 *   CRASH_ROOT   folder whose files are watched, without a slash at the end
 *   CRASH_TRACE  file that the record is appended to
 *   CRASH_FAULT  "<what> <from> <count> <errno>": of the watched writes ("write") or flushes ("flush"),
 *                number <from> (from 0) and those after it fail, <count> of them
 *   CRASH_SPACE  "<bytes>": the free space of the disk. Growing files use it up, and are written as far as it lasts.
 *                Only with this setting statfs reports it: a disk that fails by CRASH_FAULT has room.
 *   CRASH_DIRECT "refused": no file is opened with O_DIRECT
 *   CRASH_SLOW   "<name> <us>": each flush of that file takes this much longer
 *   CRASH_KILL   the process is killed after it has begun and ended this many operations
 *   CRASH_UNFLUSHED "<name>": flushes of that file report success without being done
 *
 * A record is a header, the file's path below CRASH_ROOT, and the bytes written. The start of an operation is
 * recorded before the operation, so that everything done is recorded; operations.ts reads the record.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE = 2, FLUSH = 3, RENAME = 4, UNLINK = 5, END = 6, LOSE = 7 };

struct record {
  uint32_t kind;
  uint32_t name_length;
  uint64_t ticket;
  uint64_t inode;
  /** For a write the position, for a truncation the size, for an end the result. */
  int64_t position;
  uint64_t length;
  /** 1 for a write that returns only when it is on disk. */
  uint64_t synchronous;
};

struct file {
  uint64_t inode;
  int synchronous;
  char name[PATH_MAX];
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static uint64_t tickets;
static int trace = -1;
static const char *root;
static size_t root_length;
static char fault_kind[16];
static long fault_from, fault_count;
static int fault_errno;
static long writes, flushes;
static char slow_name[64], unflushed_name[64];
static long slow_us, kill_at = -1;
static int64_t space = -1;
static pthread_mutex_t space_turn = PTHREAD_MUTEX_INITIALIZER;
static int no_direct;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("CRASH_TRACE"), *fault = getenv("CRASH_FAULT"), *slow = getenv("CRASH_SLOW");
  const char *unflushed = getenv("CRASH_UNFLUSHED");
  root = getenv("CRASH_ROOT");
  if (root == NULL) return;
  root_length = strlen(root);
  if (path != NULL) trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fault != NULL && sscanf(fault, "%15s %ld %ld %d", fault_kind, &fault_from, &fault_count, &fault_errno) != 4) abort();
  if (slow != NULL && sscanf(slow, "%63s %ld", slow_name, &slow_us) != 2) abort();
  if (unflushed != NULL) snprintf(unflushed_name, sizeof unflushed_name, "%s", unflushed);
  if (getenv("CRASH_KILL") != NULL) kill_at = atol(getenv("CRASH_KILL"));
  if (getenv("CRASH_SPACE") != NULL) space = atoll(getenv("CRASH_SPACE"));
  no_direct = getenv("CRASH_DIRECT") != NULL;
  tickets = (uint64_t)getpid() << 32;
}

/** Whether a descriptor belongs to a watched file, and to which. */
static int watched(int fd, struct file *file) {
  char link[64], path[PATH_MAX];
  struct stat status;
  int flags, kept = errno;
  if (root == NULL || fd == trace) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = kept;
  if (length <= (ssize_t)root_length || memcmp(path, root, root_length) != 0 || path[root_length] != '/') return 0;
  path[length] = 0;
  if (fstat(fd, &status) != 0) return 0;
  flags = fcntl(fd, F_GETFL);
  errno = kept;
  file->inode = status.st_ino;
  file->synchronous = (flags & O_DSYNC) != 0;
  snprintf(file->name, sizeof file->name, "%s", path + root_length + 1);
  return 1;
}

static const char *base(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash == NULL ? name : slash + 1;
}

static int is(const struct file *file, const char *name) {
  return *name != 0 && strcmp(base(file->name), name) == 0;
}

/** Whether a file is the child's own report. It is recorded in order, but is not part of what is tested. */
static int is_said(const struct file *file) { return is(file, "said"); }

static uint64_t record(uint32_t kind, uint64_t ticket, uint64_t inode, const char *name, int64_t position,
                       int synchronous, const struct iovec *parts, int count) {
  struct iovec all[66];
  struct record header = {kind, (uint32_t)strlen(name), ticket, inode, position, 0, (uint64_t)synchronous};
  int kept = errno;
  if (trace < 0) return 0;
  if (count > 64) abort();
  for (int i = 0; i < count; i++) {
    all[i + 2] = parts[i];
    header.length += parts[i].iov_len;
  }
  pthread_mutex_lock(&turn);
  if (ticket == 0) header.ticket = ++tickets;
  if (strcmp(name, "said") != 0 && kill_at >= 0 && kill_at-- == 0) kill(getpid(), SIGKILL);
  all[0] = (struct iovec){&header, sizeof header};
  all[1] = (struct iovec){(void *)name, header.name_length};
  ssize_t expected = (ssize_t)(sizeof header + header.name_length + header.length);
  if (syscall(SYS_writev, trace, all, count + 2) != expected) abort();
  pthread_mutex_unlock(&turn);
  errno = kept;
  return header.ticket;
}

static void end(uint64_t ticket, int64_t result) {
  record(END, ticket, 0, "", result, 0, NULL, 0);
}

/** Whether the next operation of a kind must fail. Counts the operation. */
static int fails(const char *kind, long *counter) {
  long number = __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
  if (strcmp(fault_kind, kind) != 0) return 0;
  return number >= fault_from && number - fault_from < fault_count;
}

static int flush_fails(const struct file *file) {
  if (is(file, slow_name)) usleep((useconds_t)slow_us);
  return fails("flush", &flushes);
}

static ssize_t act(int fd, const struct iovec *parts, int count, off_t offset) {
  return offset < 0 ? syscall(SYS_writev, fd, parts, count) : syscall(SYS_pwritev, fd, parts, count, offset, 0);
}

/** Like act, within the free space: when data does not fit, the write is short or fails. */
static ssize_t act_within_space(int fd, const struct iovec *parts, int count, off_t offset, int64_t at) {
  struct iovec fitting[64];
  struct stat status;
  int64_t length = 0, grows, room;
  if (space < 0) return act(fd, parts, count, offset);
  for (int i = 0; i < count; i++) length += (int64_t)parts[i].iov_len;
  pthread_mutex_lock(&space_turn);
  ssize_t result = -1;
  if (fstat(fd, &status) != 0) abort();
  grows = at + length > status.st_size ? at + length - status.st_size : 0;
  room = grows > space ? length - (grows - space) : length;
  errno = ENOSPC;
  if (room > 0) {
    int kept = 0;
    for (int64_t left = room; kept < count && left > 0; left -= (int64_t)fitting[kept++].iov_len) {
      fitting[kept] = parts[kept];
      if ((int64_t)fitting[kept].iov_len > left) fitting[kept].iov_len = (size_t)left;
    }
    result = act(fd, fitting, kept, offset);
    if (grows > 0) space -= grows > space ? space : grows;
  }
  pthread_mutex_unlock(&space_turn);
  return result;
}

/** Frees the space of a removed file. */
static void give_back(const struct stat *status) {
  pthread_mutex_lock(&space_turn);
  if (space >= 0 && status->st_nlink == 1) space += status->st_size;
  pthread_mutex_unlock(&space_turn);
}

static ssize_t write_parts(int fd, const struct iovec *parts, int count, off_t offset) {
  struct file file;
  if (!watched(fd, &file)) return act(fd, parts, count, offset);
  int64_t at = offset < 0 ? lseek(fd, 0, SEEK_CUR) : offset;
  int synchronous = file.synchronous && !is(&file, unflushed_name);
  uint64_t ticket = record(WRITE, 0, file.inode, file.name, at, synchronous, parts, count);
  ssize_t result = -1;
  if (is_said(&file)) return act(fd, parts, count, offset);
  if (fails("write", &writes)) {
    errno = fault_errno;
  } else if (file.synchronous && flush_fails(&file)) {
    act(fd, parts, count, offset);
    record(LOSE, ticket, file.inode, file.name, 0, 0, NULL, 0);
    errno = fault_errno;
  } else {
    result = act_within_space(fd, parts, count, offset, at);
  }
  end(ticket, result);
  return result;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  struct iovec part = {(void *)bytes, length};
  struct file file;
  if (root == NULL || !watched(fd, &file)) return syscall(SYS_write, fd, bytes, length);
  return write_parts(fd, &part, 1, -1);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  struct iovec part = {(void *)bytes, length};
  struct file file;
  if (root == NULL || !watched(fd, &file)) return syscall(SYS_pwrite64, fd, bytes, length, offset);
  return write_parts(fd, &part, 1, offset);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) { return pwrite(fd, bytes, length, offset); }
ssize_t writev(int fd, const struct iovec *parts, int count) { return write_parts(fd, parts, count, -1); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) { return write_parts(fd, parts, count, offset); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) { return write_parts(fd, parts, count, offset); }

int ftruncate(int fd, off_t size) {
  struct file file;
  if (!watched(fd, &file)) return (int)syscall(SYS_ftruncate, fd, size);
  uint64_t ticket = record(TRUNCATE, 0, file.inode, file.name, size, 0, NULL, 0);
  int result = -1;
  if (fails("write", &writes)) errno = fault_errno;
  else result = (int)syscall(SYS_ftruncate, fd, size);
  end(ticket, result);
  return result;
}
int ftruncate64(int fd, off_t size) { return ftruncate(fd, size); }

static int flush(int fd, long call) {
  struct file file;
  if (!watched(fd, &file)) return (int)syscall(call, fd);
  if (is(&file, unflushed_name)) return 0;
  uint64_t ticket = record(FLUSH, 0, file.inode, file.name, 0, 0, NULL, 0);
  int result = -1;
  if (flush_fails(&file)) {
    // Like Linux: the pages are clean afterwards and never reach the disk.
    record(LOSE, ticket, file.inode, file.name, 0, 0, NULL, 0);
    errno = fault_errno;
  } else {
    result = (int)syscall(call, fd);
  }
  end(ticket, result);
  return result;
}
int fdatasync(int fd) { return flush(fd, SYS_fdatasync); }
int fsync(int fd) { return flush(fd, SYS_fsync); }

/** Returns the part of an absolute path below the root, or NULL. */
static const char *below(const char *path) {
  if (root == NULL || strncmp(path, root, root_length) != 0 || path[root_length] != '/') return NULL;
  return path + root_length + 1;
}

int rename(const char *from, const char *to) {
  const char *name = below(from), *target = below(to);
  if (name == NULL || target == NULL) return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  struct stat status = {0}, replaced = {0};
  struct iovec part = {(void *)target, strlen(target)};
  (void)stat(from, &status);
  (void)stat(to, &replaced);
  uint64_t ticket = record(RENAME, 0, status.st_ino, name, 0, 0, &part, 1);
  int result = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (result == 0) give_back(&replaced);
  end(ticket, result);
  return result;
}

int unlink(const char *path) {
  const char *name = below(path);
  if (name == NULL) return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  struct stat status = {0};
  (void)stat(path, &status);
  uint64_t ticket = record(UNLINK, 0, status.st_ino, name, 0, 0, NULL, 0);
  int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  if (result == 0) give_back(&status);
  end(ticket, result);
  return result;
}

/* The C library's own remove calls its own unlink. */
int remove(const char *path) {
  struct stat status;
  if (below(path) == NULL || lstat(path, &status) != 0 || S_ISDIR(status.st_mode)) {
    int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (result != 0 && errno == EISDIR) result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
    return result;
  }
  return unlink(path);
}

static int open_at(int folder, const char *path, int flags, va_list rest) {
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0;
  if (no_direct && (flags & O_DIRECT) && below(path) != NULL) {
    errno = EINVAL;
    return -1;
  }
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}
#define OPEN(name)                                   \
  int name(const char *path, int flags, ...) {       \
    va_list rest;                                    \
    va_start(rest, flags);                           \
    int fd = open_at(AT_FDCWD, path, flags, rest);   \
    va_end(rest);                                    \
    return fd;                                       \
  }
OPEN(open)
OPEN(open64)

int statfs(const char *path, struct statfs *out) {
  int result = (int)syscall(SYS_statfs, path, out);
  if (result == 0 && space >= 0) out->f_bavail = out->f_bfree = (fsblkcnt_t)(space / out->f_bsize);
  return result;
}
int statfs64(const char *path, struct statfs64 *out) { return statfs(path, (struct statfs *)out); }
