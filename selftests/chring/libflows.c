// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/icmp.h>
#include <linux/ip.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "libflows.h"

#define REQUEST		"GET /%s HTTP/1.0\r\n\r\n"
#define HOLD		"hold"
#define END_OF_HEAD	"\r\n\r\n"
#define EVENTS		64
#define TEXT_MAX	512

static bool is_v4(const struct in6_addr *addr)
{
	return IN6_IS_ADDR_V4MAPPED(addr);
}

struct flows_text flows_text(const struct in6_addr *addr, unsigned int port,
			     bool with_port)
{
	const void *bytes = is_v4(addr) ? &addr->s6_addr[12] : addr->s6_addr;
	char host[INET6_ADDRSTRLEN];
	struct flows_text text;

	inet_ntop(is_v4(addr) ? AF_INET : AF_INET6, bytes, host, sizeof(host));
	if (!with_port)
		snprintf(text.s, sizeof(text.s), "%s", host);
	else if (is_v4(addr))
		snprintf(text.s, sizeof(text.s), "%s:%u", host, port);
	else
		snprintf(text.s, sizeof(text.s), "[%s]:%u", host, port);
	return text;
}

int flows_address(const char *text, struct in6_addr *addr)
{
	if (inet_pton(AF_INET6, text, addr) == 1)
		return 0;
	memset(addr, 0, sizeof(*addr));
	memset(&addr->s6_addr[10], 0xff, 2);
	return inet_pton(AF_INET, text, &addr->s6_addr[12]) == 1 ? 0 : -EINVAL;
}

int flows_target(const char *text, struct sockaddr_in6 *to)
{
	const char *colon = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN + 2];
	size_t len = colon ? colon - text : 0;

	if (!len || len >= sizeof(host))
		return -EINVAL;
	if (text[0] == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
	}
	memcpy(host, text, len);
	host[len] = 0;
	*to = (struct sockaddr_in6){
		.sin6_family = AF_INET6,
		.sin6_port = htons(atoi(colon + 1)),
	};
	return flows_address(host, &to->sin6_addr);
}

int flows_enter(const char *netns)
{
	char path[128];
	int fd, ret;

	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = setns(fd, CLONE_NEWNET) ? -errno : 0;
	close(fd);
	return ret;
}

/* @from plus n times @step, from the last byte to the first. */
static struct sockaddr_in6 client(const struct flows *f, unsigned int n)
{
	struct sockaddr_in6 from = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(f->port ? f->port + n * f->port_step : 0),
	};
	unsigned long long sum = 0;
	int i;

	for (i = 15; i >= 0; i--, sum >>= 8) {
		sum += f->from.s6_addr[i] +
		       (unsigned long long)n * f->step.s6_addr[i];
		from.sin6_addr.s6_addr[i] = sum;
	}
	return from;
}

struct flows_text flows_client(const struct flows *f, unsigned int n)
{
	struct sockaddr_in6 from = client(f, n);

	return flows_text(&from.sin6_addr, ntohs(from.sin6_port), f->port);
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static int open_socket(int proto)
{
	int type = proto == IPPROTO_UDP ? SOCK_DGRAM : SOCK_STREAM;
	int fd, off = 0;

	fd = socket(AF_INET6, type | SOCK_NONBLOCK | SOCK_CLOEXEC, proto);
	if (fd < 0)
		return -errno;
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	return fd;
}

/* -- clients */

/* What is under way: one of many clients. */
struct asking {
	unsigned int n;
	int fd;			/* -1: nobody */
	bool asked;
	long long until;
	size_t len;
	char text[TEXT_MAX];
};

struct asker {
	const struct flows *f;
	struct flow *flow;
	struct asking *asking;
	unsigned int begun, busy;
	int epoll;
};

/* When it ends it is reset, and forgotten by who is between sooner. */
static void hold(const struct asker *a, int fd)
{
	struct linger reset = { .l_onoff = 1 };

	epoll_ctl(a->epoll, EPOLL_CTL_DEL, fd, NULL);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
}

/* @ret: 0 or -errno. */
static void finish(struct asker *a, struct asking *x, int ret)
{
	struct flow *flow = &a->flow[x->n];

	flow->error = -ret;
	if (a->f->hold && !ret) {
		hold(a, x->fd);
		flow->fd = x->fd;
	} else {
		close(x->fd);
	}
	x->fd = -1;
	a->busy--;
}

static int bind_client(const struct flows *f, int fd, unsigned int n)
{
	struct sockaddr_in6 from = client(f, n);
	int on = 1;

	if (!f->port)
		setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on,
			   sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* Local by a route alone is not enough for IPv6. */
	setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&from, sizeof(from)))
		return -errno;
	if (connect(fd, (const struct sockaddr *)&f->to, sizeof(f->to)) &&
	    errno != EINPROGRESS)
		return -errno;
	return 0;
}

static void begin(struct asker *a, struct asking *x)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLOUT, .data.ptr = x };
	int fd = open_socket(a->f->proto);
	int ret;

	*x = (struct asking){
		.n = a->begun++,
		.fd = fd,
		.until = now_ms() + a->f->wait_ms,
	};
	if (fd < 0) {
		a->flow[x->n].error = -fd;
		x->fd = -1;
		return;
	}
	a->busy++;
	ret = bind_client(a->f, fd, x->n);
	if (!ret && epoll_ctl(a->epoll, EPOLL_CTL_ADD, fd, &e))
		ret = -errno;
	if (ret)
		finish(a, x, ret);
}

/* Connected, or not to be; the question. */
static int put_question(struct asker *a, struct asking *x)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = x };
	socklen_t len = sizeof(int);
	char text[64];
	int error, n;

	if (getsockopt(x->fd, SOL_SOCKET, SO_ERROR, &error, &len) || error)
		return error ? -error : -errno;
	n = snprintf(text, sizeof(text), REQUEST, a->f->hold ? HOLD : "");
	if (send(x->fd, text, n, MSG_NOSIGNAL) != n)
		return -errno;
	x->asked = true;
	return epoll_ctl(a->epoll, EPOLL_CTL_MOD, x->fd, &e) ? -errno : 0;
}

static int read_answer(struct asker *a, const struct asking *x)
{
	struct flow *flow = &a->flow[x->n];
	const char *body = strstr(x->text, END_OF_HEAD);

	if (strncmp(x->text, "HTTP/1.0 200 ", 13) || !body ||
	    sscanf(body + strlen(END_OF_HEAD), "%63s %63s", flow->server,
		   flow->local) != 2)
		return -EBADMSG;
	return 0;
}

/* Is the answer here? The body is a line. */
static bool is_whole(const struct asking *x)
{
	const char *body = strstr(x->text, END_OF_HEAD);

	return body && strchr(body + strlen(END_OF_HEAD), '\n');
}

/* Return: 0 at the end; -EAGAIN: there is more to come. */
static int hear_answer(struct asker *a, struct asking *x)
{
	ssize_t n = recv(x->fd, x->text + x->len, TEXT_MAX - 1 - x->len, 0);

	if (n < 0)
		return -errno;
	x->len += n;
	x->text[x->len] = 0;
	if (n && !(is_whole(x) && (a->f->hold || a->f->proto == IPPROTO_UDP)))
		return -EAGAIN;
	return read_answer(a, x);
}

static void go_on(struct asker *a, struct asking *x)
{
	int ret = x->asked ? hear_answer(a, x) : put_question(a, x);

	if (ret == -EAGAIN || (!ret && !x->len))
		return;
	finish(a, x, ret);
}

static void give_up_late(struct asker *a)
{
	long long now = now_ms();
	unsigned int i;

	for (i = 0; i < a->f->at_once; i++)
		if (a->asking[i].fd >= 0 && a->asking[i].until < now)
			finish(a, &a->asking[i], -ETIMEDOUT);
}

static void begin_some(struct asker *a)
{
	unsigned int i;

	for (i = 0; i < a->f->at_once; i++)
		while (a->asking[i].fd < 0 && a->begun < a->f->count)
			begin(a, &a->asking[i]);
}

static void ask_all(struct asker *a)
{
	struct epoll_event e[EVENTS];
	unsigned int i;
	int n;

	for (i = 0; i < a->f->at_once; i++)
		a->asking[i].fd = -1;
	begin_some(a);
	while (a->busy) {
		n = epoll_wait(a->epoll, e, EVENTS, 100);
		for (i = 0; (int)i < n; i++) {
			struct asking *x = e[i].data.ptr;

			if (x->fd >= 0)
				go_on(a, x);
		}
		give_up_late(a);
		begin_some(a);
	}
}

/* Sockets belong to the namespace in which they were made. */
static int ask_here(const struct flows *f, struct flow *flow)
{
	struct asker a = { .f = f, .flow = flow };

	a.epoll = epoll_create1(EPOLL_CLOEXEC);
	a.asking = calloc(f->at_once, sizeof(*a.asking));
	if (a.epoll < 0 || !a.asking)
		abort();
	memset(flow, 0, f->count * sizeof(*flow));
	ask_all(&a);
	free(a.asking);
	close(a.epoll);
	return 0;
}

int flows_ask(const struct flows *f, struct flow *flow)
{
	int home, ret;

	if (!f->netns)
		return ask_here(f, flow);
	home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	ret = flows_enter(f->netns);
	if (!ret)
		ret = ask_here(f, flow);
	if (setns(home, CLONE_NEWNET))
		abort();
	close(home);
	return ret;
}

static __u16 checksum(const void *p, size_t len)
{
	const __u8 *byte = p;
	__u32 sum = 0;
	size_t i;

	for (i = 0; i < len; i++)
		sum += i % 2 ? byte[i] : byte[i] << 8;
	sum = (sum & 0xffff) + (sum >> 16);
	return htons(~(sum + (sum >> 16)));
}

/* "Fragmentation needed", and the beginning of the packet that was too long. */
struct complaint {
	struct icmphdr icmp;
	struct iphdr ip;
	__be16 port[2];
	__be32 seq;
};

static void make_complaint(struct complaint *c, const struct sockaddr_in6 *from,
			   const struct sockaddr_in6 *to)
{
	*c = (struct complaint){
		.icmp = {
			.type = ICMP_DEST_UNREACH,
			.code = ICMP_FRAG_NEEDED,
			.un.frag.mtu = htons(1400),
		},
		.ip = {
			.version = 4,
			.ihl = 5,
			.tot_len = htons(1500),
			.frag_off = htons(0x4000),
			.ttl = 64,
			.protocol = IPPROTO_TCP,
		},
		.port = { to->sin6_port, from->sin6_port },
	};
	memcpy(&c->ip.saddr, &to->sin6_addr.s6_addr[12], 4);
	memcpy(&c->ip.daddr, &from->sin6_addr.s6_addr[12], 4);
	c->ip.check = checksum(&c->ip, sizeof(c->ip));
	c->icmp.checksum = checksum(c, sizeof(*c));
}

static int complain(const struct sockaddr_in6 *from,
		    const struct sockaddr_in6 *to)
{
	struct sockaddr_in src = { .sin_family = AF_INET };
	struct sockaddr_in dst = { .sin_family = AF_INET };
	struct complaint c;
	int fd, ret = 0;

	make_complaint(&c, from, to);
	src.sin_addr.s_addr = c.ip.daddr;
	dst.sin_addr.s_addr = c.ip.saddr;
	fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
	if (fd < 0 || bind(fd, (struct sockaddr *)&src, sizeof(src)) ||
	    sendto(fd, &c, sizeof(c), 0, (struct sockaddr *)&dst,
		   sizeof(dst)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static int complain_all(const struct flows *f)
{
	unsigned int n;
	int ret = 0;

	for (n = 0; n < f->count && !ret; n++) {
		struct sockaddr_in6 from = client(f, n);

		ret = complain(&from, &f->to);
	}
	return ret;
}

int flows_complain(const struct flows *f)
{
	int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	int ret = flows_enter(f->netns);

	if (!ret)
		ret = complain_all(f);
	if (setns(home, CLONE_NEWNET))
		abort();
	close(home);
	return ret;
}

void flows_close(const struct flows *f, struct flow *flow)
{
	unsigned int i;

	for (i = 0; i < f->count; i++)
		if (!flow[i].error)
			close(flow[i].fd);
}

/* -- servers */

struct server {
	const char *name;
	int epoll;
};

/**
 * struct served - a socket of a server
 * @fd: descriptor
 * @accepts: it listens
 * @answers: it is a connection; else it takes datagrams
 * @len: bytes of @text
 * @text: what the client has said so far
 */
struct served {
	int fd;
	bool accepts;
	bool answers;
	size_t len;
	char text[TEXT_MAX];
};

static void watch(const struct server *server, int fd, bool accepts,
		  bool answers)
{
	struct served *s = calloc(1, sizeof(*s));
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = s };

	if (!s)
		abort();
	*s = (struct served){ .fd = fd, .accepts = accepts, .answers = answers };
	if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &e))
		abort();
}

static void forget(struct served *s)
{
	close(s->fd);
	free(s);
}

static size_t make_answer(const struct server *server, char *text, size_t size,
			  const struct in6_addr *local, unsigned int port)
{
	struct flows_text at = flows_text(local, port, true);

	return snprintf(text, size,
			"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s %s\n",
			strlen(server->name) + 1 + strlen(at.s) + 1,
			server->name, at.s);
}

static void answer(const struct server *server, struct served *s)
{
	struct sockaddr_in6 local;
	socklen_t len = sizeof(local);
	char text[TEXT_MAX];
	size_t n;

	if (strncmp(s->text, "GET /", 5) ||
	    getsockname(s->fd, (struct sockaddr *)&local, &len)) {
		forget(s);
		return;
	}
	n = make_answer(server, text, sizeof(text), &local.sin6_addr,
			ntohs(local.sin6_port));
	if (send(s->fd, text, n, MSG_NOSIGNAL) < 0 ||
	    strncmp(s->text + 5, HOLD, strlen(HOLD)))
		forget(s);
	else
		s->len = 0;
}

static void hear(const struct server *server, struct served *s)
{
	ssize_t n = recv(s->fd, s->text + s->len, TEXT_MAX - 1 - s->len, 0);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		forget(s);
		return;
	}
	s->len += n;
	s->text[s->len] = 0;
	if (strstr(s->text, END_OF_HEAD))
		answer(server, s);
}

static void accept_some(const struct server *server, const struct served *s)
{
	int fd;

	while (fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC),
	       fd >= 0)
		watch(server, fd, false, true);
}

/* The answer comes from where the question went to. */
static void answer_datagram(const struct server *server, int fd)
{
	char text[TEXT_MAX], space[CMSG_SPACE(sizeof(struct in6_pktinfo))];
	struct sockaddr_in6 from;
	struct iovec iov = { text, sizeof(text) };
	struct msghdr m = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space),
	};
	struct in6_pktinfo *info;
	struct sockaddr_in6 own;
	socklen_t len = sizeof(own);

	if (recvmsg(fd, &m, 0) < 5 || memcmp(text, "GET /", 5) ||
	    !CMSG_FIRSTHDR(&m) ||
	    getsockname(fd, (struct sockaddr *)&own, &len))
		return;
	info = (struct in6_pktinfo *)CMSG_DATA(CMSG_FIRSTHDR(&m));
	info->ipi6_ifindex = 0;
	iov.iov_len = make_answer(server, text, sizeof(text), &info->ipi6_addr,
				  ntohs(own.sin6_port));
	sendmsg(fd, &m, MSG_NOSIGNAL);
}

static int open_port(const struct server *server, int proto, unsigned int port)
{
	struct sockaddr_in6 any = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(port),
	};
	int on = 1, fd = open_socket(proto);

	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (proto == IPPROTO_UDP)
		setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&any, sizeof(any)) ||
	    (proto != IPPROTO_UDP && listen(fd, 1024)))
		return -errno;
	watch(server, fd, proto != IPPROTO_UDP, false);
	return 0;
}

static int open_ports(const struct server *server, unsigned int port)
{
	int ret = open_port(server, IPPROTO_TCP, port);

	if (!ret)
		ret = open_port(server, IPPROTO_UDP, port);
	if (!ret)
		ret = open_port(server, IPPROTO_SCTP, port);
	return ret == -EPROTONOSUPPORT ? 0 : ret;
}

__attribute__((noreturn))
static void serve(const struct server *server)
{
	struct epoll_event e[EVENTS];
	int i, n;

	for (;;) {
		n = epoll_wait(server->epoll, e, EVENTS, -1);
		for (i = 0; i < n; i++) {
			struct served *s = e[i].data.ptr;

			if (s->accepts)
				accept_some(server, s);
			else if (s->answers)
				hear(server, s);
			else
				answer_datagram(server, s->fd);
		}
	}
}

/* In a process of its own; the first word is whether it could begin. */
__attribute__((noreturn))
static void become_server(const char *netns, unsigned int port, int out)
{
	struct server server = {
		.name = netns,
		.epoll = epoll_create1(EPOLL_CLOEXEC),
	};
	int null = open("/dev/null", O_RDWR);
	int ret = flows_enter(netns);

	if (!ret)
		ret = open_ports(&server, port);
	if (write(out, &ret, sizeof(ret)) != sizeof(ret) || ret)
		_exit(1);
	close(out);
	/* Nobody waits for the end of what it might say. */
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	serve(&server);
}

int flows_serve(const char *netns, unsigned int port)
{
	int said[2], ret = -EIO;
	pid_t pid;

	if (pipe(said))
		return -errno;
	pid = fork();
	if (!pid) {
		close(said[0]);
		become_server(netns, port, said[1]);
	}
	close(said[1]);
	if (pid > 0 && read(said[0], &ret, sizeof(ret)) != sizeof(ret))
		ret = -EIO;
	close(said[0]);
	return pid < 0 || ret ? ret : pid;
}
