#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a ring must answer, worked out slowly and without a line of its code.

oracle.py DIR writes test vectors to DIR/hashes.txt and DIR/rings.txt. They are
always the same. The hashes are written here again and checked against what
their authors published before anything is written.

Both files are lines of words separated by one space; a line that begins with #
is a comment. Kinds of words:

    BYTES       two hexadecimal digits a byte, "-" for no byte at all
    HEX         a number in hexadecimal, 16 digits
    other       a decimal number, or a word as it stands
    POSITION    HEX, a number of the ring's width: below 2^32 if bits is 32

hashes.txt: one hash a line. HASH is xxh64, siphash, murmur64 or murmur3.

    hash HASH BITS SEED0:HEX SEED1:HEX KEY:BYTES POSITION

rings.txt: rings, one after the other, each of these lines in this order. The
ring called "defaults" has the config that a config of all zeroes stands for.

    ring NAME HASH BITS VNODES UNIT SEP:BYTES SEED0:HEX SEED1:HEX
    counts NODES TOKENS LIVE COLLISIONS
    digest HEX
    checksum HEX
    node NAME:BYTES ZONE:BYTES WEIGHT STATE TOKENS SHARE_HI:HEX SHARE_LO:HEX
                                        NODES of them, in the order of names;
                                        STATE is up, drain or down
    token POSITION NODE                 TOKENS of them in the order of the
                                        table, or none where they are many
    key KEY:BYTES POSITION OWNERS ZONED any number
    position POSITION OWNERS ZONED      any number
    end

NODE is the number of a node line, counted from 0. OWNERS are such numbers with
commas between: the first 32 distinct nodes in service clockwise, or as many as
there are. ZONED are the same nodes, or others of them where there are more
than 32: the first one of each zone, then those that were passed over. Where
there is none, both are the word ENODATA or EHOSTUNREACH.
"""

import bisect
import os
import random
import struct
import sys

MASK32 = (1 << 32) - 1
MASK64 = (1 << 64) - 1

HASH_NUMBER = {"xxh64": 1, "siphash": 2, "murmur64": 3, "murmur3": 4}
LAYOUT_PLAIN = 1
REPLICAS_MAX = 32
STATE_NUMBER = {"up": 0, "drain": 1, "down": 2}


# -- hashes

def rotl(x, n, bits):
    return (x << n | x >> (bits - n)) & ((1 << bits) - 1)


def words(data, size):
    """The little-endian words of data, and the bytes that make no whole one."""
    whole = len(data) // size * size
    return ([int.from_bytes(data[i:i + size], "little")
             for i in range(0, whole, size)], data[whole:])


P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F,
                      0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                      0x27D4EB2F165667C5)


def xxh64_round(acc, word):
    return rotl((acc + word * P2) & MASK64, 31, 64) * P1 & MASK64


def xxh64(data, seed=0):
    rest = data
    if len(data) >= 32:
        acc = [(seed + P1 + P2) & MASK64, (seed + P2) & MASK64, seed,
               (seed - P1) & MASK64]
        whole = len(data) // 32 * 32
        for i, word in enumerate(words(data[:whole], 8)[0]):
            acc[i % 4] = xxh64_round(acc[i % 4], word)
        h = sum(rotl(a, n, 64) for a, n in zip(acc, (1, 7, 12, 18))) & MASK64
        for a in acc:
            h = ((h ^ xxh64_round(0, a)) * P1 + P4) & MASK64
        rest = data[whole:]
    else:
        h = (seed + P5) & MASK64
    h = (h + len(data)) & MASK64
    eights, rest = words(rest, 8)
    for word in eights:
        h = (rotl(h ^ xxh64_round(0, word), 27, 64) * P1 + P4) & MASK64
    fours, rest = words(rest, 4)
    for word in fours:
        h = (rotl(h ^ word * P1 & MASK64, 23, 64) * P2 + P3) & MASK64
    for byte in rest:
        h = rotl(h ^ byte * P5 & MASK64, 11, 64) * P1 & MASK64
    h = (h ^ h >> 33) * P2 & MASK64
    h = (h ^ h >> 29) * P3 & MASK64
    return h ^ h >> 32


def sip_round(v):
    v[0] = (v[0] + v[1]) & MASK64
    v[1] = rotl(v[1], 13, 64) ^ v[0]
    v[0] = rotl(v[0], 32, 64)
    v[2] = (v[2] + v[3]) & MASK64
    v[3] = rotl(v[3], 16, 64) ^ v[2]
    v[0] = (v[0] + v[3]) & MASK64
    v[3] = rotl(v[3], 21, 64) ^ v[0]
    v[2] = (v[2] + v[1]) & MASK64
    v[1] = rotl(v[1], 17, 64) ^ v[2]
    v[2] = rotl(v[2], 32, 64)


def siphash24(data, k0, k1):
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D,
         k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    eights, rest = words(data, 8)
    last = int.from_bytes(rest, "little") | (len(data) & 0xFF) << 56
    for word in eights + [last]:
        v[3] ^= word
        sip_round(v)
        sip_round(v)
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(4):
        sip_round(v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


MURMUR64_M = 0xC6A4A7935BD1E995


def murmur64_word(word):
    word = word * MURMUR64_M & MASK64
    return (word ^ word >> 47) * MURMUR64_M & MASK64


def murmur64a(data, seed=0):
    h = seed ^ len(data) * MURMUR64_M & MASK64
    eights, rest = words(data, 8)
    for word in eights:
        h = (h ^ murmur64_word(word)) * MURMUR64_M & MASK64
    if rest:
        h = (h ^ int.from_bytes(rest, "little")) * MURMUR64_M & MASK64
    h = (h ^ h >> 47) * MURMUR64_M & MASK64
    return h ^ h >> 47


def murmur3_word(word):
    word = word * 0xCC9E2D51 & MASK32
    return rotl(word, 15, 32) * 0x1B873593 & MASK32


def murmur3_32(data, seed=0):
    h = seed
    fours, rest = words(data, 4)
    for word in fours:
        h = (rotl(h ^ murmur3_word(word), 13, 32) * 5 + 0xE6546B64) & MASK32
    if rest:
        h ^= murmur3_word(int.from_bytes(rest, "little"))
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & MASK32
    h = (h ^ h >> 13) * 0xC2B2AE35 & MASK32
    return h ^ h >> 16


def fmix64(h):
    h = (h ^ h >> 33) * 0xFF51AFD7ED558CCD & MASK64
    h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53 & MASK64
    return h ^ h >> 33


def smhasher_verification(function, size):
    """SMHasher's number for a hash: of the hashes of 0, 01, 012, ..."""
    each = b"".join(function(bytes(range(n)), 256 - n).to_bytes(size, "little")
                    for n in range(256))
    return function(each, 0) & MASK32


def check_hashes():
    fox = b"The quick brown fox jumps over the lazy dog"
    sip = [siphash24(bytes(range(n)), 0x0706050403020100, 0x0F0E0D0C0B0A0908)
           for n in range(64)]
    known = [
        # xxHash's own sanity checks and SMHasher's table
        (xxh64(b""), 0xEF46DB3751D8E999),
        (xxh64(b"a"), 0xD24EC4F1A98C6E5B),
        (xxh64(b"abc"), 0x44BC2CF5AD770999),
        (xxh64(fox), 0x0B242D361FDA71BC),
        (smhasher_verification(xxh64, 8), 0x024B7CF4),
        # vectors.h of the reference implementation
        (sip[0], 0x726FDB47DD0E0E31),
        (sip[1], 0x74F839C593DC67FD),
        (sip[2], 0x0D6C8009D9A94F5A),
        (sip[15], 0xA129CA6149BE45E5),
        (sip[63], 0x958A324CEB064572),
        # SMHasher's table, and strings that many implementations test
        (smhasher_verification(murmur64a, 8), 0x1F0D3804),
        (smhasher_verification(murmur3_32, 4), 0xB0F57EE3),
        (murmur3_32(b"", 1), 0x514E28B7),
        (murmur3_32(b"test"), 0xBA6BD213),
        (murmur3_32(fox), 0x2E4FF723),
        (fmix64(0), 0),
        (fmix64(1), 0xB456BCFC34C2CB2C),
    ]
    for i, (got, want) in enumerate(known):
        if got != want:
            sys.exit("oracle: known answer %d is %x, not %x" % (i, got, want))


# -- rings

class Config:
    def __init__(self, hash="xxh64", bits=None, vnodes=160, unit=1, sep=b"#",
                 seed=(0, 0)):
        self.hash = hash
        self.bits = bits or (32 if hash == "murmur3" else 64)
        self.vnodes = vnodes
        self.unit = unit
        self.sep = sep
        self.seed = seed

    def position(self, data):
        if self.hash == "murmur3":
            return murmur3_32(data, self.seed[0])
        if self.hash == "xxh64":
            h = xxh64(data, self.seed[0])
        elif self.hash == "siphash":
            h = siphash24(data, *self.seed)
        else:
            h = murmur64a(data, self.seed[0])
        return h >> 32 if self.bits == 32 else h

    def digest(self):
        return xxh64(struct.pack("<6I16s2Q2I", HASH_NUMBER[self.hash],
                                 self.bits, LAYOUT_PLAIN, self.vnodes,
                                 self.unit, len(self.sep), self.sep,
                                 *self.seed, 0, 0))


class Node:
    def __init__(self, name, weight=1, state="up", zone=b""):
        self.name = name
        self.weight = weight
        self.state = state
        self.zone = zone


class Ring:
    def __init__(self, config, nodes):
        self.config = config
        self.nodes = sorted(nodes, key=lambda node: node.name)
        # (token, name, index, number of the node); no two are equal
        self.tokens = sorted(token for number, node in enumerate(self.nodes)
                             for token in self.tokens_of(node, number))
        self.serving = [token for token in self.tokens
                        if self.nodes[token[3]].state == "up"]

    def token_count(self, node):
        c = self.config
        return -(-node.weight * c.vnodes // c.unit)

    def tokens_of(self, node, number):
        for index in range(self.token_count(node)):
            label = node.name + self.config.sep + b"%d" % index
            yield self.config.position(label), node.name, index, number

    def live(self):
        return sum(node.state == "up" and node.weight > 0
                   for node in self.nodes)

    def collisions(self):
        return len(self.tokens) - len({token[0] for token in self.tokens})

    def walk(self, position):
        """All nodes in service, in the order in which a walk meets them."""
        at = bisect.bisect_left(self.serving, (position,))
        return list(dict.fromkeys(token[3] for token in
                                  self.serving[at:] + self.serving[:at]))

    def owner(self, position):
        return self.walk(position)[0]

    def zones_first(self, walk):
        seen = set()
        first, later = [], []
        for number in walk:
            zone = self.nodes[number].zone
            (later if zone in seen else first).append(number)
            seen.add(zone)
        return first + later

    def answer(self, position):
        """OWNERS and ZONED."""
        if not self.nodes:
            return "ENODATA ENODATA"
        walk = self.walk(position)
        if not walk:
            return "EHOSTUNREACH EHOSTUNREACH"
        return " ".join(",".join(map(str, numbers[:REPLICAS_MAX]))
                        for numbers in (walk, self.zones_first(walk)))

    def shares(self):
        """How many positions of the circle each node owns."""
        shares = [0] * len(self.nodes)
        if not self.live():
            return shares
        circle = 1 << self.config.bits
        places = sorted({token[0] for token in self.tokens})
        for i, place in enumerate(places):
            # Of a single place (0 after itself) the arc is all the circle.
            arc = (place - places[i - 1]) % circle or circle
            shares[self.owner(place)] += arc
        assert sum(shares) == circle
        return shares

    def digest(self):
        data = struct.pack("<Q", self.config.digest())
        for node in self.nodes:
            key = xxh64(node.name + b"\0" + node.zone)
            data += struct.pack("<QII", key, node.weight,
                                STATE_NUMBER[node.state])
        return xxh64(data)

    def checksum(self):
        return sum(fmix64((token[0] + xxh64(token[1])) & MASK64)
                   for token in self.tokens) & MASK64


# -- names that collide

def invert_odd(x, bits):
    return pow(x, -1, 1 << bits)


def valid(data):
    return all(byte > 0x20 and byte != 0x7F for byte in data)


def random_name(rng, length):
    return bytes(rng.choice([b for b in range(0x21, 256) if b != 0x7F])
                 for _ in range(length))


def murmur64_state(h, word):
    return (h ^ murmur64_word(word)) * MURMUR64_M & MASK64


def murmur64_colliding_names(rng, seed, label_len, count):
    """
    Names of 16 bytes that any tail of one length follows without telling them
    apart: a second word is found for each first one that leads MurmurHash64A
    to one and the same state.
    """
    start = seed ^ label_len * MURMUR64_M & MASK64
    inverse = invert_odd(MURMUR64_M, 64)
    names = []
    target = rng.getrandbits(64)
    while len(names) < count:
        first = random_name(rng, 8)
        h = murmur64_state(start, int.from_bytes(first, "little"))
        word = (target * inverse & MASK64) ^ h
        word = word * inverse & MASK64
        word ^= word >> 47
        second = (word * inverse & MASK64).to_bytes(8, "little")
        if valid(second):
            assert murmur64_state(h, int.from_bytes(second, "little")) == target
            names.append(first + second)
    return names


def murmur3_state(h, word):
    return (rotl(h ^ murmur3_word(word), 13, 32) * 5 + 0xE6546B64) & MASK32


def murmur3_colliding_names(rng, seed, count):
    """The same for MurmurHash3, of 8 bytes; here any length of tail will do."""
    target = rng.getrandbits(32)
    names = []
    while len(names) < count:
        first = random_name(rng, 4)
        h = murmur3_state(seed, int.from_bytes(first, "little"))
        word = (target - 0xE6546B64) * invert_odd(5, 32) & MASK32
        word = rotl(word, 19, 32) ^ h
        word = word * invert_odd(0x1B873593, 32) & MASK32
        word = rotl(word, 17, 32) * invert_odd(0xCC9E2D51, 32) & MASK32
        second = word.to_bytes(4, "little")
        if valid(second):
            assert murmur3_state(h, word) == target
            names.append(first + second)
    return names


# -- vectors

def hex_bytes(data):
    return data.hex() or "-"


def hex64(x):
    return "%016x" % x


def widths(name):
    return (32,) if name == "murmur3" else (64, 32)


def seed_of(rng, name):
    if name == "siphash":
        return (rng.getrandbits(64), rng.getrandbits(64))
    return (rng.getrandbits(32 if name == "murmur3" else 64), 0)


def write_hashes(out, rng):
    lengths = list(range(0, 41)) + [63, 64, 65, 127, 255, 256, 1000]
    for name in HASH_NUMBER:
        seeds = [seed_of(rng, name), seed_of(rng, name)]
        if name != "siphash":
            seeds += [(0, 0), (5381, 0)]
        for bits in widths(name):
            for seed in seeds:
                config = Config(name, bits, seed=seed)
                for length in lengths:
                    write_hash(out, config, rng.randbytes(length))
        write_hash(out, Config(name, seed=seeds[0]), rng.randbytes(65536))


def write_hash(out, config, key):
    print("hash", config.hash, config.bits, hex64(config.seed[0]),
          hex64(config.seed[1]), hex_bytes(key), hex64(config.position(key)),
          file=out)


def interesting_positions(ring, rng):
    top = (1 << ring.config.bits) - 1
    near = [0, 1, top, top - 1]
    tokens = sorted({token[0] for token in ring.tokens})
    if len(tokens) > 60:
        tokens = tokens[:3] + rng.sample(tokens, 54) + tokens[-3:]
    for token in tokens:
        near += [token - 1, token, token + 1]
    near += [rng.randint(0, top) for _ in range(20)]
    return sorted({position & top for position in near})


def interesting_keys(rng, long_key):
    keys = [b"", b"a", b"\0", b"\xff"]
    keys += [rng.randbytes(n) for n in (1, 1, 8, 8, 8, 16, 31, 32, 33, 255)]
    if long_key:
        keys.append(rng.randbytes(65536))
    return keys


# A table of more tokens than this is told by its checksum alone.
TOKENS_LISTED = 2000


def write_ring(out, rng, name, ring, long_key=False):
    c = ring.config
    print("ring", name, c.hash, c.bits, c.vnodes, c.unit, hex_bytes(c.sep),
          hex64(c.seed[0]), hex64(c.seed[1]), file=out)
    print("counts", len(ring.nodes), len(ring.tokens), ring.live(),
          ring.collisions(), file=out)
    print("digest", hex64(ring.digest()), file=out)
    print("checksum", hex64(ring.checksum()), file=out)
    for node, share in zip(ring.nodes, ring.shares()):
        print("node", hex_bytes(node.name), hex_bytes(node.zone), node.weight,
              node.state, ring.token_count(node), hex64(share >> 64),
              hex64(share & MASK64), file=out)
    if len(ring.tokens) <= TOKENS_LISTED:
        for token in ring.tokens:
            print("token", hex64(token[0]), token[3], file=out)
    for key in interesting_keys(rng, long_key):
        position = c.position(key)
        print("key", hex_bytes(key), hex64(position), ring.answer(position),
              file=out)
    for position in interesting_positions(ring, rng):
        print("position", hex64(position), ring.answer(position), file=out)
    print("end", file=out)


SEPS = {"hash": b"#", "hash-vnode-dash": b"#vnode-",
        "hash-vnode-underscore": b"#vnode_", "dash": b"-", "underscore": b"_",
        "sixteen-bytes": b"\xff~separator~\x80\xc3(|"}
RATIOS = [(7, 3), (1, 1), (3, 7), (40, 10), (65535, 65535), (100, 16)]


def mixed_nodes(rng, scale):
    """Of every state and kind of name; weights around 0, one unit and more."""
    return [
        Node(b"cache-01", scale),
        Node(b"cache-02", 2 * scale, zone=b"rack-a"),
        Node(b"cache-03", 0),
        Node(b"cache-0", scale + 1, "drain", b"rack-b"),
        Node(b"cache-1", 3 * scale, "down"),
        Node(b"\xff\xfe\x80", max(1, scale // 2), zone=b"\xc3("),
        Node(b"10.0.0.1:11211", scale + 2),
        Node(random_name(rng, 255), 1, zone=random_name(rng, 255)),
    ]


def matrix(rng):
    """Each hash in each width with each separator and another ratio."""
    turn = 0
    for name in HASH_NUMBER:
        for bits in widths(name):
            for word, sep in SEPS.items():
                vnodes, unit = RATIOS[turn % len(RATIOS)]
                turn += 1
                config = Config(name, bits, vnodes, unit, sep,
                                seed_of(rng, name))
                # About 15 tokens a node of this weight, whatever the ratio.
                scale = max(1, 15 * unit // vnodes)
                yield ("%s-%d-%s" % (name, bits, word),
                       Ring(config, mixed_nodes(rng, scale)))
            # The two run against each other, so that all pairs occur in turn.
            turn += 1


def in_state(state, *weights):
    return [Node(b"node%d" % i, weight, state)
            for i, weight in enumerate(weights)]


def corners(rng):
    few = Config(vnodes=5)
    one = Config(vnodes=1)
    yield "empty", Ring(few, [])
    yield "all-down", Ring(few, in_state("down", 1, 2, 3))
    yield "all-drain", Ring(few, in_state("drain", 1, 2, 3))
    yield "all-weight-0", Ring(few, in_state("up", 0, 0))
    yield "up-has-no-weight", Ring(few, in_state("down", 1) +
                                   [Node(b"z", 0)])
    yield "one-of-three", Ring(few, in_state("down", 4, 4) + [Node(b"z")])
    yield "single-node", Ring(few, [Node(b"alone")])
    yield "single-token", Ring(one, [Node(b"alone")])
    yield "single-token-32", Ring(Config("murmur3", vnodes=1),
                                  [Node(b"alone")])
    yield "two-tokens", Ring(one, [Node(b"one"), Node(b"two")])
    yield "one-token-out", Ring(one, [Node(b"one"), Node(b"two", 1, "down")])
    yield "prefixes", Ring(few, [Node(b"a" * n) for n in range(1, 40)])
    yield "single-bytes", Ring(one, [Node(bytes([byte]))
                                     for byte in range(0x21, 256)
                                     if byte != 0x7F])
    yield "weight-65535", Ring(Config(vnodes=1, unit=100),
                               in_state("up", 65535, 1, 99, 100, 101))
    yield "vnodes-5000", Ring(Config(vnodes=5000), in_state("up", 1))
    yield "unit-65535", Ring(Config(vnodes=7, unit=65535),
                             in_state("up", 1, 9362, 9363, 65534, 65535))


def crowds(rng):
    names = [b"10.%d.%d.%d" % (i >> 8, i & 255, i % 7) for i in range(300)]
    states = ["up"] * 8 + ["drain", "down"]
    nodes = [Node(name, rng.choice((0, 1, 1, 2, 3)), rng.choice(states),
                  b"zone%d" % rng.randrange(5)) for name in names]
    yield "crowd", Ring(Config(vnodes=9), nodes)
    yield "crowd-32", Ring(Config("murmur3", vnodes=9, seed=(7, 0)), nodes)


def zoned(rng):
    """Zones of one size, of very unequal ones, of a node each, and out."""
    def nodes(*zones):
        return [Node(b"node-%03d" % i, 1 + i % 3, zone=zone)
                for i, zone in enumerate(zones)]
    config = Config(vnodes=6)
    yield "zones-even", Ring(config, nodes(*[b"z%d" % (i % 3)
                                             for i in range(30)]))
    yield "zones-uneven", Ring(config, nodes(
        *[b"big" for _ in range(90)], *[b"small" for _ in range(5)], b"one",
        b""))
    yield "zones-of-one", Ring(config, nodes(*[b"z%d" % i
                                               for i in range(40)]))
    down = nodes(*[b"z%d" % (i % 4) for i in range(40)])
    for i, node in enumerate(down):
        if i % 4 == 0 or rng.random() < 0.3:
            node.state = rng.choice(("down", "drain"))
    yield "zone-all-down", Ring(config, down)
    heavy = nodes(*[b"z%d" % (i % 5) for i in range(20)])
    heavy[7].weight = 500
    yield "zones-beside-a-heavy-node", Ring(config, heavy)
    # The rare zone is one node with one token among thousands.
    rare = nodes(*[b"common" for _ in range(30)], b"rare")
    for node in rare[:-1]:
        node.weight = 40
    rare[-1].weight = 1
    yield "zone-rare", Ring(Config(vnodes=5, unit=1), rare)
    yield "zones-at-random", Ring(config, [
        Node(random_name(rng, 20), rng.randrange(4),
             rng.choice(("up", "up", "up", "down")),
             b"z%d" % rng.choice((0, 0, 0, 0, 1, 1, 2, 3, 4, 5)))
        for _ in range(60)])


def collisions(rng):
    """Nodes whose tokens all stand at the same places."""
    seed = rng.getrandbits(64)
    names = murmur64_colliding_names(rng, seed, 16 + len("#0"), 8)
    states = ["up", "down", "up", "drain", "up", "up", "down", "up"]
    nodes = [Node(name, i % 3 + 1, state)
             for i, (name, state) in enumerate(zip(names, states))]
    yield "collide-murmur64", Ring(Config("murmur64", vnodes=3,
                                          seed=(seed, 0)), nodes)
    seed = rng.getrandbits(32)
    names = murmur3_colliding_names(rng, seed, 12)
    nodes = [Node(name, i % 4, "down" if i % 5 == 1 else "up")
             for i, name in enumerate(names)]
    config = Config("murmur3", vnodes=7, seed=(seed, 0))
    yield "collide-murmur3", Ring(config, nodes)
    yield "collide-first-down", Ring(config, [
        Node(name, 1, "down" if name == min(names) else "up")
        for name in names])
    yield "collide-one-place", Ring(Config("murmur3", vnodes=1,
                                           seed=(seed, 0)),
                                    [Node(name) for name in names])


def write_rings(out, rng):
    cases = [("defaults", Ring(Config(), [Node(b"cache-%02d" % i)
                                          for i in range(10)]))]
    for group in (matrix, corners, crowds, zoned, collisions):
        cases += group(rng)
    for name, ring in cases:
        write_ring(out, rng, name, ring, long_key=name == "defaults")


def write_file(path, header, write):
    # Complete or not at all: make takes what is there for the whole.
    part = path + ".part"
    with open(part, "w", encoding="ascii") as out:
        print("# %s; the format is described in oracle.py" % header, file=out)
        write(out, random.Random(header))
    os.replace(part, path)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: oracle.py DIR")
    check_hashes()
    os.makedirs(sys.argv[1], exist_ok=True)
    write_file(os.path.join(sys.argv[1], "hashes.txt"), "hashes", write_hashes)
    write_file(os.path.join(sys.argv[1], "rings.txt"), "rings", write_rings)


if __name__ == "__main__":
    main()
