"""A cache for `tidemark simulate --cache`: lists that follow the server's events, and never expire.

It is told which lists a change enters and leaves (`@given`), or else asks for them again after each change. It keeps
all that it was ever sent, and what shows a part of an entity apart from the whole. Run it with
`tidemark simulate SCENARIO --cache 'following@given=python3 Adapters/following.py'`.
"""

import json
import sys

lists = {}  # by query: its objects in order, as of which place in the stream, and whether it is known
rows = {}  # by object: the latest row that was sent whole; None: it was deleted
parts = {}  # by object: the latest row that was sent in part
has_parts = []  # by query: whether its rows may be such
orders = {}  # by object: the order of what is known of it
opened = {}  # by object: as of which place it is known
views = set()
requests = {}  # by number: what was asked, and the turns that wait for it
last_request = 0
is_given = False  # whether it is told what changes in lists
place = None  # [epoch, sequence] up to which all is known
is_asking = False  # for events that were lost
recent = []  # the events that were told last, in order
overtaken = set()  # the requests in flight when an event without a place came: their answers may lack it


def say(kind, **members):
    sys.stdout.write(json.dumps({"t": kind, **members}, separators=(",", ":")) + "\n")


def position(line):
    return [line["epoch"], line["sequence"]]


def shown(objects, q=None):
    found = []
    for number in objects:
        row, part = rows.get(number), parts.get(number) if q is not None and has_parts[q] else None
        if part and (not row or part[3] > row[3]):
            row = part
        if row:
            found.append([number, row[2]])
    return found


def serve(turn, objects, q=None):
    say("serve", **{"for": turn}, rows=shown(objects, q))


def ask(target, turns):
    global last_request
    for asked, waiting in requests.values():
        if asked == target:
            return waiting.extend(turns)
    last_request += 1
    requests[last_request] = (target, turns)
    say("fetch", id=last_request, **{target[0]: target[1]})


def read(turn, q):
    if q in lists and lists[q]["known"]:
        return serve(turn, lists[q]["objects"], q)
    ask(("q", q), [turn])


def take_row(row):
    if len(row) > 6:
        is_gone = row[0] in orders and rows[row[0]] is None and row[3] < orders[row[0]]
        if not is_gone and row[3] >= parts.get(row[0], row)[3]:
            parts[row[0]] = row
    elif row[3] >= orders.get(row[0], -1):
        rows[row[0]], orders[row[0]] = row, row[3]


def change(known, event):
    """What an event makes of a list that is known as of a place before it, or to which it came if it has none."""
    if "epoch" in event and position(event) <= known["place"]:
        return False
    if not is_given:
        known["known"] = not {"rows", "deleted", "stale"} & event.keys()
        return not known["known"]
    for told in event.get("lists", []):
        if told["q"] != known["q"]:
            continue
        if told.get("again"):
            known["known"] = False
            return True
        left = told.get("left", [])
        known["objects"] = [number for number in known["objects"] if number not in left]
        for number, index in told.get("entered", []):
            known["objects"].insert(index, number)
        return True
    sent = [row[0] for row in event.get("rows", [])]
    return any(number in sent for number in known["objects"])


def take(event):
    global place
    place = position(event)
    recent.append(event)
    del recent[:-1000]
    apply(event)


def apply(event):
    for row in event.get("rows", []):
        take_row(row)
    for number in event.get("deleted", []):
        if event["order"] >= orders.get(number, -1):
            rows[number], orders[number] = None, event["order"]
            parts.pop(number, None)
    stale = event.get("stale")
    for number in list(opened) if stale is not None else []:
        del opened[number]
    for q, known in lists.items():
        if change(known, event) and q in views:
            tell(q)


def tell(q):
    if not lists[q]["known"]:
        return ask(("q", q), [])
    say("notify", q=q, rows=shown(lists[q]["objects"], q))


def hear(line):
    """An event, or where the server stands: nothing of the stream is taken out of order."""
    global place, is_asking
    if "epoch" not in line:
        if {"rows", "deleted", "stale"} & line.keys():
            overtaken.update(requests)
        return apply(line)
    if place is None:
        place = [line["epoch"], line["sequence"] - (line["t"] == "event")]
    if position(line) <= place or is_asking:
        return
    if line["t"] == "event" and position(line) == [place[0], place[1] + 1]:
        return take(line)
    is_asking = True
    ask_events()


def ask_events():
    global last_request
    last_request += 1
    requests[last_request] = (None, [])
    say("reconcile", id=last_request, after=place)


def answer(line):
    global place, is_asking
    target, turns = requests.pop(line["id"])
    is_late = line["id"] in overtaken
    overtaken.discard(line["id"])
    if target is None:
        is_asking = False
        for event in line.get("events", []):
            if position(event) > place:
                take(event)
        if "epoch" in line:
            place = max(place, position(line))
        if line.get("tooOld"):
            recent.clear()
            opened.clear()
            for q, known in lists.items():
                known["known"] = False
                if q in views:
                    tell(q)
        return
    kind, number = target
    if "rows" in line:
        place = place or position(line)
        for row in line["rows"]:
            take_row(row)
        if kind == "object":
            opened[number] = position(line)
            if not line["rows"] and orders.get(number) is None:
                rows[number] = None
        else:
            known = {"q": number, "known": not is_late, "place": position(line)}
            known["objects"] = [row[0] for row in line["rows"]]
            for event in recent:
                if known["known"]:
                    change(known, event)
            lists[number] = known
            if not known["known"]:
                return ask(target, turns)
            if number in views and not turns:
                tell(number)
    for turn in turns:
        if kind == "object" and (number in opened or rows.get(number)) and line.get("error") != "refused":
            serve(turn, [number])
        elif kind == "q" and number in lists and line.get("error") != "refused":
            serve(turn, lists[number]["objects"], number)
        else:
            say("fail", **{"for": turn})


for text in sys.stdin:
    line = json.loads(text)
    if line["t"] == "hello":
        is_given = line["membership"] == "given"
        views_of = {query["name"]: query.get("shows") for query in line["model"]["queries"]}
        has_parts = [views_of[query["query"]] is not None for query in line["lists"]]
        say("hello", protocol=1, name="following.py", version="1", features=["given", "parts"])
    elif line["t"] in ("read", "observe"):
        if line["t"] == "observe":
            views.add(line["q"])
        read(line["n"], line["q"])
    elif line["t"] == "unobserve":
        views.discard(line["q"])
    elif line["t"] == "open":
        if line["object"] in opened or rows.get(line["object"]):
            serve(line["n"], [line["object"]])
        else:
            ask(("object", line["object"]), [line["n"]])
    elif line["t"] in ("event", "heartbeat"):
        hear(line)
    elif line["t"] == "response":
        answer(line)
    if line["t"] != "hello":
        say("done", n=line["n"], wake=None)
    sys.stdout.flush()
