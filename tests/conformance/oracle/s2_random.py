# SPDX-License-Identifier: BSD-2-Clause
"""Random stage-2 scripts, and QEMU's answers to them.

    s2_random.py SEED SCENARIOS SCRIPT GOLDEN PROBE.elf

writes a script that the seed decides, has the probe do the same under qemu-system-aarch64, and
writes what that gave, in the form of `weir-sim script stage2`. Tables are built here: the probe
only stores doublewords.

Left out, because QEMU 7.2 is known to be wrong there: at_w where hardware may set the dirty state;
blocks at level 0 of 4 KiB and level 1 of 16 KiB without LPA2; 16 KiB with DS from level 0; start
level -1; contiguous runs; the upper start levels (SL0=2) with an output size below 44 bits, 42 at
16 KiB, where it asks PS and not the machine's size. Left out because either answer may be right:
input addresses larger than the output size.
"""
import os
import random
import struct
import subprocess
import sys
import tempfile

TABLES, DATA, STUB = 0x44000000, 0x48000000, 0x40200000
NOTHING = 0x70000000
LARGE = 42       # no block maps more bits
PA_BITS = (32, 36, 40, 42, 44, 48, 52)
NAMES = ("addrsize", "translation", "access", "permission")


def status(code):
    if code < 16:
        return "fst=0x%x %s level=%d" % (code, NAMES[code >> 2], code & 3)
    if 0x14 <= code <= 0x17:
        return "fst=0x%x walk-eabt level=%d" % (code, code & 3)
    if code == 0x10:
        return "fst=0x10 eabt level=0"
    return "fst=0x%x other" % code


class Config:
    """VTCR's fields and what they mean for tables."""

    def __init__(self, tg, t0sz, sl0, ps, ha, hd, ds):
        self.words = (tg, t0sz, sl0, ps, ha, hd, ds, 0)
        self.shift = {4: 12, 16: 14, 64: 16}[tg]
        self.stride = self.shift - 3
        self.ds = ds and tg != 64
        self.hd = ha and hd
        self.ia_bits = 64 - t0sz
        levels = {4: (2, 1, 0, 3), 16: (3, 2, 1, None), 64: (3, 2, 1, None)}[tg]
        self.start = levels[sl0]
        tg0 = {4: 0, 64: 1, 16: 2}[tg]
        self.vtcr = (0x80003500 | t0sz | sl0 << 6 | tg0 << 14 | ps << 16 | ha << 21 |
                     hd << 22 | ds << 32)
        self.pa_bits = PA_BITS[ps]
        self.blocks = {4: (1, 2), 16: (2,), 64: (2,)}[tg]
        if self.ds:
            self.blocks = {4: (0, 1, 2), 16: (1, 2)}[tg]
        if tg == 64:
            self.blocks = (1, 2)

    def bits(self, level):
        return self.shift + (3 - level) * self.stride

    def consistent(self):
        if self.start is None:
            return False
        below = self.bits(self.start)
        most = 52 if self.ds or self.shift == 16 else 48
        return below < self.ia_bits <= min(below + self.stride + 4, most)

    def address(self, oa):
        """The bits of an output address in a descriptor."""
        if self.ds:
            return oa & ((1 << 50) - (1 << self.shift)) | (oa >> 50 & 3) << 8
        bits = oa & ((1 << 48) - (1 << self.shift))
        return bits | (oa >> 48 & 15) << 12 if self.shift == 16 else bits

    def target(self, desc):
        bits = desc & ((1 << (50 if self.ds else 48)) - (1 << self.shift))
        if self.ds:
            return bits | (desc >> 8 & 3) << 50
        return bits | (desc >> 12 & 15) << 48 if self.shift == 16 else bits


class Machine:
    """Tables as the script builds them, and the orders that build them in the probe."""

    def __init__(self, orders):
        self.orders = orders

    def order(self, *words):
        self.orders.append(tuple(words) + (0,) * (4 - len(words)))
        return len(self.orders) - 1

    def store(self, address, value):
        self.words[address] = value
        self.order(1, address, value)

    def alloc(self, size, align):
        self.top = (self.top + align - 1) & ~(align - 1)
        at = self.top
        self.top += size
        self.order(3, at, size)
        return at

    def configure(self, cfg):
        self.cfg, self.words, self.top = cfg, {}, TABLES
        self.root = TABLES
        if cfg.consistent():
            size = 8 << max(cfg.ia_bits - cfg.bits(cfg.start), 0)
            self.root = self.alloc(max(size, 64), max(size, 4096))
            if cfg.ia_bits >= 31:
                self.put(3, STUB, cfg.address(STUB) | (0x4ff if cfg.ds else 0x7ff))
        else:
            self.alloc(1 << 16, 1 << 16)
        self.order(4, cfg.vtcr, self.root)

    def entry(self, level, ipa, make):
        cfg, table = self.cfg, self.root
        for at in range(cfg.start, level + 1):
            index = ipa >> cfg.bits(at)
            if at != cfg.start:
                index &= (1 << cfg.stride) - 1
            where = table + 8 * index
            if at == level:
                return where
            desc = self.words.get(where, 0)
            if desc & 3 != 3:
                if not make:
                    return None
                desc = self.alloc(1 << cfg.shift, 1 << cfg.shift) | 3
                self.store(where, desc)
            elif cfg.target(desc) == NOTHING:
                return None
            table = cfg.target(desc)

    def put(self, level, ipa, desc):
        where = self.entry(level, ipa, True)
        if where is not None:
            self.store(where, desc)
        return where


def draw_config(rng):
    while True:
        tg = rng.choice((4, 16, 64))
        ds = int(tg != 64 and rng.random() < 0.3)
        sl0 = rng.randrange(4)
        cfg = Config(tg, rng.randrange(12, 49), sl0, rng.randrange(6 + ds), rng.randrange(2),
                     rng.randrange(2), ds)
        if tg == 16 and ds and sl0 == 3 or cfg.ia_bits > cfg.pa_bits:
            continue
        if sl0 == 2 and cfg.pa_bits < (42 if tg == 16 else 44):
            continue
        if cfg.consistent() or rng.random() < 0.02:
            return cfg


def draw_desc(rng, cfg, level):
    kind = rng.random()
    if kind < 0.06:
        return rng.choice((0, 2, 1 if level == 3 else 0))
    if level < 3 and kind < 0.12:
        return NOTHING | 3
    oa = DATA + rng.randrange(0, 0x2000000, 0x10000)
    if kind < 0.22 and cfg.pa_bits < 48:
        oa |= 1 << rng.randrange(cfg.pa_bits, 48)
    oa &= ~((1 << cfg.bits(level)) - 1)
    desc = cfg.address(oa) | (3 if level == 3 else 1) | 0xf << 2
    desc |= rng.choice((0, 1, 3, 3, 1)) << 6                       # S2AP
    desc |= (rng.random() < 0.75) << 10 | (rng.random() < 0.5) << 51  # AF, DBM
    desc |= rng.choice((0, 0, 0, 1, 2, 3)) << 53                    # XN
    return desc if cfg.ds else desc | 3 << 8


def draw_base(rng, cfg, large):
    base = rng.randrange(1 << cfg.ia_bits) & ~0xffff
    if large:   # what lies at the same place in a large block is data, and not a device
        base = base >> LARGE << LARGE | DATA + base % 0x2000000
    return base


def draw_ipa(rng, cfg, bases, large):
    if bases and (large or rng.random() < 0.85):
        ipa = rng.choice(bases)
        return ipa + rng.choice((0, 8, 0xff0, 0x7f8))
    return rng.randrange(1 << min(cfg.ia_bits + (rng.random() < 0.1), 51)) & ~0xfff


def scenario(rng, name, machine, out):
    """Lines of a scenario: (text, index of the order that answers, how to read it)."""
    cfg = draw_config(rng)
    large = cfg.ia_bits > LARGE and rng.random() < 0.5
    blocks = [n for n in cfg.blocks if large or cfg.bits(n) <= 30]
    bases = []

    def line(text, order=None, form=None):
        out.append((text, order, form))

    line("scenario %s" % name)
    machine.configure(cfg)
    line("cfg %d %d %d %d %d %d %d %d" % cfg.words, None, "vtcr=0x%x" % cfg.vtcr)
    for _ in range(rng.randrange(6, 20)):
        what = rng.random()
        if what < 0.3 and cfg.consistent():
            levels = [n for n in range(max(cfg.start, 0), 4) if n == 3 or n in blocks]
            level = rng.choice(levels + [3, 3])
            base = draw_base(rng, cfg, large)
            if bases and rng.random() < 0.3:
                base = rng.choice(bases)
            if cfg.ia_bits >= 31 and base >> cfg.bits(level) == STUB >> cfg.bits(level):
                continue
            if any(cfg.ia_bits >= 31 and base >> cfg.bits(n) == STUB >> cfg.bits(n)
                   for n in range(cfg.start, level + 1)):
                continue    # leave the stub's own tables alone
            desc = draw_desc(rng, cfg, level)
            if machine.put(level, base, desc) is None:
                continue
            bases.append(base)
            line("leaf %d 0x%x 0x%x" % (level, base, desc), None, "ok")
        elif what < 0.4 and bases:
            base = rng.choice(bases)
            where = machine.entry(3, base, False)
            if where is not None:
                line("desc 3 0x%x" % base, machine.order(2, where), "desc")
        elif what < 0.55:
            ipa = draw_ipa(rng, cfg, bases, large)
            write = int(rng.random() < 0.5 and not cfg.hd)
            line("at_%s 0x%x" % ("rw"[write], ipa), machine.order(6, ipa, write), "at")
        else:
            ipa, kind = draw_ipa(rng, cfg, bases, large), rng.choice((0, 0, 1, 1, 1, 2))
            if kind == 2:
                ipa = ipa & ~0xfff | 0xff0
            scenario.naccesses += 1
            value = 0x5a5a000000000000 + scenario.naccesses
            line("%s 0x%x" % (("ld", "st", "ex")[kind], ipa),
                 machine.order(5, ipa, kind, value), "access%d" % kind)


scenario.naccesses = 0


def read_at(ipa, par):
    if par >> 63 and par >> 26 & 63 == 0x25:     # the AT took an exception: ESR
        return "at-trap %s s1ptw=%d" % (status(par & 63), par >> 7 & 1)
    if par & 1:
        return "fault %s s2=%d ptw=%d" % (status(par >> 1 & 63), par >> 9 & 1, par >> 8 & 1)
    return "pa=0x%x par=0x%x" % (par & 0xffffffffff000 | ipa & 0xfff, par)


def read_access(kind, words):
    x2, esr, far, hpfar, esr1, far1 = words[:6]
    ec = esr >> 26 & 63
    if ec == 0x16 and esr & 0xffff == 0:
        if kind == 0:
            return "ok val=0x%x" % x2
        if kind == 1 and words[6]:
            return "ok landed=0x%x" % words[6]
        return "ok"
    if ec == 0x16:
        return "el1-fault ec=0x%x %s far=0x%x" % (
            esr1 >> 26 & 63, status(esr1 & 63), far1 if esr1 >> 26 & 63 else 0)
    if STUB <= far < STUB + 24:     # the stub has three entries, the script machine's has one
        far = STUB
    return "%s %s wnr=%d s1ptw=%d far=0x%x ipa=0x%x" % (
        "dabt" if ec == 0x24 else "iabt", status(esr & 63), esr >> 6 & 1 if ec == 0x24 else 0,
        esr >> 7 & 1, far, hpfar >> 4 << 12 & 0xffffffffff000 | far & 0xfff)


def answer(text, form, reply):
    words = [int(word, 16) for word in reply.split()] if reply is not None else []
    if form == "desc":
        return "desc=0x%x" % words[0]
    if form == "at":
        return read_at(int(text.split()[1], 16), words[0])
    if form.startswith("access"):
        return read_access(int(form[6:]), words)
    return form


def ask(probe, orders):
    with tempfile.NamedTemporaryFile(suffix=".orders") as f:
        for order in orders:
            f.write(struct.pack("<4Q", *order))
        f.write(bytes(32))
        f.flush()
        run = subprocess.run(
            [os.environ.get("QEMU", "qemu-system-aarch64"), "-M",
             "virt,virtualization=on,gic-version=3", "-cpu", "max", "-m", "512", "-kernel", probe,
             "-device", "loader,file=%s,addr=0x50000000,force-raw=on" % f.name, "-nodefaults",
             "-display", "none", "-serial", "stdio", "-monitor", "none"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=300, check=True)
    return run.stdout.decode().split("\n")


def main():
    seed, count, script, golden, probe = sys.argv[1:6]
    rng, orders, lines = random.Random(int(seed)), [], []
    machine = Machine(orders)
    for i in range(int(count)):
        scenario(rng, "random-%d" % i, machine, lines)
    with open(script, "w") as f:
        f.writelines(text + "\n" for text, _, _ in lines)
    replies = ask(probe, orders)
    if len(replies) < len(orders):
        sys.exit("the probe answered %d of %d orders" % (len(replies), len(orders)))
    with open(golden, "w") as f:
        for text, order, form in lines:
            if form is None:
                f.write(text + "\n")
                continue
            f.write("%s => %s\n" % (text, answer(text, form, replies[order] if order is not None
                                                 else None)))


if __name__ == "__main__":
    main()
