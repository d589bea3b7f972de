// A layer between a process and the disk, for the tests of power cuts: preloaded (LD_PRELOAD), it writes down every
// change of the files below one folder, in the order in which the kernel made them. What a loss of power may leave is
// worked out from that afterwards (disk.ts).
//
//   POWER_ROOT       the folder, absolute, without symbolic links
//   POWER_JOURNAL    the file that records are appended to
//   POWER_SYNC_US    longest time that an fsync takes, microseconds; nothing is really synced: only the journal counts
//
// A record is { length of all, u32 | kind, u32 | inode, u64 | number, u64 | bytes }, little-endian as the machine is,
// and goes out in one write to a file opened for appending: other processes may append records of their own (kind A),
// and the order is that of all. One lock is held from a call of the kernel to its record. Kinds are listed in
// journal.ts. What is not followed gets a record too: memory that is mapped shared and writable (M) and streams of the
// C library (F), whose writes never pass here.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_FILES 65536
#define MOST_PARTS 1026
#define REAL(name) ((__typeof__(&name))real(#name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static size_t root_length;
static int journal = -1;
static unsigned sync_us;
static uint64_t syncs;
// Inode of each file that was opened below the folder, 0 for others.
static ino_t files[MOST_FILES];

static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) abort();
  return found;
}

static ssize_t real_writev(int fd, const struct iovec *parts, int count) {
  static ssize_t (*next)(int, const struct iovec *, int);
  if (next == NULL) next = REAL(writev);
  return next(fd, parts, count);
}

__attribute__((constructor)) static void begin(void) {
  const char *folder = getenv("POWER_ROOT"), *file = getenv("POWER_JOURNAL"), *longest = getenv("POWER_SYNC_US");
  if (folder == NULL || file == NULL) return;
  root_length = strlen(folder);
  if (root_length >= sizeof root) abort();
  memcpy(root, folder, root_length + 1);
  sync_us = longest == NULL ? 0 : (unsigned)atoi(longest);
  syncs = (uint64_t)getpid() << 32;
  journal = REAL(open)(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (journal < 0) abort();
}

// Appends a record; parts[0] is kept free for its head.
static void record(char kind, uint64_t inode, uint64_t number, struct iovec *parts, int count) {
  struct { uint32_t length, kind; uint64_t inode, number; } head = { sizeof head, (uint32_t)kind, inode, number };
  int before = errno;
  for (int i = 1; i < count; i++) head.length += parts[i].iov_len;
  parts[0].iov_base = &head;
  parts[0].iov_len = sizeof head;
  if (real_writev(journal, parts, count) != (ssize_t)head.length) abort();
  errno = before;
}
static void record_bytes(char kind, uint64_t inode, uint64_t number, const void *bytes, size_t length) {
  struct iovec parts[2] = { { 0 }, { (void *)bytes, length } };
  record(kind, inode, number, parts, 2);
}

// Whether a path is below the folder, or the folder itself; its absolute form. Calls with folders of their own (openat)
// name absolute paths.
static int below(const char *path, char *full) {
  if (journal < 0 || path == NULL) return 0;
  if (path[0] == '/') {
    if (strlen(path) >= PATH_MAX) return 0;
    strcpy(full, path);
  } else {
    if (getcwd(full, PATH_MAX) == NULL || strlen(full) + strlen(path) + 2 > PATH_MAX) return 0;
    strcat(strcat(full, "/"), path);
  }
  return strncmp(full, root, root_length) == 0 && (full[root_length] == '/' || full[root_length] == 0);
}

static ino_t inode_at(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 ? found.st_ino : 0;
}

// The inode of an open file that is followed. A number that was closed unseen may name something else by now.
static ino_t followed(int fd) {
  if (journal < 0 || fd < 0 || fd >= MOST_FILES || files[fd] == 0) return 0;
  struct stat found;
  if (fstat(fd, &found) == 0 && found.st_ino == files[fd]) return files[fd];
  files[fd] = 0;
  return 0;
}

static int opening(const char *path, int flags, mode_t mode, int (*next)(const char *, int, ...)) {
  char full[PATH_MAX];
  if (!below(path, full)) {
    int fd = next(path, flags, mode);
    if (fd >= 0 && fd < MOST_FILES) files[fd] = 0;
    return fd;
  }
  pthread_mutex_lock(&lock);
  ino_t before = flags & O_CREAT ? inode_at(full) : 1;
  int fd = next(path, flags, mode);
  struct stat found;
  if (fd >= 0 && fd < MOST_FILES && fstat(fd, &found) == 0) {
    files[fd] = found.st_ino;
    if (before == 0) record_bytes('O', found.st_ino, 0, full, strlen(full));
    else if ((flags & O_TRUNC) && (flags & O_ACCMODE) != O_RDONLY) record_bytes('T', found.st_ino, 0, "", 0);
  }
  pthread_mutex_unlock(&lock);
  return fd;
}

#define OPEN(name)                                             \
  int name(const char *path, int flags, ...) {                 \
    static int (*next)(const char *, int, ...);                \
    if (next == NULL) next = REAL(name);                       \
    va_list rest;                                              \
    va_start(rest, flags);                                     \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                              \
    return opening(path, flags, mode, next);                   \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  static int (*next)(int);
  if (next == NULL) next = REAL(close);
  if (fd >= 0 && fd < MOST_FILES) files[fd] = 0;
  return next(fd);
}

// Writing. `at` is -1 for where the file stands.
static void written(int fd, ino_t inode, off_t at, const struct iovec *from, int count, ssize_t done) {
  if (done <= 0) return;
  struct iovec parts[MOST_PARTS];
  int used = 1;
  size_t left = (size_t)done;
  for (int i = 0; i < count && left > 0; i++) {
    parts[used] = from[i];
    if (parts[used].iov_len > left) parts[used].iov_len = left;
    left -= parts[used++].iov_len;
  }
  if (at < 0 || (fcntl(fd, F_GETFL) & O_APPEND)) {
    off_t end = at < 0 ? lseek(fd, 0, SEEK_CUR) : lseek(fd, 0, SEEK_END);
    at = end - done;
  }
  record('W', inode, (uint64_t)at, parts, used);
}

#define WRITING(call)                                                    \
  ino_t inode = followed(fd);                                            \
  if (inode == 0) return call;                                           \
  pthread_mutex_lock(&lock);                                             \
  ssize_t done = call;                                                   \
  written(fd, inode, at, from, parts, done);                             \
  pthread_mutex_unlock(&lock);                                           \
  return done;

ssize_t write(int fd, const void *bytes, size_t length) {
  static ssize_t (*next)(int, const void *, size_t);
  if (next == NULL) next = REAL(write);
  struct iovec from[1] = { { (void *)bytes, length } };
  const int parts = 1;
  const off_t at = -1;
  WRITING(next(fd, bytes, length))
}
ssize_t writev(int fd, const struct iovec *from, int parts) {
  const off_t at = -1;
  WRITING(real_writev(fd, from, parts))
}
#define PWRITE(name)                                                             \
  ssize_t name(int fd, const void *bytes, size_t length, off_t at) {             \
    static ssize_t (*next)(int, const void *, size_t, off_t);                    \
    if (next == NULL) next = REAL(name);                                         \
    struct iovec from[1] = { { (void *)bytes, length } };                        \
    const int parts = 1;                                                         \
    WRITING(next(fd, bytes, length, at))                                         \
  }
PWRITE(pwrite)
PWRITE(pwrite64)
#define PWRITEV(name)                                                            \
  ssize_t name(int fd, const struct iovec *from, int parts, off_t at) {          \
    static ssize_t (*next)(int, const struct iovec *, int, off_t);               \
    if (next == NULL) next = REAL(name);                                         \
    WRITING(next(fd, from, parts, at))                                           \
  }
PWRITEV(pwritev)
PWRITEV(pwritev64)

// Ways of copying within the kernel: refused, and libuv copies by reading and writing.
ssize_t sendfile64(int to, int from, off_t *at, size_t count) {
  if (followed(to) != 0) {
    errno = EINVAL;
    return -1;
  }
  return REAL(sendfile64)(to, from, at, count);
}
long syscall(long number, ...) {
  static long (*next)(long, ...);
  if (next == NULL) next = (long (*)(long, ...))real("syscall");
  va_list rest;
  va_start(rest, number);
  long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long), d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
  va_end(rest);
  if (journal >= 0 && (number == SYS_copy_file_range || number == SYS_io_uring_setup)) {
    errno = ENOSYS;
    return -1;
  }
  return next(number, a, b, c, d, e, f);
}

// Sizes.
#define CHANGING(call, ...)                          \
  ino_t inode = followed(fd);                        \
  if (inode == 0) return call;                       \
  pthread_mutex_lock(&lock);                         \
  int done = call;                                   \
  if (done == 0) { __VA_ARGS__; }                    \
  pthread_mutex_unlock(&lock);                       \
  return done;
#define TRUNCATE(name)                                                           \
  int name(int fd, off_t size) {                                                 \
    static int (*next)(int, off_t);                                              \
    if (next == NULL) next = REAL(name);                                         \
    CHANGING(next(fd, size), record_bytes('T', inode, (uint64_t)size, "", 0))    \
  }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)
// Room that is reserved beyond the end changes nothing that can be read; holes are never punched.
#define FALLOCATE(name)                                                          \
  int name(int fd, int mode, off_t at, off_t length) {                           \
    static int (*next)(int, int, off_t, off_t);                                  \
    if (next == NULL) next = REAL(name);                                         \
    if ((mode & ~FALLOC_FL_KEEP_SIZE) != 0 && followed(fd) != 0) {               \
      errno = EOPNOTSUPP;                                                        \
      return -1;                                                                 \
    }                                                                            \
    CHANGING(next(fd, mode, at, length), if (mode == 0) record_bytes('Z', inode, (uint64_t)(at + length), "", 0)) \
  }
FALLOCATE(fallocate)
FALLOCATE(fallocate64)
int posix_fallocate64(int fd, off_t at, off_t length) {
  static int (*next)(int, off_t, off_t);
  if (next == NULL) next = REAL(posix_fallocate64);
  CHANGING(next(fd, at, length), record_bytes('Z', inode, (uint64_t)(at + length), "", 0))
}

// What was written before B is on the disk at E, and not sooner.
#define SYNC(name)                                                               \
  int name(int fd) {                                                             \
    static int (*next)(int);                                                     \
    if (next == NULL) next = REAL(name);                                         \
    ino_t inode = followed(fd);                                                  \
    if (inode == 0) return next(fd);                                             \
    uint64_t number = __atomic_add_fetch(&syncs, 1, __ATOMIC_RELAXED);           \
    pthread_mutex_lock(&lock);                                                   \
    record_bytes('B', inode, number, "", 0);                                     \
    pthread_mutex_unlock(&lock);                                                 \
    if (sync_us > 0) usleep((useconds_t)(number * 2654435761u % sync_us));       \
    pthread_mutex_lock(&lock);                                                   \
    record_bytes('E', inode, number, "", 0);                                     \
    pthread_mutex_unlock(&lock);                                                 \
    return 0;                                                                    \
  }
SYNC(fsync)
SYNC(fdatasync)

// Names.
#define NAMING(one, call, ...)                       \
  char full[PATH_MAX];                               \
  if (!below(one, full)) return call;                \
  pthread_mutex_lock(&lock);                         \
  int done = call;                                   \
  if (done == 0) { __VA_ARGS__; }                    \
  pthread_mutex_unlock(&lock);                       \
  return done;
int mkdir(const char *path, mode_t mode) {
  static int (*next)(const char *, mode_t);
  if (next == NULL) next = REAL(mkdir);
  NAMING(path, next(path, mode), record_bytes('D', inode_at(full), 0, full, strlen(full)))
}
int rmdir(const char *path) {
  static int (*next)(const char *);
  if (next == NULL) next = REAL(rmdir);
  NAMING(path, next(path), record_bytes('U', 0, 0, full, strlen(full)))
}
int unlink(const char *path) {
  static int (*next)(const char *);
  if (next == NULL) next = REAL(unlink);
  NAMING(path, next(path), record_bytes('U', 0, 0, full, strlen(full)))
}
static void two_names(char kind, const char *from, const char *to) {
  char target[PATH_MAX];
  if (!below(to, target)) abort();
  struct iovec parts[3] = { { 0 }, { (void *)from, strlen(from) + 1 }, { target, strlen(target) } };
  record(kind, inode_at(target), 0, parts, 3);
}
int rename(const char *from, const char *to) {
  static int (*next)(const char *, const char *);
  if (next == NULL) next = REAL(rename);
  NAMING(from, next(from, to), two_names('R', full, to))
}
int link(const char *from, const char *to) {
  static int (*next)(const char *, const char *);
  if (next == NULL) next = REAL(link);
  NAMING(from, next(from, to), two_names('L', full, to))
}

// What is not followed.
#define MMAP(name)                                                                          \
  void *name(void *at, size_t length, int protection, int flags, int fd, off_t offset) {    \
    static void *(*next)(void *, size_t, int, int, int, off_t);                             \
    if (next == NULL) next = REAL(name);                                                    \
    if ((flags & MAP_SHARED) && (protection & PROT_WRITE) && followed(fd) != 0) {           \
      pthread_mutex_lock(&lock);                                                            \
      record_bytes('M', files[fd], 0, "", 0);                                               \
      pthread_mutex_unlock(&lock);                                                          \
    }                                                                                       \
    return next(at, length, protection, flags, fd, offset);                                 \
  }
MMAP(mmap)
MMAP(mmap64)
static void stream(int fd) {
  pthread_mutex_lock(&lock);
  if (followed(fd) != 0) record_bytes('F', files[fd], 0, "", 0);
  pthread_mutex_unlock(&lock);
}
FILE *fdopen(int fd, const char *mode) {
  if (mode[0] != 'r' || strchr(mode, '+') != NULL) stream(fd);
  return REAL(fdopen)(fd, mode);
}
#define FOPEN(name)                                                                         \
  FILE *name(const char *path, const char *mode) {                                          \
    static FILE *(*next)(const char *, const char *);                                       \
    if (next == NULL) next = REAL(name);                                                    \
    char full[PATH_MAX];                                                                    \
    if ((mode[0] == 'r' && strchr(mode, '+') == NULL) || !below(path, full)) return next(path, mode);                      \
    int fd = open(path, O_WRONLY | O_CREAT | (mode[0] == 'w' ? O_TRUNC : O_APPEND), 0666);  \
    return fd < 0 ? NULL : fdopen(fd, mode);                                                \
  }
FOPEN(fopen)
FOPEN(fopen64)
