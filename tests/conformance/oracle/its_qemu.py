#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Ask the installed QEMU what an ITS script does.

its_qemu.py FILE.scn [v4]: prints the script's results as `weir-sim script its FILE.scn` does, from a
machine of its own for each scenario: `qemu-system-aarch64 -M virt,gic-version=3,its=on` under TCG,
its memory and registers driven over the qtest socket, its CPUs running cpuif.S. A scenario's
`edu=` functions are PCI devices whose MSIs carry their DeviceIDs; DeviceID 0 is the socket itself.
With `v4` it is a GICv4 (4.0), and scripts may use its commands, `vprop`, `vsched` and `vpend`.

Needs qemu-system-arm and gcc-aarch64-linux-gnu. QEMU names the program to ask instead.
"""
import os
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
GICD, ITS, GICR = 0x08000000, 0x08080000, 0x080A0000
MAILBOX, NCPUS = 0x40020000, 0x4002F000
CMDQ, DEVT, L2, COLT = 0x40100000, 0x40200000, 0x40280000, 0x40300000
PROP, PEND, ITT = 0x40400000, 0x40500000, 0x40800000
VPET, VPROP, VPT = 0x40600000, 0x40610000, 0x40620000
ECAM, BARS, BUS1_BARS = 0x3F000000, 0x11000000, 0x10100000
IAR, EOIR, HPPIR, PMR, ISR = range(5)
WAIT_S = 20
U64 = (1 << 64) - 1


class Gone(Exception):
    """The machine does not answer any more, or not as expected."""


class Qemu:
    """A QEMU process and its qtest socket: a line there, a line back."""

    def __init__(self, args, work):
        path = os.path.join(work, "qtest")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path)
            server.listen(1)
            self.process = subprocess.Popen(
                [os.environ.get("QEMU", "qemu-system-aarch64"), "-qtest", "unix:" + path,
                 "-qtest-log", "none", "-nodefaults", "-display", "none", "-accel", "tcg,thread=single"] + args,
                stdin=subprocess.DEVNULL)
            server.settimeout(WAIT_S)
            try:
                self.socket = server.accept()[0]
            except socket.timeout:
                self.process.kill()
                raise Gone("QEMU does not come up") from None
        os.unlink(path)
        self.socket.settimeout(WAIT_S)
        self.lines = self.socket.makefile("r", encoding="ascii")

    def close(self):
        self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def ask(self, text):
        self.socket.sendall(text.encode() + b"\n")
        answer = self.lines.readline()
        while answer.startswith("IRQ "):
            answer = self.lines.readline()
        if not answer.startswith("OK"):
            raise Gone(f"{text}: {answer.strip() or 'no answer'}")
        return answer[2:].strip()

    def load(self, addr, size):
        return int(self.ask(f"read{'?bw?l???q'[size]} {addr:#x}"), 0)

    def store(self, addr, size, value):
        self.ask(f"write{'?bw?l???q'[size]} {addr:#x} {value & ((1 << 8 * size) - 1):#x}")

    def load_bytes(self, addr, size):
        return bytes.fromhex(self.ask(f"read {addr:#x} {size:#x}")[2:])

    def store_bytes(self, addr, data):
        self.ask(f"write {addr:#x} {len(data):#x} 0x{data.hex()}")


class Machine:
    """One scenario's machine, and the operations on it: each method op_NAME is one."""

    def __init__(self, options, stub, work, v4):
        self.v4 = v4
        self.stride = 0x40000 if v4 else 0x20000
        self.cpus = int(options.get("cpus", "2"))
        functions = [int(d, 0) for d in options.get("edu", "").split(",") if d]
        kind = "gic-version=4,virtualization=on" if v4 else "gic-version=3"
        args = ["-M", f"virt,{kind},its=on,highmem=off", "-cpu", "cortex-a57", "-m", "64",
                "-smp", str(self.cpus), "-kernel", stub,
                "-device", f"loader,addr={NCPUS:#x},data={self.cpus},data-len=4"]
        if any(d >> 8 for d in functions):
            args += ["-device", "pcie-root-port,id=bus1,addr=1f.0,chassis=1"]
        for d in functions:
            bus = ",bus=bus1" if d >> 8 else ""
            args += ["-device", f"edu{bus},addr={d >> 3 & 31:x}.0"]
        self.q = Qemu(args, work)
        try:
            self.functions = {d: self.place(i, d) for i, d in enumerate(functions)}
            self.requests = [1] * self.cpus
            for cpu in range(self.cpus):
                self.wait(cpu)
        except BaseException:
            self.q.close()
            raise
        self.batch = False
        self.write = 0
        self.queue_bytes = 4096
        self.idbits = 16
        self.page = 4096

    # --- PCI functions

    def place(self, index, did):
        """Give a function a BAR and let it be bus master; its config space and BAR."""
        config = ECAM + (did << 12)
        bar = BUS1_BARS if did >> 8 else BARS + 0x100000 * index
        if did >> 8:
            bridge = ECAM + (0x1F << 15)
            self.q.store(bridge + 0x18, 4, 0x00010100)
            self.q.store(bridge + 0x20, 4, bar & 0xFFF00000 | bar >> 16 & 0xFFF0)
            self.q.store(bridge + 0x04, 2, 0x6)
        self.q.store(config + 0x10, 4, bar)
        self.q.store(config + 0x04, 2, 0x6)
        return config, bar

    def msi_of(self, did, data):
        config, bar = self.functions[did]
        cap = self.q.load(config + 0x34, 1)
        while cap and self.q.load(config + cap, 1) != 5:
            cap = self.q.load(config + cap + 1, 1)
        control = self.q.load(config + cap + 2, 2)
        self.q.store(config + cap + 4, 4, ITS + 0x10040)
        if control & 0x80:
            self.q.store(config + cap + 8, 4, 0)
        self.q.store(config + cap + (12 if control & 0x80 else 8), 2, data)
        self.q.store(config + cap + 2, 2, control & ~0x70 | 1)
        self.q.store(bar + 0x60, 4, 1)          # raise, and acknowledge
        self.q.store(bar + 0x64, 4, 1)

    # --- CPU interfaces

    def wait(self, cpu):
        end = time.monotonic() + WAIT_S
        while self.q.load(MAILBOX + 32 * cpu + 16, 4) != self.requests[cpu]:
            if time.monotonic() > end:
                raise Gone(f"CPU {cpu} does not answer")
            time.sleep(0.0002)                  # the CPUs need the lock that qtest takes

    def system(self, cpu, register, value=0):
        box = MAILBOX + 32 * cpu
        self.requests[cpu] += 1
        self.q.store(box + 4, 4, register)
        self.q.store(box + 8, 8, value)
        self.q.store(box, 4, self.requests[cpu])
        self.wait(cpu)
        return self.q.load(box + 8, 8)

    # --- operations

    def redistributor(self, cpu):
        return GICR + self.stride * int(str(cpu), 0)

    def op_setup(self, *words):
        o = dict(w.split("=", 1) for w in words)
        q = self.q
        self.idbits = int(o.get("idbits", "16"), 0)
        self.queue_bytes = 4096 * int(o.get("cmdq_pages", "1"), 0)
        size = ("4k", "16k", "64k").index(o.get("dev_psz", "4k"))
        self.page = 4096 << 2 * size
        q.store(GICD, 4, 0x12)
        q.ask(f"memset {PROP:#x} 0x10000 0xa0")
        for cpu in range(self.cpus):
            rd = self.redistributor(cpu)
            q.store(rd + 0x14, 4, 0)
            q.store(rd + 0x70, 8, PROP | self.idbits - 1)
            q.store(rd + 0x78, 8, PEND + 0x10000 * cpu | 1 << 62)
            if o.get("lpis", "on") == "on":
                q.store(rd, 4, 1)
        q.store(ITS + 0x80, 8, 1 << 63 | CMDQ | self.queue_bytes // 4096 - 1)
        tables = {
            1: int(o.get("dev_valid", "1")) << 63 | (o.get("dev", "flat") == "2level") << 62
               | int(o.get("dev_base", hex(DEVT)), 0) | size << 8
               | int(o.get("dev_pages", "1"), 0) - 1,
            4: int(o.get("coll_valid", "1")) << 63 | COLT | int(o.get("coll_pages", "1"), 0) - 1,
            2: 1 << 63 | VPET,
        }
        for baser in range(ITS + 0x100, ITS + 0x140, 8):
            value = q.load(baser, 8)
            if value >> 56 & 7 in tables:
                q.store(baser, 8, tables[value >> 56 & 7] | value & (7 << 56 | 31 << 48))
        if o.get("its", "on") == "on":
            q.store(ITS, 4, 1)
        return "ok"

    def queue(self):
        value = self.q.load(ITS + 0x90, 8)
        # QEMU 7.2 leaves Stalled set when a retry succeeds: what has nothing to do is not stalled.
        writer = self.q.load(ITS + 0x88, 8)
        stalled = (value & 1 and value & ~1 != writer and writer < self.queue_bytes
                   and self.q.load(ITS, 4) & 1)
        return f"creadr={value & 0xffffe:#x} stalled={stalled:d}"

    def op_cmd(self, name, *numbers):
        words = b"".join((w & U64).to_bytes(8, "little")
                         for w in encode(name, [int(n, 0) for n in numbers]))
        self.q.store_bytes(CMDQ + self.write, words)
        self.write = (self.write + 32) % self.queue_bytes
        return "queued" if self.batch else self.op_flush()

    def op_flush(self):
        return self.op_cwriter(str(self.write))

    def op_cwriter(self, value):
        self.q.store(ITS + 0x88, 8, int(value, 0))
        return self.queue()

    def op_batch(self, switch):
        self.batch = switch == "on"
        return "ok"

    def op_repeat(self, times, name, *words):
        for _ in range(int(times, 0)):
            result = self.do(name, words)
        return result

    def op_prop(self, lpi, priority, switch):
        self.q.store(PROP + int(lpi, 0) - 8192, 1, int(priority, 0) & 0xFC | (switch == "on"))
        return "ok"

    def op_setpend(self, cpu, lpi):
        at = PEND + 0x10000 * int(cpu, 0) + int(lpi, 0) // 8
        self.q.store(at, 1, self.q.load(at, 1) | 1 << int(lpi, 0) % 8)
        return "ok"

    def op_msi(self, did, eid):
        if int(did, 0):
            self.msi_of(int(did, 0), int(eid, 0))
        else:
            self.q.store(ITS + 0x10040, 4, int(eid, 0))
        return "ok"

    def op_its(self, switch):
        self.q.store(ITS, 4, switch == "on")
        return f"ctlr={self.q.load(ITS, 4) & 1:#x}"

    def op_lpis(self, cpu, switch):
        rd = self.redistributor(cpu)
        self.q.store(rd, 4, switch == "on")
        return f"ctlr={self.q.load(rd, 4) & 1}"

    def op_l2(self, index, switch):
        index = int(index, 0)
        self.q.store(DEVT + 8 * index, 8,
                     1 << 63 | L2 + self.page * index if switch == "on" else 0)
        return "ok"

    def op_pmr(self, cpu, value):
        self.system(int(cpu, 0), PMR, int(value, 0))
        return "ok"

    def op_pend(self):
        lists = []
        for cpu in range(self.cpus):
            bits = self.q.load_bytes(PEND + 0x10000 * cpu, (1 << self.idbits) // 8)
            lists.append(",".join(str(8 * i + b) for i, byte in enumerate(bits) if byte
                                  for b in range(8) if byte >> b & 1))
        return " ".join(f"cpu{cpu}=[{text}]" for cpu, text in enumerate(lists))

    def op_irq(self, cpu):
        return f"cpu{int(cpu, 0)}={self.system(int(cpu, 0), ISR) >> 7 & 1}"

    def op_hppi(self, cpu):
        return f"cpu{int(cpu, 0)}={self.system(int(cpu, 0), HPPIR) & 0xffffff}"

    def op_ack(self, cpu):
        cpu, got = int(cpu, 0), []
        while len(got) < 1 << 16:
            intid = self.system(cpu, IAR) & 0xFFFFFF
            if 1020 <= intid <= 1023:
                break
            self.system(cpu, EOIR, intid)
            got.append(str(intid))
        return f"cpu{cpu}=[{','.join(got)}]"

    def op_read(self, off):
        off = int(off, 0)
        return f"{self.q.load(ITS + off, width(off)):#x}"

    def op_write(self, off, value):
        off = int(off, 0)
        self.q.store(ITS + off, width(off), int(value, 0))
        return "ok"

    def op_rread(self, cpu, off):
        off = int(off, 0)
        value = self.q.load(self.redistributor(cpu) + off, width(off))
        if off in (0x78, 0x7C):
            value &= ~(1 << (62 - 8 * (off - 0x78)))  # PTZ is written only; QEMU 7.2 returns it
        return f"{value:#x}"

    def op_rwrite(self, cpu, off, value):
        off = int(off, 0)
        self.q.store(self.redistributor(cpu) + off, width(off), int(value, 0))
        return "ok"

    def op_vprop(self, lpi, priority, switch):
        self.q.store(VPROP + int(lpi, 0) - 8192, 1, int(priority, 0) & 0xFC | (switch == "on"))
        return "ok"

    def op_vsched(self, cpu, vpe, switch):
        frame = self.redistributor(cpu) + 0x20000
        table = VPT + 0x10000 * int(vpe, 0)
        if switch == "on":
            self.q.store(frame + 0x70, 8, VPROP | 15)
        self.q.store(frame + 0x78, 8, (switch == "on") << 63 | table)
        value = self.q.load(frame + 0x78, 8)
        return f"valid={value >> 63} last={value >> 61 & 1}"

    def op_vpend(self, vpe):
        bits = self.q.load_bytes(VPT + 0x10000 * int(vpe, 0), 1 << 13)
        text = ",".join(str(8 * i + b) for i, byte in enumerate(bits) if byte
                        for b in range(8) if byte >> b & 1)
        return f"vpe{int(vpe, 0)}=[{text}]"

    def do(self, name, words):
        return getattr(self, "op_" + name)(*words)


def width(off):
    """How the register there is accessed: an upper half by itself, as what has four bytes."""
    return 4 if off % 8 or off == 0 or off >= 0xFFD0 else 8


def encode(name, n):
    """A command's four words. Operands as docs/its.md has them."""
    did_eid = {"DISCARD": 0x0F, "INT": 0x03, "CLEAR": 0x04, "INV": 0x0C}
    if name == "RAW":
        return (n + [0, 0, 0])[:4]
    if name == "MAPD":
        valid = n[2] if len(n) > 2 else 1
        itt = n[3] if len(n) > 3 else ITT + (n[0] & 0xFFFF) * 0x1000
        return [0x08 | n[0] << 32, n[1] - 1 & 0x1F, valid << 63 | itt & 0xFFFFFFFFFF00, 0]
    if name == "MAPC":
        return [0x09, 0, (n[2] if len(n) > 2 else 1) << 63 | n[1] << 16 | n[0], 0]
    if name == "MAPTI":
        return [0x0A | n[0] << 32, n[2] << 32 | n[1], n[3], 0]
    if name in ("MAPI", "MOVI"):
        return [{"MAPI": 0x0B, "MOVI": 0x01}[name] | n[0] << 32, n[1], n[2], 0]
    if name == "MOVALL":
        return [0x0E, 0, n[0] << 16, n[1] << 16]
    if name == "INVALL":
        return [0x0D, 0, n[0], 0]
    if name == "SYNC":
        return [0x05, 0, n[0] << 16, 0]
    if name in did_eid:
        return [did_eid[name] | n[0] << 32, n[1], 0, 0]
    return encode_virtual(name, n)


def encode_virtual(name, n):
    """GICv4.0's commands. 1023 is no doorbell."""
    bell = {"VMAPTI": 4, "VMAPI": 3, "VMOVI": 3}.get(name)
    bell = (n[bell] if bell and len(n) > bell else 1023) << 32
    if name == "VMAPP":
        valid = n[2] if len(n) > 2 else 1
        return [0x29, n[0] << 32, valid << 63 | n[1] << 16, VPT + 0x10000 * n[0] | 15]
    if name == "VMAPTI":
        return [0x2A | n[0] << 32, n[3] << 32 | n[1], bell | n[2], 0]
    if name == "VMAPI":
        return [0x2B | n[0] << 32, n[2] << 32 | n[1], bell, 0]
    if name == "VMOVI":
        return [0x21 | n[0] << 32, n[2] << 32 | n[1], bell | (len(n) > 3), 0]
    if name == "VMOVP":
        return [0x22, n[0] << 32, n[1] << 16, 0]
    return [{"VSYNC": 0x25, "VINVALL": 0x2D}[name], n[0] << 32, 0, 0]


def scenarios(path):
    """(name, options, [words of an operation]) of each scenario."""
    found = []
    with open(path, encoding="utf-8") as script:
        for line in script:
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "scenario":
                found.append((words[1], dict(w.split("=", 1) for w in words[2:]), []))
            else:
                found[-1][2].append(words)
    return found


def main():
    with tempfile.TemporaryDirectory() as work:
        stub = os.path.join(work, "cpuif")
        subprocess.run(["aarch64-linux-gnu-gcc", "-nostdlib", "-static", "-Wl,--build-id=none",
                        "-Wl,-Ttext=0x40001000", "-Wl,-N", "-Wl,--no-warn-rwx-segments", "-o", stub,
                        os.path.join(HERE, "cpuif.S")], check=True)
        for name, options, operations in scenarios(sys.argv[1]):
            print("scenario", name)
            machine = Machine(options, stub, work, "v4" in sys.argv[2:])
            try:
                for words in operations:
                    print(" ".join(words), "=>", machine.do(words[0], words[1:]))
            finally:
                machine.q.close()
            sys.stdout.flush()


if __name__ == "__main__":
    main()
