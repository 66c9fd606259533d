#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""dice_vectors.py -- the FD1 golden vectors, made and checked without the C.

With no argument: check that proto/golden/dice-vectors.json and .inc (the same values as rows for
the C test) are what tests/ref/fd1.py computes, and that the shared vectors, when there are any
($SK_CASES or ../shared/cases beside the checkout), come out the same. With --write: make both.
"""
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "ref"))
import fd1  # noqa: E402  (needs the path above)

GOLDEN = ROOT / "proto" / "golden" / "dice-vectors.json"
ROWS = ROOT / "proto" / "golden" / "dice-vectors.inc"
FULL_KS = (0, 1, 2, 63, 64, 65, 127, 128, 2047, 2048, 4031, 4032, 4033, 4095, 4096)


def made_up(name):
    """32 bytes that anybody can make again."""
    return fd1.sha256(b"FD1 golden vector: " + name.encode("ascii"))


class Match:
    """A match played for its vectors: chains by role, re-anchored as told, and its rolls."""

    def __init__(self, name, mid, length):
        self.name, self.mid, self.length = name, mid, length
        self.salt, self.n = fd1.ZEROS, 0
        self.current, self.tails, self.bases = {}, {}, {}
        self.chains, self.rolls = [], []

    def anchor(self, role, generation, secret, more=None):
        links = fd1.chain(self.mid, role, generation, secret, self.length)
        self.current[role] = links
        self.bases[role] = self.n
        self.tails[role] = fd1.Tail(self.mid, role, generation, self.n, links[0])
        ks = range(self.length + 1) if self.length < 100 else FULL_KS
        self.chains.append(
            {
                "role": role,
                "generation": generation,
                "base": self.n,
                "secret": secret.hex(),
                "links": {str(k): links[k].hex() for k in ks},
            }
            | (more or {})
        )

    def server_anchor(self, generation, master):
        secret = fd1.server_secret(master, self.mid, generation)
        self.anchor("S", generation, secret, {"master": master.hex()})

    def roll(self, present="AB", count=20, salt_roll=False):
        self.n += 1
        share = {r: self.current[r][self.n - self.bases[r]] for r in "SAB" if r in "S" + present}
        for role, link in share.items():
            self.tails[role].take(self.n, link)
        salt = fd1.ZEROS if salt_roll else self.salt
        key = fd1.roll_key(self.mid, self.n, salt, share["S"], share.get("A"), share.get("B"))
        if salt_roll:
            self.salt = key
        self.rolls.append(
            {
                "n": self.n,
                "flags": sum(f for r, f in (("A", 1), ("B", 2)) if r in present),
                "salt": salt.hex(),
                "generation": {r: self.tails[r].generation for r in share},
                "k": {r: self.tails[r].k for r in share},
                "shares": {r: link.hex() for r, link in share.items()},
                "key": key.hex(),
                "d6": fd1.Dice(key).roll(count),
            }
        )

    def done(self):
        return {
            "name": self.name,
            "match": self.mid.hex(),
            "chain_length": self.length,
            "chains": self.chains,
            "rolls": self.rolls,
        }


def match_long():
    """Full chains: absences, the maker's lost device (roll 8), a restored server (roll 11)."""
    m = Match("long", made_up("long match")[:16], fd1.CHAIN_LEN)
    m.server_anchor(0, made_up("master key 1"))
    m.anchor("A", 0, made_up("long A 0"))
    m.anchor("B", 0, made_up("long B 0"))
    m.roll(salt_roll=True)
    for present in ("AB", "A", "A", "B", "AB", ""):
        m.roll(present)
    m.anchor("A", 1, made_up("long A 1"))
    m.roll(salt_roll=True, count=0)
    for present in ("AB", "B"):
        m.roll(present)
    m.server_anchor(1, made_up("master key 2"))
    m.anchor("A", 2, made_up("long A 2"))
    m.anchor("B", 1, made_up("long B 1"))
    m.roll(salt_roll=True, count=0)
    for present in ("AB", "A", "AB"):
        m.roll(present)
    return m.done()


def match_worn():
    """Chains of 8 used up twice: generations 1 (from roll 9) and 2 (from roll 17) of every role."""
    m = Match("worn", made_up("worn match")[:16], 8)
    for generation in (0, 1, 2):
        m.server_anchor(generation, made_up("master key 1"))
        for role in "AB":
            m.anchor(role, generation, made_up(f"worn {role} {generation}"))
        m.roll(salt_roll=True, count=20 if generation == 0 else 0)
        while m.n % 8 != 0:
            m.roll(("AB", "A", "AB", "B")[m.n % 4])
    return m.done()


def match_shared():
    """The match of the shared vectors, from the same ids and secrets."""
    m = Match("shared", bytes(range(16)), 8)
    seeds = {
        "S": "67825f0bd13a1397d2afe4e6bea5a0f62d69f8111d0d418862fbbf2d212665a7",
        "A": "8c8fb09c99164b26d906e2870ab658ffc405c8f525a01e843d870643d8360754",
        "B": "4726a8ef0bccc183c0c142c3fa55204e5347e34b87294a52aa541b725e896c4a",
    }
    for role, seed in seeds.items():
        m.anchor(role, 0, bytes.fromhex(seed))
    m.roll(salt_roll=True, count=12)
    for present in ("AB", "A", "B", "AB"):
        m.roll(present, count=40)
    again = "cf1074751d074766e022755931531d993ab1e73359a10a48d12e060bd5401ec0"
    m.anchor("A", 1, bytes.fromhex(again))
    m.roll(salt_roll=True, count=0)
    m.roll(count=20)
    return m.done()


def dice_runs():
    """Streams of mixed sizes; the steep ones reject up to half of all bytes."""
    shapes = {
        "d2 then d6": [2] + [6] * 40,
        "every size up": list(range(2, 257)),
        "every size down": list(range(256, 1, -1)),
        "d256": [256] * 100,
        "d129": [129] * 100,
        "d20": [20] * 100,
        "mixed": [2, 6, 6, 20, 100, 3, 255, 129, 256, 171, 86, 7] * 12,
    }
    runs = []
    for name, sides in shapes.items():
        key = made_up("dice " + name)
        dice = fd1.Dice(key)
        runs.append(
            {"name": name, "key": key.hex(), "sides": sides, "dice": [dice.die(m) for m in sides]}
        )
    return runs


def journal():
    lines = [
        '{"seq":1,"kind":"opened"}',
        '{"seq":2,"kind":"anchors"}',
        '{"seq":3,"kind":"chat","text":"caf\u00e9"}',
        '{"seq":4,"kind":"chat","text":"' + "x" * 400 + '"}',
        "{}",
    ]
    entries, h = [], fd1.ZEROS
    for line in lines:
        h = fd1.journal_hash(h, line.encode("utf-8"))
        entries.append({"line": line, "hash": h.hex()})
    return entries


def build():
    return {
        "about": "FD1 vectors, see proto/DICE.md; made by tests/golden/dice_vectors.py",
        "matches": [match_shared(), match_long(), match_worn()],
        "dice": dice_runs(),
        "journal": journal(),
    }


def c_string(text):
    out = ""
    for byte in text.encode("utf-8"):
        plain = 0x20 <= byte < 0x7F and chr(byte) not in '"\\'
        out += chr(byte) if plain else f"\\{byte:03o}"
    return f'"{out}"'


def hex16(values):
    return "".join(f"{v:04x}" for v in values)


def rows_of_match(match):
    mid, length = match["match"], match["chain_length"]
    for c in match["chains"]:
        name = f'"{mid}", \'{c["role"]}\', {c["generation"]}'
        if "master" in c:
            yield f'SECRET("{c["master"]}", "{mid}", {c["generation"]}, "{c["secret"]}")'
        for k, link in c["links"].items():
            yield f'LINK({name}, {length}, "{c["secret"]}", {k}, "{link}")'
        for r in match["rolls"]:
            if r["generation"].get(c["role"]) != c["generation"]:
                continue
            link = r["shares"][c["role"]]
            yield f'SHARE({name}, {c["base"]}, "{c["links"]["0"]}", {r["n"]}, "{link}")'
    for r in match["rolls"]:
        shares = ", ".join(f'"{r["shares"].get(role, fd1.ZEROS.hex())}"' for role in "SAB")
        yield (
            f'ROLL("{mid}", {r["n"]}, {r["flags"]}, "{r["salt"]}", {shares}, '
            f'"{r["key"]}", "{bytes(r["d6"]).hex()}")'
        )


def rows(golden):
    kinds = ("SECRET", "LINK", "SHARE", "ROLL", "DICE", "JOURNAL")
    out = ["/* SPDX-License-Identifier: ISC"]
    out += [" * The values of dice-vectors.json as rows; made by tests/golden/dice_vectors.py."]
    out += [" * Define the macros for the rows wanted, then include; all are undefined after."]
    out += [" * SECRET(master, mid, generation, secret)"]
    out += [" * LINK(mid, role, generation, chain length, secret, k, link)"]
    out += [" * SHARE(mid, role, generation, base, anchor, n, link), a chain's in order of n"]
    out += [" * ROLL(mid, n, flags, salt, s, a, b, key, d6 a byte each)"]
    out += [" * DICE(key, sides, dice), two bytes each; JOURNAL(line, hash), one journal */"]
    for kind in kinds:
        out += [f"#ifndef {kind}", f"#define {kind}(...)", "#endif"]
    for match in golden["matches"]:
        out += rows_of_match(match)
    for run in golden["dice"]:
        out.append(f'DICE("{run["key"]}", "{hex16(run["sides"])}", "{hex16(run["dice"])}")')
    for entry in golden["journal"]:
        out.append(f'JOURNAL({c_string(entry["line"])}, "{entry["hash"]}")')
    out += [f"#undef {kind}" for kind in kinds]
    return "\n".join(out) + "\n"


def shared_chains(shared, mid, length):
    """Every link of the shared file; gives the links by (role, generation)."""
    found = {}
    named = [(r, 0, shared["seed"][r], shared["links"][r]) for r in "SAB"]
    again = shared["reanchor_A"]
    named.append(("A", again["generation"], again["seed"], again["links"]))
    for role, generation, seed, links in named:
        ours = fd1.chain(mid, role, generation, bytes.fromhex(seed), length)
        assert [x.hex() for x in ours] == links, f"links of {role}/{generation}"
        found[role, generation] = ours
    return found


def check_shared(path):
    """Reproduce every value of the shared file, from its inputs. Gives how many rolls it has."""
    shared = json.loads(path.read_text(encoding="utf-8"))
    mid = bytes.fromhex(shared["match"])
    links = shared_chains(shared, mid, shared["chain_length"])
    for r in shared["rolls"] + shared["after_reanchor"]:
        n, base = r["n"], r.get("base_A", 0)
        a = links["A", 1 if base else 0][n - base] if r["flags"] & 1 else None
        b = links["B", 0][n] if r["flags"] & 2 else None
        key = fd1.roll_key(mid, n, bytes.fromhex(r["salt_in"]), links["S", 0][n], a, b)
        assert key.hex() == r["key"], f"key of roll {n}"
        for sides in (6, 20, 2):
            want = r.get(f"d{sides}", [])
            assert fd1.Dice(key).roll(len(want), sides) == want, f"d{sides} of roll {n}"
    assert shared["salt"] == shared["rolls"][0]["key"], "salt"
    mixed = shared["mixed_d2_then_d6"]
    dice = fd1.Dice(bytes.fromhex(mixed["key"]))
    assert [dice.die(2)] + dice.roll(len(mixed["dice"]) - 1) == mixed["dice"], "mixed dice"
    h = fd1.ZEROS
    for entry in shared["journal"]:
        h = fd1.journal_hash(h, entry["line"].encode("utf-8"))
        assert h.hex() == entry["hash"], f"journal at {entry['line']}"
    return shared


def check_copy(golden, shared):
    """Our match "shared", which the C is checked against, holds the shared values."""
    ours = golden["matches"][0]
    keys = [r["key"] for r in shared["rolls"] + shared["after_reanchor"]]
    assert [r["key"] for r in ours["rolls"]] == keys, "golden copy: keys"
    for chain in ours["chains"]:
        again = chain["generation"] == 1
        want = shared["reanchor_A"]["links"] if again else shared["links"][chain["role"]]
        assert list(chain["links"].values()) == want, f"golden copy: links of {chain['role']}"


def shared_path():
    if "SK_CASES" in os.environ:
        return Path(os.environ["SK_CASES"]) / "dice-vectors.json"
    return ROOT.parent / "shared" / "cases" / "dice-vectors.json"


def main(argv):
    golden = build()
    text = json.dumps(golden, indent=1, ensure_ascii=False) + "\n"
    if argv == ["--write"]:
        GOLDEN.parent.mkdir(parents=True, exist_ok=True)
        GOLDEN.write_text(text, encoding="utf-8")
        ROWS.write_text(rows(golden), encoding="utf-8")
        return 0
    if argv:
        print(__doc__, file=sys.stderr)
        return 2
    for path, want in ((GOLDEN, text), (ROWS, rows(golden))):
        if path.read_text(encoding="utf-8") != want:
            print(f"FAIL {path.name} is not what the reference computes")
            return 1
        print(f"ok   {path.name}")
    if not shared_path().is_file():
        print("SKIP shared vectors: not there")
        return 0
    try:
        check_copy(golden, check_shared(shared_path()))
    except AssertionError as e:
        print(f"FAIL shared vectors: {e}")
        return 1
    print("ok   shared vectors")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
