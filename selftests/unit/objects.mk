# SPDX-License-Identifier: GPL-2.0
#
# How objects are made of kmod/ and of the files beside the Makefile that includes
# this, last; top, kmod, out, CC and cflags are its own.

compile = @mkdir -p $(@D) && $(CC) $(cflags) $(CFLAGS) -MMD -MP -c -o $@ $<

$(out)/kmod/%.o: $(kmod)/%.c $(out)/flags
	$(compile)

$(out)/%.o: %.c $(out)/flags
	$(compile)

# Other flags, other objects.
$(out)/flags: FORCE
	@mkdir -p $(out)
	@echo '$(CC) $(cflags) $(CFLAGS)' | cmp -s - $@ || \
		echo '$(CC) $(cflags) $(CFLAGS)' >$@

FORCE:
.PHONY: FORCE
.SECONDARY:
-include $(wildcard $(out)/*.d $(out)/*/*.d $(out)/kmod/core/*.d)
