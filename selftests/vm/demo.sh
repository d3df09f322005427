#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# demo.sh KERNEL [OPTION-OF-RUN]...: shows in the VM what chring does, with the
# keys in file KEYS and the nodes in file NODES, a line each, or made-up ones.
set -euo pipefail

here=$(dirname "$0")
kernel=$1
shift

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [ -z "${KEYS-}" ]; then
	KEYS=$scratch/keys
	seq -f 'user:%05.0f' 10000 >"$KEYS"
fi
if [ -z "${NODES-}" ]; then
	NODES=$scratch/nodes
	seq -f 'cache-%02.0f' 10 >"$NODES"
fi
for file in "$KEYS" "$NODES"; do
	[ -r "$file" ] || { echo "demo: cannot read $file" >&2; exit 2; }
done

echo "demo: booting a stock Linux $kernel in QEMU, with chring loaded"
"$here/run" --kernel "$kernel" --name demo --timeout "${TIMEOUT:-120}" "$@" \
	--file "/keys=$KEYS" --file "/nodes=$NODES" \
	--file "/demo=$here/demo-guest.sh" --cmd 'sh /demo'
