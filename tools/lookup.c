// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "errors.h"
#include "lookup.h"

static int refused_previous(const struct session *s, int err)
{
	if (err == -ENODATA)
		return refused("ring '%s': it had no nodes before; there are no former owners",
			       s->ring);
	return refused("ring '%s': none of its former owners can answer: they are down, or had no weight",
		       s->ring);
}

int lookup_refused(const struct session *s, const struct chring_query *query,
		   int err)
{
	if (query->flags & CHRING_LOOKUP_PREVIOUS &&
	    (err == -ENODATA || err == -EHOSTUNREACH))
		return refused_previous(s, err);
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
