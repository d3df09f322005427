// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "mapping.h"
#include "status.h"

int chring_mapping_check(const struct vm_area_struct *vma)
{
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	/* Not VM_SHARED: a descriptor open only for reading has lost that. */
	if (!(vma->vm_flags & VM_MAYSHARE) || vma->vm_pgoff ||
	    vma->vm_end - vma->vm_start > PAGE_ALIGN(CHRING_STATUS_BYTES))
		return -EINVAL;
	return 0;
}

static vm_fault_t fault(struct vm_fault *vmf)
{
	struct chring_ring *ring = vmf->vma->vm_private_data;
	size_t at = vmf->pgoff << PAGE_SHIFT;

	if (at >= CHRING_STATUS_BYTES)
		return VM_FAULT_SIGBUS;
	/* Set before there was a mapping, and for as long as the ring lives. */
	vmf->page = vmalloc_to_page((char *)ring->status + at);
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct mapping_ops = {
	.fault = fault,
};

int chring_mapping_make(struct chring_ring *ring, struct vm_area_struct *vma)
{
	int ret = chring_status_open(ring);

	if (ret)
		return ret;
	/* The file of the mapping holds its ring, and the module. */
	vma->vm_private_data = ring;
	vma->vm_ops = &mapping_ops;
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYWRITE | VM_MAYEXEC);
	return 0;
}
