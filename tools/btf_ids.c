// SPDX-License-Identifier: GPL-2.0
/*
 * btf_ids BASE MODULE: fills in the section .BTF_ids of a kernel module, as the
 * kernel's own resolve_btfids does, which not every distribution ships.
 *
 * BASE has the types of the kernel: vmlinux, or /sys/kernel/btf/vmlinux. MODULE
 * has its own in .BTF. Symbols of .BTF_ids tell what is wanted where:
 *	__BTF_ID__func__NAME__N		4 bytes: id of function NAME
 *	__BTF_ID__set8__NAME		a set: how many (4 bytes), flags (4 bytes),
 *					then pairs of an id and its flags, in the
 *					order of ids
 * See include/linux/btf_ids.h and tools/bpf/resolve_btfids of Linux.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNC	"__BTF_ID__func__"
#define SET	"__BTF_ID__set8__"

static const char *module;

static int refuse(const char *what, const char *why)
{
	fprintf(stderr, "btf_ids: %s: %s: %s\n", module, what, why);
	return -1;
}

struct pair {
	__u32 id;
	__u32 flags;
};

/**
 * struct place - what is worked on
 * @ids: data of .BTF_ids
 * @section: its number
 * @symbols: data of the symbol table
 * @strings: section of their names
 * @elf: the module
 * @btf: types of kernel and module
 */
struct place {
	Elf_Data *ids;
	size_t section;
	Elf_Data *symbols;
	size_t strings;
	Elf *elf;
	struct btf *btf;
};

typedef int symbol_fn(struct place *p, const char *name, const GElf_Sym *sym);

static int each_symbol(struct place *p, const char *prefix, symbol_fn *fn)
{
	GElf_Sym sym;
	int i;

	for (i = 0; gelf_getsym(p->symbols, i, &sym); i++) {
		const char *name = elf_strptr(p->elf, p->strings, sym.st_name);

		if (sym.st_shndx != p->section || !name ||
		    strncmp(name, prefix, strlen(prefix)))
			continue;
		if (sym.st_value % 4 || sym.st_value > p->ids->d_size ||
		    sym.st_size > p->ids->d_size - sym.st_value)
			return refuse(name, "lies outside of .BTF_ids");
		if (fn(p, name + strlen(prefix), &sym))
			return -1;
	}
	return 0;
}

static void *at(struct place *p, const GElf_Sym *sym)
{
	return (char *)p->ids->d_buf + sym->st_value;
}

/* @name: NAME__N */
static int fill_function(struct place *p, const char *name, const GElf_Sym *sym)
{
	const char *end = strrchr(name, '_');
	char function[256];
	int id;

	if (sym->st_size && sym->st_size < sizeof(__u32))
		return refuse(name, "is too short");
	if (!end || end - name < 2 ||
	    (size_t)(end - name) > sizeof(function))
		return refuse(name, "no name of a function");
	snprintf(function, end - name, "%s", name);
	id = btf__find_by_name_kind(p->btf, function, BTF_KIND_FUNC);
	if (id < 0)
		return refuse(function, "is no function in .BTF");
	*(__u32 *)at(p, sym) = id;
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int fill_set(struct place *p, const char *name, const GElf_Sym *sym)
{
	struct pair *head = at(p, sym);

	if (sym->st_size < sizeof(*head) || sym->st_size % sizeof(*head))
		return refuse(name, "has an odd size");
	head->id = sym->st_size / sizeof(*head) - 1;
	qsort(head + 1, head->id, sizeof(*head), by_id);
	return 0;
}

static int find_sections(struct place *p)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(p->elf, &names))
		return refuse("ELF", elf_errmsg(-1));
	while ((scn = elf_nextscn(p->elf, scn))) {
		const char *name;
		GElf_Shdr h;

		gelf_getshdr(scn, &h);
		name = elf_strptr(p->elf, names, h.sh_name);
		if (h.sh_type == SHT_SYMTAB) {
			p->symbols = elf_getdata(scn, NULL);
			p->strings = h.sh_link;
		} else if (name && !strcmp(name, ".BTF_ids")) {
			p->ids = elf_getdata(scn, NULL);
			p->section = elf_ndxscn(scn);
		}
	}
	if (!p->symbols)
		return refuse("ELF", "has no symbols");
	return p->ids ? 0 : refuse(".BTF_ids", "is not there");
}

static int fill(struct place *p)
{
	if (find_sections(p) || each_symbol(p, FUNC, fill_function) ||
	    each_symbol(p, SET, fill_set))
		return -1;
	elf_flagdata(p->ids, ELF_C_SET, ELF_F_DIRTY);
	elf_flagelf(p->elf, ELF_C_SET, ELF_F_LAYOUT);
	if (elf_update(p->elf, ELF_C_WRITE) < 0)
		return refuse("not written", elf_errmsg(-1));
	return 0;
}

static int open_and_fill(struct place *p)
{
	int fd = open(module, O_RDWR), ret;

	if (fd < 0)
		return refuse("not opened", strerror(errno));
	elf_version(EV_CURRENT);
	p->elf = elf_begin(fd, ELF_C_RDWR, NULL);
	ret = p->elf ? fill(p) : refuse("ELF", elf_errmsg(-1));
	elf_end(p->elf);
	if (close(fd) && !ret)
		ret = refuse("not written", strerror(errno));
	return ret;
}

int main(int argc, char **argv)
{
	struct place p = {};
	struct btf *base;

	if (argc != 3) {
		fprintf(stderr, "usage: btf_ids BASE MODULE\n");
		return 2;
	}
	module = argv[2];
	base = btf__parse(argv[1], NULL);
	if (!base)
		return refuse(argv[1], "has no types of a kernel"), 1;
	p.btf = btf__parse_split(module, base);
	if (!p.btf)
		return refuse(".BTF", strerror(errno)), 1;
	return open_and_fill(&p) ? 1 : 0;
}
