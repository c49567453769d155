#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Random ITS scripts, to be run by several implementations and compared.

its_random.py SEED SCENARIOS OPERATIONS [agree|v4]: writes a script to standard output. The same
arguments give the same script. A scenario sets up tables of a random shape and then does what a
guest may do, right and wrong: numbers out of range, mappings over live ones, tables in holes, raw
queue pointers, junk in reserved bits, registers rewritten, switches at any time. What QEMU 7.2 is
known to get wrong is not drawn: reserved bits of registers stick there, GITS_CREADR is writable,
GITS_CTLR.Quiescent constant, a queue in a hole reads as zeros, an LPI in a pending table that two
CPUs share is acknowledged for ever, and one beyond PROPBASER.IDbits is moved all the same.

With `agree` it leaves out what implementations may do as they like (see "Choices" in docs/its.md),
so that all must give the same answers. With `v4` there are GICv4.0's commands too.
"""
import random
import sys

HOLES = (0x200000000, 0x48000000)
LAST_PAGE = 0x43FFF000
FUNCTIONS = (0x8, 0x10, 0x18)


class Guest:
    """A scenario, as its operations are drawn."""

    def __init__(self, rng, agree, v4):
        self.r, self.agree, self.v4 = rng, agree, v4
        self.resident = {}      # vPEs, by CPU
        self.cpus = rng.choice((1, 2, 2, 3, 4))
        self.indirect = not agree and rng.random() < 0.3
        self.holes = not agree and rng.random() < 0.2
        self.bits = {}          # of the devices that were mapped
        self.events = {}        # (device, event) -> LPI
        self.free = list(range(8192, 8192 + (30 if agree else 24)))
        rng.shuffle(self.free)
        self.batch = False

    def head(self, name):
        edu = ",".join(hex(d) for d in FUNCTIONS)
        yield f"scenario {name} cpus={self.cpus} edu={edu}"
        r = self.r
        options = ["dev_psz=64k"]
        if not self.agree:
            options = ["dev_psz=" + r.choice(("4k", "16k", "64k")),
                       f"dev_pages={r.choice((1, 1, 2))}", f"cmdq_pages={r.choice((1, 1, 2))}",
                       f"idbits={r.choice((16, 16, 16, 14, 13))}"]
            options += ["dev=2level"] * self.indirect + ["lpis=off"] * (r.random() < 0.1)
            options += ["its=off"] * (r.random() < 0.1) + ["dev_valid=0"] * (r.random() < 0.03)
            options += ["coll_valid=0"] * (r.random() < 0.03)
        yield " ".join(["setup"] + options)
        if self.indirect:
            yield "l2 0 on"
        for cpu in range(self.cpus):
            yield f"cmd MAPC {cpu} {cpu}"
        for lpi in sorted(self.free):
            yield self.prop(lpi)

    def prop(self, lpi):
        # Order among equals is a choice: to agree, each LPI has a priority of its own.
        priority = (8 * (lpi - 8191) if self.agree else
                    self.r.choice((0, 8, 0x40, 0xA4, 0xF0, 0xFC)))
        return f"prop {lpi} {priority:#x} {self.r.choice(('on', 'on', 'on', 'off'))}"

    # --- numbers

    def cpu(self):
        return self.r.randrange(self.cpus)

    def icid(self):
        if not self.agree and self.r.random() < 0.1:
            return self.r.choice((5, 9, 0x1FF, 0x200, 0xFFFF))
        return self.cpu()

    def device(self):
        return self.r.choice((0, 0, 1, 8, 8, 0x10, 0x18, 0x1FF, 0x200, 0x1000,
                              self.r.choice((0x7FF, 0x800, 0xFFFF, 0x10000, 0x10008, 0xFFFFFFFF))
                              if not self.agree and self.r.random() < 0.3 else 8))

    def live(self, chance=0.85):
        """A mapped event, or any."""
        if self.events and self.r.random() < chance:
            return self.r.choice(sorted(self.events))
        event = self.r.randrange(70)
        if not self.agree and self.r.random() < 0.1:
            event = self.r.choice((0xFFFF, 0x10000, 0x10003, 0xFFFFFFFF))
        return self.device(), event

    # --- operations; each yields lines

    def mapd(self):
        did = self.device()
        if self.agree:
            if did not in self.bits:
                self.bits[did] = self.r.randint(1, 6)
                yield f"cmd MAPD {did} {self.bits[did]}"
            return
        bits = self.r.choice((1, 2, 3, 5, 6, 6, 16, 17))
        kind = self.r.random()
        if kind < 0.25:
            bits = min(bits, 16)    # QEMU 7.2 looks at the size of what is unmapped
        line = f"cmd MAPD {did} {bits}"
        if kind < 0.25:
            line += " 0"
        elif kind < 0.29 and self.holes:
            line += f" 1 {self.r.choice(HOLES + (LAST_PAGE,)):#x}"
        elif kind < 0.35:
            line += f" 1 {0x40800000 + 0x1000 * self.device():#x}"
        self.bits[did] = bits
        yield line

    def mapti(self):
        did = self.r.choice(sorted(self.bits)) if self.bits else self.device()
        top = 1 << min(self.bits.get(did, 5), 7)
        if self.agree:
            event = self.r.randrange(top)
            if did in self.bits and (did, event) not in self.events and self.free:
                self.events[did, event] = self.free.pop()
                yield f"cmd MAPTI {did} {event} {self.events[did, event]} {self.cpu()}"
            return
        event = self.r.randrange(top + 1)
        lpi = self.r.choice(self.free + [8191, 0x3FFF, 0x4000, 0xFFFF, 0x10000])
        self.events[did, event] = lpi
        yield f"cmd MAPTI {did} {event} {lpi} {self.icid()}"

    def mapi(self):
        if not self.agree:
            yield f"cmd MAPI {self.device()} {self.r.choice((3, 8192, 8193, 8200))} {self.icid()}"

    def mapc(self):
        if not self.agree:
            if self.r.random() < 0.3:
                yield f"cmd MAPC {self.icid()} {self.cpu()} 0"
            else:
                yield f"cmd MAPC {self.icid()} {self.r.choice((self.cpu(), self.cpus, 0xFFFF))}"

    def interrupt(self):
        did, event = self.live()
        if did in (0,) + FUNCTIONS and event < 0x10000 and self.r.random() < 0.4:
            yield f"msi {did:#x} {event}"
        else:
            yield f"cmd INT {did} {event}"

    def clear(self):
        yield "cmd CLEAR %d %d" % self.live()

    def discard(self):
        did, event = self.live()
        if self.agree:
            yield f"cmd CLEAR {did} {event}"
            self.events.pop((did, event), None)
        yield f"cmd DISCARD {did} {event}"

    def movi(self):
        yield "cmd MOVI %d %d %d" % (*self.live(), self.icid())

    def movall(self):
        if not self.agree:
            yield f"cmd MOVALL {self.r.choice((self.cpu(), 9))} {self.cpu()}"

    def inv(self):
        did, event = self.live()
        lpi = self.events.get((did, event))
        if lpi and lpi in range(8192, 8240):
            yield self.prop(lpi)
        yield f"cmd INV {did} {event}"

    def invall(self):
        for cpu in range(self.cpus):
            yield f"cmd INVALL {cpu}"

    def lone_prop(self):
        if not self.agree:
            yield self.prop(self.r.randrange(8192, 8216))

    def sync(self):
        yield f"cmd SYNC {self.cpu()}"

    def raw(self):
        if not self.agree:
            words = [self.r.getrandbits(self.r.choice((4, 8, 40, 64))) for _ in range(4)]
            if words[0] & 0xFF != 0x08:
                yield "cmd RAW " + " ".join(map(hex, words))
            yield "cmd RAW " + " ".join(map(hex, self.junk()))
        else:
            yield f"cmd RAW {self.r.choice((0, 2, 6, 7, 0x10, 0x2A, 0xFF)):#x}"

    def junk(self):
        """A command that is in order, with anything in its reserved bits."""
        did, event = self.live()
        bits = self.r.getrandbits
        icid = self.icid()
        name, op = self.r.choice((("MOVI", 1), ("INT", 3), ("CLEAR", 4), ("SYNC", 5), ("MAPD", 8),
                                  ("MAPC", 9), ("MAPTI", 10), ("MAPI", 11), ("INV", 12),
                                  ("INVALL", 13), ("MOVALL", 14), ("DISCARD", 15)))
        words = [op | bits(24) << 8 | did << 32, event | bits(32) << 32, bits(64), bits(64)]
        if name == "MAPD":
            size = self.r.choice((0, 1, 4, 5, 15))
            self.bits[did] = size + 1
            words[1] = size | bits(59) << 5
            words[2] = (self.r.random() < 0.8) << 63 | bits(11) << 52 | bits(8)
            words[2] |= 0x40800000 + (did & 0xffff) * 0x1000
        elif name == "MAPC":
            words[2] = (self.r.random() < 0.8) << 63 | bits(11) << 52 | self.cpu() << 16 | icid
        elif name == "MAPTI":
            lpi = self.r.choice(self.free)
            self.events[did, event] = lpi
            words[1] = event | lpi << 32
        if name in ("MAPTI", "MAPI", "MOVI", "INVALL"):
            words[2] = bits(48) << 16 | icid
        if name == "MOVALL":
            words[2:] = [bits(12) << 52 | self.cpu() << 16 | bits(16) for _ in range(2)]
        return words

    def registers(self):
        """Registers read at any time, and rewritten while their owner is off."""
        if self.agree:
            return
        kind = self.r.random()
        if kind < 0.5:
            off = self.r.choice((4, 8, 0xC, 0x80, 0x84, 0x88, 0x8C, 0x90, 0x94, 0xFFE0, 0xFFE8,
                                 0xFFF4, 0x100, 0x104, 0x108, 0x10C, 0x118, 0x138))
            yield f"read {off:#x}"
            yield f"rread {self.cpu()} {self.r.choice((0x70, 0x74, 0x78, 0x7C, 0xFFE0, 0xFFE8)):#x}"
        elif kind < 0.6:
            off = self.r.choice((0x80, 0x84, 0x100, 0x104, 0x108, 0x10C))
            yield "its on"
            yield f"write {off:#x} {self.r.getrandbits(32):#x}"     # enabled: does nothing
            yield f"read {off & ~7:#x}"
        elif kind < 0.8:
            yield "its off"
            yield from self.table()
            yield "its on"
        else:
            cpu = self.cpu()
            yield f"lpis {cpu} off"
            if self.r.random() < 0.5:
                bits = self.r.choice((15, 15, 31))
                at = self.r.choice((0x40400000, 0x40400000, 0x40401000, HOLES[1]))
                yield f"rwrite {cpu} 0x70 {at | self.r.getrandbits(5) << 7 | bits:#x}"
            else:
                at = 0x40500000 + 0x10000 * self.r.choice((cpu, cpu, 4 + cpu))
                yield f"rwrite {cpu} 0x78 {at | self.r.getrandbits(5) << 7:#x}"
            yield f"rread {cpu} 0x70"
            yield f"lpis {cpu} on"

    def table(self):
        """CBASER, or a BASER, anew; perhaps half of it."""
        r = self.r
        attributes = r.getrandbits(3) << 59 | r.getrandbits(3) << 53 | r.getrandbits(2) << 10
        valid = (r.random() < 0.9) << 63
        kind = r.random()
        if kind < 0.3:
            at = r.choice((0x40100000, 0x40100000, 0x40101000))
            yield f"write 0x80 {valid | attributes | at | r.choice((0, 0, 1, 3)):#x}"
            yield "read 0x90"
            return
        if kind < 0.4:
            off = r.choice((0x104, 0x10C))
            indirect = self.indirect and off == 0x104
            yield f"write {off:#x} {(valid | indirect << 62 | attributes) >> 32:#x}"
            yield f"read {off & ~7:#x}"
            return
        # What was a table of entries is not read as one of level 1, nor the other way round:
        # entries are each implementation's own.
        off = r.choice((0x100, 0x100, 0x108))
        indirect = r.random() < (0.7 if self.indirect and off == 0x100 else 0.2)
        if off == 0x108:
            at = 0x40340000 if indirect else r.choice((0x40300000, 0x40300000, 0x40310000))
        elif indirect:
            at = 0x40200000 if self.indirect else 0x40260000
        else:
            at = r.choice((0x40220000, 0x40220000 if self.indirect else 0x40200000))
        value = valid | indirect << 62 | attributes | at | r.choice((0, 0, 1, 2, 3)) << 8
        yield f"write {off:#x} {value | r.choice((0, 0, 1, 3)):#x}"
        yield f"read {off:#x}"

    def queue(self):
        if self.agree:
            return
        if self.r.random() < 0.3:
            yield f"cwriter {self.r.choice((0, 0x20, 0x400, 0xFE0, 0x1000, 0x1FE0, 0x2000)):#x}"
        elif self.r.random() < 0.5:
            yield f"repeat {self.r.choice((3, 60, 130))} cmd SYNC 0"
        else:
            self.batch = not self.batch
            yield "batch " + ("on" if self.batch else "off")
            yield "flush"

    def switch(self):
        if self.agree:
            return
        kind = self.r.random()
        if kind < 0.3:
            yield "its off"
            if self.r.random() < 0.5:
                yield from self.interrupt()
            yield "its on"
        elif kind < 0.6:
            cpu = self.cpu()
            yield f"lpis {cpu} off"
            if self.r.random() < 0.5:
                yield from self.interrupt()
            yield f"lpis {cpu} on"
        elif kind < 0.8:
            yield f"setpend {self.cpu()} {self.r.randrange(8192, 8216)}"
        elif self.indirect:
            yield f"l2 {self.r.randrange(3)} {self.r.choice(('on', 'on', 'off'))}"

    def mask(self):
        if not self.agree:
            yield f"pmr {self.cpu()} {self.r.choice((0, 0x40, 0x44, 0xA0, 0xF8, 0xFF)):#x}"

    # --- GICv4

    def vpe(self):
        return self.r.choice((0, 1, 2, 3, 3, 29, 0x80) if self.r.random() < 0.1 else (0, 1, 2))

    def bell(self):
        return self.r.choice(("", "", f" {self.r.randrange(8192, 8216)}", " 1023", " 7"))

    def vmapp(self):
        yield (f"cmd VMAPP {self.vpe()} {self.r.choice((self.cpu(), self.cpu(), self.cpus))}"
               + self.r.choice(("", "", "", " 0")))

    def vmapti(self):
        did = self.r.choice(sorted(self.bits)) if self.bits else self.device()
        event = self.r.randrange((1 << min(self.bits.get(did, 5), 6)) + 1)
        self.events[did, event] = 0
        lpi = self.r.choice((self.r.randrange(8192, 8216), 8191, 0xFFFF, 0x10000, 8200))
        yield f"cmd VMAPTI {did} {event} {lpi} {self.vpe()}{self.bell()}"

    def vmapi(self):
        yield (f"cmd VMAPI {self.device()} {self.r.choice((3, 8192, 8193, 8200))} "
               f"{self.vpe()}{self.bell()}")

    def vjunk(self):
        """As junk(), with any size of a vPE's table."""
        r = self.r
        did, event = self.live()
        op = r.choice((0x29, 0x2A, 0x2B, 0x21, 0x22, 0x25, 0x2D))
        words = [op | r.getrandbits(24) << 8 | did << 32,
                 event | self.vpe() << 32 | r.getrandbits(16) << 48, r.getrandbits(64),
                 r.getrandbits(64)]
        if op == 0x29:
            words[0] &= 0xFF
            words[2] = (r.random() < 0.9) << 63 | r.getrandbits(11) << 52 | self.cpu() << 16
            words[3] = (0x40620000 + 0x10000 * (words[1] >> 32 & 0xFF)
                        | r.choice((15, 15, 13, 12, 16, 31)))
        elif op == 0x2A:
            self.events[did, event] = 0
            words[2] = 1023 << 32 | r.randrange(8192, 8216)
        elif op == 0x2B:
            words[2] = 1023 << 32
        elif op == 0x21:
            words[2] = 1023 << 32 | r.getrandbits(1)
        elif op == 0x22:
            words[2] = r.getrandbits(12) << 52 & (1 << 63) - 1 | self.cpu() << 16
        yield "cmd RAW " + " ".join(map(hex, words))

    def vmovi(self):
        yield "cmd VMOVI %d %d %d" % (*self.live(), self.vpe()) + self.bell()

    def vmovp(self):
        yield f"cmd VMOVP {self.vpe()} {self.r.choice((self.cpu(), self.cpus))}"

    def vsync(self):
        yield f"cmd {self.r.choice(('VSYNC', 'VINVALL'))} {self.vpe()}"

    def vprop(self):
        yield "v" + self.prop(self.r.randrange(8192, 8216))

    def vsched(self):
        """A CPU's vPE goes, or one comes: no two CPUs have the same."""
        cpu = self.cpu()
        if cpu in self.resident:
            yield f"vsched {cpu} {self.resident.pop(cpu)} off"
            return
        vpe = self.r.randrange(3)
        if vpe not in self.resident.values():
            self.resident[cpu] = vpe
            yield f"vsched {cpu} {vpe} on"

    def vlook(self):
        yield f"vpend {self.r.randrange(3)}"

    def look(self):
        kind = self.r.choice(("pend", "pend", "irq", "hppi", "ack", "ack"))
        yield kind if kind == "pend" else f"{kind} {self.cpu()}"

    def operations(self):
        virtual = ((self.vmapp, 4), (self.vmapti, 20), (self.vmovi, 6), (self.vmovp, 3),
                   (self.vmapi, 1), (self.vjunk, 3),
                   (self.vsync, 3), (self.vprop, 5), (self.vsched, 8), (self.vlook, 10))
        return (virtual if self.v4 else ()) + (
                (self.mapd, 5), (self.mapti, 14), (self.mapi, 1), (self.mapc, 2),
                (self.interrupt, 26), (self.clear, 5), (self.discard, 5), (self.movi, 8),
                (self.movall, 1), (self.inv, 8), (self.invall, 2), (self.lone_prop, 2),
                (self.sync, 1), (self.raw, 2), (self.queue, 1), (self.switch, 2),
                (self.registers, 2),
                (self.mask, 1), (self.look, 14))

    def body(self, count):
        what, weights = zip(*self.operations())
        for _ in range(count):
            yield from self.r.choices(what, weights)[0]()
        if self.batch:
            yield "batch off"
            yield "flush"
        yield "pend"
        for cpu in range(self.cpus):
            yield f"ack {cpu}"
        yield "pend"


def main():
    seed, count, operations = (int(a, 0) for a in sys.argv[1:4])
    rng = random.Random(seed)
    for n in range(count):
        guest = Guest(rng, "agree" in sys.argv[4:], "v4" in sys.argv[4:])
        for line in guest.head(f"random_{seed}_{n}"):
            print(line)
        for line in guest.body(operations):
            print(line)


if __name__ == "__main__":
    main()
