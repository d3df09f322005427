// SPDX-License-Identifier: GPL-2.0
/*
 * flows: many clients and servers for scripts, since processes are slow where
 * they are emulated.
 *
 *	flows serve PORT NETNS...
 *		a server in each namespace; prints NETNS PID when it answers
 *	flows ask NETNS SERVER:PORT [OPTION VALUE]...
 *		prints CLIENT<tab>NAME<tab>ADDRESS for each client: who answered,
 *		and where; or CLIENT<tab>!ERROR
 *	flows name NETNS SERVER:PORT [OPTION VALUE]...
 *		prints who would ask
 *	flows complain NETNS SERVER:PORT [OPTION VALUE]...
 *		an ICMP error from each, about what it has not got from the server
 *
 * Options: from ADDRESS, step ADDRESS, port P, port-step N, count N, at-once N,
 * wait MS, proto tcp|udp|sctp; until FILE: again and again until there is one;
 * hold FILE: connections stay open until there is one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../libflows.h"

struct job {
	struct flows flows;
	const char *until;
	const char *hold;
};

static void fail(const char *what, int error)
{
	fprintf(stderr, "flows: %s: %s\n", what, strerror(error));
	exit(2);
}

static int proto(const char *name)
{
	return !strcmp(name, "udp") ? IPPROTO_UDP :
	       !strcmp(name, "sctp") ? IPPROTO_SCTP : IPPROTO_TCP;
}

static void address(const char *text, struct in6_addr *addr)
{
	if (flows_address(text, addr))
		fail(text, EINVAL);
}

static void read_option(struct job *job, const char *name, const char *value)
{
	struct flows *f = &job->flows;
	unsigned long n = strtoul(value, NULL, 10);

	if (!strcmp(name, "from"))
		address(value, &f->from);
	else if (!strcmp(name, "step"))
		address(value, &f->step);
	else if (!strcmp(name, "port"))
		f->port = n;
	else if (!strcmp(name, "port-step"))
		f->port_step = n;
	else if (!strcmp(name, "count"))
		f->count = n;
	else if (!strcmp(name, "at-once"))
		f->at_once = n;
	else if (!strcmp(name, "wait"))
		f->wait_ms = n;
	else if (!strcmp(name, "proto"))
		f->proto = proto(value);
	else if (!strcmp(name, "until"))
		job->until = value;
	else if (!strcmp(name, "hold"))
		job->hold = value;
	else
		fail(name, EINVAL);
}

static void read_job(struct job *job, char **arg, int n)
{
	*job = (struct job){ .flows = {
		.netns = arg[0],
		.proto = IPPROTO_TCP,
		.count = 1,
		.at_once = 32,
		.wait_ms = 10000,
	} };
	job->flows.step.s6_addr[15] = 1;
	if (flows_target(arg[1], &job->flows.to))
		fail(arg[1], EINVAL);
	for (arg += 2, n -= 2; n >= 2; arg += 2, n -= 2)
		read_option(job, arg[0], arg[1]);
	job->flows.hold = job->hold;
}

static void show(const struct flows *f, const struct flow *flow)
{
	unsigned int n;

	for (n = 0; n < f->count; n++) {
		fputs(flows_client(f, n).s, stdout);
		if (flow[n].error)
			printf("\t!%s\n", strerrorname_np(flow[n].error));
		else
			printf("\t%s\t%s\n", flow[n].server, flow[n].local);
	}
	fflush(stdout);
}

static bool there_is(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

static int ask(const struct job *job)
{
	const struct flows *f = &job->flows;
	struct flow *flow = calloc(f->count, sizeof(*flow));
	int ret;

	if (!flow)
		abort();
	do {
		ret = flows_ask(f, flow);
		if (ret)
			fail(f->netns, -ret);
		show(f, flow);
	} while (job->until && !there_is(job->until));
	while (job->hold && !there_is(job->hold))
		usleep(50000);
	free(flow);
	return 0;
}

static int name(const struct job *job)
{
	unsigned int n;

	for (n = 0; n < job->flows.count; n++)
		puts(flows_client(&job->flows, n).s);
	return 0;
}

static int complain(const struct job *job)
{
	int ret = flows_complain(&job->flows);

	if (ret)
		fail(job->flows.netns, -ret);
	return 0;
}

static int serve(char **arg, int n)
{
	int i, pid;

	for (i = 1; i < n; i++) {
		pid = flows_serve(arg[i], atoi(arg[0]));
		if (pid < 0)
			fail(arg[i], -pid);
		printf("%s %d\n", arg[i], pid);
	}
	return 0;
}

static int usage(const struct job *job)
{
	fail("usage", EINVAL);
	return 2;
}

static const struct {
	const char *word;
	int (*run)(const struct job *job);
} jobs[] = {
	{ "ask", ask },
	{ "name", name },
	{ "complain", complain },
	{ "", usage },
};

int main(int argc, char **argv)
{
	struct job job;
	int i = 0;

	if (argc >= 4 && !strcmp(argv[1], "serve"))
		return serve(argv + 2, argc - 2);
	if (argc < 4)
		return usage(NULL);
	read_job(&job, argv + 2, argc - 2);
	while (jobs[i].word[0] && strcmp(argv[1], jobs[i].word))
		i++;
	return jobs[i].run(&job);
}
