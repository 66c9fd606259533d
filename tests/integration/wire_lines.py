#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 180
"""Lines: however the bytes come, the answers are the same; what isn't a request is refused as the
protocol's rules of the line say."""
import json
import os
import socket
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_wire import CODES, PATIENCE_S, equal, need, run  # noqa: E402

LINE_BEFORE, LINE_AFTER = 4096, 16384


def errors(conn, count):
    """Take that many errors with id null."""
    got = []

    def there():
        while None in conn.replies:
            got.append(conn.replies.pop(None)["error"])
        return len(got) >= count
    conn.wait(there, "%d errors" % count)
    return got


def bad_line(conn, data, reason):
    """One line (bytes) that has no id to answer to: one error, the connection kept."""
    conn.send_raw(data + b"\n")
    error = errors(conn, 1)[0]
    equal((error["data"]["reason"], error["code"]), (reason, CODES[reason]), "line %.80r" % data)
    conn.call("session.ping")


def requests(conn, count):
    """Some pings and other calls, as (ids, text)."""
    ids, texts = [], []
    for i in range(count):
        method = ("session.ping", "server.info", "scenario.list", "lobby.list")[i % 4]
        request_id, text = conn.line(method, {})
        conn.checker.note_request(text)
        ids.append(request_id)
        texts.append(text)
    return ids, texts


def all_answered(conn, ids):
    """Each once, in the order asked."""
    conn.wait(lambda: all(i in conn.replies for i in ids), "answers to %s" % ids)
    equal([i for i in conn.replies if i in ids], ids, "the order of the answers")
    for i in ids:
        conn.reply(i)


def byte_at_a_time(server):
    conn = server.connect()
    conn.guest("byter")
    ids, texts = requests(conn, 8)
    for byte in "".join(text + "\n" for text in texts).encode("utf-8"):
        conn.send_raw(bytes([byte]))
    all_answered(conn, ids)


def split_and_joined(server):
    """Lines cut anywhere, many in one packet, CRLF, blank lines between."""
    conn = server.connect()
    conn.guest("splitter")
    for size in (1, 2, 3, 7, 64, 1000):
        ids, texts = requests(conn, 12)
        data = b"\n  \r\n\t\n".join(text.encode("utf-8") + b"\r" for text in texts) + b"\n\n"
        for i in range(0, len(data), size):
            conn.send_raw(data[i:i + size])
        all_answered(conn, ids)
    ids, texts = requests(conn, 200)
    conn.send_raw("".join(text + "\n" for text in texts).encode("utf-8"))
    all_answered(conn, ids)


def interleaved(server):
    """Two connections a byte each in turn, one character of which has four bytes."""
    pair = [server.connect(), server.connect()]
    datas = []
    for i, conn in enumerate(pair):
        conn.hello()
        text = json.dumps({"jsonrpc": "2.0", "id": "\U0001f3b2%d" % i, "method": "session.ping",
                           "params": {"x": "\u00e4\u20ac\U0001f3b2"}}, ensure_ascii=False)
        conn.checker.note_request(text)
        datas.append(text.encode("utf-8") + b"\n")
    for at in range(max(map(len, datas))):
        for conn, data in zip(pair, datas):
            conn.send_raw(data[at:at + 1])
    for i, conn in enumerate(pair):
        need("time_ms" in conn.reply("\U0001f3b2%d" % i), "an answer to an id with four bytes")


def half_a_line(server):
    """A line without its end when the peer goes isn't a request; one before it is answered."""
    conn = server.connect()
    conn.hello()
    request_id, text = conn.line("session.guest", {"name": "halfway"})
    conn.checker.note_request(text)
    half = b'{"jsonrpc":"2.0","id":99,"method":"session.ping"'
    conn.send_raw(text.encode("utf-8") + b"\n" + half)
    conn.socket.shutdown(socket.SHUT_WR)
    equal(conn.reply(request_id)["user"]["name"], "halfway", "the whole line")
    conn.wait_closed()
    need(not conn.replies, "an answer to half a line")


def not_json(server):
    """-32700, and the tenth closes. Each on a connection that goes on."""
    lines = (b"{", b"nonsense", b'{"a":1,"a":2}', b'{"jsonrpc":"2.0","id":1,"id":2}', b'"\xff"',
             b'{"x":"\xed\xa0\x80"}', b'{"x":"\\ud800"}',
            b'{"x":"\\udc00\\ud800"}',
             b'{"x":"\\u0000"}', b'{"x":"\x01"}', b'{"x":"\t"}', b"{} {}", b"{},", b"01",
             b'{"x":1.5}', b'{"x":1e2}', b'{"x":9007199254740993}', b'{"x":-9007199254740993}',
             b'{"x":01}', b'{"x":+1}', b'{"x":1.}', b'{"x":nan}', b"{'x':1}", b'{"x":tru}',
             b"\xef\xbb\xbf{}", b'{"x":"a\\x"}', b'{"x":[1,]}', b'{"x":1,}', b"[1", b'{"x"}')
    for start in range(0, len(lines), 9):
        conn = server.connect()
        conn.hello()
        group = lines[start:start + 9]
        for line in group + (b"{{{",) * (9 - len(group)):
            bad_line(conn, line, "parse")
        conn.send_raw(b"{{{\n")
        errors(conn, 1)
        conn.wait_closed()


def count_of_errors(server):
    """Ten answers to thirty bad lines; those that only aren't requests don't count."""
    conn = server.connect()
    conn.hello()
    for _ in range(20):
        bad_line(conn, b"7", "invalid")
    seen = []
    conn.listener = seen.append
    conn.send_raw(b"{\n" * 30)
    conn.wait_closed()
    equal([m["error"]["code"] for m in seen], [-32700] * 10, "what thirty bad lines get")


def not_requests(server):
    """-32600: batches and whatever isn't a request object."""
    conn = server.connect()
    conn.hello()
    ping = '"method":"session.ping"'
    for line in ("[]", "[{}]", "[" + '{"jsonrpc":"2.0","id":1,%s}' % ping + "]", '"x"', "1", "null",
                 "{}", '{"jsonrpc":"2.0",%s}' % ping, '{"jsonrpc":"2.0","id":null,%s}' % ping,
                 '{"jsonrpc":"2.0","id":{},%s}' % ping, '{"jsonrpc":"2.0","id":true,%s}' % ping):
        bad_line(conn, line.encode("utf-8"), "invalid")
    for members in ('"id":5', '"jsonrpc":"1.0","id":5,%s' % ping, '"id":5,%s' % ping,
                    '"jsonrpc":"2.0","id":5', '"jsonrpc":"2.0","id":5,"method":7'):
        conn.checker.waiting[5] = "session.ping"
        conn.send_raw(b"{%s}\n" % members.encode("utf-8"))
        conn.wait(lambda: 5 in conn.replies or None in conn.replies, "an error for " + members)
        conn.checker.waiting.pop(5, None)
        message = conn.replies.pop(5, None) or conn.replies.pop(None)
        equal(message["error"]["data"]["reason"], "invalid", "{%s}" % members)
    for params in ("[]", "[1]", '"x"', "7"):
        conn.checker.waiting[6] = "session.ping"
        conn.send_raw(b'{"jsonrpc":"2.0","id":6,%s,"params":%s}\n' % (
            ping.encode("utf-8"), params.encode("utf-8")))
        conn.wait(lambda: 6 in conn.replies, "an error for params " + params)
        message = conn.replies.pop(6)
        need(message.get("error", {}).get("data", {}).get("reason") in ("params", "invalid"),
             "params %s: %s" % (params, message))


def unknown(server):
    """Unknown methods are refused, unknown members passed over."""
    conn = server.connect()
    conn.hello()
    conn.refused("method", "no.such")
    conn.refused("method", "")
    conn.refused("method", "Session.ping")
    conn.refused("method", "session.ping ")
    equal(set(conn.call("session.ping", what={"deep": [1, {"x": None}]})), {"time_ms"}, "a member")
    conn.send_line('{"extra":[],"jsonrpc":"2.0","id":"x","method":"session.ping","more":true}')
    need("time_ms" in conn.reply("x"), "unknown members of the envelope")


def padded(conn, size):
    """A ping of exactly so many bytes."""
    request_id, text = conn.line("session.ping", {"pad": ""})
    return request_id, text.replace('""', '"%s"' % ("x" * (size - len(text))))


def long_lines(server):
    """The longest line is answered; one byte more gets one error and the end."""
    for login, limit in ((False, LINE_BEFORE), (True, LINE_AFTER)):
        conn = server.connect()
        conn.hello()
        if login:
            conn.call("session.guest", name="longwind")
        for end in (b"\n", b"\r\n"):
            request_id, text = padded(conn, limit)
            conn.checker.note_request(text)
            conn.send_raw(text.encode("ascii") + end)
            need("time_ms" in conn.reply(request_id), "a line of %d bytes" % limit)
        request_id, text = padded(conn, limit + 1)
        conn.send_raw(text.encode("ascii") + b"\n")
        equal(errors(conn, 1)[0]["code"], -32700, "a line of %d bytes" % (limit + 1))
        conn.wait_closed()
        need(not conn.replies, "one error, not more")
    conn = server.connect()
    conn.hello()
    conn.send_raw(b'{"x":"' + b"x" * LINE_BEFORE)  # no end of line needed
    equal(errors(conn, 1)[0]["code"], -32700, "an endless line")
    conn.wait_closed()


def limits(server):
    """Depth 8, 64 members, 512 values: the limit goes, one more is -32700."""
    conn = server.connect()
    conn.hello()
    conn.call("session.guest", name="limits")

    def ping(params):
        request_id, text = conn.line("session.ping", params)
        conn.checker.note_request(text)
        conn.send_raw(text.encode("ascii") + b"\n")
        conn.wait(lambda: request_id in conn.replies or None in conn.replies, "an answer")
        conn.checker.waiting.pop(request_id, None)
        answer = conn.replies.pop(request_id, None) or conn.replies.pop(None)
        return answer.get("error", {}).get("data", {}).get("reason")

    def deep(levels):
        return {"x": 1} if levels == 1 else {"x": deep(levels - 1)}
    equal((ping(deep(7)), ping(deep(8))), (None, "parse"), "depth")
    members = {"m%d" % i: i for i in range(64)}
    equal((ping(members), ping(dict(members, more=1))), (None, "parse"), "members")
    # the object itself, jsonrpc, id, method, params, list: 6 values
    equal((ping({"x": [1] * 506}), ping({"x": [1] * 507})), (None, "parse"), "values")
    equal((ping({"x": 2 ** 53}), ping({"x": -2 ** 53})), (None, None), "numbers")


def plain_text(server):
    """HTTP, telnet and TLS get one line of text and the end."""
    for hello in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"hello\r\n", b"SSH-2.0-x\r\n",
                  b"\x16\x03\x01\x02\x00\x01\x00", b"\xff\xfb\x1f"):
        with socket.create_connection(server.address, PATIENCE_S) as sock:
            sock.settimeout(PATIENCE_S)
            sock.sendall(hello)
            data = b""
            while True:
                try:
                    more = sock.recv(4096)
                except ConnectionResetError:
                    more = b""
                if not more:
                    break
                data += more
            lines = data.split(b"\n")
            welcome = json.loads(lines[0])
            equal(welcome["method"], "server.welcome", "the server speaks first")
            text = lines[1].decode("utf-8")
            need(len(lines) == 3 and lines[2] == b"" and text and not text.startswith("{"),
                 "one line of plain text for %r: %r" % (hello, data))


def blank_first(server):
    """A blank or a line's end may come first: keepalives."""
    for blank in (b" ", b"\n", b"\r\n", b"\t \n"):
        conn = server.connect()
        conn.send_raw(blank)
        conn.hello()
        conn.close()


def closing(server):
    """SIGTERM: everybody is told, connections end, status 0 (Server.stop looks at it)."""
    conns = [server.connect() for _ in range(3)]
    conns[0].hello()
    conns[1].guest("closer")
    began = time.monotonic()
    server.stop()
    for conn in conns:
        conn.wait_closed()
        need(any(n["method"] == "server.closing" for n in conn.notes), "server.closing")
    need(time.monotonic() - began < PATIENCE_S, "it took too long")


TESTS = (byte_at_a_time, split_and_joined, interleaved, half_a_line, not_json, count_of_errors,
         not_requests, unknown, long_lines, limits, plain_text, blank_first,
         closing)

if __name__ == "__main__":
    run(TESTS)
