/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: a nop each while nobody has enabled them. User space has a twin
 * of this file with the same guard and nothing behind it; see core/platform.h.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM chring

#if !defined(CHRING_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CHRING_TRACE_H

#include <linux/tracepoint.h>

#include "ring.h"

/* Somebody was told who owns, or owned, a key. */
TRACE_EVENT(chring_lookup,
	TP_PROTO(const struct chring_view *v, const struct chring_node *node),
	TP_ARGS(v, node),
	TP_STRUCT__entry(
		__field(u64, ring)
		__field(u64, epoch)
		__field(u64, node)
		__dynamic_array(char, name, node->name_len + 1)
	),
	TP_fast_assign(
		__entry->ring = v->ring->id;
		__entry->epoch = v->epoch;
		__entry->node = node->id;
		/* A name has its length, and no end. */
		memcpy(__get_str(name), node->name, node->name_len);
		__get_str(name)[node->name_len] = 0;
	),
	TP_printk("ring=%llu epoch=%llu node=%llu name=%s",
		  __entry->ring, __entry->epoch, __entry->node, __get_str(name))
);

/* A ring has come to its next epoch. */
TRACE_EVENT(chring_commit,
	TP_PROTO(const struct chring_view *v, const struct chring_change *change),
	TP_ARGS(v, change),
	TP_STRUCT__entry(
		__field(u64, ring)
		__field(u64, epoch)
		__field(u64, generation)
		__field(u64, digest)
		__field(u32, tokens)
		__field(u32, nodes)
		__field(u32, live)
		__field(u32, added)
		__field(u32, removed)
		__field(u32, changed)
		__field(u32, flipped)
		__array(char, name, CHRING_RING_NAME_MAX + 1)
	),
	TP_fast_assign(
		__entry->ring = v->ring->id;
		__entry->epoch = v->epoch;
		__entry->generation = change->generation;
		__entry->digest = change->digest;
		__entry->tokens = change->tokens;
		__entry->nodes = change->nodes;
		__entry->live = change->live;
		__entry->added = change->added;
		__entry->removed = change->removed;
		__entry->changed = change->changed;
		__entry->flipped = change->flipped;
		memcpy(__entry->name, v->ring->name, sizeof(__entry->name));
	),
	TP_printk("ring=%llu name=%s epoch=%llu generation=%llu digest=%#018llx tokens=%u nodes=%u live=%u added=%u removed=%u changed=%u flipped=%u",
		  __entry->ring, __entry->name, __entry->epoch,
		  __entry->generation, __entry->digest, __entry->tokens,
		  __entry->nodes, __entry->live, __entry->added,
		  __entry->removed, __entry->changed, __entry->flipped)
);

/* For trace.c alone, which includes nothing else that would include this. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>

#endif /* CHRING_TRACE_H */
