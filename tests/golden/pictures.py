#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Every picture that README and guides show is there, is a sound SVG, and none lies about unused."""
import glob
import os
import re
import sys
import unittest
import xml.etree.ElementTree as tree

ROOT = os.environ.get("SK_SRC", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DOC = os.path.join(ROOT, "deploy", "doc")
SHOWN = re.compile(r"!\[([^\]]+)\]\(([^)]+\.svg)\)")


def shown():
    """(words, path) of each picture that a page shows."""
    for page in [os.path.join(ROOT, "README.md")] + glob.glob(os.path.join(DOC, "*.md")):
        with open(page, encoding="utf-8") as file:
            for words, name in SHOWN.findall(file.read()):
                yield words, os.path.normpath(os.path.join(os.path.dirname(page), name))


class Pictures(unittest.TestCase):
    def test_all_are_there_and_sound(self):
        for words, path in shown():
            root = tree.parse(path).getroot()
            self.assertTrue(root.tag.endswith("}svg"), path)
            title = [e for e in root if e.tag.endswith("}title")][0].text
            self.assertEqual(title, words, path)
            text = "".join(e.text or "" for e in root.iter() if e.tag.endswith("}text"))
            self.assertGreater(len(text), 30, path)

    def test_none_is_unused(self):
        used = {path for _, path in shown()}
        self.assertGreaterEqual(len(used), 8)
        there = {os.path.normpath(path) for path in glob.glob(os.path.join(DOC, "*.svg"))}
        self.assertEqual(there - used, set())


if __name__ == "__main__":
    sys.exit(unittest.main())
