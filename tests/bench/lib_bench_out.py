# SPDX-License-Identifier: ISC
"""lib_bench_out.py -- what tests/bench/run found, as a table and as a picture."""
import math
import os
from xml.sax.saxutils import escape

BAR_PX, LEFT_PX, ROW_PX, TOP_PX = 420, 170, 22, 56


def table(rows):
    return "\n".join("  %-52s %12.2f %-4s  (%s)" % (
        r["name"], r["value"], r["unit"], " ".join("%.4g" % v for v in r["values"][:9]))
        for r in rows)


def share(bar):
    """How much of the bound is used: 1 is the bound; less is better."""
    value = max(bar["value"], 1e-9)
    return bar["bound"] / value if bar["least"] else value / bar["bound"]


def draw(results):
    """Each bar against its bound, as SVG."""
    bars = results["bars"]
    height = TOP_PX + ROW_PX * len(bars) + 30
    m = results["machine"]
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="780" height="%d" '
           'font-family="sans-serif" font-size="12">' % height,
           '<title>skirmishd measured: each bar against its bound</title>',
           '<rect width="780" height="%d" fill="#ffffff"/>' % height,
           '<text x="10" y="18" font-size="14">How much of each bound is used (the line is the '
           'bound; shorter is better)</text>',
           '<text x="10" y="36" fill="#555555">%s</text>' % escape(
               "%s, %d CPUs, Linux %s, %s" % (m["cpu"], m["cpus"], m["kernel"], m["at"]))]
    for i, bar in enumerate(bars):
        y = TOP_PX + i * ROW_PX
        used = share(bar)
        width = min(used, 2.0) * BAR_PX / 2
        color = "#2f7d4f" if used <= 1 else "#b4472e"
        text = "%.3g (%s %.3g)" % (bar["value"], "at least" if bar["least"] else "at most",
                                   bar["bound"])
        out.append('<text x="10" y="%d">%s</text>' % (y + 14, escape(bar["name"])))
        out.append('<rect x="%d" y="%d" width="%.1f" height="14" fill="%s"/>' % (
            LEFT_PX, y + 3, max(width, 1), color))
        out.append('<text x="%d" y="%d">%s</text>' % (LEFT_PX + BAR_PX + 12, y + 14, escape(text)))
    line = LEFT_PX + BAR_PX // 2
    out.append('<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#222222" stroke-dasharray="4 3"/>' % (
        line, TOP_PX - 6, line, math.ceil(TOP_PX + ROW_PX * len(bars) + 6)))
    out.append("</svg>")
    return "\n".join(out) + "\n"


BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"


def markdown(results):
    m = results["machine"]
    out = ["Measured at %s on %d CPUs (%s), %d MB, Linux %s; load before it %.1f; %d rounds." % (
        m["at"], m["cpus"], m["cpu"], m["memory_mb"], m["kernel"], m["load"], results["rounds"]), "",
           "| bar | value | bound | |", "|---|---|---|---|"]
    for bar in results["bars"]:
        out.append("| %s | %.3g | %s %.3g | %s |" % (
            bar["name"], bar["value"], "\u2265" if bar["least"] else "\u2264", bar["bound"],
            "ok" if share(bar) <= 1 else "**short**"))
    out += ["", "| what | median | unit | least to most |", "|---|---|---|---|"]
    for r in results["rows"]:
        out.append("| %s | %.2f | %s | %.4g to %.4g |" % (
            r["name"], r["value"], r["unit"], min(r["values"]), max(r["values"])))
    return "\n".join(out) + "\n"


def write_part(path, results):
    with open(path, encoding="utf-8") as doc:
        text = doc.read()
    front, rest = text.split(BEGIN, 1)
    rear = rest.split(END, 1)[1]
    picture = ""
    if os.path.exists(os.path.join(os.path.dirname(path), "bench.svg")):
        picture = "![skirmishd measured: each bar against its bound](bench.svg)\n\n"
    with open(path, "w", encoding="utf-8") as doc:
        doc.write(front + BEGIN + "\n" + picture + markdown(results) + "\n" + END + rear)
