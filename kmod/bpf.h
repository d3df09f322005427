/* SPDX-License-Identifier: GPL-2.0 */
/* The door for BPF programs. */
#ifndef CHRING_KMOD_BPF_H
#define CHRING_KMOD_BPF_H

#include <linux/types.h>

/**
 * chring_bpf_init() - offer kfuncs to BPF programs
 *
 * To be called when rings can be found, and before anybody can ask for
 * chring_bpf_revision(): programs that call kfuncs are not loaded before the module
 * is. What is offered goes with the module, which stays for as long as such a program
 * is loaded.
 *
 * A module whose type information is missing, or not of this kernel, has none to
 * offer, and says so in a line of the log.
 *
 * Return: 0 or an error of register_btf_kfunc_id_set().
 */
int chring_bpf_init(void);

/* Revision of the kfuncs that programs may call, 0: there are none. */
u32 chring_bpf_revision(void);

#endif /* CHRING_KMOD_BPF_H */
