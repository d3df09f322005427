// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "errors.h"
#include "lookup.h"

static int refused_kind(const struct chring_query *query)
{
	const char *what = "this";

	if (query->flags & CHRING_LOOKUP_ZONES)
		what = "zones";
	else if (query->flags & CHRING_LOOKUP_PREVIOUS)
		what = "previous";
	else if (query->count > 1)
		what = "replicas";
	return refused("lookup: '%s' is known, but the loaded chring.ko does not offer it yet; look up without it",
		       what);
}

int lookup_refused(const struct session *s, const struct chring_query *query,
		   int err)
{
	switch (-err) {
	case ENODATA:
		return refused("ring '%s': it has no nodes; 'chringctl node add %s NODE' adds one",
			       s->ring, s->ring);
	case EHOSTUNREACH:
		return refused("ring '%s': it has nodes, but none in service with weight; 'chringctl node set %s NODE state up' puts one in service",
			       s->ring, s->ring);
	case EBADF:
		return refused("ring '%s': it is keyed: only who may write to %s looks up positions of it",
			       s->ring, CHRING_DEVICE);
	case EOPNOTSUPP:
		return refused_kind(query);
	case ERANGE:
		if (query->flags & CHRING_LOOKUP_POSITION)
			return refused("ring '%s': a position is wider than the 32 bits of the ring's circle",
				       s->ring);
		return refused("ring '%s': a key is longer than %u bytes",
			       s->ring, CHRING_KEY_MAX);
	default:
		return session_refused(s, err);
	}
}
