// SPDX-License-Identifier: BSD-2-Clause
/*
 * html_style.c - the style sheet of the report.
 *
 * c0..c7 are causes of lost compute (after Okabe and Ito, told apart by the colour-blind), k and h
 * 0..8 the levels of the heat map, p0 and p1 alternate from phase to phase. In pieces, because C
 * promises no more than 4095 bytes to a string.
 */
#include "sim/report/html_parts.h"

#include <stddef.h>

const char *const sim_html_style[] = {
	":root{color-scheme:light dark;--bg:#fff;--fg:#1c2024;--dim:#5d6670;--line:#d9dee3;"
	"--soft:#f4f6f8;--good:#d7efdc;--bad:#b3261e;--badbg:#fde7e5;--left:#e7edf3;"
	"--curve:#24323f;--c0:#d55e00;--c1:#cc79a7;--c2:#e69f00;--c3:#0072b2;--c4:#8a939c;"
	"--c5:#3b3f45;--c6:#009e73;--c7:#56b4e9;--p0:#dfe6ed;--p1:#c9d4de;--freeze:#7db8da;"
	"--blackout:#3b3f45;--k1:#fdf0c4;--k2:#fbd985;--k3:#f8b751;--k4:#f08a33;--k5:#dc5c2a;"
	"--k6:#b83330;--k7:#84193f;--k8:#4a0a3c}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e4e8ec;--dim:#98a2ac;"
	"--line:#30363c;--soft:#1c2125;--good:#1d4028;--bad:#ff8a80;--badbg:#3a1a18;"
	"--left:#22292f;--curve:#dfe6ed;--c0:#f0783c;--c1:#d98fb9;--c2:#eeb035;--c3:#4a9fd8;"
	"--c4:#8a939c;--c5:#c9cdd2;--c6:#2fb98f;--c7:#7cc6f2;--p0:#2b333a;--p1:#39434c;"
	"--freeze:#35698a;--blackout:#c9cdd2;--k1:#2a1436;--k2:#4a1550;--k3:#741b5c;--k4:#a32a58;"
	"--k5:#cf4446;--k6:#ee7131;--k7:#f9a92c;--k8:#f8e27a}}\n"
	"body{margin:0 auto;max-width:1080px;padding:24px 20px 60px;background:var(--bg);"
	"color:var(--fg);font:15px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:24px;margin:0 0 2px}h2{font-size:19px;margin:36px 0 6px}"
	"h3{font-size:15px;margin:18px 0 2px}p{margin:6px 0}\n"
	"code,.num,.digest{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"
	"'DejaVu Sans Mono',monospace;font-size:13px}\n"
	".dim,.legend,caption{color:var(--dim)}.legend span{white-space:nowrap;"
	"margin-right:10px}\n"
	".legend i{display:inline-block;width:12px;height:12px;margin-right:5px;"
	"vertical-align:-1px;border-radius:2px}\n"
	".facts{display:flex;flex-wrap:wrap;gap:2px 22px;margin:10px 0;color:var(--dim);"
	"font-size:13px}.facts b{color:var(--fg);font-weight:600}\n"
	".notes{background:var(--soft);border-left:4px solid var(--c3);padding:8px 14px;"
	"margin:14px 0}.failed{background:var(--badbg);border-left:4px solid var(--bad);"
	"padding:8px 14px;margin:14px 0}.failed h2{margin:0;color:var(--bad)}\n"
	".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:14px;width:100%}"
	"th,td{padding:4px 10px;border-bottom:1px solid var(--line);text-align:left;"
	"vertical-align:top}th{font-weight:600}td.n,th.n{text-align:right;white-space:nowrap;"
	"font-variant-numeric:tabular-nums}td.best{background:var(--good);font-weight:600}"
	"tr.sub td:first-child,tr.sub th{padding-left:24px;font-weight:400}"
	"tr.set td{background:var(--soft)}td small,th small{color:var(--dim);font-weight:400;"
	"font-size:12px}td.wrap{white-space:normal;overflow-wrap:anywhere;max-width:260px}"
	"td.what{color:var(--dim);font-size:13px;min-width:220px}\n"
	"details summary{cursor:pointer;color:var(--dim);margin:8px 0}\n",
	"svg{display:block;width:100%;min-width:600px;height:auto;margin:4px 0}"
	"svg text{font:120px system-ui,"
	"sans-serif;fill:var(--dim)}svg .mid{text-anchor:middle}svg .end{text-anchor:end}"
	"svg .name{font-weight:600;font-size:135px}svg .name,svg .value{fill:var(--fg)}"
	"svg .on-round,svg .on-freeze,svg .on-other{fill:var(--fg);font-size:110px}"
	"svg .on-blackout{fill:var(--bg);font-size:110px}\n"
	".grid{stroke:var(--line);stroke-width:8;fill:none}.frame{stroke:var(--dim);"
	"stroke-width:10;fill:none}.plot{fill:var(--soft)}.left{fill:var(--left)}"
	".curve{stroke:var(--curve);stroke-width:16;fill:none}\n"
	".round.p0{fill:var(--p0)}.round.p1{fill:var(--p1)}.freeze{fill:var(--freeze)}"
	".blackout{fill:var(--blackout)}.other{fill:var(--left)}.tint{opacity:.16}\n"
	".h{fill:none;shape-rendering:crispEdges}"
	".h1{stroke:var(--k1)}.h2{stroke:var(--k2)}.h3{stroke:var(--k3)}.h4{stroke:var(--k4)}"
	".h5{stroke:var(--k5)}.h6{stroke:var(--k6)}.h7{stroke:var(--k7)}.h8{stroke:var(--k8)}\n"
	"i.k0{background:var(--soft);outline:1px solid var(--line)}"
	"i.k1{background:var(--k1)}i.k2{background:var(--k2)}i.k3{background:var(--k3)}"
	"i.k4{background:var(--k4)}i.k5{background:var(--k5)}i.k6{background:var(--k6)}"
	"i.k7{background:var(--k7)}i.k8{background:var(--k8)}\n"
	".c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}"
	".c4{fill:var(--c4)}.c5{fill:var(--c5)}.c6{fill:var(--c6)}.c7{fill:var(--c7)}\n"
	"i.c0{background:var(--c0)}i.c1{background:var(--c1)}i.c2{background:var(--c2)}"
	"i.c3{background:var(--c3)}i.c4{background:var(--c4)}i.c5{background:var(--c5)}"
	"i.c6{background:var(--c6)}i.c7{background:var(--c7)}i.freeze{background:var(--freeze)}"
	"i.round{background:var(--p1)}i.blackout{background:var(--blackout)}\n",
	NULL
};
