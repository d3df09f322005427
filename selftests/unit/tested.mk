# SPDX-License-Identifier: GPL-2.0
#
# Floors 1 and 2 as user space can have them, but for what the kernel alone can
# do: for who includes this, with kmod set.
tested := $(patsubst $(kmod)/%.c,%,$(wildcard $(kmod)/core/*.c)) \
	tokens roster log view loads status notices ring draft change commit \
	order listing
