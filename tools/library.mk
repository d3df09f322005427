# SPDX-License-Identifier: GPL-2.0
#
# What libchring is made of, beside what it shares with the module: for who
# includes this.
library := libchring ask list change find mirror copy status names ids
