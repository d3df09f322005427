/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/chring in the program itself, with one ring: for libchring, as it is,
 * under the sanitizers and in the benchmark. The linker sends its system calls
 * here (device_calls in the Makefile); commands that only change are not among
 * them.
 *
 * Plain types: who includes libchring.h cannot include the rings' headers.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <stddef.h>
#include <sys/types.h>

#include <linux/chring.h>

struct chring_ring;

/* What the linker makes of the C library's: those, and what is called instead. */
int __real_open(const char *path, int flags, ...);
int __real_close(int fd);
int __real_ioctl(int fd, unsigned long ioc, void *arg);
void *__real_mmap(void *at, size_t size, int prot, int flags, int fd,
		  off_t offset);
int __real_munmap(void *at, size_t size);
int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
int __wrap_ioctl(int fd, unsigned long ioc, void *arg);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd,
		  off_t offset);
int __wrap_munmap(void *at, size_t size);

/* Before the first and after the last: of the thread that changes rings. */
void device_begin(void);
void device_end(void);

/* The same for who has told liburcu of the thread otherwise. */
void device_known(void);

/* @ring is what the device has from now on; NULL: there is none any more. */
void device_show(struct chring_ring *ring);
/* Whoever waits for events is told that there are some. */
void device_tell(void);

/* For those without the rings' headers: a ring, which is shown. */
struct chring_ring *device_ring(__u32 vnodes);
void device_ring_delete(struct chring_ring *ring);

/* A node comes or becomes so. Return: the epoch after. */
__u64 device_node(struct chring_ring *ring, const char *name, __u32 weight,
		  __u32 state);

/* Commands that were asked for so far. */
unsigned long device_asked(void);

#endif /* DEVICE_H */
