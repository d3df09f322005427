// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "chringctl.h"
#include "errors.h"
#include "output.h"
#include "session.h"

/**
 * struct pin - a pin to be set or taken away
 * @ring: name of the ring
 * @epoch: only if the ring is at this one; 0: whatever it is
 * @generation: after it; 0: leave it
 */
struct pin {
	const char *ring;
	__u64 epoch;
	__u64 generation;
};

static int read_pin(struct args *args, struct pin *p)
{
	const struct word words[] = {
		WORD_NUMBER("generation", &p->generation, 1, ~0ULL),
		WORD_NUMBER("epoch", &p->epoch, 1, ~0ULL),
	};
	__u32 given;
	int ret;

	*p = (struct pin){};
	ret = args_ring(args, &p->ring);
	return ret ? ret : words_read(args, words, ARRAY_SIZE(words), &given);
}

static int refused_pin(const struct session *s, const struct pin *p,
		       const struct chring_outcome *out, int err)
{
	switch (-err) {
	case EBUSY:
		return refused("ring '%s': it is pinned already; 'chringctl unpin %s' ends that",
			       p->ring, p->ring);
	case ENOENT:
		return refused("ring '%s': it is not pinned", p->ring);
	case ESTALE:
		return refused("ring '%s': it is at epoch %llu, not %llu; nothing was changed",
			       p->ring, out->epoch, p->epoch);
	case ERANGE:
		return refused("ring '%s': it is at generation %llu, and it never falls; expected that or more, not %llu",
			       p->ring, out->generation, p->generation);
	default:
		return session_refused(s, err);
	}
}

static void print_outcome(const struct chring_outcome *out)
{
	json_object *to;

	if (!options.json)
		return;
	to = json_object_needed();
	json_u64(to, "ring", out->ring);
	json_u64(to, "epoch", out->epoch);
	json_u64(to, "generation", out->generation);
	json_hash(to, "digest", out->digest);
	json_print(to);
}

typedef int pin_fn(struct chring *dev, __u64 epoch, __u64 generation,
		   struct chring_outcome *out);

static int change_pin(struct args *args, pin_fn *fn)
{
	struct chring_outcome out;
	struct session s;
	struct pin p;
	int ret = read_pin(args, &p);

	if (ret)
		return ret;
	ret = session_open(&s, p.ring, SESSION_CHANGE);
	if (!ret) {
		ret = fn(s.dev, p.epoch, p.generation, &out);
		if (ret)
			ret = refused_pin(&s, &p, &out, ret);
		else
			print_outcome(&out);
	}
	session_close(&s);
	return ret;
}

static int pin(struct args *args)
{
	return change_pin(args, chring_pin);
}

static int unpin(struct args *args)
{
	return change_pin(args, chring_unpin);
}

const struct command pin_commands[] = {
	{ NULL, pin },
	{}
};

const struct command unpin_commands[] = {
	{ NULL, unpin },
	{}
};
