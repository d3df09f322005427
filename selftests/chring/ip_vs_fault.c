// SPDX-License-Identifier: GPL-2.0
/*
 * What IPVS does not report: a change of destinations goes through, and the ring
 * cannot follow, since an allocation of it has failed. Every allocation of each
 * change is made to fail, one after the other, through both doors of IPVS. After
 * each of them clients are answered, by destinations that there are, and the ring
 * catches up. Needs a kernel with fault injection.
 */
#include <linux/genetlink.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "libinject.h"
#include "libflows.h"
#include "libipvs.h"
#include "libtest.h"
#include "kselftest_harness.h"

#define SERVICE		"10.0.1.1:80"
#define WEIGHT		20	/* x 160 tokens: a table that needs vmalloc() */
#define CLIENTS		3
#define SERVERS		3	/* b1, b2 and one that comes and goes */
#define THIRD		2
#define SETTLE		1000	/* x 10 ms: longer than the longest pause */

/* A destination, in the order of its address. */
struct dest {
	unsigned int weight;
	bool there;
};

FIXTURE(ip_vs_fault)
{
	bool injects;		/* this kernel has fault injection */
	int ipvs;		/* a socket of the director */
	int netlink;		/* another one */
	__u16 family;		/* of IPVS there */
	char ring[CHRING_RING_NAME_MAX + 1];
	pid_t server[SERVERS];
	struct flow flow[CLIENTS];
	struct dest dest[SERVERS];
};

/* What scripts share, in a shell of its own. */
static int shell(const char *words)
{
	char command[256];
	int status;

	snprintf(command, sizeof(command),
		 ". /lib/ip_vs.sh; %s; status=$?; rm -r $dir; exit $status",
		 words);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* bN, N counted from 0. */
static const char *dest_name(int n)
{
	static char name[32];

	snprintf(name, sizeof(name), "10.0.2.%d:80", 11 + n);
	return name;
}

/* -- the older door */

static int set_service(struct _test_data_ip_vs_fault *self, int command)
{
	return ipvs_set_service(self->ipvs, command, SERVICE);
}

static int set_dest(struct _test_data_ip_vs_fault *self, int command, int n,
		    unsigned int weight)
{
	return ipvs_set_dest(self->ipvs, command, SERVICE, dest_name(n),
			     weight);
}

/* -- the newer door */

struct message {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	char attributes[512];
};

static void *attribute(struct message *m, int type, const void *data, int len)
{
	struct nlattr *a = (struct nlattr *)((char *)m + m->nl.nlmsg_len);

	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + len;
	if (len)
		memcpy(a + 1, data, len);
	m->nl.nlmsg_len += NLA_ALIGN(a->nla_len);
	return a;
}

static void attribute_u16(struct message *m, int type, __u16 value)
{
	attribute(m, type, &value, sizeof(value));
}

static void attribute_u32(struct message *m, int type, __u32 value)
{
	attribute(m, type, &value, sizeof(value));
}

static void end_nest(struct message *m, struct nlattr *nest)
{
	nest->nla_len = (char *)m + m->nl.nlmsg_len - (char *)nest;
}

static struct message message(__u16 family, int command)
{
	return (struct message){
		.nl = {
			.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN),
			.nlmsg_type = family,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		},
		.genl = { .cmd = command, .version = 1 },
	};
}

/* The answer is there when the request has been sent; one may have got lost. */
static int request(int fd, const struct message *m, struct message *answer)
{
	const struct nlmsgerr *error = (const void *)&answer->genl;

	if (send(fd, m, m->nl.nlmsg_len, 0) < 0)
		return -errno;
	if (recv(fd, answer, sizeof(*answer), MSG_DONTWAIT) < 0)
		return -errno;
	return answer->nl.nlmsg_type == NLMSG_ERROR ? error->error : 0;
}

static void add_service(struct message *m)
{
	struct ip_vs_service_user svc = ipvs_service(SERVICE);
	union nf_inet_addr_any { __be32 all[4]; } addr = { { svc.addr } };
	struct nlattr *nest = attribute(m, IPVS_CMD_ATTR_SERVICE, NULL, 0);

	attribute_u16(m, IPVS_SVC_ATTR_AF, AF_INET);
	attribute_u16(m, IPVS_SVC_ATTR_PROTOCOL, svc.protocol);
	attribute(m, IPVS_SVC_ATTR_ADDR, &addr, sizeof(addr));
	attribute_u16(m, IPVS_SVC_ATTR_PORT, svc.port);
	end_nest(m, nest);
}

static void add_dest(struct message *m, int n, unsigned int weight)
{
	struct ip_vs_dest_user dest = ipvs_dest(dest_name(n), weight);
	union nf_inet_addr_any { __be32 all[4]; } addr = { { dest.addr } };
	struct nlattr *nest = attribute(m, IPVS_CMD_ATTR_DEST, NULL, 0);

	attribute(m, IPVS_DEST_ATTR_ADDR, &addr, sizeof(addr));
	attribute_u16(m, IPVS_DEST_ATTR_PORT, dest.port);
	attribute_u32(m, IPVS_DEST_ATTR_FWD_METHOD, dest.conn_flags);
	attribute_u32(m, IPVS_DEST_ATTR_WEIGHT, weight);
	attribute_u32(m, IPVS_DEST_ATTR_U_THRESH, 0);
	attribute_u32(m, IPVS_DEST_ATTR_L_THRESH, 0);
	end_nest(m, nest);
}

static int send_dest(struct _test_data_ip_vs_fault *self, int command, int n,
		     unsigned int weight)
{
	struct message m = message(self->family, command), answer;

	/* What a lost answer of before has left. */
	while (recv(self->netlink, &answer, sizeof(answer), MSG_DONTWAIT) >= 0 ||
	       errno == ENOBUFS)
		;
	add_service(&m);
	add_dest(&m, n, weight);
	return request(self->netlink, &m, &answer);
}

static int find_family(int fd, __u16 *family)
{
	struct message m = message(GENL_ID_CTRL, CTRL_CMD_GETFAMILY), answer;
	const struct nlattr *a = (const void *)answer.attributes;
	int ret;

	m.nl.nlmsg_flags = NLM_F_REQUEST;
	attribute(&m, CTRL_ATTR_FAMILY_NAME, IPVS_GENL_NAME,
		  sizeof(IPVS_GENL_NAME));
	ret = request(fd, &m, &answer);
	while (!ret && a->nla_type != CTRL_ATTR_FAMILY_ID)
		a = (const void *)((const char *)a + NLA_ALIGN(a->nla_len));
	if (!ret)
		memcpy(family, a + 1, sizeof(*family));
	return ret;
}

/* -- what there is */

/* What IPVS has, of which nothing fails now. */
static int get_dests(struct _test_data_ip_vs_fault *self)
{
	struct {
		struct ip_vs_get_dests head;
		struct ip_vs_dest_entry entry[SERVERS];
	} arg = { .head = {
		.protocol = IPPROTO_TCP,
		.port = htons(80),
		.num_dests = SERVERS,
	} };
	socklen_t len = sizeof(arg);
	unsigned int i, n;

	arg.head.addr = ipvs_service(SERVICE).addr;
	if (getsockopt(self->ipvs, IPPROTO_IP, IP_VS_SO_GET_DESTS, &arg, &len))
		return -errno;
	memset(self->dest, 0, sizeof(self->dest));
	n = (len - sizeof(arg.head)) / sizeof(arg.entry[0]);
	for (i = 0; i < n; i++) {
		unsigned int which = ntohl(arg.entry[i].addr) -
				     ntohl(ipvs_dest(dest_name(0), 0).addr);

		if (which < SERVERS)
			self->dest[which] = (struct dest){
				.there = true,
				.weight = arg.entry[i].weight,
			};
	}
	return 0;
}

static bool third_is(struct _test_data_ip_vs_fault *self, bool there,
		     unsigned int weight)
{
	return !get_dests(self) && self->dest[THIRD].there == there &&
	       (!there || self->dest[THIRD].weight == weight);
}

static bool is_ring_of(const struct _test_data_ip_vs_fault *self,
		       const struct listing *l)
{
	unsigned int n, count = 0;
	__u32 i;

	for (n = 0; n < SERVERS; n++) {
		const char *name = dest_name(n);

		if (!self->dest[n].there)
			continue;
		count++;
		for (i = 0; i < l->list.out_count; i++)
			if (l->entry[i].weight == self->dest[n].weight &&
			    l->entry[i].name_len == strlen(name) &&
			    !memcmp(l->strings + l->entry[i].name_off, name,
				    strlen(name)))
				break;
		if (i == l->list.out_count)
			return false;
	}
	return count == l->list.out_count;
}

/* Is the ring what IPVS has? */
static bool has_caught_up(struct _test_data_ip_vs_fault *self)
{
	int fd = dev_open(O_RDWR, self->ring);
	struct listing l = {};
	bool yes = fd >= 0 && !node_list(fd, &l) && is_ring_of(self, &l);

	free(l.entry);
	free(l.strings);
	close(fd);
	return yes;
}

static bool catches_up(struct _test_data_ip_vs_fault *self)
{
	int i;

	for (i = 0; i < SETTLE && !has_caught_up(self); i++)
		usleep(10000);
	return has_caught_up(self);
}

/* Everybody is answered, by who is there and takes clients. */
static int serves(struct _test_data_ip_vs_fault *self)
{
	struct flows f = {
		.netns = "clients",
		.proto = IPPROTO_TCP,
		.count = CLIENTS,
		.at_once = CLIENTS,
		.wait_ms = 20000,
	};
	int i;

	flows_target(SERVICE, &f.to);
	flows_address("10.1.0.1", &f.from);
	flows_address("::1", &f.step);
	if (flows_ask(&f, self->flow))
		return -1;
	for (i = 0; i < CLIENTS; i++) {
		const struct flow *flow = &self->flow[i];
		unsigned int n = flow->server[1] - '1';

		if (!flow->error && n < SERVERS && self->dest[n].there &&
		    self->dest[n].weight)
			continue;
		note("client %d: error %d, server %s", i, flow->error,
		     flow->server);
		return -1;
	}
	return 0;
}

/* -- changes */

/**
 * struct change - of the third destination
 * @name: for the report
 * @set: command of the older door
 * @send: of the newer one
 * @there: it is there before
 * @weight: after
 * @stays: it is there after
 */
struct change {
	const char *name;
	int set;
	int send;
	bool there;
	unsigned int weight;
	bool stays;
};

static const struct change changes[] = {
	{ "add", IP_VS_SO_SET_ADDDEST, IPVS_CMD_NEW_DEST, false, WEIGHT, true },
	{ "more", IP_VS_SO_SET_EDITDEST, IPVS_CMD_SET_DEST, true, 2 * WEIGHT,
	  true },
	{ "none", IP_VS_SO_SET_EDITDEST, IPVS_CMD_SET_DEST, true, 0, true },
	{ "delete", IP_VS_SO_SET_DELDEST, IPVS_CMD_DEL_DEST, true, WEIGHT,
	  false },
};

static int prepare(struct _test_data_ip_vs_fault *self,
		   const struct change *c)
{
	int ret;

	if (!c->there)
		ret = set_dest(self, IP_VS_SO_SET_DELDEST, THIRD, 0);
	else
		ret = set_dest(self, IP_VS_SO_SET_EDITDEST, THIRD, WEIGHT);
	if (c->there && ret == -ENOENT)
		ret = set_dest(self, IP_VS_SO_SET_ADDDEST, THIRD, WEIGHT);
	if (!c->there && ret == -ENOENT)
		ret = 0;
	return ret || get_dests(self) || !catches_up(self) ? -1 : 0;
}

struct tally {
	unsigned int tried, refused, behind;
};

typedef int change_fn(struct _test_data_ip_vs_fault *self,
		      const struct change *c);

static int by_set(struct _test_data_ip_vs_fault *self, const struct change *c)
{
	return set_dest(self, c->set, THIRD, c->weight);
}

static int by_send(struct _test_data_ip_vs_fault *self, const struct change *c)
{
	return send_dest(self, c->send, THIRD, c->weight);
}

/* One that failed may have been made all the same if its answer was lost. */
static bool as_told(struct _test_data_ip_vs_fault *self, const struct change *c,
		    change_fn *make, int ret)
{
	bool after = third_is(self, c->stays, c->weight);

	return after == !ret ||
	       (make == by_send && (ret == -ENOBUFS || ret == -EAGAIN ||
				    ret == -EFAULT));
}

/* Return: 1: a fault came; 0: none did; -1: something is not as it must be. */
static int try_nth(struct _test_data_ip_vs_fault *self, const struct change *c,
		   change_fn *make, bool pages, unsigned int n,
		   struct tally *tally)
{
	bool came, behind;
	int ret;

	if (prepare(self, c))
		return -1;
	if (pages)
		inject_pages_begin(n);
	else
		inject_nth_begin(n);
	ret = make(self, c);
	came = pages ? inject_pages_end() : inject_nth_end();
	tally->tried++;
	tally->refused += !!ret;
	if (!as_told(self, c, make, ret)) {
		note("%s, fault %u: %d", c->name, n, ret);
		return -1;
	}
	behind = !has_caught_up(self);
	tally->behind += behind;
	if (serves(self) || (behind && (!catches_up(self) || serves(self))))
		return -1;
	return came || ret;
}

static int try_all(struct _test_data_ip_vs_fault *self, const struct change *c,
		   change_fn *make, bool pages, struct tally *tally)
{
	unsigned int n;
	int ret = 1;

	for (n = 1; n < 500 && ret > 0; n++)
		ret = try_nth(self, c, make, pages, n, tally);
	return ret;
}

static int try_change(struct _test_data_ip_vs_fault *self,
		      const struct change *c, change_fn *make,
		      const char *door, struct tally *total)
{
	struct tally t = {};
	int ret;

	inject_allow(true, false, false);
	ret = try_all(self, c, make, false, &t);
	inject_allow(false, true, true);
	if (!ret)
		ret = try_all(self, c, make, true, &t);
	inject_allow(false, false, false);
	note("%-10s %-7s %3u tries, %2u refused, %2u left the ring behind",
	     door, c->name, t.tried, t.refused, t.behind);
	total->behind += t.behind;
	return ret;
}

FIXTURE_SETUP(ip_vs_fault)
{
	int home, i;
	struct stat st;

	self->injects = !inject_set_up();
	if (!self->injects)
		return;
	ASSERT_EQ(0, shell("load && network && keep_hooks"));
	for (i = 0; i < SERVERS; i++) {
		char name[] = "b1";

		name[1] += i;
		self->server[i] = flows_serve(name, 80);
		ASSERT_LT(0, self->server[i]);
	}
	home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	ASSERT_EQ(0, flows_enter("director"));
	self->ipvs = ipvs_open();
	self->netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
			       NETLINK_GENERIC);
	ASSERT_EQ(0, setns(home, CLONE_NEWNET));
	close(home);
	ASSERT_EQ(0, find_family(self->netlink, &self->family));
	ASSERT_EQ(0, stat("/run/netns/director", &st));
	snprintf(self->ring, sizeof(self->ring), "ipvs/%lu/TCP/" SERVICE,
		 (unsigned long)st.st_ino);
	ASSERT_EQ(0, set_service(self, IP_VS_SO_SET_ADD));
	ASSERT_EQ(0, set_dest(self, IP_VS_SO_SET_ADDDEST, 0, WEIGHT));
	ASSERT_EQ(0, set_dest(self, IP_VS_SO_SET_ADDDEST, 1, WEIGHT));
	/* A page fault in the middle of a call would find no memory either. */
	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
}

FIXTURE_TEARDOWN(ip_vs_fault)
{
	int i;

	if (!self->injects)
		return;
	munlockall();
	close(self->ipvs);
	close(self->netlink);
	for (i = 0; i < SERVERS; i++) {
		kill(self->server[i], SIGKILL);
		waitpid(self->server[i], NULL, 0);
	}
	EXPECT_EQ(0, shell("ip -all netns del; unload"));
}

TEST_F_TIMEOUT(ip_vs_fault, every_change, 1150)
{
	struct tally total = {};
	size_t i;

	if (!self->injects)
		SKIP(return, "this kernel has no fault injection");
	for (i = 0; i < ARRAY_LEN(changes); i++) {
		EXPECT_EQ(0, try_change(self, &changes[i], by_set, "setsockopt",
					&total)) {
			TH_LOG("%s", changes[i].name);
		}
		EXPECT_EQ(0, try_change(self, &changes[i], by_send, "netlink",
					&total)) {
			TH_LOG("%s", changes[i].name);
		}
	}
	EXPECT_LT(0, total.behind);
}

static bool has_ring(const struct _test_data_ip_vs_fault *self)
{
	int fd = dev_open(O_RDWR, self->ring);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* A service that cannot have its ring is refused, and leaves none. */
TEST_F_TIMEOUT(ip_vs_fault, no_service, 300)
{
	unsigned int n;
	bool came;
	int ret;

	if (!self->injects)
		SKIP(return, "this kernel has no fault injection");
	inject_allow(true, false, false);
	for (n = 1; n < 500; n++) {
		ASSERT_EQ(0, set_service(self, IP_VS_SO_SET_DEL));
		inject_nth_begin(n);
		ret = set_service(self, IP_VS_SO_SET_ADD);
		came = inject_nth_end();
		ASSERT_EQ(!ret, has_ring(self));
		if (!came)
			break;
		if (ret)
			ASSERT_EQ(0, set_service(self, IP_VS_SO_SET_ADD));
	}
	inject_allow(false, false, false);
	note("a new service: %u faults", n - 1);
	EXPECT_EQ(0, ret);
	EXPECT_LT(3, n);
}

TEST_HARNESS_MAIN
