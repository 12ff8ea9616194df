"""A cache for `tidemark simulate --cache`: queries kept by recency, with a time to live.

It keeps whole answers, follows no events, and asks again for what has expired. Run it with
`tidemark simulate SCENARIO --cache 'lru-py=python3 Adapters/lru.py --queries 500 --ttl 300'`.
"""

import argparse
import json
import sys
from collections import OrderedDict

options = argparse.ArgumentParser()
options.add_argument("--queries", type=int, default=500, help="the most answers that are kept")
options.add_argument("--ttl", type=float, default=300, help="seconds for which an answer is fresh")
options.add_argument("--store", action="store_true", help="have answers outlive the process")
options = options.parse_args()

answers = OrderedDict()  # what was asked: (rows, when they came), the latest used last
requests = {}  # by number: what was asked, and the turns that wait for it
last_request = 0


def say(kind, **members):
    sys.stdout.write(json.dumps({"t": kind, **members}, separators=(",", ":")) + "\n")


def store(target):
    if options.store:
        value = json.dumps(answers[target]) if target in answers else None
        say("store", key=f"{target[0]} {target[1]}", value=value)


def restore(stored):
    for key, value in sorted(stored, key=lambda text: json.loads(text[1])[1]):
        kind, number = key.split()
        answers[kind, int(number)] = json.loads(value)


def read(turn, target, now):
    global last_request
    known = answers.get(target)
    if known and now - known[1] < options.ttl * 1e9:
        answers.move_to_end(target)
        return say("serve", **{"for": turn}, rows=known[0])
    for asked, waiting in requests.values():
        if asked == target:
            return waiting.append(turn)
    last_request += 1
    requests[last_request] = (target, [turn])
    say("fetch", id=last_request, **{target[0]: target[1]})


def answer(line):
    target, waiting = requests.pop(line["id"])
    if "error" not in line:
        answers[target] = ([[row[0], row[2]] for row in line["rows"]], line["at"])
        answers.move_to_end(target)
        store(target)
        while len(answers) > options.queries:
            store(answers.popitem(last=False)[0])
    for turn in waiting:
        # Without a server, what there is, however old.
        if target in answers and line.get("error") != "refused":
            say("serve", **{"for": turn}, rows=answers[target][0])
        else:
            say("fail", **{"for": turn})


for text in sys.stdin:
    line = json.loads(text)
    if line["t"] == "hello":
        restore(line.get("stored", []))
        # Answers are kept as they came, so a part is never taken for the whole of its entity.
        features = ["parts", "storage"] if options.store else ["parts"]
        say("hello", protocol=1, name="lru.py", version="1", features=features)
    elif line["t"] in ("read", "observe"):
        read(line["n"], ("q", line["q"]), line["at"])
    elif line["t"] == "open":
        read(line["n"], ("object", line["object"]), line["at"])
    elif line["t"] == "response":
        answer(line)
    if line["t"] != "hello":
        say("done", n=line["n"], wake=None)
    sys.stdout.flush()
