#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""What the documents point to is there: relative links, and the files that the page for those who
carry on names."""
import glob
import os
import re
import sys

SRC = os.environ.get("SK_SRC", "")


def documents():
    for top, dirs, files in os.walk(SRC):
        dirs[:] = [d for d in dirs if not d.startswith(".") and d not in ("build", "corpus")]
        yield from (os.path.join(top, name) for name in files if name.endswith(".md"))


def links(path):
    """Links without a scheme; an anchor alone is skipped."""
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"^```.*?^```", "", f.read(), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        target = target.split("#")[0]
        if target and "://" not in target and not target.startswith("mailto:"):
            yield target


def main():
    pages, seen, bad = 0, 0, []
    for page in documents():
        pages += 1
        for target in links(page):
            seen += 1
            if not os.path.exists(os.path.join(os.path.dirname(page), target)):
                bad.append("%s: no %s" % (os.path.relpath(page, SRC), target))
    with open(os.path.join(SRC, "deploy/doc/architecture.md"), encoding="utf-8") as f:
        named = set(re.findall(r"`([\w/*]+\.(?:c|py|cmake))`", f.read()))
    for name in sorted(named):
        if not glob.glob(os.path.join(SRC, "**", name), recursive=True):
            bad.append("architecture.md: no file %s" % name)
    print("%d pages, %d links, %d files named" % (pages, seen, len(named)))
    if pages < 8 or seen < 20 or len(named) < 20:
        bad.append("that is too little: the test doesn't see what it should")
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    if not SRC:
        print("SK_SRC isn't set, skipped")
        sys.exit(77)
    sys.exit(main())
