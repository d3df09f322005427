/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that the module is built for, under the
 * names of the newest. CHRING_HAS_*: Kbuild has found it in the headers.
 */
#ifndef CHRING_COMPAT_H
#define CHRING_COMPAT_H

#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/mm.h>

#ifndef CHRING_HAS_VM_FLAGS_MOD
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set,
				vm_flags_t clear)
{
	vma->vm_flags |= set;
	vma->vm_flags &= ~clear;
}
#endif

/* A function that BPF programs call: who calls it here is not to be seen. */
#ifndef __bpf_kfunc
#define __bpf_kfunc	__used
#endif

#ifndef BTF_KFUNCS_START
#define BTF_KFUNCS_START	BTF_SET8_START
#define BTF_KFUNCS_END		BTF_SET8_END
#endif

/* May IPVS send clients to a destination? For who includes net/ip_vs.h. */
#ifdef CHRING_HAS_DEST_CFLAGS
#define ip_vs_dest_is_available(dest) \
	(READ_ONCE((dest)->cflags) & IP_VS_DEST_CF_AVAILABLE)
#else
#define ip_vs_dest_is_available(dest) \
	((dest)->flags & IP_VS_DEST_F_AVAILABLE)
#endif

#endif /* CHRING_COMPAT_H */
