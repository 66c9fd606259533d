# SPDX-License-Identifier: ISC
"""lib_bench_out.py -- what tests/bench/run found, as a table, as a picture and in a guide."""
import json
import math
import os
from xml.sax.saxutils import escape

from lib_bars import SPECS

WIDTH_PX, BAR_PX, LEFT_PX, ROW_PX, TOP_PX = 840, 420, 170, 22, 56


def table(rows):
    return "\n".join("  %-52s %12.2f %-4s  (%s)" % (
        r["name"], r["value"], r["unit"], " ".join("%.4g" % v for v in r["values"][:11]))
        for r in rows)


def share(bar, goal):
    """How much of a goal (the bound, the aim) is used: 1 is the goal; less is better."""
    value = max(bar["value"], 1e-9)
    return goal / value if bar["least"] else value / goal


def missing(results):
    """The bars that weren't measured."""
    found = {bar["name"] for bar in results["bars"]}
    return [name for name in SPECS if name not in found]


def joined(kept, results, order):
    """An earlier run's results with the groups in them that were measured now; theirs say when."""
    now = {group["name"] for group in results["groups"]}
    earlier = [dict(group, at=group.get("at", kept["machine"]["at"])) for group in kept["groups"]
               if group["name"] not in now]
    found = {bar["name"]: bar for bar in kept["bars"] + results["bars"]}
    rows = [row for row in kept["rows"] if row["group"] not in now] + results["rows"]
    return dict(results, groups=sorted(earlier + results["groups"], key=lambda g: order.index(g["name"])),
                rows=sorted(rows, key=lambda r: order.index(r["group"])),
                bars=[found[name] for name in SPECS if name in found])


def sign(least):
    return "\u2265" if least else "\u2264"


# ---- the picture ----

def draw_bar(bar, y):
    used = share(bar, bar["bound"])
    text = "%.3g (%s %.3g%s)" % (bar["value"], "at least" if bar["least"] else "at most", bar["bound"],
                                 "" if bar["aim"] is None else ", aim %.3g" % bar["aim"])
    out = ['<rect x="%d" y="%d" width="%.1f" height="14" fill="%s"/>' % (
        LEFT_PX, y + 3, max(min(used, 2.0) * BAR_PX / 2, 1), "#2f7d4f" if used <= 1 else "#b4472e")]
    if bar["aim"] is not None:
        x = LEFT_PX + share({"value": bar["aim"], "least": bar["least"]}, bar["bound"]) * BAR_PX / 2
        out.append('<path d="M%.1f %d l4 7 l-4 7 l-4 -7 z" fill="#ffffff" stroke="#222222"/>' % (
            x, y + 3))
    return out + [note(y, text, "#000000")]


def note(y, text, color):
    return '<text x="%d" y="%d" fill="%s">%s</text>' % (LEFT_PX + BAR_PX + 12, y + 14, color,
                                                         escape(text))


def draw(results):
    """Each bar against its bound, as SVG."""
    bars = {bar["name"]: bar for bar in results["bars"]}
    height = TOP_PX + ROW_PX * len(SPECS) + 30
    m = results["machine"]
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
           'font-family="sans-serif" font-size="12">' % (WIDTH_PX, height),
           '<title>skirmishd measured: each bar against its bound</title>',
           '<rect width="%d" height="%d" fill="#ffffff"/>' % (WIDTH_PX, height),
           '<text x="10" y="18" font-size="14">How much of each bound is used (the line is the '
           'bound, the diamond what is aimed at; shorter is better)</text>',
           '<text x="10" y="36" fill="#555555">%s</text>' % escape(
               "%s, %d CPUs, Linux %s, %s" % (m["cpu"], m["cpus"], m["kernel"], m["at"]))]
    for i, name in enumerate(SPECS):
        y = TOP_PX + i * ROW_PX
        out.append('<text x="10" y="%d">%s</text>' % (y + 14, escape(name)))
        out += draw_bar(bars[name], y) if name in bars else [note(y, "not measured", "#777777")]
    line = LEFT_PX + BAR_PX // 2
    out.append('<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#222222" stroke-dasharray="4 3"/>' % (
        line, TOP_PX - 6, line, math.ceil(TOP_PX + ROW_PX * len(SPECS) + 6)))
    out.append("</svg>")
    return "\n".join(out) + "\n"


# ---- the guide ----

BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"


def verdict(bar):
    if share(bar, bar["bound"]) > 1:
        return "**short**"
    return "ok" if bar["aim"] is None or share(bar, bar["aim"]) > 1 else "ok, as aimed at"


def bar_rows(results):
    bars = {bar["name"]: bar for bar in results["bars"]}
    out = ["| bar | value | bound | aim | |", "|---|---|---|---|---|"]
    for name, spec in SPECS.items():
        aim = "" if spec.aim is None else "%.3g" % spec.aim
        found = ("%.3g" % bars[name]["value"], verdict(bars[name])) if name in bars else (
            "", "not measured")
        out.append("| %s | %s | %s %.3g | %s | %s |" % (name, found[0], sign(spec.least), spec.bound,
                                                       aim, found[1]))
    return out


def disturbed(results):
    """Where the canaries moved, and what went wrong."""
    groups = results["groups"]
    moved = ["%s (%s%s)" % (g["name"], ", ".join(k.rpartition("_")[0] for k in g["moved"]),
                            ", and once before" if g["again"] else "") for g in groups if g["moved"]]
    again = [g["name"] for g in groups if g["again"] and not g["moved"]]
    text = "The canaries moved by over 15 %% within: %s." % (", ".join(moved) or "no group")
    if again:
        text += " Measured a second time because they had moved: %s." % ", ".join(again)
    earlier = {g["at"] for g in groups if "at" in g}
    for at in sorted(earlier):
        text += " Of a run at %s: %s." % (at, ", ".join(g["name"] for g in groups if g.get("at") == at))
    for g in groups:
        if g["trouble"]:
            text += " %s couldn't be measured: %s." % (g["name"], g["trouble"])
    return text


def markdown(results):
    m, size = results["machine"], results["size"]
    peers = ", ".join("%s %s" % peer for peer in sorted(results["peers"].items())) or "none installed"
    out = ["Measured at %s on %d CPUs (%s), %d MB, Linux %s; load before it %.1f; %d rounds, %d of the "
           "fans. Peers: %s." % (m["at"], m["cpus"], m["cpu"], m["memory_mb"], m["kernel"], m["load"],
                                size["rounds"], size["fan_rounds"], peers),
           "", disturbed(results), ""]
    out += bar_rows(results)
    out += ["", "| what | median | unit | least to most |", "|---|---|---|---|"]
    for r in results["rows"]:
        out.append("| %s | %.2f | %s | %.4g to %.4g |" % (
            r["name"], r["value"], r["unit"], min(r["values"]), max(r["values"])))
    return "\n".join(out) + "\n"


# ---- files ----

def replace(path, text):
    """Whole or not at all."""
    with open(path + ".new", "w", encoding="utf-8") as out:
        out.write(text)
    os.replace(path + ".new", path)


def write_part(path, results):
    with open(path, encoding="utf-8") as doc:
        text = doc.read()
    front, rest = text.split(BEGIN, 1)
    rear = rest.split(END, 1)[1]
    picture = ""
    if os.path.exists(os.path.join(os.path.dirname(path), "bench.svg")):
        picture = "![skirmishd measured: each bar against its bound](bench.svg)\n\n"
    replace(path, front + BEGIN + "\n" + picture + markdown(results) + "\n" + END + rear)


def write_all(args, results):
    """The files asked for, as far as the run has come."""
    if args.json:
        replace(args.json, json.dumps(results, indent=1) + "\n")
    if args.svg:
        replace(args.svg, draw(results))
    if args.doc:
        write_part(args.doc, results)
