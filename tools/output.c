// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "chringctl.h"
#include "errors.h"
#include "output.h"
#include "text.h"

#define BUFFER		(1 << 20)
#define JSON_FLAGS	(JSON_C_TO_STRING_SPACED | \
			 JSON_C_TO_STRING_NOSLASHESCAPE)

static FILE *file;

void *needed(void *p)
{
	if (!p)
		exit(refused("no memory"));
	return p;
}

static const char *file_name(void)
{
	return options.output ? quoted_string(options.output) :
				"standard output";
}

int output_open(void)
{
	file = options.output ? fopen(options.output, "we") : stdout;
	if (!file)
		return refused("%s: %s; -o needs a file that can be written",
			       file_name(), strerror(errno));
	setvbuf(file, NULL, _IOFBF, BUFFER);
	return STATUS_OK;
}

FILE *output(void)
{
	return file;
}

static int output_failed(int err)
{
	return refused("%s: %s; the answer is not complete", file_name(),
		       strerror(err));
}

int output_flush(void)
{
	return fflush(file) || ferror(file) ? output_failed(errno) : STATUS_OK;
}

/* What failed before fails again, and tells why. */
int output_check(void)
{
	return ferror(file) ? output_flush() : STATUS_OK;
}

int output_close(int status)
{
	FILE *closing = file;

	if (!closing)
		return status;
	/* What failed before fails again, and tells why. */
	if (fflush(closing) || ferror(closing))
		return status ? status : output_failed(errno);
	/* Standard output may be closed as long as nothing is said. */
	if (fclose(closing) && errno != EBADF)
		return output_failed(errno);
	return status;
}

void line(const char *name, const char *format, ...)
{
	va_list args;

	fprintf(file, "%-12s", name);
	va_start(args, format);
	vfprintf(file, format, args);
	va_end(args);
	fputc('\n', file);
}

json_object *json_object_needed(void)
{
	return needed(json_object_new_object());
}

json_object *json_array_needed(void)
{
	return needed(json_object_new_array());
}

void json_member(json_object *to, const char *name, json_object *member)
{
	if (json_object_object_add(to, name, needed(member)))
		needed(NULL);
}

void json_append(json_object *array, json_object *item)
{
	if (json_object_array_add(array, needed(item)))
		needed(NULL);
}

void json_boolean(json_object *to, const char *name, bool b)
{
	json_member(to, name, needed(json_object_new_boolean(b)));
}

void json_null(json_object *to, const char *name)
{
	if (json_object_object_add(to, name, NULL))
		needed(NULL);
}

void json_string(json_object *to, const char *name, const char *string)
{
	json_member(to, name, json_object_new_string(string));
}

void json_u32(json_object *to, const char *name, __u32 n)
{
	json_member(to, name, json_object_new_int64(n));
}

void json_u64(json_object *to, const char *name, __u64 n)
{
	char hex[sizeof("0x") + 16];

	snprintf(hex, sizeof(hex), "0x%llx", n);
	json_string(to, name, hex);
}

void json_hash(json_object *to, const char *name, __u64 n)
{
	char hex[sizeof("0x") + 16];

	snprintf(hex, sizeof(hex), "0x%016llx", n);
	json_string(to, name, hex);
}

void json_ratio(json_object *to, const char *name, double n)
{
	char digits[32];

	if (!isfinite(n)) {
		json_null(to, name);
		return;
	}
	snprintf(digits, sizeof(digits), "%.6f", n);
	json_member(to, name, json_object_new_double_s(n, digits));
}

static void json_hex(json_object *to, const char *name,
		     const unsigned char *bytes, size_t len)
{
	char *hex = needed(malloc(2 * len + 1));
	char longer[32];
	size_t i;

	for (i = 0; i < len; i++)
		sprintf(hex + 2 * i, "%02x", bytes[i]);
	snprintf(longer, sizeof(longer), "%s_hex", name);
	json_member(to, longer, json_object_new_string_len(hex, 2 * len));
	free(hex);
}

void json_bytes(json_object *to, const char *name, const void *bytes,
		size_t len)
{
	if (text_valid(bytes, len))
		json_member(to, name, json_object_new_string_len(bytes, len));
	else
		json_hex(to, name, bytes, len);
}

void json_print(json_object *answer)
{
	const char *text;

	text = json_object_to_json_string_ext(answer, JSON_FLAGS |
					      JSON_C_TO_STRING_PRETTY);
	fputs(needed((void *)text), file);
	fputc('\n', file);
	json_object_put(answer);
}

void json_line(json_object *item)
{
	fputs(needed((void *)json_object_to_json_string_ext(item, JSON_FLAGS)),
	      file);
	fputc('\n', file);
	json_object_put(item);
}

void json_stream_item(json_object *item, bool *first)
{
	const char *text = json_object_to_json_string_ext(item, JSON_FLAGS);

	fputs(*first ? "[\n" : ",\n", file);
	fputs(needed((void *)text), file);
	*first = false;
	json_object_put(item);
}

void json_stream_end(bool first)
{
	fputs(first ? "[]\n" : "\n]\n", file);
}

void json_stream_head(json_object *head, const char *list)
{
	const char *text = json_object_to_json_string_ext(head, JSON_FLAGS);

	/* All but the bracket at its end. */
	text = needed((void *)text);
	fprintf(file, "%.*s, \"%s\": ", (int)strlen(text) - 2, text, list);
	json_object_put(head);
}

void json_stream_tail(bool first)
{
	fputs(first ? "[] }\n" : "\n] }\n", file);
}
