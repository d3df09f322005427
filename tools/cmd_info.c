// SPDX-License-Identifier: GPL-2.0
#include "chringctl.h"
#include "choices.h"
#include "errors.h"
#include "output.h"
#include "session.h"

static void version_text(__u32 version, char *to, size_t size)
{
	snprintf(to, size, "%u.%u.%u", version >> 16, version >> 8 & 0xff,
		 version & 0xff);
}

static json_object *offered(const struct choices *choices, __u64 mask)
{
	json_object *list = json_array_needed();
	__u32 i;

	for (i = choices->first; i < choices->first + choices->count; i++) {
		const char *word = choice_word(choices, i);

		if (mask >> i & 1)
			json_append(list, json_object_new_string(word));
	}
	return list;
}

static void print_json(const struct chring_info *info, const char *version)
{
	json_object *to = json_object_needed();

	json_string(to, "version", version);
	json_u32(to, "rings", info->out_rings);
	json_u64(to, "total_bytes", info->out_total_bytes);
	json_u64(to, "max_total_bytes", info->out_max_total_bytes);
	json_u32(to, "max_tokens", info->out_max_tokens);
	json_u32(to, "kfuncs", info->out_kfuncs);
	json_member(to, "hashes", offered(&hashes, info->out_hashes));
	json_member(to, "layouts", offered(&layouts, info->out_layouts));
	json_print(to);
}

static void print_text(const struct chring_info *info, const char *version)
{
	line("version", "%s", version);
	line("rings", "%u", info->out_rings);
	line("memory", "%llu of %llu bytes", info->out_total_bytes,
	     info->out_max_total_bytes);
	line("max_tokens", "%u per ring", info->out_max_tokens);
	if (info->out_kfuncs)
		line("kfuncs", "revision %u", info->out_kfuncs);
	else
		line("kfuncs", "no");
	line("hashes", "%s", choice_list(&hashes, info->out_hashes));
	line("layouts", "%s", choice_list(&layouts, info->out_layouts));
}

static int show_info(const struct session *s)
{
	struct chring_info info;
	char version[32];
	int ret = chring_info(s->dev, &info);

	if (ret)
		return session_refused(s, ret);
	version_text(info.out_version, version, sizeof(version));
	if (options.json)
		print_json(&info, version);
	else
		print_text(&info, version);
	return STATUS_OK;
}

static int info(struct args *args)
{
	struct session s;
	int ret = args_end(args);

	if (ret)
		return ret;
	ret = session_open(&s, NULL, SESSION_READ);
	if (!ret)
		ret = show_info(&s);
	session_close(&s);
	return ret;
}

const struct command info_commands[] = {
	{ NULL, info },
	{}
};
