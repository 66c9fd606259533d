#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""The offline subcommands as a user meets them: words, streams and exit codes."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SRC = pathlib.Path(os.environ.get("SK_SRC", pathlib.Path(__file__).resolve().parents[2]))
SKIRMISH = pathlib.Path(os.environ.get("SK_BIN", SRC / "build" / "release" / "bin")) / "skirmish"
SCENARIOS = SRC / "common" / "scenarios"


def run(*words, given=None, locale="C"):
    done = subprocess.run([SKIRMISH, *words], input=given, text=True, check=False, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          env={**os.environ, "LC_ALL": locale})
    return done.returncode, done.stdout, done.stderr


class Words(unittest.TestCase):
    def test_help_names_every_command(self):
        code, out, err = run("--help")
        self.assertEqual((code, err), (0, ""))
        for name in ("scenario", "adjudicate"):
            self.assertIn("\n  %s " % name, out)
            code, form, _ = run("help", name)
            self.assertEqual(code, 0)
            self.assertTrue(form.startswith("skirmish %s " % name))
            self.assertEqual(run(name, "--help")[1], form)

    def test_version(self):
        code, out, _ = run("--version")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"\Askirmish \d+\.\d+\.\d+, rules \d+\n\Z")

    def test_wrong_words_are_usage(self):
        for words in ((), ("dance",), ("adjudicate",), ("scenario",), ("scenario", "show"),
                      ("help", "dance")):
            code, out, err = run(*words)
            self.assertEqual((code, out), (64, ""), words)
            self.assertTrue(err, words)


class Scenario(unittest.TestCase):
    def test_list_has_all_that_are_shipped(self):
        code, out, _ = run("scenario", "list")
        self.assertEqual(code, 0)
        shipped = sorted(file.stem for file in SCENARIOS.glob("*.json"))
        self.assertEqual([line.split()[0] for line in out.splitlines()], shipped)

    def test_show_by_id_and_by_file_and_in_ascii(self):
        code, out, _ = run("scenario", "show", "tin-lizzy-down")
        self.assertEqual(code, 0)
        self.assertTrue(out.isascii())
        self.assertIn("Victory for Legion", out)
        self.assertEqual(run("scenario", "show", str(SCENARIOS / "tin-lizzy-down.json"))[1], out)
        fine = run("scenario", "show", "tin-lizzy-down", locale="C.UTF-8")[1]
        self.assertIn("▣", fine)

    def test_check(self):
        files = [str(file) for file in sorted(SCENARIOS.glob("*.json"))]
        code, out, err = run("scenario", "check", *files)
        self.assertEqual((code, err, len(out.splitlines())), (0, "", len(files)))
        bad = json.loads((SCENARIOS / "cowboys-and-indians.json").read_text(encoding="utf-8"))
        bad["figures"][3]["at"] = "z9"
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "bad.json"
            file.write_text(json.dumps(bad), encoding="utf-8")
            code, out, err = run("scenario", "check", str(file), files[1])
        self.assertEqual(code, 65)
        self.assertIn("figures[3].at: z9 is not on the 14x10 board; use a1 to n10", err)
        self.assertEqual(len(out.splitlines()), 1)  # the sound one is still reported

    def test_what_is_not_there(self):
        code, out, err = run("scenario", "show", "no-such-scenario")
        self.assertEqual((code, out), (66, ""))
        self.assertIn("scenario list", err)


class Adjudicate(unittest.TestCase):
    GAME = {"scenario": "first-blood", "dice": [6, 1], "orders": [
        {"side": "red", "do": "move", "figures": ["r1"], "path": ["b3", "b4"]},
        {"side": "red", "do": "undo"}]}

    def play(self, **changes):
        return run("adjudicate", "-", given=json.dumps({**self.GAME, **changes}))

    def test_a_shipped_scenario_by_its_id(self):
        code, out, err = self.play()
        self.assertEqual((code, err), (0, ""))
        kinds = [json.loads(line)["kind"] for line in out.splitlines()]
        self.assertEqual(kinds, ["initiative", "phase", "move", "undo", "state"])

    def test_a_file_bad_in_any_part_plays_nothing(self):
        order = self.GAME["orders"][0]
        for changes, word in (
                ({"scenario": "nope"}, "scenario"),
                ({"scenario": 7}, "scenario"),
                ({"scenario": {"format": 1}}, "scenario: id"),
                ({"dice": [6, 7]}, "dice[1]"),
                ({"dice": None}, "dice"),
                ({"orders": {}}, "orders"),
                ({"orders": [order, {**order, "side": "green"}]}, "orders[1]: side"),
                ({"orders": [order, {**order, "path": "b3"}]}, "orders[1]: order.path"),
                ({"orders": [order, {"side": "red", "do": "dance"}]}, "orders[1]: order.do")):
            code, out, err = self.play(**changes)
            self.assertEqual((code, out), (65, ""), changes)
            self.assertIn(word, err)
        for text in ("", "{", "[]", json.dumps(self.GAME) + "x", '{"dice":[1],"dice":[2]}'):
            code, out, err = run("adjudicate", "-", given=text)
            self.assertEqual((code, out), (65, ""), text)
            self.assertTrue(err)

    def test_without_dice_the_start_waits(self):
        code, out, _ = self.play(dice=[6])
        self.assertEqual(code, 0)
        lines = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(lines[0], {"kind": "dice_wanted", "index": -1})
        self.assertEqual([line["kind"] for line in lines], ["dice_wanted", "state"])
        self.assertEqual((lines[1]["turn"], lines[1]["dice_used"]), (0, 0))

    def test_a_missing_file(self):
        self.assertEqual(run("adjudicate", "/nonexistent/game.json")[0], 66)


if __name__ == "__main__":
    if not SKIRMISH.exists():
        print("no skirmish program built: skipped")
        sys.exit(77)
    unittest.main()
