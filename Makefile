# SPDX-License-Identifier: GPL-2.0
#
# chring: the kernel module and everything around it. `make help` tells more.

MAKEFLAGS += --no-print-directory
SHELL := bash

KDIR ?= /lib/modules/$(shell uname -r)/build
KERNEL ?= $(if $(filter fuzz,$(MAKECMDGOALS)),debug,6.1)
PREFIX ?= /usr/local
SMP ?= 2

module := build/$(KERNEL)/chring.ko

all: module tools

help:
	@echo 'For this machine:'
	@echo '  all           the module for the running kernel (or KDIR=...) and the tools;'
	@echo '                VMLINUX=FILE has the types of that kernel, for BPF programs'
	@echo '  module        the module alone'
	@echo '  tools         the tools alone'
	@echo '  install       module, header and tools (PREFIX=, DESTDIR=)'
	@echo '  clean         removes everything that was built'
	@echo 'In a virtual machine (KERNEL=$(KERNEL); 6.1, 6.12 and rt are stock, debug and kcsan'
	@echo 'are built here, once, in some ten minutes):'
	@echo '  deps          installs the packages that building and testing need (Debian 12)'
	@echo '  demo          ten nodes, ten thousand keys, and what moves when a node goes'
	@echo '                (KEYS=FILE, NODES=FILE: your own, a line each)'
	@echo '  vm            a shell with the module loaded'
	@echo "  vm CMD='...'  runs a command there; IN=FILE is /in for it, TIMEOUT=, MEM=, SMP="
	@echo 'Checks, each ending in "N passed, N failed, N skipped":'
	@echo '  check         all of those below but the mutants, and the demo; check-vm on'
	@echo '                6.1, 6.12 and debug'
	@echo '  check-static  compiler and sparse warnings, style, layering'
	@echo '  check-unit    the core in user space, under sanitizers'
	@echo '  check-vm      the module in a virtual machine (ONLY=REGEX: some tests; PART=K/N:'
	@echo '                the K-th of N parts; SCALE=N: counts of long tests divided by N)'
	@echo '  check-harness the test machinery itself'
	@echo '  check-mutants are the tests any good? Faults put in, one at a time (ONLY=REGEX)'
	@echo 'Longer than any check:'
	@echo '  fuzz          a million commands of the device, some of them spoilt, by several'
	@echo '                threads, in the debug kernel (COUNT=, or MINUTES=; SEED=, THREADS=)'
	@echo '  fuzz-core     libFuzzer on the core and the parsers, in user space (MINUTES= of'
	@echo '                each, SEED=, ONLY=REGEX)'
	@echo 'How fast it is:'
	@echo '  bench         lookups and changes beside other structures, in user space: a table,'
	@echo '                selftests/bench/out.json and plots (QUICK=1: in half a minute)'
	@echo '  bench-verdict which targets the last run of it met'

# -- for this machine

module:
	@if [ -e '$(KDIR)/Makefile' ]; then \
		base=$$(tools/btf.sh base '$(KDIR)' '$(VMLINUX)') && \
		$(MAKE) -C '$(KDIR)' M='$(CURDIR)' $${base:+CHRING_BTF=y} modules && \
		{ [ -z "$$base" ] || tools/btf.sh add "$$base" chring.ko; }; \
	else \
		echo 'chring.ko is not built: no kernel headers in $(KDIR); say where with KDIR=DIR' >&2; \
	fi

tools:
	@$(MAKE) -C tools

install: all
	@if [ -e chring.ko ]; then \
		$(MAKE) -C '$(KDIR)' M='$(CURDIR)' \
			$(if $(DESTDIR),INSTALL_MOD_PATH='$(DESTDIR)') \
			CONFIG_MODULE_SIG_ALL= modules_install && \
		$(MAKE) install-api; \
	fi
	install -D -m 644 uapi/linux/chring.h '$(DESTDIR)$(PREFIX)/include/linux/chring.h'
	@$(MAKE) -C tools install PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)'

# What other modules are built with: the header, which brings a copy of the ABI
# along (all of PREFIX/include would hide headers of the kernel's from them), and
# the symbols of the module that was built in MODULE for the kernel of KDIR.
MODULE ?= .
api := $(DESTDIR)$(PREFIX)/include/chring

install-api:
	install -D -m 644 kmod/chring.h '$(api)/chring.h'
	install -D -m 644 kmod/chring.bpf.h '$(api)/chring.bpf.h'
	install -D -m 644 uapi/linux/chring.h '$(api)/linux/chring.h'
	@release=$$(sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
			'$(KDIR)/include/generated/utsrelease.h') && \
	install -D -m 644 '$(MODULE)/Module.symvers' \
		"$(DESTDIR)$(PREFIX)/lib/chring/$$release/Module.symvers"

clean:
	@if [ -e '$(KDIR)/Makefile' ]; then \
		$(MAKE) -s -C '$(KDIR)' M='$(CURDIR)' clean; \
	fi
	@for dir in tools selftests/unit selftests/bench; do \
		[ ! -e $$dir/Makefile ] || $(MAKE) -s -C $$dir clean; \
	done
	rm -rf build

# -- in a virtual machine

# Runs a make that knows nothing of this one's variables (a CMD with a $ in it
# must not get there) and speaks only when it fails. Two checks at a time may
# want the same.
quietly = mkdir -p build; out=$$(flock build/make.lock \
	env -u MAKEFLAGS -u MAKEOVERRIDES -u MFLAGS -u MAKELEVEL \
	make -s -j$$(nproc) $(1) 2>&1) || { printf '%s\n' "$$out" >&2; exit 1; }

# Something of a kernel, most often a directory: kernel_show in vm/kernel.sh
# knows them.
kernel = $(shell . selftests/vm/kernel.sh; kernel_select '$(or $(2),$(KERNEL))' && kernel_locate && echo $$$(1))

# Every kernel meets the same test programs, built with the harness of this one.
harness := 6.1

deps:
	@for kernel in $(harness) $(filter-out $(harness),$(KERNEL)); do \
		selftests/deps.sh $$kernel >&2 || exit; \
	done

vm-build: deps
	@selftests/build.sh '$(KERNEL)'
	@$(call quietly,-C tools static)

run_options = --module $(module) \
	--file /bin/chringctl=build/tools/static/chringctl \
	--mem '$(or $(MEM),$(call kernel,k_mem))' --smp '$(SMP)' --boot-timeout '$(or $(BOOT_TIMEOUT),$(call kernel,k_boot))'

# When a recipe fails, make exits with 2, whatever the status was. Here the
# status of the command matters: vm-run leaves it in a file, and a function
# that vm/exit.c adds to make ends it with that.
ifneq ($(filter vm,$(MAKECMDGOALS)),)
vm_status := build/vm-status.$(shell echo $$PPID)
vm_what := $(if $(filter undefined,$(origin CMD)),--shell,--cmd "$$CHRING_CMD")
endif

# As they were written: make would expand a $ in them.
export CHRING_CMD := $(value CMD)
export CHRING_ONLY := $(value ONLY)
unexport CMD ONLY

vm: vm-run
	@$(call leave,$(file <$(vm_status)))

leave = $(shell rm -f $(vm_status))$(if $(filter-out 0,$(1)),$(eval -load build/exit.so)$(exit $(1)))exit $(1)

vm-run: vm-build build/exit.so
	@selftests/vm/run --kernel '$(KERNEL)' $(run_options) $(vm_what) \
		$(if $(IN),--in '$(IN)') $(if $(TIMEOUT),--timeout '$(TIMEOUT)'); \
	echo $$? >$(vm_status)

build/exit.so: selftests/vm/exit.c | deps
	@mkdir -p build
	@$(CC) -shared -fPIC -O2 -Wall -Wextra -o $@ $<

demo: vm-build
	@selftests/vm/demo.sh '$(KERNEL)' $(run_options)

# -- how fast it is

# In half a minute no guest can be counted.
calls = selftests/vm/run --kernel '$(KERNEL)' --count $(run_options) --timeout 600 \
	--file /bin/calls=build/bench/calls --file /bpf=build/bpf --cmd calls

bench: $(if $(QUICK),,vm-build)
	@selftests/bench/deps.sh >&2
	@$(if $(QUICK),,$(call quietly,-C selftests/bpf))
	@$(call quietly,-C selftests/bench)
	@ONLY="$$CHRING_ONLY" $(MAKE) -s -C selftests/bench run $(if $(QUICK),,RUN="$(calls)")

bench-verdict:
	@$(MAKE) -s -C selftests/bench verdict

# -- checks

check:
	@selftests/check.sh 'check-vm KERNEL=debug PART=1/2' 'check-vm KERNEL=debug PART=2/2' \
		check-static check-unit 'check-vm KERNEL=6.1' 'check-vm KERNEL=6.12' \
		check-harness demo

check-static: deps
	@selftests/static.sh '$(KERNEL)' | selftests/tap.py

check-unit: deps
	@$(call quietly,-C selftests/unit testdata)
	@{ \
		echo '#> begin unit'; \
		$(MAKE) -s -C selftests/unit check; \
		echo "#> end unit $$?"; \
		echo '#> begin unit-threads'; \
		$(MAKE) -s -C selftests/unit check SAN=thread \
			ONLY='concurrent status libchring'; \
		echo "#> end unit-threads $$?"; \
	} | selftests/tap.py --files 2

# The example of libchring, and what it talks to; who makes services of IPVS, and
# networks for them.
shared := LD_LIBRARY_PATH=build/example/prefix/lib selftests/vm/shared.sh \
	/bin/memcached=/usr/bin/memcached /bin/ringcache=build/example/ringcache \
	/bin/ipvsadm=/sbin/ipvsadm /sbin/ip=/sbin/ip /bin/ethtool=/sbin/ethtool \
	/bin/iptables=/usr/sbin/xtables-legacy-multi
xtables := /usr/lib/x86_64-linux-gnu/xtables
ip_vs_options = --file /ip_vs_chring.ko=build/$(KERNEL)/ip_vs_chring.ko \
	--modules ip_vs=ip_vs,ip_vs_rr,ip_vs_mh,ip_vs_sh,sctp,iptable_mangle,xt_mark \
	--file /lib/ip_vs.sh=selftests/chring/libipvs.sh \
	--file /bin/tenant=build/selftests/bin/tenant \
	--file $(xtables)/libxt_MARK.so=$(xtables)/libxt_MARK.so

# A network, and what tests send through it; BPF programs.
net_options = --modules net=veth,bridge,sch_ingress,cls_bpf \
	--file /lib/net.sh=selftests/chring/libnet.sh --file /bin/flows=build/selftests/bin/flows
bpf_options = --file /bpf=build/bpf --file /bin/balancer=build/bpf/balancer \
	$(foreach what,no other,--file /kmod/chring-$(what)types.ko=build/$(KERNEL)-kmod/$(what)types.ko)

check-vm: vm-build
	@$(call quietly,-C selftests/bpf)
	@$(call quietly,-C selftests/chring KSELFTEST='$(call kernel,k_src,$(harness))/tools/testing/selftests')
	@$(call quietly,-C selftests/unit testdata)
	@$(call quietly,-C selftests/example test)
	@selftests/kmod/build.sh '$(KERNEL)'
	@shared=$$($(shared)) && \
		ONLY="$$CHRING_ONLY" PART='$(PART)' SCALE='$(or $(SCALE),$(call kernel,k_scale))' \
		selftests/vm/check.sh '$(KERNEL)' build/selftests/tests $(run_options) \
		--file /data=build/testdata $(net_options) $(bpf_options) $(ip_vs_options) $$shared \
		$(foreach name,probe flows,--file /kmod/chring_$(name).ko=build/$(KERNEL)-kmod/chring_$(name).ko)

# Some minutes more than it is to take, for boot, leaks and a slow start.
fuzz_words = $(if $(SEED),-s '$(SEED)') $(if $(MINUTES),-m '$(MINUTES)') $(if $(COUNT),-c '$(COUNT)') $(if $(THREADS),-t '$(THREADS)')
fuzz_limit = $(if $(MINUTES),$$((60 * $(MINUTES) + 900)),14400)

fuzz: vm-build
	@$(call quietly,-C selftests/fuzz)
	@selftests/kmod/build.sh '$(KERNEL)'
	@mkdir -p build/fuzz/tests
	@printf '#!/bin/sh\nexec fuzz %s\n' "$(fuzz_words)" >build/fuzz/tests/fuzz.sh
	@limit=$(fuzz_limit) && ONLY= SCALE=1 LIMIT=$$limit TIMEOUT=$$((limit + 300)) \
		selftests/vm/check.sh '$(KERNEL)' build/fuzz/tests $(run_options) \
		--file /bin/fuzz=build/fuzz/fuzz \
		--file /kmod/chring_probe.ko=build/$(KERNEL)-kmod/chring_probe.ko

fuzz-core:
	@selftests/libfuzz/deps.sh >&2
	@$(call quietly,-C selftests/libfuzz)
	@{ \
		echo '#> begin fuzz-core'; \
		ONLY="$$CHRING_ONLY" MINUTES='$(MINUTES)' SEED='$(SEED)' \
			$(MAKE) -s -C selftests/libfuzz check; \
		echo "#> end fuzz-core $$?"; \
	} | selftests/tap.py

check-harness: vm-build build/exit.so
	@{ \
		echo '#> begin harness'; \
		selftests/vm/harness.sh '$(KERNEL)' '$(module)'; \
		echo "#> end harness $$?"; \
	} | selftests/tap.py

check-mutants: deps
	@$(MAKE) deps KERNEL=debug
	@{ \
		echo '#> begin mutants'; \
		selftests/mutants.sh "$$CHRING_ONLY"; \
		echo "#> end mutants $$?"; \
	} | selftests/tap.py

.PHONY: all help module tools install install-api clean deps vm-build vm vm-run demo \
	bench bench-verdict \
	check check-static check-unit check-vm check-harness check-mutants fuzz fuzz-core
